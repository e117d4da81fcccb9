"""An order of records that depends on what they hold, and on nothing else: not on place, nor on neighbours.

The key of a record is a fixed hash (MD5) of its cells, written in one way whatever holds them: 1, 1.0 and a
database's bigint 1 are the same. Memory and databases compute the same key, unless the id is a time, or a
decimal of PostgreSQL: of such a person another record may be kept. The key is no secret, and need not be: it
spreads the records that are kept over all values, where an order by the values would keep the smallest. The
person's id is one of the cells, so that it is not the same values that win for everybody. Records with equal
keys are ordered by their raw cells; those that are still equal are equal in every column.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from privet.schema.decimals import nearest_floats
from privet.schema.lists import is_list, joined

__all__ = ["key_expression", "keys"]

# A number is written as its whole part and this many parts of the rest, both exact in floating point.
_PARTS = 2.0**30
# From here on, whole numbers in floating point are too large to be written as integers: they tie.
_LARGE = 2.0**62
_BETWEEN = "\x1f"


def keys(table: pa.Table, columns: Sequence[str]) -> pa.Array:
    """The key of each row.

    >>> rows = pa.table({"a": [1, 2], "b": ["x", None]})
    >>> same = pa.table({"b": ["x", None], "a": [1.0, 2.0]})
    >>> keys(rows, ["a", "b"]).equals(keys(same, ["b", "a"]))
    True
    """
    texts = [_written(table[name].combine_chunks()) for name in sorted(columns)]
    if not texts:
        return pa.array([""] * table.num_rows, pa.string())
    coded = pc.binary_join_element_wise(*texts, _BETWEEN).combine_chunks().dictionary_encode()
    hashed = [
        hashlib.md5(text.encode(), usedforsecurity=False).hexdigest() for text in coded.dictionary.to_pylist()
    ]
    return pa.array(hashed, pa.string()).take(coded.indices)


def _written(array: Any) -> Any:
    array = pa.chunked_array([array]) if isinstance(array, pa.Array) else array
    kind = array.type
    if pa.types.is_dictionary(kind):
        array = array.cast(kind.value_type)
        kind = array.type
    if is_list(kind):
        array = pa.chunked_array([joined(chunk) for chunk in array.chunks], pa.string())
        kind = array.type
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind):
        array = pa.chunked_array([pa.array([_text(cell) for cell in array.to_pylist()], pa.string())])
        kind = array.type
    if pa.types.is_null(kind):
        array = array.cast(pa.string())
    elif pa.types.is_boolean(kind) or pa.types.is_integer(kind):
        whole = array.cast(pa.int8()) if pa.types.is_boolean(kind) else array
        array = pc.binary_join_element_wise(whole.cast(pa.string()), "0", ".")
    elif pa.types.is_decimal(kind):
        array = _written_number(nearest_floats(array))
    elif pa.types.is_floating(kind):
        array = _written_number(array.cast(pa.float64()))
    else:
        array = pc.binary_join_element_wise("t", array.cast(pa.string()), "")
    return pc.fill_null(array, "")


def _text(cell: bytes | None) -> str | None:
    """Bytes as the text that they are, or else by their numbers: one that is no text stops nothing."""
    if cell is None:
        return None
    try:
        return cell.decode()
    except UnicodeDecodeError:
        return f"\\x{cell.hex()}"


def _written_number(array: Any) -> Any:
    small = pc.less(pc.abs(array), _LARGE)  # false for NaN
    number = pc.if_else(small, array, 0.0)
    whole = pc.floor(number)
    parts = pc.floor(pc.multiply(pc.subtract(number, whole), _PARTS))
    text = pc.binary_join_element_wise(
        whole.cast(pa.int64()).cast(pa.string()), parts.cast(pa.int64()).cast(pa.string()), "."
    )
    return pc.if_else(pc.is_nan(array), pa.scalar(None, pa.string()), pc.if_else(small, text, "large"))


def key_expression(table: Any, columns: Sequence[str]) -> Any:
    """The same as an Ibis expression."""
    import ibis

    @ibis.udf.scalar.builtin(name="md5")
    def md5(text: str) -> str:  # the database's own function
        raise NotImplementedError

    joined = ibis.literal("")
    for place, name in enumerate(sorted(columns)):
        text = _expression(table[name]).fill_null("")
        joined = text if place == 0 else joined + _BETWEEN + text
    return md5(joined)


def _expression(column: Any) -> Any:
    import ibis

    kind = column.type()
    if kind.is_null():
        return ibis.null("string")
    if kind.is_boolean() or kind.is_integer():
        whole = ibis.ifelse(column, 1, 0) if kind.is_boolean() else column
        text = whole.cast("string") + ".0"
        return ibis.ifelse(column.isnull(), ibis.null("string"), text)
    if kind.is_floating() or kind.is_decimal():
        value = column.cast("float64")
        nan = value.isnan()
        small = (value.abs() < _LARGE) & ~nan
        number = ibis.ifelse(small, value, 0.0)
        whole = number.floor().cast("int64")
        parts = ((number - whole.cast("float64")) * _PARTS).floor().cast("int64")
        text = whole.cast("string") + "." + parts.cast("string")
        text = ibis.ifelse(small, text, "large")
        return ibis.ifelse(value.isnull() | nan, ibis.null("string"), text)
    return ibis.literal("t") + column.cast("string")
