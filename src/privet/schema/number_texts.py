"""Which texts are numbers: said once for all who read a cell, so that they read it alike."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["NUMBER", "numbers_of_texts"]

#: Every text that Arrow reads as a number; blanks around it are cut before.
NUMBER = r"(?i)^[+-]?([0-9]+[.]?[0-9]*(e[+-]?[0-9]+)?|[.][0-9]+(e[+-]?[0-9]+)?|inf|infinity|nan)$"

_BLANKS = " \t\n\r\v\f"


def numbers_of_texts(texts: pa.Array) -> pa.Array:
    """Texts as numbers; a text that is none is missing.

    >>> numbers_of_texts(pa.array([" 3.5", "unknown", None, "1e3"])).to_pylist()
    [3.5, None, None, 1000.0]
    """
    if pa.types.is_dictionary(texts.type):
        texts = texts.dictionary_decode()
    texts = pc.ascii_trim(texts, characters=_BLANKS)
    readable = pc.match_substring_regex(texts, NUMBER)
    return pc.if_else(readable, texts, pa.scalar(None, texts.type)).cast(pa.float64())
