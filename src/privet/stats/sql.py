"""The schema's view of a column as Ibis expressions: the same codes and fixed-point numbers as ``Rows``.

Where records are counted, the database groups the *raw* values of categories, and ``Rows`` codes the distinct
ones: what a value means is decided in one place, and no database compares texts in a way of its own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from privet.errors import DataError
from privet.schema import Category, Number, Schema
from privet.stats.rows import NUMERAL, WORDS, Rows, domain_of_type, numbers_of, refuse_infinite, truths_of

__all__ = [
    "Key",
    "code",
    "codes",
    "countable",
    "fixed_point",
    "grouped",
    "is_infinite",
    "is_there",
    "number",
    "refuse",
]

#: What is counted by: a column, and the cuts between its intervals if it is a number.
Key = tuple[str, tuple[float, ...]]


def countable(table: Any, schema: Schema, names: Sequence[str]) -> bool:
    """Whether the database has numbers where the schema says so; if not, ``Rows`` must read the cells."""
    return all(
        not isinstance(schema[name], Number)
        or table[name].type().is_numeric()
        or table[name].type().is_boolean()
        for name in names
    )


def grouped(table: Any, schema: Schema, keys: Sequence[Key]) -> Any:
    """How many records have each combination of raw values, or of intervals; ``codes`` reads the result."""
    cells = {f"key{place}": _raw(table, schema, *key) for place, key in enumerate(keys)}
    rows = table.select(**cells) if cells else table
    return (
        rows.group_by(*cells).aggregate(number=rows.count()) if cells else rows.aggregate(number=rows.count())
    )


def _raw(table: Any, schema: Schema, name: str, cuts: tuple[float, ...]) -> Any:
    return table[name] if isinstance(schema[name], Category) else code(table, schema, name, cuts)


def codes(result: pa.Table, schema: Schema, keys: Sequence[Key]) -> list[NDArray[np.int64]]:
    """The codes of each line of the result; what the schema forbids is refused, as ``Rows`` does."""
    return [_codes(result[f"key{place}"], schema, *key) for place, key in enumerate(keys)]


def _codes(found: Any, schema: Schema, name: str, cuts: tuple[float, ...]) -> NDArray[np.int64]:
    cells = found.combine_chunks() if isinstance(found, pa.ChunkedArray) else found
    if isinstance(schema[name], Category):
        cells = cells.combine_chunks() if isinstance(cells, pa.ChunkedArray) else cells
        return np.asarray(Rows(pa.RecordBatch.from_arrays([cells], [name]), schema).codes(name), np.int64)
    places = np.asarray(cells, np.int64)
    if (places > len(cuts) + 1).any():
        refuse_infinite(name)
    if schema.missing == "error" and (places == len(cuts) + 1).any():
        refuse(schema, name)
    return places


def code(table: Any, schema: Schema, name: str, cuts: tuple[float, ...] = ()) -> Any:
    """The code of each value; after the domain come missing, then unknown or infinite.

    There is nothing unknown if the schema has an ``other`` for it, or counts what is outside it.
    """
    column, counts = schema[name], _counts(schema)
    if isinstance(column, Category):
        return _category(table, column, counts)
    return _bin(table, column, cuts, counts)


def _counts(schema: Schema) -> bool:
    return schema.outside == "count"


def _category(table: Any, column: Category, counts: bool) -> Any:
    import ibis

    value = table[column.name]
    kind = value.type()
    missing = column.size
    unknown = missing if counts else missing + 1
    absent = value.isnull() | value.isnan() if kind.is_floating() else value.isnull()
    if kind.is_floating():  # else the domain would be rounded to the column's 32 bits
        value = value.cast("float64")
    known = {each: place for place, each in enumerate(domain_of_type(column, kind.to_pyarrow()))}
    matches = [(value == each, place) for each, place in known.items() if each is not None]
    if kind.is_string():  # "1.0" is the 1 of a domain, and "TRUE" its true
        if numbers := numbers_of(column):
            number = value.re_search(NUMERAL).ifelse(value.try_cast("float64"), None)
            matches += [(number == _double(each), place) for each, place in numbers.items()]
        truths = truths_of(column)
        matches += [(value.lower() == text, truths[t]) for text, t in WORDS.items() if t in truths]
    return ibis.cases(
        (absent, missing),
        *matches,
        else_=unknown if column.other is None else column.size - 1,
    )


def _bin(table: Any, column: Number, cuts: tuple[float, ...], counts: bool) -> Any:
    import ibis

    value = number(table, column)
    place = ibis.literal(0)
    for cut in cuts:
        place = place + (value >= _double(cut)).ifelse(1, 0)  # PostgreSQL does not cast truth
    absent = (value.isnull() | value.isnan(), len(cuts) + 1)
    infinite = [] if counts else [(value.isinf(), len(cuts) + 2)]
    return ibis.cases(absent, *infinite, else_=place)


def number(table: Any, column: Number) -> Any:
    """The number in each cell."""
    import ibis

    value = table[column.name]
    if value.type().is_boolean():  # PostgreSQL does not cast it
        return ibis.cases((value, 1.0), (~value, 0.0)).cast("float64")
    return value.cast("float64")


def _double(number: float) -> Any:
    """This very double, as text: a plain literal is a decimal to DuckDB, and may become another double."""
    import ibis

    return ibis.literal(repr(float(number))).cast("float64")


def fixed_point(table: Any, schema: Schema, column: Number, scale: int) -> Any:
    """⌊scale·z + ½⌋ for z in [−1, 1], null where the number is missing."""
    import ibis

    near = value = number(table, column)
    # Far outside the bounds it makes no difference where: PostgreSQL refuses what overflows.
    least, most = column.low - 2 * column.half_range, column.high + 2 * column.half_range
    if math.isfinite(least) and math.isfinite(most):
        near = ibis.least(ibis.greatest(value, _double(least)), _double(most))
    shifted = (near - _double(column.midpoint)) * _double(scale / column.half_range) + _double(scale + 0.5)
    # Not clip, which writes its argument four times.
    bounded = ibis.least(ibis.greatest(shifted, _double(0.5)), _double(2 * scale + 0.5))
    return (value.isnull() | value.isnan()).ifelse(None, bounded.floor().cast("int64") - scale)


def is_there(table: Any, schema: Schema, name: str) -> Any:
    """Whether a record has a value of this column."""
    column, value = schema[name], table[name]
    if isinstance(column, Number):
        value = number(table, column)
    elif _counts(schema):
        return code(table, schema, name) < column.size
    return value.notnull() & ~value.isnan() if value.type().is_floating() else value.notnull()


def is_infinite(table: Any, schema: Schema, name: str) -> Any:
    """Whether a record is to be refused because this number is infinite."""
    import ibis

    if _counts(schema):
        return ibis.literal(False)
    column = schema[name]
    assert isinstance(column, Number)
    return number(table, column).isinf().fill_null(False)


def refuse(schema: Schema, name: str) -> None:
    """The error for a value that has no place in the schema."""
    raise DataError(
        f"Column '{name}' holds a value that its schema does not allow: outside the declared domain, "
        "infinite, or missing where the schema forbids it.",
        "Correct the table, or add the value (or `other`) to the schema if it is publicly known.",
    )
