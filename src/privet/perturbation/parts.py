"""Parts of a table put together again."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa

__all__ = ["whole_table"]


def whole_table(batches: Iterable[pa.RecordBatch]) -> pa.Table:
    """All parts as one table, without dictionaries, which differ from part to part.

    >>> parts = [pa.RecordBatch.from_pydict({"town": [town]}) for town in "ab"]
    >>> whole_table(parts).num_rows
    2
    """
    parts = []
    for batch in batches:
        arrays = [a.dictionary_decode() if pa.types.is_dictionary(a.type) else a for a in batch.columns]
        parts.append(pa.Table.from_arrays(arrays, names=batch.schema.names))
    return pa.concat_tables(parts, promote_options="permissive")
