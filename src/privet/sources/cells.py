"""Cells of text files: which are missing, which are numbers, and of which type a column is.

A column's type comes from the schema; where there is none, from every cell of the column. A cell is judged by
itself: what stands in the others never changes how it is read.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from privet.errors import DataError
from privet.schema import Category, Schema

__all__ = ["TEXT", "declared_types", "holds_text", "numerals", "tidy", "wider"]

TEXT = pa.dictionary(pa.int32(), pa.string())

_BLANKS = " \t\n\r\v\f"


def declared_types(schema: Schema | None, names: Sequence[str]) -> dict[str, pa.DataType]:
    """The types of the columns that the schema names: numbers, or text.

    A category of numbers is read as text if cells outside the schema count: a text may be one of these.
    """
    types: dict[str, pa.DataType] = {}
    if schema is None:
        return types
    for column in schema.columns:
        numeric = isinstance(column, Category) and not all(isinstance(v, str | bool) for v in column.values)
        text = isinstance(column, Category) and (not numeric or schema.outside == "count")
        types[column.name] = TEXT if text else pa.float64()
    if schema.unit.id is not None:
        types[schema.unit.id] = TEXT
    return {name: types[name] for name in names if name in types}


def tidy(array: pa.Array, missing: Sequence[str]) -> pa.Array:
    """Text without blanks around it; work is done on the distinct values only."""
    texts = pc.ascii_trim(array.dictionary, characters=_BLANKS)
    if texts.equals(array.dictionary):
        return array
    texts = pc.if_else(pc.is_in(texts, pa.array(missing)), pa.scalar(None, pa.string()), texts)
    distinct_texts = pc.unique(texts.drop_null())
    codes = pc.index_in(texts, distinct_texts)
    return pa.DictionaryArray.from_arrays(codes.take(array.indices), distinct_texts)


def numerals(texts: pa.Array, commas: bool) -> pa.Array:
    """Texts as a number's text is written, with a point, where ``commas`` may mark decimals too.

    >>> numerals(pa.array([" 3,14", "2.5", None]), commas=True).to_pylist()
    ['3.14', '2.5', None]
    """
    texts = pc.ascii_trim(texts, characters=_BLANKS)
    return pc.replace_substring(texts, ",", ".") if commas else texts


def wider(kind: pa.DataType | None, texts: pa.Array) -> pa.DataType | None:
    """The narrowest type that holds what was seen so far and these texts: integer, number, text."""
    if kind == TEXT or len(texts) == 0:
        return kind
    for candidate in (pa.int64(), pa.float64()):
        if kind == pa.float64() and candidate == pa.int64():
            continue
        try:
            texts.cast(candidate)
        except pa.ArrowInvalid:
            continue
        return candidate
    return TEXT


def holds_text(column: str, file: str) -> DataError:
    """What to say of a text in a number's column; never the text itself."""
    return DataError(
        f"Column '{column}' of {file} holds text where the schema says number.",
        "Declare it as a category, or correct the file. For decimal commas: ReadOptions(decimal=',').",
    )
