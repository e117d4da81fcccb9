"""What X and y stand for: arrays, frames, files and database tables as sources, and as rows to predict."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import DataConversionWarning

from privet.budget import Ledger
from privet.curator.owner import as_read
from privet.curator.tables import as_source, is_table, read_rows
from privet.errors import DataError, ParameterError, SchemaError
from privet.schema import Category, Schema
from privet.sources import as_array, refuse_lazy
from privet.stats import Rows
from privet.stats.rows import NUMERAL, refuse_infinite

__all__ = [
    "cut",
    "labels_of",
    "names_of",
    "plain_array",
    "refuse_weights",
    "require_array",
    "require_distinct",
    "require_finite",
    "require_target",
    "rows_of",
    "target_of",
    "test_table",
]


def names_of(declared: Schema | None, width: int, chosen: Sequence[str] | None = None) -> tuple[str, ...]:
    """Names for the columns of an array, which has none: the schema's, in its order, or those ``chosen``."""
    if declared is None:
        return tuple(f"x{place}" for place in range(width))
    names = tuple(chosen) if chosen is not None else tuple(column.name for column in declared.attributes)
    if len(names) != width:
        raise SchemaError(
            f"The array has {width} columns, and the schema declares {len(names)} besides the target.",
            "Columns of an array are matched by their order: declare each of them, or use a data frame.",
        )
    return names


def plain_array(X: Any) -> NDArray[Any]:
    """X as an array with a row for each record. No refusal says anything about the records."""
    array = np.asarray(as_array(X))
    if np.iscomplexobj(array):
        raise DataError("Complex data not supported.", "Give real and imaginary parts as two columns.")
    if array.ndim != 2:
        raise DataError(
            f"Expected 2D array, got {f'{array.ndim}D' if array.ndim else 'scalar'} array instead.",
            "Reshape your data: a row for each record, a column for each attribute.",
        )
    return array


def require_array(X: Any, y: Any = None) -> None:
    """Refuse here what scikit-learn refuses by quoting it: no error's text may hold data."""
    if hasattr(X, "toarray"):
        return  # sparse: scikit-learn refuses it by its type
    plain_array(X)
    if y is not None and np.iscomplexobj(as_array(y)):
        raise DataError("Complex data not supported.", "Give real and imaginary parts as two columns.")


def require_target(schema: Schema, y: Any) -> None:
    """Refuse a table that comes without what is to be predicted."""
    if y is None and schema.target is None:
        raise SchemaError(
            "The schema names no target, and this algorithm predicts one.", 'Add the line  target = "…"'
        )
    if y is None:
        raise DataError(
            "There is no y, and the table does not hold the target: it requires y to be passed.",
            f"Pass y, or a table with the column '{schema.target}'.",
        )


def require_distinct(labels: Sequence[str]) -> None:
    """Refuse a frame in which a name stands twice: which of the columns is meant cannot be known."""
    for name in labels:
        if labels.count(name) > 1:
            raise DataError(f"The table has two columns of the name '{name}'.", "Rename one of them.")


def require_finite(X: NDArray[Any], y: Any, names: Sequence[str], target: str = "") -> None:
    """Refuse infinities now, rather than when they are read."""
    for array, columns in ((X, names), (y, [target])):
        if array is None or array.dtype.kind != "f":
            continue
        with np.errstate(all="ignore"):
            if np.isfinite(array.sum()):  # most often: one pass, and no memory
                continue
        endless = np.isinf(array.reshape(len(array), -1)).any(axis=0)
        if endless.any():
            refuse_infinite(columns[int(np.flatnonzero(endless)[0])])


def refuse_weights(more: Mapping[str, Any]) -> None:
    """Refuse what ``fit`` is given besides a table, unless it is None."""
    for name, value in more.items():
        if value is None:
            continue
        if name == "sample_weight":
            raise ParameterError(
                "fit takes no sample_weight: the noise is for records that count once, and a weight would "
                "let one of them count for more.",
                "Leave it out.",
            )
        raise ParameterError(f"fit takes no {name}.", "Give it a table: X and y, or one that holds both.")


def target_of(X: Any, y: Any, schema: Schema | None = None) -> Any:
    """The target as an array with one value for each record; no refusal says how many there are."""
    if y is None:
        return None  # scikit-learn says what to do
    refuse_lazy(y)
    target = as_array(y)
    if target.ndim == 0 or target.ndim > 2 or (target.ndim == 2 and target.shape[1] != 1):
        raise DataError("The target must be one column.", "Pass y with one value for each record.")
    if np.iscomplexobj(target):
        raise DataError("Complex data not supported.", "Give real and imaginary parts as two columns.")
    if len(target) != len(X):
        raise DataError("X and y do not have the same number of records.", "Pass y with one value for each.")
    if target.ndim == 2:
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected.", DataConversionWarning, stacklevel=2
        )
        target = target[:, 0]
    if schema is not None and target.dtype.kind in "iu":
        _refuse_codes(schema)
    return target


def _refuse_codes(schema: Schema) -> None:
    """Refuse numbers for classes that are words: which of them a number stands for is anybody's guess.

    Whoever codes classes numbers those that *occur*: if one has no record, all after it are off by one.
    """
    column = None if schema.target is None else schema[schema.target]
    if not isinstance(column, Category) or column.other is not None:
        return
    if all(isinstance(value, str) and not re.match(NUMERAL, value) for value in column.values):
        raise DataError(
            f"y holds whole numbers, and the classes of '{column.name}' are words.",
            "Pass the classes themselves. Where another tool codes them (VotingClassifier, "
            f"BaggingClassifier), declare the codes, as {column.name!r}: {list(range(column.size))}, and "
            "code y by them yourself.",
        )


def cut(schema: Schema, names: Sequence[str]) -> Schema:
    """The schema of what a selector has left of a table: following a private choice costs nothing."""
    kept = tuple(c for c in schema.columns if c.name in names or c.name == schema.target)
    return replace(schema, columns=kept)


def labels_of(X: Any) -> list[str]:
    """The names of a frame's columns, where they are text; none for an array."""
    refuse_lazy(X)
    names = getattr(X, "column_names", getattr(X, "columns", ()))
    return list(names) if all(isinstance(name, str) for name in names) else []


def rows_of(X: Any, schema: Schema) -> Iterator[Rows]:
    """The records of a table, or of an array in the order of the schema's attributes, seen through it."""
    if is_table(X) or hasattr(X, "columns") or hasattr(X, "column_names"):
        return read_rows(X, schema)
    X = plain_array(X)
    return read_rows(X, schema, names_of(schema, X.shape[1]))


def test_table(model: Any, data: Any, y: Any, ledger: Ledger | None, schema: Schema) -> Any:
    """The source of the test records with their classes, read as the owner in the ledger wants it."""
    schema = as_read(schema, ledger)
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
    names = None if named else model.columns_
    return as_source(table, y, names=names, target=schema.target, schema=schema)
