"""Counts of classes within the parts of a partition: what each rule of a list covers.

An ``Assignment`` says of every record which part it is in. In an ordered rule list a record belongs to
the first rule that fires, or to the default, so the parts are disjoint and *all* coverages are one table.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from privet.errors import DataError
from privet.schema import Category, Schema
from privet.stats import kernels
from privet.stats.assignment import Assignment
from privet.stats.base import Answer, Sensitivity, Statistic
from privet.stats.contingency import Contingency
from privet.stats.rows import Rows

__all__ = ["Coverage", "Within"]


@dataclass(frozen=True)
class Within(Statistic):
    """A contingency table within each part: parts × (values, missing) × classes.

    **Sensitivity.** A record is in one part and in at most one cell of that part's table: L1 = L2² = 1,
    however many parts there are.
    """

    assignment: Assignment
    table: Contingency

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.assignment.columns, *self.table.columns)))

    def norms(self, schema: Schema) -> Sensitivity:
        return Sensitivity(1, 1)

    def start(self, schema: Schema) -> Answer:
        height, width = self.table.shape(schema)
        return np.zeros((self.assignment.parts(schema), height, width + 1), np.int64)  # last column: no class

    def fold(self, state: Answer, rows: Rows) -> Answer:
        row = self.table.row
        values = np.zeros(rows.size, np.uint8) if row is None else rows.codes(row, self.table.cuts)
        kernels.count_within(self.assignment(rows), values, rows.codes(self.table.column), state)
        return state

    def finish(self, state: Answer, schema: Schema) -> Answer:
        return np.ascontiguousarray(state[:, :, :-1])


@dataclass(frozen=True)
class Coverage(Statistic):
    """How many records of each class are in each part: parts × classes.

    **Sensitivity.** A record is in one part and has at most one class: L1 = L2² = 1. The support of every
    rule of a list costs as much as that of one.

    >>> import pyarrow as pa
    >>> from privet.stats.assignment import FirstThatHolds
    >>> from privet.stats.conditions import Between
    >>> schema = Schema.of({"age": (0, 120), "ill": ["no", "yes"]}, target="ill")
    >>> young = FirstThatHolds(((Between("age", None, 60),),))
    >>> rows = Rows(pa.record_batch({"age": [30, 70, 80], "ill": ["no", "yes", "no"]}), schema)
    >>> question = Coverage(young, "ill")
    >>> question.finish(question.fold(question.start(schema), rows), schema).tolist()
    [[1, 0], [1, 1]]
    """

    assignment: Assignment
    target: str

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.assignment.columns, self.target)))

    def norms(self, schema: Schema) -> Sensitivity:
        return Sensitivity(1, 1)

    def start(self, schema: Schema) -> Answer:
        column = schema[self.target]
        if not isinstance(column, Category):
            raise DataError(f"Column '{self.target}' must be a category to count by it.")
        return np.zeros((self.assignment.parts(schema), column.size + 1), np.int64)

    def fold(self, state: Answer, rows: Rows) -> Answer:
        counts = np.zeros((4, *state.shape), np.int64)
        kernels.count_pairs(self.assignment(rows), rows.codes(self.target), counts)
        return np.asarray(state + counts.sum(axis=0))

    def finish(self, state: Answer, schema: Schema) -> Answer:
        return np.ascontiguousarray(state[:, :-1])
