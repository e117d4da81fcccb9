"""The compiled loop behind sums of products: numbers in fixed point, in one pass over each column."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["fixed_numbers"]


@njit(nogil=True, cache=True)
def fixed_numbers(
    values: NDArray[np.float64], low: float, high: float, scale: float, result: NDArray[np.float64]
) -> int:  # pragma: no cover
    """result[i] = ⌊scale·z + ½⌋ as a whole float, z in [-1, 1], 0 where missing. How many are there; -1 on ∞."""
    middle = low + (high - low) / 2
    half = (high - low) / 2
    there = 0
    for i in range(values.size):
        value = values[i]
        if value != value:
            result[i] = 0.0
            continue
        if value == np.inf or value == -np.inf:
            return -1
        there += 1
        value = min(max(value, low), high)
        q = np.floor((value - middle) / half * scale + 0.5)
        # Rounding in the line above can pass the ends by one unit where the range is enormous.
        result[i] = min(max(q, -scale), scale)
    return there
