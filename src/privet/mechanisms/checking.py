"""What a mechanism may be given: positive parameters, whole or finite values, scales that computers hold."""

from __future__ import annotations

import operator
from fractions import Fraction
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from privet.budget.amounts import exact
from privet.errors import DataError, ParameterError
from privet.randomness import FloatArray, IntegerArray

__all__ = ["confident", "positive", "real_numbers", "scale_fits", "scores", "whole", "whole_numbers"]

# With noise of this scale a count reaches the ends of 64 bits with a chance below e^-512: never. It is also
# the last scale at which a float tells every whole number apart.
LARGEST_WHOLE_SCALE = 2.0**53
# Squares of such noise are still finite floats.
LARGEST_REAL_SCALE = 1e150


def positive(name: str, value: float | int | str | Fraction) -> Fraction:
    """The exact fraction, if it is above 0."""
    fraction = exact(value)
    if fraction <= 0:
        raise ParameterError(
            f"The {name} must be greater than 0.",
            "Give the largest change that one unit of privacy can make; 0 would add no noise at all.",
        )
    return fraction


def whole(name: str, value: SupportsIndex, least: int = 1) -> int:
    """The integer, if it is one and large enough."""
    try:
        number = operator.index(value)
    except TypeError:
        raise ParameterError(f"The {name} must be a whole number, not a {type(value).__name__}.") from None
    if number < least:
        raise ParameterError(f"The {name} must be at least {least}.", "Give a larger one.")
    return number


def scale_fits(scale: float, amount: str, largest: float = LARGEST_REAL_SCALE) -> float:
    """The scale, unless noise of it would overflow."""
    if not scale <= largest:
        raise ParameterError(
            f"The {amount} is so small for this sensitivity that the noise would overflow.",
            f"Give a larger {amount}, or bound the data more tightly so that the sensitivity is smaller.",
        )
    return scale


def confident(confidence: float) -> float:
    """The chance of being outside an interval of this confidence."""
    if not 0 < confidence < 1:
        raise ParameterError("A confidence must lie between 0 and 1.", "Give one such as 0.95.")
    return 1.0 - confidence


def whole_numbers(value: ArrayLike) -> IntegerArray:
    """An array of 64-bit integers; anything else would be changed by becoming one, and is refused."""
    array = np.asarray(value)
    if array.size == 0:
        return np.zeros(array.shape, dtype=np.int64)
    if array.dtype.kind not in "iub" or (array.dtype == np.uint64 and array.max() > np.iinfo(np.int64).max):
        raise DataError(
            "This noise is for whole numbers of up to 64 bits.", "Use Laplace or Gaussian for reals."
        )
    return array.astype(np.int64)


def real_numbers(value: ArrayLike) -> FloatArray:
    """An array of finite floats."""
    array = np.asarray(value)
    if array.dtype.kind not in "iubf":
        raise DataError("The values to protect are not numbers.", "Encode them as numbers first.")
    array = array.astype(np.float64)
    if not np.isfinite(array).all():
        raise DataError(
            "The values to protect hold a NaN or an infinity.",
            "Drop or replace missing values, and clip to the declared bounds, before they are summed.",
        )
    return array


def scores(value: ArrayLike) -> IntegerArray | FloatArray:
    """One finite score per candidate; whole ones stay whole, so that no digit is lost."""
    array = np.asarray(value)
    if array.ndim != 1 or array.size == 0:
        raise ParameterError("Scores must be a list with one number for each candidate, and at least one.")
    return whole_numbers(array) if array.dtype.kind in "iub" else real_numbers(array)
