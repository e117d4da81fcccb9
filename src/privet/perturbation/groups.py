"""Groups of records, kept as their size, mean and covariance: all that condensation remembers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from privet.perturbation.key import Key
from privet.perturbation.tables import Matrix

__all__ = ["Groups"]


class Groups:
    """Sizes, means and covariances of groups of scaled records."""

    def __init__(self, width: int) -> None:
        self.sizes = np.zeros(0)
        self.means = np.zeros((0, width))
        self.covariances = np.zeros((0, width, width))
        # Records that wait for the first group to be full. They are never written out.
        self._first: list[Matrix] = []
        self._factors: dict[int, Matrix] = {}

    @classmethod
    def of(cls, scaled: Matrix, groups: Sequence[Any]) -> Groups:
        """The statistics of groups of a table's rows."""
        found = cls(scaled.shape[1])
        found.sizes = np.array([len(group) for group in groups], dtype=np.float64)
        found.means = np.array([scaled[group].mean(axis=0) for group in groups])
        found.covariances = np.array(
            [np.atleast_2d(np.cov(scaled[group], rowvar=False, bias=True)) for group in groups]
        )
        return found

    def absorb(self, row: Matrix, k: int, most: int) -> None:
        """Let a record join the nearest group; a group of 2k splits while there is room for one more."""
        if not len(self.sizes):
            self._first.append(row)
            if len(self._first) == k:
                made = Groups.of(np.array(self._first), [np.arange(k)])
                self.sizes, self.means, self.covariances = made.sizes, made.means, made.covariances
                self._first = []
            return
        place = int(np.argmin(((self.means - row) ** 2).sum(axis=1)))
        size = self.sizes[place]
        away = row - self.means[place]
        self.sizes[place] = size + 1
        self.means[place] += away / (size + 1)
        self.covariances[place] *= size / (size + 1)
        self.covariances[place] += np.outer(away, away) * size / (size + 1) ** 2
        self._factors.pop(place, None)
        if size + 1 >= 2 * k and len(self.sizes) < most:
            self._split(place)

    def _split(self, place: int) -> None:
        """Two halves along the longest axis, as if the group were spread evenly along it.

        An even spread of variance v has length √(12 v); its halves lie a quarter of that to each side of the
        middle and have variance v/4 along the axis.
        """
        values, vectors = np.linalg.eigh(self.covariances[place])
        axis, variance = vectors[:, -1], max(float(values[-1]), 0.0)
        shift = axis * math.sqrt(12 * variance) / 4
        covariance = self.covariances[place] - np.outer(axis, axis) * variance * 0.75
        half = self.sizes[place] // 2
        self.sizes = np.append(self.sizes, self.sizes[place] - half)
        self.means = np.vstack([self.means, self.means[place] + shift])
        self.covariances = np.concatenate([self.covariances, covariance[None]])
        self.sizes[place], self.covariances[place] = half, covariance
        self.means[place] -= shift

    def draw(self, scaled: Matrix, generator: np.random.Generator) -> Matrix:
        """For each record one drawn with the mean and covariance of the group nearest to it."""
        if not len(self.sizes):
            return generator.uniform(-1.0, 1.0, scaled.shape)
        result = np.full(scaled.shape, np.nan)
        there = np.flatnonzero(~np.isnan(scaled).any(axis=1))
        nearest = np.empty(len(there), dtype=np.int64)
        squares = (self.means**2).sum(axis=1)
        for start in range(0, len(there), 4096):  # bounded memory, however many records and groups
            block = scaled[there[start : start + 4096]]
            nearest[start : start + 4096] = np.argmin(squares - 2 * block @ self.means.T, axis=1)
        normal = generator.standard_normal((len(there), scaled.shape[1]))
        order = np.argsort(nearest, kind="stable")
        for part in np.split(order, np.flatnonzero(np.diff(nearest[order])) + 1) if len(order) else ():
            place = int(nearest[part[0]])
            result[there[part]] = self.means[place] + normal[part] @ self._factor(place)
        return result

    def _factor(self, place: int) -> Matrix:
        """A root of the covariance; it may be singular, so Cholesky's will not do."""
        if place not in self._factors:
            values, vectors = np.linalg.eigh(self.covariances[place])
            self._factors[place] = (vectors * np.sqrt(np.maximum(values, 0))).T
        return self._factors[place]

    def to_dict(self) -> dict[str, Any]:
        return {
            "sizes": self.sizes.tolist(),
            "means": self.means.tolist(),
            "covariances": self.covariances.tolist(),
        }

    @classmethod
    def from_key(cls, key: Key) -> Groups:
        """The groups that a key holds; one without any is that of a stream that has not begun."""
        width = len(key.columns)
        found = cls(width)
        if key.values.get("sizes"):
            found.sizes = key.array("sizes", None)
            found.means = key.array("means", len(found.sizes), width)
            found.covariances = key.array("covariances", len(found.sizes), width, width)
        return found
