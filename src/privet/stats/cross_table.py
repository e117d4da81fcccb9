"""Counts of the combinations of several columns' values: a cross-table of any number of columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.schema import Schema
from privet.stats import kernels, sql
from privet.stats.assignment import Coded, Cross
from privet.stats.base import Answer, Sensitivity, Statistic
from privet.stats.rows import Rows

__all__ = ["CrossTable"]


@dataclass(frozen=True)
class CrossTable(Statistic):
    """How many records have each combination of the values of some columns.

    The answer has one axis per column: a place for each value of the public domain (or each interval between
    the public ``cuts`` of a number), then one for missing values.

    **Sensitivity.** A record has one value of each column, so it adds 1 to one cell: L1 = L2² = 1, however
    many columns and cells there are.

    >>> import pyarrow as pa
    >>> schema = Schema.of({"age": (0, 120), "ill": ["no", "yes"]})
    >>> rows = Rows(pa.record_batch({"age": [30, 70, None], "ill": ["no", "yes", "no"]}), schema)
    >>> table = CrossTable((Coded("age", (60.0,)), Coded("ill")))
    >>> table.finish(table.fold(table.start(schema), rows), schema).tolist()
    [[1, 0, 0], [0, 1, 0], [1, 0, 0]]
    """

    coded: tuple[Coded, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return Cross(self.coded).columns

    def norms(self, schema: Schema) -> Sensitivity:
        return Sensitivity(1, 1)

    def shape(self, schema: Schema) -> tuple[int, ...]:
        """The length of each axis, with the place for missing values."""
        return tuple(each.size(schema) for each in self.coded)

    def start(self, schema: Schema) -> Answer:
        return np.zeros(Cross(self.coded).parts(schema), np.int64)

    def fold(self, state: Answer, rows: Rows) -> Answer:
        return self.fold_chosen(state, rows, np.ones(rows.size, bool))

    def fold_chosen(self, state: Answer, rows: Rows, chosen: NDArray[np.bool_]) -> Answer:
        counts = np.zeros((4, state.size), np.int64)
        kernels.count_cells(Cross(self.coded).cells(rows), chosen, counts)
        return state + counts.sum(axis=0)

    def finish(self, state: Answer, schema: Schema) -> Answer:
        return state.reshape(self.shape(schema))

    def _keys(self) -> tuple[sql.Key, ...]:
        return tuple((each.column, each.cuts) for each in self.coded)

    def counted_by(self, table: Any, schema: Schema) -> tuple[sql.Key, ...] | None:
        return self._keys() if sql.countable(table, schema, self.columns) else None

    def collect(self, result: Any, schema: Schema) -> Answer:
        shape = self.shape(schema)
        answer = np.zeros(shape, np.int64)
        codes = sql.codes(result, schema, self._keys())
        cells = np.ravel_multi_index(tuple(codes), shape) if codes else np.zeros(result.num_rows, np.int64)
        np.add.at(answer.reshape(-1), cells, np.asarray(result["number"], np.int64))
        return answer
