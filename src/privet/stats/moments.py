"""Sums of a number and of its square within each class, in fixed point."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from privet.schema import Number, Schema
from privet.stats import kernels, sql
from privet.stats.base import Answer, Sensitivity, Statistic
from privet.stats.rows import Rows, refuse_infinite

__all__ = ["Moments"]


@dataclass(frozen=True)
class Moments(Statistic):
    """For each class (Σz, Σ(z² − ½), number of missing values), z being the number scaled to [−1, 1].

    In fixed point: with S = 2^20, z becomes q = ⌊S·z + ½⌋ in [−S, S], and z² − ½ becomes
    b = ⌊q²/S⌋ − S/2 in [−S/2, S/2]. The third entry counts a missing value as W = ⌊S·√5/2⌋.

    **Sensitivity.** A record is in one class. If its number is there, it adds (q, b, 0): with a = |q|/S in
    [0, 1], L1 is at most a + |a² − ½| in units of S (plus nothing: the floor of q²/S lies between 0 and S,
    so |b| ≤ S/2 always). This is convex on [√½, 1] with its maximum 3/2 at a = 1, and at most ¾ below √½;
    the floor can add 1/S to ½ − a² there, far from the maximum. Squared L2 is a² + (a² − ½)² = a⁴ + ¼,
    at most 5/4 (the floor again matters only where a < √½). If the number is missing, it adds (0, 0, W):
    W < 3S/2 and W² ≤ 5S²/4. So L1 = 3S/2 and L2² = 5S²/4, and the missing count is free: centring the
    square at ½ is what makes the pair cost 3/2 instead of 2.
    """

    number: str
    column: str
    nonnegative = False

    scale = kernels.FIXED
    unit = "half ranges"
    missing_weight = math.isqrt(5 * kernels.FIXED**2 // 4)

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.number, self.column)

    def norms(self, schema: Schema) -> Sensitivity:
        return Sensitivity(3 * self.scale // 2, 5 * self.scale**2 // 4)

    def start(self, schema: Schema) -> Answer:
        classes: Any = schema[self.column]
        return np.zeros((4, classes.size + 1, 4), np.int64)

    def fold(self, state: Answer, rows: Rows) -> Answer:
        column = self._number(rows.schema)
        classes = rows.codes(self.column)
        values = rows.numbers(self.number)
        if not kernels.sum_moments(values, float(column.low), float(column.high), classes, state):
            refuse_infinite(self.number)
        return state

    def finish(self, state: Answer, schema: Schema) -> Answer:
        count, first, second, missing = state.sum(axis=0)[:-1].T
        return np.stack([first, second - count * (self.scale // 2), missing * self.missing_weight], axis=1)

    def expression(self, table: Any, schema: Schema) -> Any:
        if not sql.countable(table, schema, self.columns):
            return None
        q = sql.fixed_point(table, schema, self._number(schema), self.scale)
        infinite = sql.is_infinite(table, schema, self.number)
        rows = table.select(key0=table[self.column], q=q, infinite=infinite)
        return rows.group_by("key0").aggregate(
            count=rows.q.count(),
            first=rows.q.sum(),
            second=(rows.q * rows.q >> 20).sum(),
            missing=(rows.q.isnull()).sum(),
            infinite=rows.infinite.sum(),
        )

    def collect(self, result: Any, schema: Schema) -> Answer:
        [classes] = sql.codes(result, schema, [(self.column, ())])
        names = [name for name in result.column_names if name != "key0"]
        table = {name: np.asarray(result[name].fill_null(0), np.int64) for name in names}
        if table["infinite"].any():
            refuse_infinite(self.number)
        state = self.start(schema)
        for place, name in enumerate(("count", "first", "second", "missing")):
            np.add.at(state[0, :, place], classes, table[name])
        if schema.missing == "error" and state[..., 3].any():
            sql.refuse(schema, self.number)
        return self.finish(state, schema)

    def _number(self, schema: Schema) -> Number:
        column = schema[self.number]
        assert isinstance(column, Number)
        return column
