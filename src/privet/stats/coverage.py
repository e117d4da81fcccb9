"""Counts of classes within the parts of a partition: what each rule of a list covers.

An ``Assignment`` says of every record which part it is in. In an ordered rule list a record belongs to
the first rule that fires, or to the default, so the parts are disjoint and *all* coverages are one table.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privet.errors import DataError
from privet.schema import Category, Schema
from privet.stats.base import Answer, Sensitivity, Statistic
from privet.stats.contingency import Contingency
from privet.stats.rows import Rows

__all__ = ["Assignment", "Coverage", "Within"]


class Assignment:
    """Which of ``parts`` parts each record is in. It may depend on the table through releases only.

    The parts of the last rows are remembered for each thread: the statistics of one pass share them.
    """

    def __init__(
        self, part_of: Callable[[Rows], NDArray[np.int64]], parts: int, columns: tuple[str, ...]
    ) -> None:
        self._part_of = part_of
        self._last = threading.local()
        self.parts = parts
        self.columns = columns

    def __call__(self, rows: Rows) -> NDArray[np.int64]:
        if getattr(self._last, "rows", None) is not rows:
            parts = np.asarray(self._part_of(rows), np.int64)
            if parts.shape != (rows.size,) or (
                parts.size and not 0 <= parts.min() <= parts.max() < self.parts
            ):
                raise DataError("The assignment does not put each record in one of its parts.")
            self._last.parts, self._last.rows = parts, rows
        found: NDArray[np.int64] = self._last.parts
        return found


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
        return np.zeros((self.assignment.parts, height, width + 1), np.int64)  # last column: no class

    def fold(self, state: Answer, rows: Rows) -> Answer:
        _, height, width = state.shape
        cell = self.assignment(rows) * height
        if self.table.row is not None:
            cell = cell + rows.codes(self.table.row, self.table.cuts)
        cell = cell * width + rows.codes(self.table.column)
        return state + np.bincount(cell, minlength=state.size).reshape(state.shape)

    def finish(self, state: Answer, schema: Schema) -> Answer:
        return np.ascontiguousarray(state[:, :, :-1])


@dataclass(frozen=True)
class Coverage(Statistic):
    """How many records of each class are in each part: parts × classes.

    **Sensitivity.** A record is in one part and has at most one class: L1 = L2² = 1. The support of every
    rule of a list costs as much as that of one.

    >>> import pyarrow as pa
    >>> schema = Schema.of({"age": (0, 120), "ill": ["no", "yes"]}, target="ill")
    >>> old = Assignment(lambda rows: rows.numbers("age") > 60, parts=2, columns=("age",))
    >>> rows = Rows(pa.record_batch({"age": [30, 70, 80], "ill": ["no", "yes", "no"]}), schema)
    >>> question = Coverage(old, "ill")
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
        return np.zeros((self.assignment.parts, column.size + 1), np.int64)

    def fold(self, state: Answer, rows: Rows) -> Answer:
        cell = self.assignment(rows) * state.shape[1] + rows.codes(self.target)
        return state + np.bincount(cell, minlength=state.size).reshape(state.shape)

    def finish(self, state: Answer, schema: Schema) -> Answer:
        return np.ascontiguousarray(state[:, :-1])
