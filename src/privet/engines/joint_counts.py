"""Several tables of counts as one: the database reads the rows once for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import pyarrow as pa

from privet.schema import Schema
from privet.stats import sql
from privet.stats.assignment import Coded

__all__ = ["Bundle", "bundled"]

#: Cells of a joint table, by the schema: with more of them, grouping costs more than reading again.
MOST_CELLS = 1 << 11
#: Lines of the answer for each cell, beyond which its tables are asked for one by one.
LINES_OF_A_CELL = 16
#: Lines that one answer may have; a table may hold values that no schema lists.
MOST_LINES = 1 << 20


@dataclass(frozen=True)
class Bundle:
    """Some of the tables that are wanted, by their places, and the keys of all of them."""

    keys: tuple[sql.Key, ...]
    places: tuple[int, ...]

    @property
    def lines(self) -> int:
        """How many lines its answer may have before its tables had better be asked for one by one."""
        return MOST_LINES if len(self.places) == 1 else LINES_OF_A_CELL * MOST_CELLS

    def table(self, result: pa.Table, keys: Sequence[sql.Key]) -> pa.Table:
        """The lines as if they were counted by these keys alone; some come several times, which adds up."""
        names = [f"key{self.keys.index(key)}" for key in keys]
        columns = [*(result[name] for name in names), result["number"]]
        return pa.table(columns, names=[*(f"key{place}" for place in range(len(keys))), "number"])


def bundled(wanted: dict[int, tuple[sql.Key, ...]], schema: Schema) -> list[Bundle]:
    """The tables, one after the other, together as long as few cells are made.

    >>> schema = Schema.of({"a": ["x", "y"], "b": ["x", "y"], "c": list(range(900))})
    >>> a, b, c = (("a", ()),), (("b", ()),), (("c", ()),)
    >>> [bundle.places for bundle in bundled({0: a, 1: b, 2: c}, schema)]
    [(0, 1), (2,)]
    """
    bundles: list[Bundle] = []
    for place, keys in wanted.items():
        if bundles:
            joint = tuple(dict.fromkeys((*bundles[-1].keys, *keys)))
            if prod(Coded(*key).size(schema) for key in joint) <= MOST_CELLS:
                bundles[-1] = Bundle(joint, (*bundles[-1].places, place))
                continue
        bundles.append(Bundle(tuple(keys), (place,)))
    return bundles
