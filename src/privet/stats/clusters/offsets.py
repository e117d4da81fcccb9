"""How far the records of each cluster are from its released centre, in sum: where the centre should move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from privet.schema import Schema
from privet.stats.base import Answer, Sensitivity, Statistic
from privet.stats.clusters.kernels import add_offsets
from privet.stats.clusters.points import Points
from privet.stats.rows import Rows

__all__ = ["Offsets"]

SCALE = 2**20
# Just below 1: floats may not carry a clipped offset over its bound.
INSIDE = 1 - 1e-9


@dataclass(frozen=True, eq=False)
class Offsets(Statistic):
    """For each centre Σ(x − c)/r over the records nearest to it, and half their number.

    An offset longer than the ``radius`` r, in the ``norm`` asked for, is cut back to it; missing coordinates
    are taken to be the centre's. In fixed point: entries count multiples of 2⁻²⁰, rounded towards 0.

    **Sensitivity.** A record is nearest to one centre (the first of several), which was released before. It
    adds there an offset of length at most 1 and the number ½. Rounding towards 0 makes no entry larger, and a
    factor of 1 − 10⁻⁹ covers floating point. With the L1 norm: L1 ≤ 3/2, and L2² ≤ 1 + ¼ since an L2 norm is
    never above an L1 norm. With the L2 norm: L2² ≤ 5/4, and L1 ≤ √D + ½ ≤ D + ½ for D coordinates.
    """

    points: Points
    centres: NDArray[np.float64]
    radius: float
    norm: Literal["l1", "l2"]

    nonnegative = False
    scale = SCALE
    unit = "radii"

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.points.columns)

    def norms(self, schema: Schema) -> Sensitivity:
        longest = SCALE if self.norm == "l1" else SCALE * self.points.width
        return Sensitivity(longest + SCALE // 2, 5 * SCALE**2 // 4)

    def start(self, schema: Schema) -> Answer:
        return np.zeros((len(self.centres), self.points.width + 1), np.int64)

    def fold(self, state: Answer, rows: Rows) -> Answer:
        turned = np.ascontiguousarray(self.centres.T)
        add_offsets(self.points(rows), turned, self.radius, INSIDE, self.norm == "l1", SCALE, state)
        return state
