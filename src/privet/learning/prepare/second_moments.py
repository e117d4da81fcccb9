"""Means, deviations and correlations of numbers, from noisy sums of their products: post-processing alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privet.learning.linear.functional import sums_of_squares
from privet.release import Release
from privet.stats.linear.products import Products

__all__ = ["SecondMoments", "correlations_near"]

Matrix = NDArray[np.float64]

# A variance is told from noise if it is so many of the noise's standard deviations.
CLEAR = 3.0


@dataclass(frozen=True)
class SecondMoments:
    """What noisy products say about numbers that are scaled to [−1, 1].

    ``errors`` are half widths of 95 % intervals of the correlations, to first order in the noise. Of a number
    whose variance is not told from noise (``varies`` is False) nothing is known but its mean.

    Where cells are missing, a product is there for the records that have both numbers. How many these are is
    not measured: it is taken to be what it is if cells are missing independently of each other.
    """

    records: float
    means: Matrix
    deviations: Matrix
    varies: NDArray[np.bool_]
    correlations: Matrix
    errors: Matrix

    @classmethod
    def of(cls, products: Products, release: Release) -> SecondMoments:
        """The moments in a release of the products of numbers with each other."""
        sums, squares, across = products.split(np.asarray(release.value, np.float64))
        records = max(float(sums[0]), 1.0)
        noise = float(release.standard_deviation) / records
        missing = np.clip(2 * squares[:, 1] / records, 0.0, 0.99)
        there = 1 - missing
        means = np.clip(sums[1:] / records / there, -1, 1)
        own = sums_of_squares(squares, records) / records / there
        pairs = np.outer(there, there)
        moments = np.diag(own)
        one, other = products.pairs.one - 1, products.pairs.other - 1
        moments[one, other] = moments[other, one] = across / records / pairs[one, other]
        variances = np.diag(moments) - means**2
        # First order in the noise of the sums, of the number of records and of the products themselves.
        beside = 1 + means[:, None] ** 2 + means[None, :] ** 2 + (moments - 2 * np.outer(means, means)) ** 2
        covariance_noise = noise / pairs * np.sqrt(beside)
        variance_noise = noise / there * np.sqrt(2.25 + 4 * means**2 + (own - 2 * means**2) ** 2)
        varies = variances > np.maximum(CLEAR * variance_noise, 1e-9)
        deviations = np.sqrt(np.where(varies, variances, 1.0))
        both = np.outer(varies, varies)
        scale = np.outer(deviations, deviations)
        raw = np.where(both, (moments - np.outer(means, means)) / scale, 0.0)
        relative = (variance_noise / deviations**2) ** 2
        spread = (covariance_noise / scale) ** 2 + raw**2 / 4 * (relative[:, None] + relative[None, :])
        errors = np.where(both, np.minimum(1.96 * np.sqrt(spread), 1.0), 1.0)
        np.fill_diagonal(errors, 0.0)
        return cls(records, means, deviations, varies, correlations_near(raw), errors)


def correlations_near(raw: Matrix) -> Matrix:
    """A correlation matrix near this symmetric one: no eigenvalue below 0, and 1 on the diagonal.

    >>> correlations_near(np.array([[0.8, 1.4], [1.4, 1.0]])).round(6).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    near = np.clip(raw, -1, 1)
    for _ in range(20):  # alternating projections; a few are enough for figures with error bars
        np.fill_diagonal(near, 1.0)
        values, vectors = np.linalg.eigh(near)
        if values[0] >= -1e-12:
            break
        near = (vectors * np.maximum(values, 0.0)) @ vectors.T
    size = np.sqrt(np.maximum(np.diag(near), 1e-12))
    near = np.clip(near / np.outer(size, size), -1, 1)
    np.fill_diagonal(near, 1.0)
    return near
