"""What X and y stand for: arrays, frames, files and database tables as sources, and as rows to predict."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from privet.budget import Ledger
from privet.curator.owner import as_read
from privet.curator.tables import as_source, is_table, read_rows
from privet.errors import DataError, SchemaError
from privet.schema import Schema
from privet.sources import as_array
from privet.stats import Rows

__all__ = [
    "cut",
    "labels_of",
    "names_of",
    "require_array",
    "require_columns",
    "rows_of",
    "target_of",
    "test_table",
]


def require_columns(source: Any, schema: Schema) -> None:
    """Refuse a table that lacks a column of its schema, before anything is paid or read."""
    for name in (*schema.names, schema.unit.id):
        if name is not None and name not in source.names:
            raise DataError(
                f"The table has no column '{name}', though the schema names it.",
                "Check the spelling, or remove the column from the schema.",
            )


def names_of(declared: Schema | None, width: int) -> tuple[str, ...]:
    """Names for the columns of an array, which has none: the schema's, in its order."""
    if declared is None:
        return tuple(f"x{place}" for place in range(width))
    names = tuple(column.name for column in declared.attributes)
    if len(names) != width:
        raise SchemaError(
            f"The array has {width} columns, and the schema declares {len(names)} besides the target.",
            "Columns of an array are matched by their order: declare each of them, or use a data frame.",
        )
    return names


def require_array(X: Any, y: Any = None) -> None:
    """Refuse here what scikit-learn refuses by quoting it: no error's text may hold data."""
    if hasattr(X, "toarray"):
        return  # sparse: scikit-learn refuses it by its type
    table, target = np.asarray(X), np.asarray(y)
    if np.iscomplexobj(table) or np.iscomplexobj(target):
        raise DataError("Complex data not supported.", "Give real and imaginary parts as two columns.")
    if (dimensions := table.ndim) < 2:
        raise DataError(
            f"Expected 2D array, got {'1D' if dimensions else 'scalar'} array instead.",
            "Reshape your data: a row for each record, a column for each attribute.",
        )


def target_of(X: Any, y: Any) -> Any:
    """The target as an array with one value for each record; no refusal tells how many there are."""
    if y is None:
        return None  # scikit-learn says what to do
    target = as_array(y)
    if target.ndim == 0 or target.ndim > 2 or (target.ndim == 2 and target.shape[1] != 1):
        raise DataError("The target must be one column.", "Pass y with one value for each record.")
    if len(target) != len(X):
        raise DataError("X and y do not have the same number of records.", "Pass y with one value for each.")
    return target


def cut(schema: Schema | None, X: Any) -> Schema | None:
    """The schema of what a selector has left of a frame: following a private choice costs nothing."""
    left = getattr(X, "attrs", {}).get("privet_selected")
    if schema is None or left is None:
        return schema
    kept = tuple(c for c in schema.columns if c.name in left or c.name == schema.target)
    return replace(schema, columns=kept)


def labels_of(X: Any) -> list[str]:
    """The names of a frame's columns, where they are text; none for an array."""
    names = getattr(X, "column_names", getattr(X, "columns", ()))
    return list(names) if all(isinstance(name, str) for name in names) else []


def rows_of(X: Any, schema: Schema) -> Iterator[Rows]:
    """The records of a table, or of an array in the order of the schema's attributes, seen through it."""
    if is_table(X) or hasattr(X, "columns") or hasattr(X, "column_names"):
        return read_rows(X, schema)
    X = as_array(X)
    require_array(X)
    return read_rows(X, schema, names_of(schema, X.shape[1]))


def test_table(model: Any, data: Any, y: Any, ledger: Ledger | None) -> Any:
    """The source of the test records with their classes, read as the owner in the ledger wants it."""
    schema: Schema = as_read(model.schema_, ledger)
    names = getattr(data, "column_names", getattr(data, "columns", ()))
    if y is None:
        if is_table(data) or schema.target in names:
            return as_source(data, schema=schema)
        raise DataError(
            "The test data holds no classes to compare the predictions with.",
            f"Pass y, or a table with the column '{schema.target}'.",
        )
    if is_table(data):
        raise DataError("A file or database table holds its own classes.", "Leave out y.")
    named = len(names) > 0 and all(isinstance(name, str) for name in names)
    table = data if named or not hasattr(data, "to_numpy") else data.to_numpy()
    return as_source(table, y, names=None if named else model.columns_, target=schema.target)
