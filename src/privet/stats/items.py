"""Items: values of categories that records have. How many have each, and each combination of a few."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privet.errors import ParameterError
from privet.schema import Category, Number, Schema
from privet.stats.assignment import Coded
from privet.stats.base import Answer, Sensitivity, Statistic
from privet.stats.cross_table import CrossTable
from privet.stats.rows import Rows
from privet.stats.scores import Scores

__all__ = ["Basis", "Item", "ItemCounts", "items_of"]

MOST_ITEMS = 16
# Of a column with two values, one of which says that something is not there, the other alone is an item.
ABSENT = {"0", "0.0", "no", "n", "false", "f", "absent", "none", ""}


@dataclass(frozen=True)
class Item:
    """One value of a category, by its place in the public domain; or of a number, an interval of its cuts."""

    column: str
    code: int
    cuts: tuple[float, ...] = ()

    @property
    def coded(self) -> Coded:
        """The item's column, by codes."""
        return Coded(self.column, self.cuts)


def items_of(schema: Schema) -> tuple[Item, ...]:
    """All items of a schema; of a column that says whether something is there, only that it is.

    Whole numbers between 0 and 1 say so as well: both bounds are public.

    >>> schema = Schema.of({"milk": [0, 1], "colour": ["red", "blue"], "age": (0, 100)})
    >>> [(item.column, item.code) for item in items_of(schema)]
    [('milk', 1), ('colour', 0), ('colour', 1)]
    """
    found = []
    for column in schema.columns:
        if isinstance(column, Category):
            absent = [str(label).lower() in ABSENT for label in column.labels]
            named = column.size == 2 and sum(absent) == 1
            found += [Item(column.name, code) for code in range(column.size) if not (named and absent[code])]
        elif isinstance(column, Number) and column.integer and (column.low, column.high) == (0, 1):
            found.append(Item(column.name, 1, (0.5,)))
    return tuple(found)


@dataclass(frozen=True)
class ItemCounts(Scores):
    """For each item, how many records have it: for a private choice of the most frequent.

    **Spread.** A new record adds 1 to the count of each item that it has and 0 to others: every score moves
    within [0, 1], and R = 1, however many items a record has.
    """

    items: tuple[Item, ...]

    @property
    def statistics(self) -> tuple[Statistic, ...]:
        return tuple(CrossTable((coded,)) for coded in self._coded)

    @property
    def _coded(self) -> list[Coded]:
        return list(dict.fromkeys(item.coded for item in self.items))

    def groups(self, answers: Sequence[Answer], schema: Schema) -> list[NDArray[np.int64]]:
        counts = dict(zip(self._coded, answers, strict=True))
        return [np.array([counts[item.coded][item.code] for item in self.items], np.int64)]


@dataclass(frozen=True)
class Basis(Statistic):
    """How many records have each combination of these items: 2^b counts, cell Σ 2^i over the items i had.

    **Sensitivity.** A record has each item or does not, so it is in exactly one cell: L1 = L2² = 1. The
    support of any set of these items is a sum of cells (PrivBasis; Li, Qardaji, Su and Cao 2012).

    >>> import pyarrow as pa
    >>> schema = Schema.of({"milk": [0, 1], "bread": [0, 1]})
    >>> rows = Rows(pa.record_batch({"milk": [1, 1, 0], "bread": [1, 0, 0]}), schema)
    >>> basis = Basis((Item("milk", 1), Item("bread", 1)))
    >>> basis.fold(basis.start(schema), rows).tolist()
    [1, 1, 0, 1]
    """

    items: tuple[Item, ...]

    def __post_init__(self) -> None:
        if not 1 <= len(self.items) <= MOST_ITEMS:
            raise ParameterError(f"A basis has between 1 and {MOST_ITEMS} items.")

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(item.column for item in self.items))

    def norms(self, schema: Schema) -> Sensitivity:
        return Sensitivity(1, 1)

    def start(self, schema: Schema) -> Answer:
        return np.zeros(2 ** len(self.items), np.int64)

    def fold(self, state: Answer, rows: Rows) -> Answer:
        cell = np.zeros(rows.size, np.int64)
        for place, item in enumerate(self.items):
            cell += (rows.codes(item.column, item.cuts) == item.code).astype(np.int64) << place
        return state + np.bincount(cell, minlength=state.size)
