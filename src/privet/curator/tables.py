"""What X, a file or a frame stands for: sources are opened here, for the curator and for estimators."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from privet.curator.object_cells import object_cells
from privet.schema import Schema, draft
from privet.sources import ArrowSource, GenotypeSource, Source, TableSource, open_source
from privet.sources import as_source as in_memory
from privet.sources.arrays import Columns
from privet.stats import Rows

__all__ = ["NoRecords", "as_source", "empty_table", "infer_schema", "is_table", "read_rows"]


def is_table(data: Any) -> bool:
    """Whether this is a table by itself (a file, a source, a database table) rather than arrays."""
    return isinstance(data, str | Path | Source) or hasattr(data, "to_pyarrow_batches")


def as_source(
    data: Any,
    y: Any = None,
    *,
    names: Sequence[str] | None = None,
    target: str | None = None,
    schema: Schema | None = None,
) -> Source:
    """The source that arrays, a frame, a file or a database table stand for."""
    if isinstance(data, GenotypeSource):  # asking a protocol would list a genome's names
        return data
    if isinstance(data, str | Path):
        return open_source(data, schema)
    if hasattr(data, "to_pyarrow_batches"):
        return TableSource(data, schema)
    source = in_memory(data, y, names=names, target=target)
    if isinstance(source, Columns) and schema is not None and schema.outside == "count":
        source.reader = object_cells(schema)
    return source


def read_rows(data: Any, schema: Schema, names: Sequence[str] | None = None) -> Iterator[Rows]:
    """Records to be predicted, through the schema. Unknown categories count as missing: none is learned."""
    source = as_source(data, names=names, schema=schema)
    wanted = [column.name for column in schema.attributes]
    for batch in source.batches([name for name in source.names if name in wanted]):
        yield Rows(batch, replace(schema, missing="skip"), unknown="missing")


def infer_schema(data: Any, target: str | None) -> Schema:
    """A schema read off the data: the explicit opt-out from any guarantee."""
    return draft(as_source(data).batches(), target=target, classes=True)


class NoRecords(ArrowSource):
    """The table of a rehearsal: whoever sees it knows that there is nobody in it."""


def empty_table(schema: Schema) -> Source:
    """A table with the schema's columns and no record: for rehearsals, which read no data."""
    fields = [
        (column.name, pa.float64() if hasattr(column, "low") else pa.string()) for column in schema.columns
    ]
    if schema.unit.id is not None:
        fields.append((schema.unit.id, pa.string()))
    return NoRecords(pa.schema(fields).empty_table())
