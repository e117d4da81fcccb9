"""Columns of any values in frames and Arrow tables, and tables with columns of text exchanged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from privet.errors import DataError

__all__ = ["column_values", "with_texts"]


def column_values(X: Any, name: str) -> list[Any]:
    """The values of a column as Python's own; missing ones are None or NaN."""
    names = list(getattr(X, "column_names", getattr(X, "columns", ())))
    if isinstance(X, pa.RecordBatch):
        names = X.schema.names
    if name not in names:
        raise DataError(
            f"The table has no column '{name}'.", "Give a data frame or an Arrow table that has it."
        )
    column = X.column(name) if isinstance(X, pa.Table | pa.RecordBatch) else X[name]
    return column.to_pylist() if hasattr(column, "to_pylist") else column.tolist()


def with_texts(X: Any, columns: Mapping[str, Sequence[Any]]) -> Any:
    """The table with these columns exchanged, as the kind of table that it was."""
    if isinstance(X, pa.Table | pa.RecordBatch):
        names = X.schema.names
        arrays = [pa.array(columns[name]) if name in columns else X.column(name) for name in names]
        return type(X).from_arrays(arrays, names=names)
    return X.assign(**{name: list(values) for name, values in columns.items()})
