"""Counts of one attribute's values within each class, or of the classes alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from privet.errors import DataError
from privet.schema import Category, Schema
from privet.stats import kernels, sql
from privet.stats.base import Answer, Sensitivity, Statistic
from privet.stats.rows import Rows

__all__ = ["Contingency"]


@dataclass(frozen=True)
class Contingency(Statistic):
    """How many records have each value of ``row`` and each value of ``column``.

    The answer has one row for each value of the public domain (or each bin between the public ``cuts`` of
    a number), then one for missing values, and one column for each class. With ``row=None`` it has a single
    row: the class counts. Records without a class are not counted.

    **Sensitivity.** A record adds 1 to at most one cell, so L1 = L2² = 1, whatever the number of cells. The
    row for missing values is a cell like any other and costs nothing; with it every table's column totals
    are the class totals.
    """

    row: str | None
    column: str
    cuts: tuple[float, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.column,) if self.row is None else (self.row, self.column)

    def norms(self, schema: Schema) -> Sensitivity:
        return Sensitivity(1, 1)

    def shape(self, schema: Schema) -> tuple[int, int]:
        """Rows (with the one for missing values) and columns of the answer."""
        return self._height(schema), _category(schema, self.column).size

    def _height(self, schema: Schema) -> int:
        if self.row is None:
            return 1
        column = schema[self.row]
        return (column.size if isinstance(column, Category) else len(self.cuts) + 1) + 1

    def start(self, schema: Schema) -> Answer:
        height, width = self.shape(schema)
        return np.zeros((4, height, width + 1), np.int64)  # last column: no class

    def fold(self, state: Answer, rows: Rows) -> Answer:
        classes = rows.codes(self.column)
        values = np.zeros(rows.size, np.uint8) if self.row is None else rows.codes(self.row, self.cuts)
        kernels.count_pairs(values, classes, state)
        return state

    def finish(self, state: Answer, schema: Schema) -> Answer:
        return np.ascontiguousarray(state.sum(axis=0)[:, :-1])

    def _keys(self, schema: Schema) -> tuple[sql.Key, ...]:
        classes: sql.Key = (_category(schema, self.column).name, ())
        return (classes,) if self.row is None else (classes, (self.row, self.cuts))

    def counted_by(self, table: Any, schema: Schema) -> tuple[sql.Key, ...] | None:
        return self._keys(schema) if sql.countable(table, schema, self.columns) else None

    def collect(self, result: Any, schema: Schema) -> Answer:
        height, width = self.shape(schema)
        answer = np.zeros((height, width + 1), np.int64)
        classes, *values = sql.codes(result, schema, self._keys(schema))
        place = (values[0] if values else np.zeros_like(classes), classes)
        np.add.at(answer, place, np.asarray(result["number"], np.int64))
        return np.ascontiguousarray(answer[:, :-1])


def _category(schema: Schema, name: str) -> Category:
    column = schema[name]
    if not isinstance(column, Category):
        raise DataError(f"Column '{name}' must be a category to count by it.")
    return column
