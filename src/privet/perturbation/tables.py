"""The chosen columns of a table as a matrix of numbers, and a table of the same kind with them exchanged.

Arrays, data frames and Arrow tables come back as what they were, the other columns untouched.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from privet.errors import DataError, SchemaError
from privet.schema import Schema

__all__ = ["Matrix", "column_names", "numbers_of", "with_columns"]

Matrix = NDArray[np.float64]


def column_names(X: Any, schema: Schema) -> tuple[str, ...]:
    """The names of a table's columns: its own, or for an array the schema's, in their order."""
    names = getattr(X, "column_names", getattr(X, "columns", None))
    if names is None and isinstance(X, pa.RecordBatch):
        names = X.schema.names
    if names is not None and not callable(names) and all(isinstance(name, str) for name in names):
        return tuple(names)
    width = np.shape(X)[1] if np.ndim(X) == 2 else None
    if width is None:
        raise DataError("Expected a table of rows and columns.", "Give a two-dimensional array or a frame.")
    for columns in (schema.columns, schema.attributes):
        if len(columns) == width:
            return tuple(column.name for column in columns)
    raise SchemaError(
        f"The array has {width} columns, and the schema declares {len(schema.columns)}.",
        "Columns of an array are matched by their order: declare each of them, or use a data frame.",
    )


def numbers_of(X: Any, names: Sequence[str], chosen: Sequence[str]) -> Matrix:
    """The chosen columns as floats, rows × chosen; missing values are NaN."""
    for name in chosen:
        if name not in names:
            raise DataError(f"The table has no column '{name}'.", "Check its spelling against the table.")
    if isinstance(X, pa.Table | pa.RecordBatch):
        return _stacked([_arrow(X.column(name), name) for name in chosen], X.num_rows)
    if hasattr(X, "iloc"):
        return _stacked([_floats(X[name].to_numpy(), name) for name in chosen], len(X))
    array = np.asarray(X)
    places = [list(names).index(name) for name in chosen]
    if array.dtype.kind in "fiub":
        everything = places == list(range(array.shape[1]))
        return np.asarray(array if everything else array[:, places], dtype=np.float64)
    return _stacked(
        [_floats(array[:, place], name) for place, name in zip(places, chosen, strict=True)], len(array)
    )


def with_columns(
    X: Any, names: Sequence[str], chosen: Sequence[str], values: Matrix, new_names: Sequence[str]
) -> Any:
    """The table with the chosen columns exchanged; at its end where their number differs."""
    if list(new_names) == list(chosen):
        return _replaced(X, names, chosen, values)
    kept = [name for name in names if name not in set(chosen)]
    if isinstance(X, pa.Table | pa.RecordBatch):
        arrays = [*(X.column(name) for name in kept), *(pa.array(column) for column in values.T)]
        return type(X).from_arrays(arrays, names=[*kept, *new_names])
    if hasattr(X, "iloc"):
        import pandas as pd

        return pd.concat([X[kept], pd.DataFrame(values, columns=list(new_names), index=X.index)], axis=1)
    if not kept:
        return values
    array = np.asarray(X)
    return np.hstack([array[:, [list(names).index(name) for name in kept]], values])


def _replaced(X: Any, names: Sequence[str], chosen: Sequence[str], values: Matrix) -> Any:
    if isinstance(X, pa.Table | pa.RecordBatch):
        new = dict(zip(chosen, values.T, strict=True))
        arrays = [pa.array(new[name]) if name in new else X.column(name) for name in names]
        return type(X).from_arrays(arrays, names=list(names))
    if hasattr(X, "iloc"):
        return X.assign(**dict(zip(chosen, values.T, strict=True)))
    if list(names) == list(chosen):
        return values
    array = np.asarray(X)
    array = array.astype(np.result_type(array.dtype, np.float64) if array.dtype.kind in "fiub" else object)
    array[:, [list(names).index(name) for name in chosen]] = values
    return array


def _stacked(columns: list[Matrix], rows: int) -> Matrix:
    return np.column_stack(columns) if columns else np.empty((rows, 0))


def _arrow(column: Any, name: str) -> Matrix:
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_null(column.type):
        return np.full(len(column), np.nan)
    try:
        return np.asarray(pc.cast(column, pa.float64(), safe=False).to_numpy(zero_copy_only=False))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise not_a_number(name) from None


def _floats(column: Any, name: str) -> Matrix:
    try:
        return np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError):
        pass
    try:  # None and pandas' NA are missing; anything else that is not a number is refused
        return np.asarray(pa.array(column, from_pandas=True).cast(pa.float64()).to_numpy(False))
    except (pa.ArrowException, TypeError, ValueError):
        raise not_a_number(name) from None


def not_a_number(name: str) -> DataError:
    return DataError(
        f"Column '{name}' holds something that is not a number.",
        "Perturb numeric columns only; for categories there are k-anonymity and randomised response.",
    )
