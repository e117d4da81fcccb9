"""Reversal: undo the formula that was published as geometric perturbation, from one known value."""

from __future__ import annotations

import numpy as np

from privet.perturbation.tables import Matrix

__all__ = ["EXPLANATION", "invert", "reversed_columns"]

EXPLANATION = (
    "Supposes that a column was multiplied with its own reversal, as was published "
    "as geometric perturbation, and "
    "solves for it. Subtracting the released column's reversal takes the product "
    "away, and one known value the rest."
)


def invert(perturbed: Matrix, place: int, value: float) -> Matrix:
    """Every value of a nowhere negative column, from y_i = x_i·x_(n−1−i) + x_i + constant and one value.

    y_i − y_(n−1−i) = x_i − x_(n−1−i) =: d whatever the constant is; put back, x_i² + (1 − d)·x_i = y_i −
    constant is a quadratic equation for x_i, of which the larger root is the one that is not negative.

    >>> ages = np.array([10, 20, 20, 14, 23.2, 21.4, 40, 46.5])
    >>> bool(np.allclose(invert(ages * ages[::-1] + ages + 31.0, place=2, value=20.0), ages))
    True
    """
    difference = perturbed - perturbed[::-1]
    partner = value - difference[place]
    constant = perturbed[place] - value * partner - value
    half = (1 - difference) / 2
    return np.asarray(np.sqrt(np.maximum(half**2 + perturbed - constant, 0)) - half)


def reversed_columns(original: Matrix, perturbed: Matrix, place: int) -> Matrix:
    """All columns that come back so, from the known record at ``place``; else their mean."""
    columns = []
    for column, released in zip(original.T, perturbed.T, strict=True):
        with np.errstate(all="ignore"):
            back = invert(released, place, float(column[place]))
        # An attacker sees by the spread of the values whether this can be the column at all.
        likely = bool(np.isfinite(back).all()) and 0.5 < (back.std() + 1e-12) / (column.std() + 1e-12) < 2
        columns.append(back if likely else np.full(len(column), column.mean()))
    return np.column_stack(columns)
