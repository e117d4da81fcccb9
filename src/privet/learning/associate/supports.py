"""The supports of all sets of a basis's items, with their noise: sums over released cells."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Supports", "fieller"]


@dataclass(frozen=True)
class Supports:
    """Supports by bit pattern: entry Σ2^i is the number of records that have all items i of the pattern.

    A pattern of k of the b items sums up 2^(b − k) cells, each with noise of its own: its variance is that
    many times a cell's. The cells of a larger set are among those of a smaller: their covariance is the
    larger's variance.
    """

    values: NDArray[np.float64]
    deviation: float
    items: int

    @classmethod
    def of(cls, cells: NDArray[np.float64], deviation: float) -> Supports:
        """Sums over all cells that have the pattern's items, for all patterns at once.

        >>> Supports.of(np.array([1.0, 1.0, 0.0, 1.0]), 0.0).values.tolist()
        [3.0, 2.0, 1.0, 1.0]
        """
        items = int(math.log2(len(cells)))
        values = cells.astype(float).reshape((2,) * items)
        for axis in range(items):
            there = np.take(values, [1], axis=axis)
            values = np.concatenate([values.sum(axis=axis, keepdims=True), there], axis=axis)
        return cls(values.ravel(), deviation, items)

    def variance(self, pattern: int) -> float:
        return self.deviation**2 * 2.0 ** (self.items - pattern.bit_count())

    def error(self, pattern: int) -> float:
        """The support is off by at most this in 95 % of cases."""
        return 1.96 * math.sqrt(self.variance(pattern))


def fieller(
    above: float, below: float, both: float, under: float, z: float = 1.96, shared: float | None = None
) -> tuple[float, float]:
    """Fieller's interval of a ratio, of a part to its whole: ``both`` and ``under`` are their variances.

    The covariance of a part and its whole is the part's variance, unless it is said (``shared``). Where the
    whole cannot be told from 0 nothing is known of the ratio: from 0 to 1.

    >>> low, high = fieller(50.0, 100.0, 4.0, 16.0)
    >>> round(low, 3), round(high, 3)
    (0.462, 0.541)
    """
    squared = z * z
    a = below**2 - squared * under
    b = above * below - squared * (both if shared is None else shared)
    c = above**2 - squared * both
    if a <= 0 or below <= 0:
        return 0.0, 1.0
    root = math.sqrt(max(b * b - a * c, 0.0))
    return float(np.clip((b - root) / a, 0, 1)), float(np.clip((b + root) / a, 0, 1))
