"""A table that is made of others, as a source: read, bounded and put together here, inside the one door."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import pyarrow as pa

from privet.schema import Schema
from privet.sources.base import BATCH_ROWS, Source
from privet.sources.projection import chosen
from privet.stats.contribution import bounded
from privet.stats.relations import Relation
from privet.stats.relations.cells import read

__all__ = ["DerivedSource"]


class DerivedSource:
    """The records of a relation. Each table is read once, when the first question is asked, whatever engine
    it is at home in; the relation is then put together in memory.
    """

    ordered = False

    def __init__(self, relation: Relation, tables: Mapping[str, tuple[Source, Schema]]) -> None:
        self._relation = relation
        self._tables = tables

    @property
    def names(self) -> tuple[str, ...]:
        return self._relation.facts.names

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        yield from self._made.select(chosen(self.names, columns)).to_batches(max_chunksize=BATCH_ROWS)

    @cached_property
    def _made(self) -> pa.Table:
        tables = {name: _read(*self._tables[name]) for name in dict.fromkeys(self._relation.leaves())}
        return self._relation.made(tables)

    def table(self) -> Any | None:
        return None

    def declared(self) -> Schema | None:
        return None


def _read(source: Source, schema: Schema) -> pa.Table:
    """At most ``most`` records of each person, in the columns that the schema names."""
    wanted = {*schema.names, schema.unit.id}
    return read(bounded(source, [name for name in source.names if name in wanted], schema), schema)
