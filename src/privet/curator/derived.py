"""A table that is made of others, as a source: read, bounded and put together here, inside the one door."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from privet.schema import Schema
from privet.sources.base import BATCH_ROWS, Source
from privet.sources.projection import chosen
from privet.stats.contribution import bounded
from privet.stats.relations import Relation
from privet.stats.relations.cells import empty, read

__all__ = ["DerivedSource"]


class DerivedSource:
    """The records of a relation, put together here, whatever engine its tables are at home in.

    Memory: unions and views go by in batches. Of a join, what is kept of one side is held: so many records
    for each key, or all records of one table if a person is a key. A record for each person holds a line for
    each, while the records go by.
    """

    ordered = False

    def __init__(self, relation: Relation, tables: Mapping[str, tuple[Source, Schema]]) -> None:
        self._relation = relation
        self._tables = tables

    @property
    def names(self) -> tuple[str, ...]:
        return self._relation.facts.names

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        wanted = chosen(self.names, columns)
        for piece in self._relation.pieces(self._read):
            yield from piece.select(wanted).to_batches(max_chunksize=BATCH_ROWS)

    def _read(self, name: str) -> Iterator[pa.Table]:
        """At most ``most`` records of each person, in the columns that the schema names."""
        source, schema = self._tables[name]
        wanted = {*schema.names, schema.unit.id}
        yield empty(schema)
        for batch in bounded(source, [name for name in source.names if name in wanted], schema):
            yield read([batch], schema)

    def table(self) -> Any | None:
        return None

    def declared(self) -> Schema | None:
        return None
