"""How good released centres are: inertia, a silhouette-like figure, and how many records each centre has."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privet.schema import Schema
from privet.stats.base import Answer, Sensitivity, Statistic
from privet.stats.clusters.points import Points, distances
from privet.stats.rows import Rows

__all__ = ["Quality"]

SCALE = 2**20


@dataclass(frozen=True, eq=False)
class Quality(Statistic):
    """The sums of d²/R² and of the separation s over all records, and the number of records of each centre.

    d is a record's distance from its nearest centre, cut back to the ``reach`` R. With e, the distance from
    the second nearest, s = 1 − d/e (0 if e is 0, and if there is one centre only): 1 for a record at its
    centre, 0 for one half way to another. In fixed point, rounded down to multiples of 2⁻²⁰.

    **Sensitivity.** d²/R² and s lie in [0, 1], and a record is counted at one centre: L1 ≤ 3 and L2² ≤ 3.
    """

    points: Points
    centres: NDArray[np.float64]
    reach: float

    scale = SCALE

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.points.columns)

    def norms(self, schema: Schema) -> Sensitivity:
        return Sensitivity(3 * SCALE, 3 * SCALE**2)

    def start(self, schema: Schema) -> Answer:
        return np.zeros(2 + len(self.centres), np.int64)

    def fold(self, state: Answer, rows: Rows) -> Answer:
        squares = distances(self.points(rows), self.centres)
        nearest = squares.argmin(axis=1)
        first = squares[np.arange(rows.size), nearest]
        state[0] += int(np.floor(SCALE * np.clip(first / self.reach**2, 0, 1)).sum())
        if len(self.centres) > 1:
            second = np.partition(squares, 1, axis=1)[:, 1]
            ratio = np.sqrt(np.divide(first, second, out=np.ones_like(first), where=second > 0))
            state[1] += int(np.floor(SCALE * np.clip(1 - ratio, 0, 1)).sum())
        state[2:] += SCALE * np.bincount(nearest, minlength=len(self.centres))
        return state
