"""Rows of databases whose Ibis reader goes through pandas: read by the database's own cursor instead.

In a pandas column of whole numbers one missing value turns all others into floats, which round beyond 2^53:
one person's gap would change how another's cell is read, and make two people one. Here a cell is judged by
itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from decimal import Decimal
from typing import Any

import pyarrow as pa

from privet.errors import DataError
from privet.sources.base import BATCH_ROWS

__all__ = ["THROUGH_PANDAS", "cursor_batches"]

#: Backends of Ibis that make a pandas frame of all rows first.
THROUGH_PANDAS = frozenset({"sqlite", "mysql", "singlestoredb", "impala"})


def cursor_batches(backend: Any, expression: Any) -> Iterator[pa.RecordBatch]:
    """The rows of an Ibis expression, in constant memory."""
    schema = expression.schema().to_pyarrow()
    with closing(backend.raw_sql(backend.compile(expression))) as cursor:
        while rows := cursor.fetchmany(BATCH_ROWS):
            columns = zip(*rows, strict=True)
            arrays = [_array(cells, field) for cells, field in zip(columns, schema, strict=True)]
            yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def _array(cells: tuple[Any, ...], field: pa.Field) -> pa.Array:
    read = _reader(field.type)
    try:
        return pa.array([None if cell is None else read(cell) for cell in cells], field.type)
    except (
        LookupError,
        ValueError,
        TypeError,
        ArithmeticError,
    ):  # their texts may quote a cell
        raise DataError(
            f"Column '{field.name}' holds cells of another type than the database declares.",
            "Cast the column in a view, or mend the cells.",
        ) from None


def _reader(kind: pa.DataType) -> Callable[[Any], Any]:
    """How a cell is read. SQLite has no types for truths and times: it keeps numbers, and texts."""
    if pa.types.is_decimal(kind):
        step = Decimal(1).scaleb(-kind.scale)
        return lambda cell: Decimal(str(cell)).quantize(step)
    if pa.types.is_boolean(kind):
        return lambda cell: {0: False, 1: True}[cell]
    if pa.types.is_floating(kind):
        return lambda cell: float(cell) if isinstance(cell, (int, float, Decimal)) else _refuse()
    if pa.types.is_temporal(kind):
        return lambda cell: pa.scalar(cell).cast(kind).as_py() if isinstance(cell, str) else cell
    return lambda cell: cell


def _refuse() -> Any:
    raise TypeError
