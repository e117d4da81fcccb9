"""The scores of PrivGene as published: all candidates from the margins, in one compiled pass."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from privet.compiled import njit

__all__ = ["candidate_scores"]

Vector = NDArray[np.float64]


@njit(fastmath=True)
def candidate_scores(
    margins: Vector,
    y: NDArray[np.int8],
    cells: NDArray[np.int64],
    numbers: NDArray[np.float64],
    places: NDArray[np.int64],
    width: int,
    sigma: float,
) -> Vector:  # pragma: no cover
    """q(w ± σ·eⱼ) − q(w) for all j: first the candidates upwards, then those downwards.

    A category's candidate concerns the records that have its value, so two logarithms a record serve all
    categories. A number's candidates need their own; but a sum of logarithms is the logarithm of a product,
    so one serves many records (as many as cannot overflow).
    """
    upwards, downwards = np.zeros(width + 1), np.zeros(width + 1)  # the last place takes missing values
    above, below = np.ones(places.size), np.ones(places.size)
    rise, most = math.exp(sigma), max(1, int(200.0 / sigma))
    for i in range(margins.size):
        odds = math.exp(min(max(margins[i], -300.0), 300.0))
        share = 1.0 / (1.0 + odds)
        up = y[i] * sigma - math.log(share * (1.0 + odds * rise))
        down = -y[i] * sigma - math.log(share * (1.0 + odds / rise))
        for k in range(cells.shape[1]):
            upwards[cells[i, k]] += up
            downwards[cells[i, k]] += down
        for k in range(places.size):
            step = sigma * numbers[i, k]
            factor = math.exp(step)
            upwards[places[k]] += y[i] * step
            downwards[places[k]] -= y[i] * step
            above[k] *= share * (1.0 + odds * factor)
            below[k] *= share * (1.0 + odds / factor)
        if (i + 1) % most == 0 or i + 1 == margins.size:
            for k in range(places.size):
                upwards[places[k]] -= math.log(above[k])
                downwards[places[k]] -= math.log(below[k])
                above[k] = below[k] = 1.0
    return np.concatenate((upwards[:width], downwards[:width]))
