"""Reversal: undo the formula that was published as geometric perturbation, from one known value."""

from __future__ import annotations

import numpy as np

from privet.perturbation.tables import Matrix

__all__ = ["EXPLANATION", "invert", "reversed_columns", "unreversed"]

EXPLANATION = (
    "Supposes that a column was multiplied with its own reversal, as was published "
    "as geometric perturbation, and "
    "solves for it. Subtracting the released column's reversal takes the product "
    "away, and one known value the rest."
)


def invert(perturbed: Matrix, place: int, value: float) -> Matrix:
    """Every value of a nowhere negative column, from y_i = x_i·x_(n−1−i) + x_i + constant and one value.

    >>> ages = np.array([10, 20, 20, 14, 23.2, 21.4, 40, 46.5])
    >>> bool(np.allclose(invert(ages * ages[::-1] + ages + 31.0, place=2, value=20.0), ages))
    True
    """
    partner = value - (perturbed[place] - perturbed[-1 - place])
    return _solved(perturbed, perturbed[place] - value * partner - value)


def unreversed(perturbed: Matrix, mean: float) -> Matrix:
    """The same from no known value, but from the column's mean, which is often published.

    The values fall as the constant grows, so that a bisection finds the one constant with this mean.

    >>> ages = np.array([10, 20, 20, 14, 23.2, 21.4, 40, 46.5])
    >>> bool(np.allclose(unreversed(ages * ages[::-1] + ages + 31.0, ages.mean()), ages))
    True
    """
    half = (1 - (perturbed - perturbed[::-1])) / 2
    high = float((perturbed + half**2).min())  # above it there is no solution
    low = high - 1.0
    while _solved(perturbed, low).mean() < mean and high - low < 1e18:
        low = high - 2 * (high - low)
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if _solved(perturbed, middle).mean() > mean else (low, middle)
    return _solved(perturbed, low)


def reversed_columns(original: Matrix, perturbed: Matrix, place: int | None = None) -> Matrix | None:
    """All columns that come back so, from the known record at ``place`` or from the means; else their mean.

    None if none of them does.
    """
    columns, any_likely = [], False
    for column, released in zip(original.T, perturbed.T, strict=True):
        mean = float(np.nanmean(column))
        with np.errstate(all="ignore"):
            back = unreversed(released, mean) if place is None else invert(released, place, column[place])
        any_likely |= (likely := _likely(back, column))
        columns.append(back if likely else np.full(len(column), mean))
    return np.column_stack(columns) if any_likely else None


def _solved(perturbed: Matrix, constant: float) -> Matrix:
    """x from y when the constant is known.

    y_i − y_(n−1−i) = x_i − x_(n−1−i) =: d whatever the constant is; put back, x_i² + (1 − d)·x_i = y_i −
    constant is a quadratic equation for x_i, of which the larger root is the one that is not negative.
    """
    half = (1 - (perturbed - perturbed[::-1])) / 2
    return np.asarray(np.sqrt(np.maximum(half**2 + perturbed - constant, 0)) - half)


def _likely(back: Matrix, column: Matrix) -> bool:
    """An attacker sees by the range and spread of the values whether this can be the column at all."""
    known = column[~np.isnan(column)]
    if not np.isfinite(back).all() or not len(known):
        return False
    room = 0.05 * (known.max() - known.min()) + 1e-9
    inside = known.min() - room <= back.min() and back.max() <= known.max() + room
    return inside and 0.8 < (back.std() + 1e-12) / (known.std() + 1e-12) < 1.25
