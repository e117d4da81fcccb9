"""Sums of a number in each cell of a cross-table, in fixed point."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privet.errors import ParameterError
from privet.schema import Number, Schema
from privet.stats import kernels
from privet.stats.assignment import Coded, Cross
from privet.stats.base import Answer, Sensitivity, Statistic
from privet.stats.rows import Rows, refuse_infinite

__all__ = ["GroupSums"]


@dataclass(frozen=True)
class GroupSums(Statistic):
    """For each combination of some columns' values, Σz (and, with ``squares``, Σ(z² − ½)).

    z = (x − centre) / reach, where ``reach`` is how far the public bounds are from the public ``centre``:
    the middle of the bounds (None) or 0. In fixed point with S = 2^20: q = ⌊S·z + ½⌋ in [−S, S], and z² − ½
    is ⌊q²/S⌋ − S/2 in [−S/2, S/2]. A missing number adds nothing.

    **Sensitivity.** A record is in one cell. It adds q there: L1 ≤ S and L2² ≤ S². With squares it adds the
    pair (q, ⌊q²/S⌋ − S/2): L1 ≤ 3S/2 and L2² ≤ 5S²/4 (proof: ``stats.moments``, without the missing ones).

    >>> import pyarrow as pa
    >>> schema = Schema.of({"age": (0, 100), "ill": ["no", "yes"]})
    >>> rows = Rows(pa.record_batch({"age": [100, 50, None], "ill": ["no", "no", "yes"]}), schema)
    >>> sums = GroupSums((Coded("ill"),), "age")
    >>> (sums.finish(sums.fold(sums.start(schema), rows), schema) / sums.scale).tolist()
    [1.0, 0.0, 0.0]
    """

    coded: tuple[Coded, ...]
    number: str
    centre: float | None = None
    squares: bool = False

    nonnegative = False
    scale = kernels.FIXED
    unit = "half ranges"

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*Cross(self.coded).columns, self.number)))

    def norms(self, schema: Schema) -> Sensitivity:
        self.reach(schema)
        if self.squares:
            return Sensitivity(3 * self.scale // 2, 5 * self.scale**2 // 4)
        return Sensitivity(self.scale, self.scale**2)

    def middle(self, schema: Schema) -> float:
        """The centre."""
        return self._number(schema).midpoint if self.centre is None else self.centre

    def reach(self, schema: Schema) -> float:
        """What z = 1 stands for."""
        column, centre = self._number(schema), self.middle(schema)
        return float(max(abs(column.low - centre), abs(column.high - centre)))

    def shape(self, schema: Schema) -> tuple[int, ...]:
        """One axis per column, with the place for missing values; with squares, a last one of two."""
        cells = tuple(each.size(schema) for each in self.coded)
        return (*cells, 2) if self.squares else cells

    def start(self, schema: Schema) -> Answer:
        return np.zeros((2 if self.squares else 1, Cross(self.coded).parts(schema)), np.int64)

    def fold(self, state: Answer, rows: Rows) -> Answer:
        return self.fold_chosen(state, rows, np.ones(rows.size, bool))

    def fold_chosen(self, state: Answer, rows: Rows, chosen: NDArray[np.bool_]) -> Answer:
        column = self._number(rows.schema)
        low, high = float(column.low), float(column.high)
        bounds = (low, high, float(self.middle(rows.schema)), self.reach(rows.schema))
        sums = np.zeros((4, *state.shape), np.int64)
        cells = Cross(self.coded).cells(rows)
        if not kernels.sum_cells(cells, chosen, rows.numbers(self.number), bounds, self.squares, sums):
            refuse_infinite(self.number)
        return state + sums.sum(axis=0)

    def finish(self, state: Answer, schema: Schema) -> Answer:
        return np.moveaxis(state, 0, -1).reshape(self.shape(schema))

    def _number(self, schema: Schema) -> Number:
        column = schema[self.number]
        if not isinstance(column, Number):
            raise ParameterError(
                f"'{self.number}' is a category, and only numbers have a sum or a mean.", "Count it instead."
            )
        return column
