"""A peer's private k-means (diffprivlib 0.6.6), as published. **It keeps no promise: use none of it.**

In every round, each cluster's records are counted with geometric noise, and each of the d coordinates summed
with Laplace noise. A record is in one cluster, and moves its count by 1 and each sum by at most the range of
its coordinate. With ε₀ for the count and ε₁ for each sum a round costs ε₀ + d·ε₁.

The split (Su, Cao, Li, Bertino and Jin 2016) is ε₀ : ε₁ = (4dρ²)^⅓ : 1, scaled so that this is ε / rounds. The
function that splits returns (ε₁, ε₀), and whoever calls it takes them for (ε₀, ε₁). So a round costs
ε₁ + d·ε₀ instead. For d > 5 this is more than was asked for.

Written anew from what the library does; its noise on bounded domains is plain Laplace and geometric noise
here, clamped afterwards, which costs just its share. The number of rounds follows from the exact number of
records there, which is a fault of its own; here it is a parameter.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["KMeansAsPublished", "Shares", "intended", "published"]

RHO = 0.225

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Shares:
    """What a round spends on each count and on each sum of a coordinate."""

    count: float
    coordinate: float

    def spent(self, dimensions: int) -> float:
        """What a round spends as a whole."""
        return self.count + dimensions * self.coordinate


def intended(dimensions: int, epsilon: float) -> Shares:
    """The split of the paper.

    >>> round(intended(10, 1.0).spent(10), 6)
    1.0
    """
    weight = float(np.cbrt(4 * dimensions * RHO**2))
    unit = epsilon / (dimensions + weight)
    return Shares(weight * unit, unit)


def published(dimensions: int, epsilon: float) -> Shares:
    """The split of the library, swapped.

    >>> [round(published(d, 1.0).spent(d), 2) for d in (10, 64)]
    [1.21, 2.28]
    """
    meant = intended(dimensions, epsilon)
    return Shares(meant.coordinate, meant.count)


@dataclass(frozen=True)
class KMeansAsPublished:
    """The peer's k-means on numbers in [0, 1]. There is no guarantee of ``epsilon``.

    >>> records = np.repeat([[0.1, 0.1], [0.9, 0.9]], 500, axis=0)
    >>> centres = KMeansAsPublished(2, 100.0).fit(records, np.random.default_rng(0))
    >>> sorted(centres[:, 0].round(1).tolist())
    [0.1, 0.9]
    """

    clusters: int
    epsilon: float
    rounds: int = 2
    swapped: bool = True

    def shares(self, dimensions: int) -> Shares:
        """The shares of one round."""
        return (published if self.swapped else intended)(dimensions, self.epsilon / self.rounds)

    def exact(self, records: Matrix, centres: Matrix) -> Matrix:
        """Of each cluster the number of records, and the sum of each coordinate."""
        nearest = ((records[:, None, :] - centres[None]) ** 2).sum(axis=2).argmin(axis=1)
        told = np.zeros((len(centres), 1 + centres.shape[1]))
        np.add.at(told, nearest, np.hstack([np.ones((len(records), 1)), records]))
        return told

    def in_noise(self, records: Matrix, centres: Matrix) -> Matrix:
        """The exact answers of a round in units of their noise.

        The density of Laplace noise falls by e^(−1) for each unit, and so does the geometric: the L1 distance
        of two tables' answers in these units is the largest log ratio of what a round may tell about them.
        """
        shares = self.shares(centres.shape[1])
        return self.exact(records, centres) * ([shares.count] + [shares.coordinate] * centres.shape[1])

    def fit(self, records: Matrix, generator: np.random.Generator) -> Matrix:
        """The centres after all rounds, each from noisy counts and sums."""
        centres: Matrix = generator.random((self.clusters, records.shape[1]))
        shares = self.shares(records.shape[1])
        for _ in range(self.rounds):
            told = self.exact(records, centres)
            number = told[:, 0] + generator.laplace(0, 1 / shares.count, self.clusters).round()
            sums = told[:, 1:] + generator.laplace(0, 1 / shares.coordinate, centres.shape)
            centres = np.clip(sums / np.maximum(number, 0.5)[:, None], 0.0, 1.0)
        return centres
