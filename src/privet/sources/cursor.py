"""Rows of databases whose Ibis reader goes through pandas: read by the database's own cursor instead.

In a pandas column of whole numbers one missing value turns all others into floats, which round beyond 2^53:
one person's gap would change how another's cell is read, and make two people one. Here a cell is judged by
itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from decimal import Decimal
from typing import Any

import pyarrow as pa

from privet.errors import DataError
from privet.sources.base import BATCH_ROWS

__all__ = ["THROUGH_PANDAS", "cursor_batches"]

#: Backends of Ibis that make a pandas frame of all rows first.
THROUGH_PANDAS = frozenset({"sqlite", "mysql", "singlestoredb", "impala"})
_ODD = (LookupError, ValueError, TypeError, ArithmeticError)


def cursor_batches(backend: Any, expression: Any, *, counts: bool = False) -> Iterator[pa.RecordBatch]:
    """The rows of an Ibis expression, in constant memory.

    SQLite keeps any cell in any column. One of another type than the column's is missing to a run that
    ``counts`` what is outside a schema: to refuse it would tell that it is there.
    """
    schema = expression.schema().to_pyarrow()
    with _any_text(backend.con), closing(backend.raw_sql(backend.compile(expression))) as cursor:
        while rows := cursor.fetchmany(BATCH_ROWS):
            columns = zip(*rows, strict=True)
            arrays = [_array(cells, field, counts) for cells, field in zip(columns, schema, strict=True)]
            yield pa.RecordBatch.from_arrays(arrays, schema=schema)


@contextmanager
def _any_text(connection: Any) -> Iterator[None]:
    """SQLite refuses a text that is no Unicode, and quotes it: here it is a cell of another type."""
    before = getattr(connection, "text_factory", None)
    if before is not str:
        yield
        return
    connection.text_factory = lambda text: text.decode("utf-8", "surrogateescape")
    try:
        yield
    finally:
        connection.text_factory = before


def _array(cells: tuple[Any, ...], field: pa.Field, counts: bool) -> pa.Array:
    read = _reader(field.type)
    try:
        return pa.array([None if cell is None else read(cell) for cell in cells], field.type)
    except _ODD:  # their texts may quote a cell
        if counts:
            return pa.array([_cell(cell, read, field.type) for cell in cells], field.type)
        raise DataError(
            f"Column '{field.name}' holds cells of another type than the database declares.",
            "Cast the column in a view, or mend the cells.",
        ) from None


def _cell(cell: Any, read: Callable[[Any], Any], kind: pa.DataType) -> Any:
    """A cell by itself; None if it is of another type."""
    try:
        return None if cell is None else pa.scalar(read(cell), kind).as_py()
    except _ODD:
        return None


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
