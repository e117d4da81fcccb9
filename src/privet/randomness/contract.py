"""What a random source can do; and the part of it that follows from uniform bits alone.

Noise is *added* by the source rather than handed out, because a float sum of an exact value and a noise
value rounds in a way that depends on the exact value, and the low bits then give it away (Mironov 2012).
The secure source adds in exact arithmetic and rounds once, which is post-processing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privet.errors import ParameterError

__all__ = ["FloatArray", "FromBits", "IntegerArray", "Noise", "Randomness"]

IntegerArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]

# Which noise decides a choice: exponential is permute-and-flip, Gumbel is the exponential mechanism.
Noise = Literal["exponential", "gumbel"]


@runtime_checkable
class Randomness(Protocol):
    """A source of randomness. Every call draws afresh; no call changes what it is given."""

    @property
    def secure(self) -> bool:
        """Whether a release drawn from this source can carry a guarantee."""

    @property
    def caveat(self) -> str | None:
        """Why a release drawn from this source has no guarantee; nothing if it can have one."""

    def add_discrete_laplace(self, values: ArrayLike, scale: float) -> IntegerArray:
        """Integers plus noise of P(x) ∝ exp(−|x| / scale); stops at the ends of 64 bits."""

    def add_discrete_gaussian(self, values: ArrayLike, scale: float) -> IntegerArray:
        """Integers plus noise of P(x) ∝ exp(−x² / (2 scale²)); stops at the ends of 64 bits."""

    def add_laplace(self, values: ArrayLike, scale: float) -> FloatArray:
        """Reals plus noise of density ∝ exp(−|x| / scale)."""

    def add_gaussian(self, values: ArrayLike, scale: float) -> FloatArray:
        """Reals plus noise of density ∝ exp(−x² / (2 scale²))."""

    def noisy_max(self, scores: ArrayLike, scale: float, noise: Noise = "exponential") -> int:
        """The index of the largest of ``scores / scale`` plus unit noise."""

    def noisy_top_k(
        self, scores: ArrayLike, k: int, scale: float, noise: Noise = "exponential"
    ) -> IntegerArray:
        """k different indices, best first: ``noisy_max`` k times with fresh noise, without those taken."""

    def bits(self, size: int) -> NDArray[np.uint64]:
        """Words of 64 fair bits."""

    def bernoulli(self, size: int, probability: Fraction) -> NDArray[np.bool_]:
        """True with exactly this probability, rounded down to a multiple of 2⁻⁶⁴."""

    def uniform_indices(self, size: int, bound: int) -> IntegerArray:
        """Whole numbers from 0 to ``bound`` − 1, all exactly equally likely."""

    def permutation(self, size: int) -> IntegerArray:
        """The numbers from 0 to ``size`` − 1 in an order of which all are equally likely."""

    def generator(self) -> np.random.Generator:
        """A fresh NumPy generator for what is not noise: fold assignment, search. Never for a release."""

    def spawn(self, count: int) -> tuple[Randomness, ...]:
        """Independent sources, for work that runs side by side."""


class FromBits(ABC):
    """Exact draws that need nothing but fair bits; both sources share them."""

    @abstractmethod
    def bits(self, size: int) -> NDArray[np.uint64]:
        """Words of 64 fair bits."""

    def bernoulli(self, size: int, probability: Fraction) -> NDArray[np.bool_]:
        if not 0 <= probability <= 1:
            raise ParameterError("A probability must lie between 0 and 1.")
        threshold = int(probability * 2**64)  # exact: int() of a positive fraction rounds down
        if threshold == 2**64:
            return np.ones(size, dtype=bool)
        return self.bits(size) < np.uint64(threshold)

    def uniform_indices(self, size: int, bound: int) -> IntegerArray:
        if not 1 <= bound <= 2**63:
            raise ParameterError("The number of choices must lie between 1 and 2^63.")
        # The last, incomplete run of `bound` words would favour small indices: draw those again.
        last = np.uint64(2**64 - 2**64 % bound - 1)
        words = self.bits(size)
        while (again := np.flatnonzero(words > last)).size:
            words[again] = self.bits(again.size)
        return (words % np.uint64(bound)).astype(np.int64)

    def permutation(self, size: int) -> IntegerArray:
        # Given that all keys differ, every order of them is equally likely; equal keys are drawn again.
        while True:
            keys = self.bits(size)
            order = np.argsort(keys, kind="stable")
            if not np.any(keys[order[1:]] == keys[order[:-1]]):
                return order.astype(np.int64)
