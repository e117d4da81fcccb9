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
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np
import pyarrow as pa

from privet.errors import DataError
from privet.schema.lists import is_list, joined
from privet.sources.base import Source
from privet.sources.parts import Spread

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
    if (own := getattr(source, "digest", None)) is not None:  # genotypes: too many columns to go by cells
        known: bytes = own()
        return known
    task = _Sums(source.names)
    # Sums of 64 bits that wrap: parts add up in any order, so each may be summed where it is.
    parts = source.spread(task, source.names) if isinstance(source, Spread) else [task(source.batches())]
    totals = np.add.reduce([totals for _, totals in parts] or [np.zeros(2, np.uint64)])
    rows = sum(rows for rows, _ in parts)
    digest = blake2b(digest_size=16, person=b"privet table")
    for part in (*sorted(source.names), str(rows)):
        digest.update(len(part.encode()).to_bytes(8, "little") + part.encode())
    digest.update(totals.tobytes())
    return digest.digest()


@dataclass(frozen=True)
class _Sums:
    """The number of rows and the two sums of some batches."""

    names: tuple[str, ...]

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> tuple[int, np.ndarray]:
        from privet.sources.fingerprint_kernels import add_codes, add_column, add_rows

        seeds = {name: np.uint64(_hash(name.encode(), b"column")) for name in self.names}
        totals = np.zeros(2, np.uint64)
        rows = 0
        for batch in batches:
            rows += batch.num_rows
            steps: list[tuple[Callable[..., None], np.ndarray, Any]] = []
            for name, seed in seeds.items():
                codes, bits = _cells(name, batch.column(name))
                if codes is None:
                    steps.append((add_column, bits, seed))
                else:  # each distinct value is mixed once, and looked up for every row
                    mixed = np.zeros((2, len(bits)), np.uint64)
                    add_column(bits, seed, mixed)
                    steps.append((add_codes, codes, mixed))
            for start in range(0, batch.num_rows, _ROWS):
                sums = np.zeros((2, min(_ROWS, batch.num_rows - start)), np.uint64)
                for add, cells, how in steps:
                    add(cells[start : start + _ROWS], how, sums)
                add_rows(sums, totals)
        _text_bits.cache_clear()  # no cell outlives the reading
        return rows, totals


def _hash(data: bytes, person: bytes) -> int:
    hashed = int.from_bytes(blake2b(data, digest_size=8, person=person).digest(), "little")
    return hashed & _NO_NAN


def _cells(name: str, array: pa.Array) -> tuple[np.ndarray | None, np.ndarray]:
    """The column as 64 bits a cell; or as codes, and the bits of each code, the missing cell's last."""
    kind = array.type
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        floats = array if kind == pa.float64() else array.cast(pa.float64())
        if floats.null_count:
            floats = floats.fill_null(float("nan"))
        return None, floats.to_numpy(zero_copy_only=False).view(np.uint64)
    if kind in (pa.int8(), pa.uint8()):
        every = np.arange(256, dtype=np.uint8).view(kind.to_pandas_dtype()).astype(np.float64)
        return _codes(array.view(pa.uint8()), every.view(np.uint64))
    if pa.types.is_integer(kind):
        return None, _integer_bits(array)
    if pa.types.is_boolean(kind):
        return _codes(array.cast(pa.uint8()), _texts_bits(["false", "true"]))
    if pa.types.is_null(kind):
        return None, np.full(len(array), _MISSING, np.uint64)
    if not pa.types.is_dictionary(kind):
        try:
            array = joined(array) if is_list(kind) else array
            array = (array if _is_text(array.type) else array.cast(pa.string())).dictionary_encode()
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            raise DataError(
                f"Column '{name}' holds {kind}, which Privet does not read.", "Turn it into a number or text."
            ) from None
    if _is_text(array.type.value_type):
        return _codes(array.indices, _texts_bits(array.dictionary.to_pylist()))
    inner, bits = _cells(name, array.dictionary)
    return _codes(array.indices, bits if inner is None else bits[inner])


def _is_text(kind: pa.DataType) -> bool:
    return pa.types.is_string(kind) or pa.types.is_large_string(kind)


def _codes(codes: pa.Array, bits: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Codes in one of two types, so that the loops are compiled for no more than these."""
    if codes.null_count or codes.type != pa.uint8():
        codes = codes.cast(pa.int32())
        if codes.null_count:
            codes = codes.fill_null(len(bits))
    return codes.to_numpy(zero_copy_only=False), np.append(bits, np.uint64(_MISSING))


def _integer_bits(array: pa.Array) -> np.ndarray:
    values = (array.fill_null(0) if array.null_count else array).to_numpy(zero_copy_only=False)
    bits = values.astype(np.float64).view(np.uint64)
    if values.dtype.itemsize == 8 and len(values) and (values.max() > _WHOLE or values.min() < -_WHOLE):
        large = np.flatnonzero((values > _WHOLE) | (values < -_WHOLE))
        bits[large] = [_number_bits(int(value)) for value in values[large]]
    if array.null_count:
        bits[array.is_null().to_numpy(zero_copy_only=False)] = _MISSING
    return bits


def _texts_bits(texts: list[str | None]) -> np.ndarray:
    return np.fromiter(map(_text_bits, texts), np.uint64, len(texts))


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
