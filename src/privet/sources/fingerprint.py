"""What a table is, in 16 bytes: the same for the same rows, whatever file or order they come in.

A cell is a number or a text. Each is mixed with a seed of its column's name; a row is the sum of its cells,
mixed again; a table is the sum of its rows and their number. Sums forget order, so neither the order of the
rows nor that of the columns matters, and batches add up in any way. Two sums of 64 bits run side by side.

Texts that are plain decimal numbers count as those numbers and "True" as "true", so that a category coded 0/1
is the same in a CSV file read as text, in ARFF and in Parquet; a missing cell, NaN and an empty text are the
same. It recognises a table; it is no commitment to one: who wants two tables with one fingerprint can make
them, and a table with one cell changed is another table.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from privet.errors import DataError
from privet.sources.base import Source

__all__ = ["fingerprint"]

_MISSING = 0x7FF8_0000_0000_0000  # the bits of NaN
_NO_NAN = ~(1 << 62)  # a hash without this bit is never taken for NaN
_WHOLE = 1 << 53  # integers up to here are floats too
_PLAIN_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_ROWS = 1 << 13  # the two sums of a block of rows stay in the cache while its columns pass


def fingerprint(source: Source) -> bytes:
    """Sixteen bytes that identify the table.

    >>> from privet.sources import ArrowSource
    >>> one = ArrowSource(pa.table({"age": [30, 40], "sex": ["f", "m"]}))
    >>> two = ArrowSource(pa.table({"sex": ["m", "f"], "age": ["40", "30"]}))
    >>> fingerprint(one) == fingerprint(two)
    True
    """
    add_column, add_rows = _kernels()
    seeds = {name: np.uint64(_hash(name.encode(), b"column")) for name in source.names}
    totals = np.zeros(2, np.uint64)
    rows = 0
    for batch in source.batches():
        rows += batch.num_rows
        bits = [
            (_bits(name, array), seeds[name]) for name, array in zip(batch.schema.names, batch, strict=True)
        ]
        for start in range(0, batch.num_rows, _ROWS):
            sums = np.zeros((2, min(_ROWS, batch.num_rows - start)), np.uint64)
            for column, seed in bits:
                add_column(column[start : start + _ROWS], seed, sums)
            add_rows(sums, totals)
    _text_bits.cache_clear()  # no cell outlives the reading
    digest = blake2b(digest_size=16, person=b"privet table")
    for part in (*sorted(source.names), str(rows)):
        digest.update(len(part.encode()).to_bytes(8, "little") + part.encode())
    digest.update(totals.tobytes())
    return digest.digest()


def _hash(data: bytes, person: bytes) -> int:
    hashed = int.from_bytes(blake2b(data, digest_size=8, person=person).digest(), "little")
    return hashed & _NO_NAN


def _bits(name: str, array: pa.Array) -> np.ndarray:
    """The column as 64 bits a cell."""
    kind = array.type
    if pa.types.is_dictionary(kind):
        return _looked_up(name, array.dictionary, array.indices)
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        floats = array if kind == pa.float64() else array.cast(pa.float64())
        if floats.null_count:
            floats = floats.fill_null(float("nan"))
        return floats.to_numpy(zero_copy_only=False).view(np.uint64)
    if pa.types.is_integer(kind):
        whole = array.fill_null(0) if array.null_count else array
        values = whole.to_numpy(zero_copy_only=False)
        bits = values.astype(np.float64).view(np.uint64)
        if values.dtype.itemsize == 8 and len(values) and (values.max() > _WHOLE or values.min() < -_WHOLE):
            large = np.flatnonzero((values > _WHOLE) | (values < -_WHOLE))
            bits[large] = [_number_bits(int(value)) for value in values[large]]
        if array.null_count:
            bits[array.is_null().to_numpy(zero_copy_only=False)] = _MISSING
        return bits
    if pa.types.is_null(kind):
        return np.full(len(array), _MISSING, np.uint64)
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_boolean(kind)):
        raise DataError(
            f"Column '{name}' holds {kind}, which Privet does not read.", "Turn it into a number or text."
        )
    encoded = array.cast(pa.string()).dictionary_encode()
    return _looked_up(name, encoded.dictionary, encoded.indices)


def _looked_up(name: str, dictionary: pa.Array, codes: pa.Array) -> np.ndarray:
    """Each distinct value once, then taken for every row; the last place is the missing cell's."""
    if pa.types.is_string(dictionary.type) or pa.types.is_large_string(dictionary.type):
        of_value = np.fromiter(map(_text_bits, dictionary.to_pylist()), np.uint64, len(dictionary))
    else:
        of_value = _bits(name, dictionary)
    places = codes.cast(pa.int64())
    if places.null_count:
        places = pc.fill_null(places, len(of_value))
    return np.append(of_value, np.uint64(_MISSING))[places.to_numpy(zero_copy_only=False)]


@lru_cache(maxsize=1 << 16)
def _text_bits(text: str | None) -> int:
    text = "" if text is None else text.strip()
    if not text:
        return _MISSING
    if _PLAIN_NUMBER.fullmatch(text):
        return _number_bits(int(text) if text.lstrip("+-").isdigit() else float(text))
    return _hash((text.lower() if text.lower() in ("true", "false") else text).encode(), b"text")


def _number_bits(number: int | float) -> int:
    """A float's bits; an integer that no float equals has a hash of its own."""
    try:
        if float(number) == number:
            return int(np.float64(number).view(np.uint64))
    except OverflowError:
        pass
    return _hash(str(number).encode(), b"integer")


@lru_cache(maxsize=1)
def _kernels() -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The compiled loops; numba is imported only when a table is recognised."""
    from privet.sources.fingerprint_kernels import add_column, add_rows

    return add_column, add_rows
