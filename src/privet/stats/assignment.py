"""Partitions of the records, as values: which of several parts each record is in.

An assignment may depend on the table through releases only: cuts and conditions that were chosen before.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.errors import DataError
from privet.schema import Category, Schema
from privet.stats.conditions import Condition, all_hold
from privet.stats.last import Last
from privet.stats.rows import Rows

__all__ = ["Assignment", "Coded", "Cross", "FirstThatHolds"]

Parts = NDArray[np.int64]

_last: Last[Parts] = Last()  # the statistics of one pass share the parts of its rows


class Assignment(ABC):
    """Which part each record is in. Subclasses are frozen dataclasses."""

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The columns that it reads."""

    @abstractmethod
    def parts(self, schema: Schema) -> int:
        """How many parts there are."""

    @abstractmethod
    def part_of(self, rows: Rows) -> Parts:
        """The part of each record."""

    def __call__(self, rows: Rows) -> Parts:
        return _last.get(rows, self, lambda: self._checked(rows))

    def _checked(self, rows: Rows) -> Parts:
        parts = np.asarray(self.part_of(rows), np.int64)
        if parts.shape != (rows.size,) or (
            parts.size and not 0 <= parts.min() <= parts.max() < self.parts(rows.schema)
        ):
            raise DataError("The assignment does not put each record in one of its parts.")
        return parts


@dataclass(frozen=True)
class Coded:
    """A column by the codes of its values, or of the intervals between its ``cuts``; missing comes last."""

    column: str
    cuts: tuple[float, ...] = ()

    def size(self, schema: Schema) -> int:
        column = schema[self.column]
        return (column.size if isinstance(column, Category) else len(self.cuts) + 1) + 1


@dataclass(frozen=True)
class Cross(Assignment):
    """A part for each combination of the codes of some columns.

    >>> import pyarrow as pa
    >>> schema = Schema.of({"age": (0, 120), "ill": ["no", "yes"]})
    >>> rows = Rows(pa.record_batch({"age": [30, 70, None], "ill": ["no", "yes", "no"]}), schema)
    >>> Cross((Coded("age", (60.0,)),))(rows).tolist()
    [0, 1, 2]
    """

    coded: tuple[Coded, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(each.column for each in self.coded))

    def parts(self, schema: Schema) -> int:
        number = 1
        for each in self.coded:
            number *= each.size(schema)
        return number

    def part_of(self, rows: Rows) -> Parts:
        return self.cells(rows).astype(np.int64)

    def cells(self, rows: Rows) -> NDArray[Any]:
        """The same in as few bytes as will do: what is counted is read faster."""
        if not self.coded:
            return np.zeros(rows.size, np.uint8)
        first, *others = self.coded
        cells = rows.codes(first.column, first.cuts)
        for each in others:
            cells = cells.astype(np.min_scalar_type(self.parts(rows.schema)), copy=False)
            cells = cells * cells.dtype.type(each.size(rows.schema)) + rows.codes(each.column, each.cuts)
        return cells


@dataclass(frozen=True)
class FirstThatHolds(Assignment):
    """The first of these conjunctions of conditions that holds; the last part is of all other records.

    >>> import pyarrow as pa
    >>> from privet.stats.conditions import Between
    >>> schema = Schema.of({"age": (0, 120)})
    >>> rows = Rows(pa.record_batch({"age": [30, 70, 50]}), schema)
    >>> FirstThatHolds(((Between("age", None, 40),), (Between("age", 60, None),)))(rows).tolist()
    [0, 1, 2]
    """

    conjunctions: tuple[tuple[Condition, ...], ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(c.column for conjunction in self.conjunctions for c in conjunction))

    def parts(self, schema: Schema) -> int:
        return len(self.conjunctions) + 1

    def part_of(self, rows: Rows) -> Parts:
        part = np.full(rows.size, len(self.conjunctions), np.int64)
        for place in range(len(self.conjunctions) - 1, -1, -1):
            part[all_hold(self.conjunctions[place], rows)] = place
        return part
