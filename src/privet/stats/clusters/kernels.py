"""The compiled loops behind clusters: each point by itself, so that its digits depend on no other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privet.compiled import njit

__all__ = ["add_offsets", "squared_distances"]

Real = NDArray[np.float64]


@njit
def squared_distances(points: Real, turned: Real, found: Real) -> None:  # pragma: no cover
    """found[i, c] = Σ (points[i, j] − turned[j, c])², in the order of those coordinates j that are there."""
    for i in range(points.shape[0]):
        own = found[i]
        own[:] = 0.0
        for j in range(points.shape[1]):
            value = points[i, j]
            if value == value:
                centres = turned[j]
                for c in range(own.size):
                    away = value - centres[c]
                    own[c] += away * away


@njit
def add_offsets(
    points: Real,
    turned: Real,
    radius: float,
    inside: float,
    l1: bool,
    scale: int,
    state: NDArray[np.int64],
) -> None:  # pragma: no cover
    """What each point adds to its nearest centre, the first of several: see ``Offsets``."""
    squared, moved = np.empty(turned.shape[1]), np.empty(points.shape[1])
    for i in range(points.shape[0]):
        squared[:] = 0.0
        for j in range(points.shape[1]):
            value = points[i, j]
            if value == value:
                centres = turned[j]
                for c in range(squared.size):
                    away = value - centres[c]
                    squared[c] += away * away
        nearest = 0
        for c in range(1, squared.size):
            if squared[c] < squared[nearest]:
                nearest = c
        length = 0.0
        for j in range(points.shape[1]):
            value = points[i, j]
            moved[j] = value - turned[j, nearest] if value == value else 0.0
            length += abs(moved[j]) if l1 else moved[j] * moved[j]
        length = length if l1 else np.sqrt(length)
        # r·max(1, length/r): what is longer than r is cut back to it.
        factor = inside / max(radius, length)
        for j in range(points.shape[1]):
            state[nearest, j] += np.int64(scale * (moved[j] * factor))  # a conversion rounds towards 0
        state[nearest, points.shape[1]] += scale // 2
