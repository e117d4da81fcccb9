"""The columns of a PostgreSQL table as Privet reads them: whole numbers, floats, truth values, or text.

Every column is cast in the one query that all others are made of, so it is the same for whoever reads it, the
database itself included. Texts get the collation "C": under one that ignores case or accents the database
would count different texts as one. Times are text in UTC. Decimals become floats; but as a person's id or a
category they are text, for two of them may be the same float.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pyarrow as pa

from privet.schema import Number, Schema

__all__ = ["Column", "columns_of", "quoted"]

Kind = Literal["int64", "float64", "boolean", "string"]

# The numbers of PostgreSQL's own types, which never change.
_BOOLEAN, _INTEGERS, _FLOATS, _DECIMAL, _BLANK_PADDED = 16, (20, 21, 23), (700, 701), 1700, 1042
_WHOLE_DIGITS = 18  # so many always fit in 64 bits

_ARROW = {
    "int64": pa.int64(),
    "float64": pa.float64(),
    "boolean": pa.bool_(),
    "string": pa.dictionary(pa.int32(), pa.string()),
}


def quoted(name: str) -> str:
    """A name in SQL, whatever it holds.

    >>> print(quoted('a "b" c'))
    "a ""b"" c"
    """
    return '"' + name.replace('"', '""') + '"'


@dataclass(frozen=True)
class Column:
    """One column: how it is cast, and what it is then. ``rounded``: different values may have become one."""

    name: str
    kind: Kind
    cast: str
    rounded: bool = False

    @property
    def arrow(self) -> pa.DataType:
        return _ARROW[self.kind]


def columns_of(description: Sequence[Any], schema: Schema | None) -> tuple[Column, ...]:
    """The columns of a query, from the driver's description of its result."""
    return tuple(_column(each, schema) for each in description)


def _column(found: Any, schema: Schema | None) -> Column:
    name, oid = found.name, found.type_code
    cell = quoted(name)
    if oid == _BOOLEAN:
        return Column(name, "boolean", cell)
    if oid in _INTEGERS:
        return Column(name, "int64", f"{cell}::bigint")
    if oid in _FLOATS:
        return Column(name, "float64", f"{cell}::double precision")
    if oid == _DECIMAL:
        if found.scale == 0 and found.precision is not None and found.precision <= _WHOLE_DIGITS:
            return Column(name, "int64", f"{cell}::bigint")
        if schema is not None and _is_name(name, schema):
            return Column(name, "string", f'trim_scale({cell})::text COLLATE "C"')
        return Column(name, "float64", _as_float(cell), rounded=True)
    return Column(name, "string", f'{cell}::text COLLATE "C"')


def _as_float(cell: str) -> str:
    """A decimal as the nearest float: PostgreSQL ends a question at one that is too large, or too small."""
    return (
        f"CASE WHEN abs({cell}) < 1e-300 THEN 0 WHEN abs({cell}) < 1e308 OR {cell} = 'NaN' "
        f"THEN {cell}::double precision WHEN {cell} > 0 THEN 'Infinity' WHEN {cell} < 0 THEN '-Infinity' END"
    )


def _is_name(name: str, schema: Schema) -> bool:
    return name == schema.unit.id or (name in schema and not isinstance(schema[name], Number))
