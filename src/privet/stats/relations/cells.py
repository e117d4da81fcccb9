"""The cells of a table in one form, whatever held them, so that records of different tables can meet.

A category is the text of its label (an unlisted value: that of ``other``, or missing), a number is a float
within its bounds, and a person is the text of their id: 7, 7.0 and "7" are the same. Each cell depends on
itself and public things alone. Different ids of one column stay different, so nobody gets more records.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from privet.errors import DataError
from privet.schema import Category, Schema
from privet.stats.rows import Rows

__all__ = ["NOTHING_BETWEEN", "as_text", "empty", "read"]

NOTHING_BETWEEN = "\x1f"
_WHOLE = 2.0**53


def read(batches: Iterable[pa.RecordBatch], schema: Schema) -> pa.Table:
    """The declared columns, and the person's id."""
    lenient = replace(schema, outside="count", missing="skip")
    parts = [_part(Rows(batch, lenient), lenient) for batch in batches]
    return pa.concat_tables(parts) if parts else empty(schema)


def empty(schema: Schema) -> pa.Table:
    """No records, with the columns that ``read`` gives."""
    person = schema.unit.id
    columns = [column for column in schema.columns if column.name != person]
    fields = {c.name: pa.string() if isinstance(c, Category) else pa.float64() for c in columns}
    if person is not None:
        fields[person] = pa.string()
    return pa.schema(list(fields.items())).empty_table()


def _part(rows: Rows, schema: Schema) -> pa.Table:
    arrays: dict[str, Any] = {}
    person = schema.unit.id
    for column in schema.columns:
        if column.name == person:
            continue
        if isinstance(column, Category):
            codes = rows.codes(column.name).astype(np.int32)
            labels = pa.array([str(label) for label in column.labels], pa.string())
            arrays[column.name] = labels.take(pa.array(codes, mask=codes >= column.size))
        else:
            numbers = np.clip(rows.numbers(column.name), column.low, column.high)
            arrays[column.name] = pa.array(numbers, mask=np.isnan(numbers))
    if person is not None:
        arrays[person] = as_text(rows.column(person), person)
    return pa.table(arrays)


def as_text(array: Any, name: str) -> Any:
    """Cells as text; null where there is none.

    >>> as_text(pa.array([7.0, None, 0.5, float("nan")]), "id").to_pylist()
    ['7', None, '0.5', None]
    """
    kind = array.type
    if pa.types.is_dictionary(kind):
        array, kind = array.dictionary_decode(), kind.value_type
    if pa.types.is_floating(kind):
        array = pc.cast(array, pa.float64())
        array = pc.if_else(pc.is_nan(array), pa.scalar(None, pa.float64()), array)
        whole = pc.and_(pc.equal(array, pc.floor(array)), pc.less(pc.abs(array), _WHOLE))
        shown = pc.cast(pc.cast(pc.if_else(whole, array, 0.0), pa.int64()), pa.string())
        return pc.if_else(whole, shown, pc.cast(array, pa.string()))
    if pa.types.is_nested(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        raise DataError(f"Column '{name}' must be text, numbers or dates.", "Store it as text.")
    return pc.cast(array, pa.string())
