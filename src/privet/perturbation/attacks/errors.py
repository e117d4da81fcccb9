"""How good a reconstruction is: its error for each column, and the records that it gives away."""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

from privet.perturbation.tables import Matrix

__all__ = ["normalised_errors", "reidentified", "spread_of", "standardised"]


def spread_of(values: Matrix) -> Matrix:
    """The standard deviation of each column; 0 where it is only what rounding leaves of a constant one.

    >>> spread_of(np.full((3, 1), (70 - 101) / 99)).tolist()
    [0.0]
    """
    spread = values.std(axis=0)
    return np.asarray(np.where(spread > 1e-12 * np.abs(values).max(axis=0, initial=0.0), spread, 0.0))


def normalised_errors(original: Matrix, estimate: Matrix) -> Matrix:
    """Root mean squared error of each column in units of its standard deviation.

    Guessing the mean of a column scores 1, and no error scores 0. A column without spread has nothing to
    hide and scores 1: whoever guesses it is right without any attack.

    >>> X = np.array([[0.0, 5.0], [2.0, 5.0]])
    >>> normalised_errors(X, np.array([[1.0, 5.0], [1.0, 5.0]])).tolist()
    [1.0, 1.0]
    """
    spread = spread_of(original)
    wrong = np.sqrt(((original - estimate) ** 2).mean(axis=0))
    return np.divide(wrong, spread, out=np.ones_like(spread), where=spread > 0)


def standardised(values: Matrix) -> Matrix:
    """Columns with mean 0 and standard deviation 1; a column without spread is 0."""
    spread = spread_of(values)
    scale = np.where(spread > 0, spread, np.inf)
    return np.asarray((values - values.mean(axis=0)) / scale)


def reidentified(original: Matrix, estimate: Matrix) -> float:
    """The share of records whose estimate is nearest to the very record; equal records share the credit.

    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> reidentified(X, X), round(reidentified(X, X * 0), 3)
    (1.0, 0.333)
    """
    unit = spread_of(original)
    unit = np.where(unit > 0, unit, 1)
    register, images = original / unit, estimate / unit
    kept, group, sizes = np.unique(register, axis=0, return_inverse=True, return_counts=True)
    _, nearest = cKDTree(kept).query(images)
    group = group.reshape(-1)
    return float(np.mean(np.where(group == nearest, 1 / sizes[group], 0.0)))
