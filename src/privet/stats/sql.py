"""The schema's view of a column as Ibis expressions: the same codes and fixed-point numbers as ``Rows``."""

from __future__ import annotations

from typing import Any

from privet.errors import DataError
from privet.schema import Category, Number, Schema
from privet.schema.number_texts import NUMBER
from privet.stats.rows import NUMERAL, WORDS, domain_of_type, numbers_of, truths_of

__all__ = ["code", "fixed_point", "is_infinite", "is_there", "number", "refuse"]


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

    value = number(table, column, counts)
    place = ibis.literal(0)
    for cut in cuts:
        place = place + (value >= _double(cut)).cast("int64")
    absent = (value.isnull() | value.isnan(), len(cuts) + 1)
    infinite = [] if counts else [(value.isinf(), len(cuts) + 2)]
    return ibis.cases(absent, *infinite, else_=place)


def number(table: Any, column: Number, counts: bool) -> Any:
    """The number in each cell; if what is outside the schema counts, a text that is none is missing."""
    value = table[column.name]
    if not counts or not value.type().is_string():
        return value.cast("float64")
    text = value.strip()
    return text.re_search(NUMBER).ifelse(text.try_cast("float64"), None)


def _double(number: float) -> Any:
    """This very double, as text: a plain literal is a decimal to DuckDB, and may become another double."""
    import ibis

    return ibis.literal(repr(float(number))).cast("float64")


def fixed_point(table: Any, schema: Schema, column: Number, scale: int) -> Any:
    """⌊scale·z + ½⌋ for z in [−1, 1], null where the number is missing."""
    import ibis

    value = number(table, column, _counts(schema))
    shifted = (value - _double(column.midpoint)) * _double(scale / column.half_range) + _double(scale + 0.5)
    # Not clip, which writes its argument four times.
    bounded = ibis.least(ibis.greatest(shifted, _double(0.5)), _double(2 * scale + 0.5))
    return (value.isnull() | value.isnan()).ifelse(None, bounded.floor().cast("int64") - scale)


def is_there(table: Any, schema: Schema, name: str) -> Any:
    """Whether a record has a value of this column."""
    column, value = schema[name], table[name]
    if isinstance(column, Number):
        value = number(table, column, _counts(schema))
    elif _counts(schema):
        return code(table, schema, name) < column.size
    return value.notnull() & ~value.isnan() if value.type().is_floating() else value.notnull()


def is_infinite(table: Any, schema: Schema, name: str) -> Any:
    """Whether a record is to be refused because this number is infinite."""
    import ibis

    if _counts(schema):
        return ibis.literal(False)
    return table[name].cast("float64").isinf().fill_null(False)


def refuse(schema: Schema, name: str) -> None:
    """The error for a value that has no place in the schema."""
    raise DataError(
        f"Column '{name}' holds a value that its schema does not allow: outside the declared domain, "
        "infinite, or missing where the schema forbids it.",
        "Correct the table, or add the value (or `other`) to the schema if it is publicly known.",
    )
