"""What is known of each column by itself: counts of fine cells, better with every release that tells them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privet.learning.synthesise.shrinking import proportions, shrunk
from privet.release import Release

__all__ = ["ColumnCounts"]

# So many cells on each side are a cell's neighbours.
NEAR = 4


class ColumnCounts:
    """Estimated counts of fine cells with the variance of each; ``ordered`` are the numbers."""

    def __init__(self, measured: dict[str, Release], ordered: set[str]) -> None:
        self.ordered = ordered
        self._counts = {name: r.value.astype(float) for name, r in measured.items()}
        self._variance = {name: max(r.standard_deviation**2, 1e-12) for name, r in measured.items()}
        self.deviation = max(r.standard_deviation for r in measured.values())

    @property
    def records(self) -> float:
        """The precision-weighted mean of the columns' totals."""
        weights = {name: 1 / (self._variance[name] * counts.size) for name, counts in self._counts.items()}
        return sum(weights[name] * c.sum() for name, c in self._counts.items()) / sum(weights.values())

    def shares(self) -> dict[str, NDArray[np.float64]]:
        """The shares of each column's fine cells."""
        return {name: proportions(self._smooth(name), self.records) for name in self._counts}

    def _smooth(self, name: str) -> NDArray[np.float64]:
        """Where noise rules, a number's cells are pulled towards the mean of their neighbours."""
        counts = self._counts[name]
        if name not in self.ordered or counts.size < 3 * NEAR:
            return counts
        inner = slice(1, -2)  # not the bounds, which may hold a spike, nor the cell of missing values
        near = np.convolve(np.pad(counts[inner], NEAR, mode="reflect"), np.ones(2 * NEAR + 1), "valid")
        near = np.maximum(near / (2 * NEAR + 1), 0)
        deviation = self._variance[name] ** 0.5
        return np.concatenate([counts[:1], shrunk(counts[inner], near, deviation), counts[-2:]])

    def noise(self) -> dict[str, float]:
        """Which share of the records the noise moves to other cells, about and at most."""
        records = max(self.records, 1.0)
        return {
            name: min(1.0, 0.5 * self._variance[name] ** 0.5 * counts.size / records)
            for name, counts in self._counts.items()
        }

    def again(self, name: str, release: Release) -> None:
        """Take up a second measurement of the same cells: the precision-weighted mean of both."""
        one, other = self._variance[name], max(release.standard_deviation**2, 1e-12)
        self._counts[name] = (self._counts[name] * other + release.value * one) / (one + other)
        self._variance[name] = one * other / (one + other)

    def in_groups(
        self, name: str, group: NDArray[np.int64], totals: NDArray[np.float64], variance: float
    ) -> None:
        """Take up a measurement of groups of cells: each cell gets its part of what its group has to move."""
        cells = np.bincount(group, minlength=len(totals))
        known = np.bincount(group, self._counts[name], minlength=len(totals))
        own = cells * self._variance[name]
        move = (totals - known) * own / (own + max(variance, 1e-12))
        self._counts[name] = self._counts[name] + (move / np.maximum(cells, 1))[group]
