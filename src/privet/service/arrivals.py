"""Records as they come: lines of CSV from a file descriptor, with the ticks of a clock among them.

A line is read by itself: whatever it holds, the next line is the next record.
"""

from __future__ import annotations

import csv
import os
import select
import time
from collections.abc import Iterator
from typing import Any

from privet.errors import DataError
from privet.schema import Number, Schema
from privet.schema.missing import MISSING_TEXTS
from privet.sources.options import ReadOptions

__all__ = ["arriving"]

_CHUNK = 1 << 16


def arriving(
    source: int,
    schema: Schema,
    options: ReadOptions,
    seconds: float | None = None,
    *,
    counts: bool = False,
) -> Iterator[dict[str, Any] | None]:
    """Each record of CSV that comes in, and None whenever so many seconds are over.

    ``counts``: a line that cannot be read is a record of which everything is missing, and not an error.
    """
    names: list[str] | None = None
    delimiter, decimal = options.delimiter, options.decimal
    numbers = {column.name for column in schema.columns if isinstance(column, Number)}
    wanted = [name for name in (*schema.names, schema.unit.id) if name is not None]
    for line in _lines(source, seconds):
        if line is None:
            yield None
            continue
        try:
            text = _text(line, options.encoding)
            cells = _cells(text, delimiter or ",") if names is not None else []
        except DataError:
            if names is None or not counts:  # the first line is public: it names the columns
                raise
            text, cells = " ", []
        if not text:
            continue
        if names is None:
            delimiter = delimiter or max(",;\t|", key=text.count)
            names = [name.strip() for name in _cells(text, delimiter)]
            if missing := [name for name in wanted if name not in names]:
                raise DataError(
                    f"The stream has no column '{missing[0]}', though the schema names it.",
                    "Check the spelling in its first line, or remove the column from the schema.",
                )
            continue
        record: dict[str, Any] = dict.fromkeys(wanted)  # cells that are not there are missing
        for name, cell in zip(names, cells, strict=False):
            if name in record and cell.strip() not in MISSING_TEXTS:
                record[name] = cell.replace(",", ".") if decimal == "," and name in numbers else cell
        yield record


def _lines(source: int, seconds: float | None) -> Iterator[bytes | None]:
    """Whole lines, and None at each tick: also if nothing comes."""
    waiting, next_tick = b"", None if seconds is None else time.monotonic() + seconds
    while True:
        if seconds is not None and next_tick is not None:
            left = next_tick - time.monotonic()
            if left <= 0 or not select.select([source], [], [], left)[0]:
                next_tick += seconds
                yield None
                continue
        chunk = os.read(source, _CHUNK)
        if not chunk:
            break
        *whole, waiting = (waiting + chunk).split(b"\n")
        yield from whole
    if waiting:
        yield waiting


def _cells(text: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([text], delimiter=delimiter))
    except (csv.Error, TypeError):
        raise DataError("A line of the stream is not CSV.", "Correct the stream, or its delimiter.") from None


def _text(line: bytes, encoding: str) -> str:
    try:
        return line.decode("utf-8-sig" if encoding == "utf-8" else encoding).strip("\r\n")
    except (UnicodeDecodeError, LookupError):
        raise DataError("A line of the stream is not in its encoding.", "Name the encoding.") from None
