"""Cells of one attribute or of two: their codes, joined into groups that were released before."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.schema import Schema
from privet.stats.assignment import Assignment, Coded
from privet.stats.kernels import translate
from privet.stats.rows import Rows

__all__ = ["Grouped", "Grouping"]

Groups = NDArray[Any]  # uint8 or uint16
Cells = NDArray[np.uint32]

_NONE: Cells = np.empty(0, np.uint32)


@dataclass(frozen=True)
class Grouped:
    """A column by groups of its codes: ``groups`` has a group for each code, the last for missing values.

    >>> import pyarrow as pa
    >>> schema = Schema.of({"age": (0, 120)})
    >>> rows = Rows(pa.record_batch({"age": [10, 50, 90, None]}), schema)
    >>> Grouped(Coded("age", (20.0, 60.0)), (0, 1, 1, 2)).of(rows).tolist()
    [0, 1, 1, 2]
    """

    coded: Coded
    groups: tuple[int, ...]

    @cached_property
    def size(self) -> int:
        """How many groups there are."""
        return max(self.groups) + 1

    @cached_property
    def table(self) -> Groups:
        """The group of each code, and of every other that codes of as many bytes could be."""
        table = np.zeros(256 if len(self.groups) <= 256 else len(self.groups), np.uint8)
        table = table if self.size <= 256 else table.astype(np.uint16)
        table[: len(self.groups)] = self.groups
        return table

    def of(self, rows: Rows) -> Groups:
        """The group of each record."""
        found = np.empty(rows.size, self.table.dtype)
        translate(rows.codes(self.coded.column, self.coded.cuts), self.table, found)
        return found


@dataclass(frozen=True)
class Grouping(Assignment):
    """A part for each combination of the groups of its columns; one part for all records, if there are none.

    >>> import pyarrow as pa
    >>> schema = Schema.of({"age": (0, 120), "ill": ["no", "yes"]})
    >>> rows = Rows(pa.record_batch({"age": [10, 50, 90], "ill": ["no", "yes", None]}), schema)
    >>> old = Grouped(Coded("age", (60.0,)), (0, 1, 1))
    >>> Grouping((old, Grouped(Coded("ill"), (0, 1, 0)))).part_of(rows).tolist()
    [0, 1, 2]
    """

    grouped: tuple[Grouped, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(each.coded.column for each in self.grouped))

    @property
    def size(self) -> int:
        """How many parts there are."""
        number = 1
        for each in self.grouped:
            number *= each.size
        return number

    def parts(self, schema: Schema) -> int:
        return self.size

    def lookup(self, rows: Rows) -> tuple[Groups, Groups, Cells, Cells]:
        """Of each record codes a and b, and tables: its part is one[a] + other[b], or just one[a]."""
        if not self.grouped:
            alone = np.zeros(rows.size, np.uint8)
            return alone, alone, np.zeros(256, np.uint32), _NONE
        codes = [rows.codes(each.coded.column, each.coded.cuts) for each in self.grouped]
        if len(self.grouped) == 1:
            return codes[0], codes[0], self._tables[0], _NONE
        if len(self.grouped) == 2:
            one, other = self._tables
            return codes[0], codes[1], one, other
        part = self.part_of(rows)
        return part, part, np.arange(self.size, dtype=np.uint32), _NONE

    @cached_property
    def _tables(self) -> list[Cells]:
        """For each column what each of its codes adds to the part."""
        after = [prod(each.size for each in self.grouped[k + 1 :]) for k in range(len(self.grouped))]
        return [
            each.table.astype(np.uint32) * np.uint32(step)
            for each, step in zip(self.grouped, after, strict=True)
        ]

    def part_of(self, rows: Rows) -> NDArray[np.int64]:
        part = np.zeros(rows.size, np.int64)
        for each in self.grouped:
            part *= each.size
            part += each.of(rows)
        return part
