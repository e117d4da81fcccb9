"""Randomised response: each record's category is randomised by itself, before anything is counted."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import MAX_EMAX, Context, Decimal
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privet.budget.amounts import Pure, exact
from privet.budget.events import PureEvent
from privet.errors import DataError
from privet.mechanisms.checking import whole
from privet.randomness import FloatArray, Randomness

__all__ = ["RandomisedResponse"]

# e^200 is so far beyond 2⁶⁴ that a larger ε would change no bit of the probability.
LARGEST_EXPONENT = Fraction(200)


@dataclass(frozen=True)
class RandomisedResponse:
    """Keeps a code with probability γ, else draws one of all k codes evenly: ε-differentially private.

    The guarantee is *local*: it is about what one record says (neighbours replace one record's value), and
    holds against whoever collects the answers. The number of records is not hidden, so this is no
    guarantee under ``add_remove``.

    *Proof.* A code stays with probability γ + (1 − γ)/k and becomes any given other one with (1 − γ)/k.
    The ratio is 1 + kγ/(1 − γ): it grows with γ, is never below 1, and is e^ε if γ = (e^ε − 1)/(e^ε + k − 1).
    γ is rounded *down* to a multiple of 2⁻⁶⁴ from a lower bound of e^ε, so the ratio is at most e^ε; the coin
    compares 64 fair bits with it and the even draw rejects the uneven rest, so both are exact.

    *Reference.* Warner (1965); Kairouz, Bonawitz, Ramage (2016), Discrete distribution estimation under
    local privacy (k-ary randomised response).

    >>> from privet.randomness import seeded
    >>> local = RandomisedResponse(epsilon=Fraction(1), size=3)
    >>> round(float(local.probability_same), 3), round(float(local.probability_other), 3)
    (0.576, 0.212)
    >>> local.randomise(np.array([0, 1, 2, 1]), seeded(7)).shape
    (4,)
    """

    epsilon: Fraction
    size: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", exact(self.epsilon))
        object.__setattr__(self, "size", whole("number of categories", self.size, least=2))
        Pure(self.epsilon)

    @property
    def event(self) -> PureEvent:
        return PureEvent(self.epsilon, "randomised_response")

    @cached_property
    def gamma(self) -> Fraction:
        """The probability of not drawing at all: a multiple of 2⁻⁶⁴, at most (e^ε − 1)/(e^ε + k − 1)."""
        power = _exponential_from_below(min(self.epsilon, LARGEST_EXPONENT))
        return Fraction(math.floor((power - 1) / (power + self.size - 1) * 2**64), 2**64)

    @property
    def probability_other(self) -> Fraction:
        """The exact probability that a code becomes one given other code."""
        return (1 - self.gamma) / self.size

    @property
    def probability_same(self) -> Fraction:
        """The exact probability that a code stays what it is."""
        return self.gamma + self.probability_other

    def randomise(self, value: ArrayLike, randomness: Randomness) -> NDArray[np.integer]:
        codes = np.asarray(value)
        if codes.size == 0:
            return np.zeros(codes.shape, dtype=codes.dtype if codes.dtype.kind in "iu" else np.int64)
        if codes.dtype.kind not in "iu" or codes.min() < 0 or codes.max() >= self.size:
            raise DataError(
                f"Randomised response is for codes from 0 to {self.size - 1}.",
                "Encode the column by its declared categories first.",
            )
        keep = randomness.bernoulli(codes.size, self.gamma).reshape(codes.shape)
        drawn = randomness.uniform_indices(codes.size, self.size).reshape(codes.shape)
        # Small codes may come in a type that is too narrow for the largest category.
        wide = codes.dtype if self.size - 1 <= np.iinfo(codes.dtype).max else np.dtype(np.int64)
        return np.where(keep, codes.astype(wide), drawn.astype(wide))

    def estimate_counts(self, codes: ArrayLike) -> FloatArray:
        """Unbiased counts of the true codes from the randomised ones: post-processing, may be negative."""
        counts = np.bincount(np.asarray(codes, dtype=np.int64).ravel(), minlength=self.size)
        return (counts - float(self.probability_other) * counts.sum()) / self._gap

    def standard_deviation(self, records: int) -> float:
        """Of an estimated count of a rare category among this many records."""
        other = float(self.probability_other)
        return math.sqrt(records * other * (1.0 - other)) / self._gap

    @property
    def _gap(self) -> float:
        # Equal to γ; as small as ε/k, but never 0 for the smallest ε and any size that fits in memory.
        return float(self.gamma)


def _exponential_from_below(exponent: Fraction) -> Fraction:
    """A lower bound of e^exponent, within one part in 10⁵⁵; never below 1."""
    context = Context(prec=60, Emax=MAX_EMAX)
    lower = context.divide(Decimal(exponent.numerator), Decimal(exponent.denominator))
    # Division and exp are each off by at most one in the last of 60 digits, times at most 200 for exp.
    return max(Fraction(1), Fraction(context.exp(lower)) * (1 - Fraction(1, 10**55)))
