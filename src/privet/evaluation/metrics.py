"""Measures of how well predictions fit, as functions of a confusion matrix and of sums of errors.

Every function takes leading dimensions as they come (``confusion`` is … × K × K, rows actual, columns
predicted), so that one call serves a matrix and thousands of simulated ones. A share of nothing is NaN.

>>> confusion = np.array([[50, 10], [5, 35]])
>>> float(accuracy(confusion)), round(float(kappa(confusion)), 4)
(0.85, 0.6939)
>>> recall(confusion).round(3)
array([0.833, 0.875])

WEKA's error measures compare probabilities with the 0/1 vector of the actual class, over all K classes:

>>> float(mean_absolute_error(absolute=40.0, records=100, classes=2))
0.2
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "accuracy",
    "f1",
    "kappa",
    "log_loss",
    "mean_absolute_error",
    "mean_squared_error",
    "precision",
    "prior_errors",
    "recall",
    "relative_absolute_error",
    "relative_squared_error",
    "root_mean_squared_error",
    "root_relative_squared_error",
]

Numbers = NDArray[np.float64]


def accuracy(confusion: ArrayLike) -> Numbers:
    """The share of records that are predicted right."""
    counts = np.asarray(confusion, float)
    return _ratio(_diagonal(counts).sum(axis=-1), counts.sum(axis=(-2, -1)))


def kappa(confusion: ArrayLike) -> Numbers:
    """Cohen's kappa: the part of the possible gain over chance agreement that is reached."""
    counts = np.asarray(confusion, float)
    records = counts.sum(axis=(-2, -1))
    observed = _ratio(_diagonal(counts).sum(axis=-1), records)
    by_chance = _ratio((counts.sum(axis=-1) * counts.sum(axis=-2)).sum(axis=-1), records**2)
    return _ratio(observed - by_chance, 1 - by_chance)


def precision(confusion: ArrayLike) -> Numbers:
    """For each class: of the records predicted to be in it, the share that is."""
    counts = np.asarray(confusion, float)
    return _ratio(_diagonal(counts), counts.sum(axis=-2))


def recall(confusion: ArrayLike) -> Numbers:
    """For each class: of the records in it, the share that is predicted so."""
    counts = np.asarray(confusion, float)
    return _ratio(_diagonal(counts), counts.sum(axis=-1))


def f1(confusion: ArrayLike) -> Numbers:
    """For each class: the harmonic mean of precision and recall."""
    counts = np.asarray(confusion, float)
    return _ratio(2 * _diagonal(counts), counts.sum(axis=-1) + counts.sum(axis=-2))


def mean_absolute_error(absolute: ArrayLike, records: ArrayLike, classes: int) -> Numbers:
    """WEKA's: ΣΣ|p − y| over records and classes, divided by both their numbers."""
    return _ratio(absolute, np.asarray(records, float) * classes)


def mean_squared_error(square: ArrayLike, records: ArrayLike, classes: int) -> Numbers:
    """ΣΣ(p − y)² over records and classes, divided by both their numbers."""
    return _ratio(square, np.asarray(records, float) * classes)


def root_mean_squared_error(square: ArrayLike, records: ArrayLike, classes: int) -> Numbers:
    """WEKA's: the root of the mean squared error."""
    return np.sqrt(np.maximum(mean_squared_error(square, records, classes), 0))


def prior_errors(totals: ArrayLike, prior: ArrayLike) -> tuple[Numbers, Numbers]:
    """ΣΣ|π − y| and ΣΣ(π − y)² of always predicting the prior π: they follow from the class totals alone."""
    number, share = np.asarray(totals, float), np.asarray(prior, float)
    square = (1 - share) ** 2 + (share**2).sum(axis=-1, keepdims=True) - share**2
    return (number * 2 * (1 - share)).sum(axis=-1), (number * square).sum(axis=-1)


def relative_absolute_error(absolute: ArrayLike, prior_absolute: ArrayLike) -> Numbers:
    """WEKA's: the absolute error as a share of that of always predicting the prior."""
    return _ratio(absolute, prior_absolute)


def relative_squared_error(square: ArrayLike, prior_square: ArrayLike) -> Numbers:
    """The squared error as a share of that of always predicting the prior."""
    return _ratio(square, prior_square)


def root_relative_squared_error(square: ArrayLike, prior_square: ArrayLike) -> Numbers:
    """WEKA's: the root of the relative squared error."""
    return np.sqrt(np.maximum(relative_squared_error(square, prior_square), 0))


def log_loss(loss: ArrayLike, records: ArrayLike) -> Numbers:
    """The mean of −log p (natural logarithm), p being the probability given to the actual class."""
    return _ratio(loss, records)


def _diagonal(counts: Numbers) -> Numbers:
    return np.diagonal(counts, axis1=-2, axis2=-1)


def _ratio(part: ArrayLike, whole: ArrayLike) -> Numbers:
    part, whole = np.broadcast_arrays(np.asarray(part, float), np.asarray(whole, float))
    return np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole > 0)
