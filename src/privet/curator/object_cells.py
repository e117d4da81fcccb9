"""Columns of Python objects, cell by cell: no cell stops a run that a ledger pays for.

A column that mixes kinds cannot be read as a whole. To refuse it would tell of one record, and so would
reading the others differently because of it. So each cell is read as it would be in a column of its own kind
only (truth values, whole numbers, numbers, texts), and what is nothing of these counts as missing. Half
a character (a lone surrogate, as a damaged JSON file gives) is in no listed text, and in no person's id.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from privet.curator.persons import is_missing, name_of
from privet.errors import DataError
from privet.schema import Category, Items, Schema
from privet.stats import Rows

__all__ = ["object_cells"]

_LARGEST = 2**63
_KINDS: tuple[tuple[type | tuple[type, ...], pa.DataType], ...] = (
    ((bool, np.bool_), pa.bool_()),
    ((int, np.integer), pa.int64()),
    ((float, np.floating), pa.float64()),
    (str, pa.string()),
)


def object_cells(schema: Schema) -> Callable[[str, Any], pa.Array | None]:
    """How a column of objects is read under this schema; None for columns that the schema does not name.

    >>> read = object_cells(Schema.of({"age": (0, 120), "ill": ["no", "yes"]}, outside="count"))
    >>> read("age", [40, 41.5, "42", "old", None, [1]]).to_pylist()
    [40.0, 41.5, 42.0, None, None, None]
    >>> read("ill", ["yes", 1, None, "perhaps"]).to_pylist()
    ['yes', None, None, None]
    """

    def read(name: str, cells: Any) -> pa.Array | None:
        if name == schema.unit.id:
            return pa.array([_person(cell) for cell in cells], pa.string())
        if name not in schema:
            return None
        column = schema[name]
        if isinstance(column, Items):
            return pa.array([_set(cell, column.between) for cell in cells], pa.list_(pa.string()))
        found: list[Any] = [None] * len(cells)
        for kind, places in _by_kind(cells):
            batch = pa.record_batch({name: pa.array([_plain(cells[place]) for place in places], kind)})
            rows = Rows(batch, schema)
            if isinstance(column, Category):
                labels = [*_labels(column), None, None]
                values = [labels[code] for code in rows.codes(name)]
            else:
                values = [None if value != value else float(value) for value in rows.numbers(name)]
            for place, value in zip(places, values, strict=True):
                found[place] = value
        numeric = not isinstance(column, Category) or not isinstance(_labels(column)[0], str)
        return pa.array(found, pa.float64() if numeric else pa.string())

    return read


def _set(cell: Any, between: str) -> list[str] | None:
    """The items of one cell, whatever holds them; what is no item by its kind is left out."""
    if isinstance(cell, str):
        return str(_plain(cell)).split(None if between == " " else between)
    if isinstance(cell, list | tuple | set | frozenset | np.ndarray):
        entries = [_plain(entry) for entry in cell]
    else:
        entries = [] if is_missing(cell) else [_plain(cell)]
    return [str(entry) for entry in entries if isinstance(entry, str | int | float)]


def _by_kind(cells: Any) -> list[tuple[pa.DataType, list[int]]]:
    groups: dict[pa.DataType, list[int]] = {}
    for place, cell in enumerate(cells):
        if is_missing(cell) or (isinstance(cell, int | np.integer) and not -_LARGEST <= cell < _LARGEST):
            continue
        for types, kind in _KINDS:
            if isinstance(cell, types):
                groups.setdefault(kind, []).append(place)
                break
    return list(groups.items())


def _plain(cell: Any) -> Any:
    if isinstance(cell, np.generic):
        cell = cell.item()
    if isinstance(cell, str) and not _is_unicode(cell):
        return cell.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return cell


def _is_unicode(text: str) -> bool:
    """Whether a text has no half character, which UTF-8 cannot write."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _labels(column: Category) -> list[Any]:
    """What stands for each code: its value, and for all others together something that is none of them."""
    values: list[Any] = list(column.values)
    if isinstance(values[0], bool | str):
        values = [str(value) for value in values]
        other: Any = "".join(values) + "…"
    else:
        other = max(values) + 1
    return values if column.other is None else [*values, other]


def _person(cell: Any) -> str | None:
    """Whose record it is; nobody's, if two people's ids could look the same once they are mended."""
    try:
        name = name_of(cell)
        return name if name is None or _is_unicode(name) else None
    except (DataError, ValueError, OverflowError):
        return None
