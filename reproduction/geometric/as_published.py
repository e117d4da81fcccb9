"""The "geometric data perturbation" as its published program computes it. Protects nothing.

Kept apart from ``privet.perturbation`` so that nobody picks it by accident: it is here to reproduce the
work's tables 7.1 and 7.2 and to be caught by the attacks. For a column x of n values the printed program
gives

    y_i = x_i · x_(n−1−i) + (x_i + mean(x)) + c

where the "rotation by 180°" is the column in reverse order, and the "Gaussian noise" c is *one number* for
the whole column: the normal density at the fifth value, with the sign of its exponent lost.

**Why it protects nothing.** y_i − y_(n−1−i) = x_i − x_(n−1−i) exactly, so that the reversal can be taken
away again. A single known value then gives every other one (``perturbation.attacks.reversal``).

>>> ages = np.array([10, 20, 20, 14, 23.2, 21.4, 40, 46.5])
>>> bool(np.allclose(invert(perturb(ages), place=2, value=20.0), ages))
True
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from privet.errors import DataError
from privet.perturbation.attacks.reversal import invert
from privet.perturbation.promise import no_guarantee
from privet.release import Guarantee
from privet.schema import Schema

__all__ = ["guarantee", "invert", "perturb"]

Column = NDArray[np.float64]


def perturb(column: Column) -> Column:
    """A column as the published program perturbs it. Guarantee: none.

    The work's own example:

    >>> perturb(np.array([1.0, 2.0, 3.0, 4.0, 5.0])).round(6)
    array([ 9.766813, 13.766813, 15.766813, 15.766813, 13.766813])
    """
    if len(column) < 5:
        raise DataError("The published program reads the fifth value.", "Give at least five records.")
    mean, variance = column.mean(), column.var()
    if variance == 0:
        raise DataError(
            "The published program divides by the spread, which is 0 here.", "Leave the column out."
        )
    density = math.exp((column[4] - mean) ** 2 / (2 * variance)) / (
        math.sqrt(variance) * math.sqrt(2 * math.pi)
    )
    return np.asarray(column * column[::-1] + (column + mean) + density)


def guarantee(schema: Schema, columns: list[str]) -> Guarantee:
    """None, and it says so."""
    passed = [name for name in schema.names if name not in columns]
    return no_guarantee(
        "The published formula", schema, columns, passed, ("One known value undoes it exactly.",)
    )
