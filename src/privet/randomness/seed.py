"""The seeded source: the same distributions, driven by NumPy, so that a test can repeat itself."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privet.randomness.contract import FloatArray, FromBits, IntegerArray, Noise, Randomness

__all__ = ["SeededRandomness"]


class SeededRandomness(FromBits):
    """Repeatable draws. Not private, and says so."""

    def __init__(self, generator: np.random.Generator) -> None:
        self._generator = generator

    @property
    def secure(self) -> bool:
        return False

    @property
    def caveat(self) -> str | None:
        return "The noise was drawn from a seed, so whoever knows the seed can remove it."

    def add_discrete_laplace(self, values: ArrayLike, scale: float) -> IntegerArray:
        values = np.asarray(values, dtype=np.int64)
        return _saturating_sum(values, self._discrete_laplace(values.size, scale).reshape(values.shape))

    def add_discrete_gaussian(self, values: ArrayLike, scale: float) -> IntegerArray:
        """Discrete Gaussian noise by rejection from a discrete Laplace (Canonne, Kamath, Steinke 2020)."""
        values = np.asarray(values, dtype=np.int64)
        step = float(np.floor(scale)) + 1.0
        noise = np.zeros(values.size, dtype=np.int64)
        open_ = np.arange(values.size)
        while open_.size:
            proposal = self._discrete_laplace(open_.size, step)
            with np.errstate(over="ignore"):  # a tiny scale makes the square infinite: never accepted, as due
                exponent = (np.abs(proposal) / scale - scale / step) ** 2 / 2
            accepted = self._generator.random(open_.size) < np.exp(-exponent)
            noise[open_[accepted]] = proposal[accepted]
            open_ = open_[~accepted]
        return _saturating_sum(values, noise.reshape(values.shape))

    def add_laplace(self, values: ArrayLike, scale: float) -> FloatArray:
        values = np.asarray(values, dtype=np.float64)
        return np.asarray(values + self._generator.laplace(0.0, scale, size=values.shape))

    def add_gaussian(self, values: ArrayLike, scale: float) -> FloatArray:
        values = np.asarray(values, dtype=np.float64)
        return np.asarray(values + self._generator.normal(0.0, scale, size=values.shape))

    def noisy_max(self, scores: ArrayLike, scale: float, noise: Noise = "exponential") -> int:
        """The largest noisy score; with exponential noise this is permute-and-flip (Ding et al. 2021)."""
        scores = np.asarray(scores, dtype=np.float64)
        # Relative to the best score, so that a tiny scale sends the others to −∞ and not all to ∞.
        with np.errstate(over="ignore"):
            relative = (scores - scores.max()) / scale
        if noise == "exponential":
            return int(np.argmax(relative + self._generator.exponential(size=scores.size)))
        return int(np.argmax(relative + self._generator.gumbel(size=scores.size)))

    def noisy_top_k(
        self, scores: ArrayLike, k: int, scale: float, noise: Noise = "exponential"
    ) -> IntegerArray:
        scores = np.asarray(scores, dtype=np.float64)
        left = np.arange(scores.size)
        chosen = np.empty(min(k, scores.size), dtype=np.int64)
        for place in range(chosen.size):
            best = self.noisy_max(scores[left], scale, noise)
            chosen[place] = left[best]
            left = np.delete(left, best)
        return chosen

    def bits(self, size: int) -> NDArray[np.uint64]:
        return self._generator.integers(0, 2**64 - 1, size=size, dtype=np.uint64, endpoint=True)

    def generator(self) -> np.random.Generator:
        return self._generator.spawn(1)[0]

    def spawn(self, count: int) -> tuple[Randomness, ...]:
        return tuple(SeededRandomness(child) for child in self._generator.spawn(count))

    def _discrete_laplace(self, size: int, scale: float) -> IntegerArray:
        """Noise of P(x) ∝ exp(−|x| / scale): the difference of two geometric draws."""
        success = -np.expm1(-1.0 / scale)
        first, second = self._generator.geometric(success, size=(2, size))
        return first - second


def _saturating_sum(values: IntegerArray, noise: IntegerArray) -> IntegerArray:
    """A sum that stops at the ends of 64 bits, as OpenDP's does, instead of wrapping around."""
    limits = np.iinfo(np.int64)
    low, high = limits.min - np.minimum(noise, 0), limits.max - np.maximum(noise, 0)
    return np.asarray(np.clip(values, low, high) + noise)
