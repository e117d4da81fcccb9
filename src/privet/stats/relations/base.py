"""A table that is there: the leaf of every relation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa

from privet.errors import ParameterError
from privet.schema import Schema
from privet.schema.item_sets import set_columns, sets_refused
from privet.stats.relations.facts import Facts, Read, Relation

__all__ = ["Base"]


@dataclass(frozen=True)
class Base(Relation):
    """A table by its name, with at most ``most`` records of each person (``stats.contribution``).

    **Stability.** One unit is one record, or one person's at most ``most`` records: so many go or come, and
    twice as many if one unit is exchanged for another. A person's records are their own.
    """

    name: str
    schema: Schema

    @property
    def facts(self) -> Facts:
        unit = self.schema.unit
        # Who somebody is stays text as it is: clamped or coded, two people could become one.
        columns = tuple(column for column in self.schema.columns if column.name != unit.id)
        if not columns:
            raise ParameterError("The schema names no column besides the person's id.", "Declare another.")
        if sets := set_columns(columns):
            raise sets_refused(sets[0].name)
        changed = unit.most * (2 if unit.neighbours == "replace" else 1)
        return Facts(columns, changed, unit.id, unit.most if unit.id is not None else 0)

    def pieces(self, read: Read) -> Iterator[pa.Table]:
        yield from read(self.name)

    def leaves(self) -> Iterator[str]:
        yield self.name
