"""The records of two relations, one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa

from privet.errors import ParameterError
from privet.schema import Category, Number
from privet.schema.columns import Column
from privet.stats.relations.facts import Facts, Read, Relation

__all__ = ["Union"]


@dataclass(frozen=True)
class Union(Relation):
    """All records of both (UNION ALL), in the columns that both have.

    **Stability.** What changes in either changes here: at most r + s records. If both say by the same column
    whose a record is, somebody's records here are theirs there, at most the sum of both.
    """

    one: Relation
    other: Relation

    @property
    def facts(self) -> Facts:
        one, other = self.one.facts, self.other.facts
        theirs = {column.name: column for column in other.columns}
        columns = tuple(_both(mine, theirs[mine.name]) for mine in one.columns if mine.name in theirs)
        if not columns:
            raise ParameterError(
                "These tables have no column in common.", "Give the columns the same names in both schemas."
            )
        changed = one.changed + other.changed
        if one.person is None or one.person != other.person:
            return Facts(columns, changed)
        return Facts(columns, changed, one.person, one.each + other.each)

    def pieces(self, read: Read) -> Iterator[pa.Table]:
        names = list(self.facts.names)
        for each in (self.one, self.other):
            yield from (piece.select(names) for piece in each.pieces(read))

    def leaves(self) -> Iterator[str]:
        yield from self.one.leaves()
        yield from self.other.leaves()


def _both(one: Column, other: Column) -> Column:
    """What a cell of either can be."""
    if isinstance(one, Number) and isinstance(other, Number):
        low, high = min(one.low, other.low), max(one.high, other.high)
        return Number(one.name, low, high, one.integer and other.integer, one.cuts)
    if isinstance(one, Category) and isinstance(other, Category):
        return Category(one.name, tuple(dict.fromkeys(map(str, (*one.labels, *other.labels)))))
    raise ParameterError(
        f"'{one.name}' is a number in one table and a category in the other.", "Declare it alike in both."
    )
