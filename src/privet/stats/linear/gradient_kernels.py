"""The compiled loop behind the gradient: each record once, touching only the cells that it is in."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.compiled import njit
from privet.stats.kernels import FIXED

__all__ = ["add_gradient"]


@njit
def add_gradient(
    cells: NDArray[np.int32],
    numbers: NDArray[np.int32],
    places: NDArray[np.int64],
    actual: NDArray[Any],
    classes: int,
    intercept: NDArray[np.float64],
    weights: NDArray[np.float64],
    state: NDArray[np.int64],
) -> None:  # pragma: no cover
    """state[k, cell] += q_k·x for the cells of each record (see ``stats.linear.gradient`` for q).

    ``cells`` are the places of each record's categories, ``numbers`` its numbers in fixed point with their
    ``places``; ``weights`` has the layout of the state, where a missing value's cell has weight 0.
    """
    rows = weights.shape[0]
    own = weights.shape[1]
    p = np.empty(rows)
    slopes = np.empty((rows, places.size))
    for k in range(rows):
        for j in range(places.size):
            slopes[k, j] = weights[k, places[j]] / FIXED  # by a power of 2: exact
    for i in range(cells.shape[0]):
        if actual[i] >= classes:
            continue
        largest = 0.0 if rows == 1 else -np.inf
        for k in range(rows):
            margin = intercept[k]
            for j in range(cells.shape[1]):
                margin += weights[k, cells[i, j]]
            for j in range(numbers.shape[1]):
                margin += slopes[k, j] * numbers[i, j]
            p[k] = margin
            largest = max(largest, margin)
        total = np.exp(-largest) if rows == 1 else 0.0  # of two classes, the first has margin 0
        for k in range(rows):
            p[k] = np.exp(p[k] - largest)
            total += p[k]
        for k in range(rows):
            q = np.int64(np.floor(p[k] / total * FIXED))
            if actual[i] == (1 if rows == 1 else k):
                q -= FIXED
            for j in range(cells.shape[1]):
                state[k, cells[i, j]] += q
            for j in range(numbers.shape[1]):
                state[k, places[j]] += (q * numbers[i, j]) >> 20
            if state.shape[1] > own:  # an intercept of its own
                state[k, own] += q
