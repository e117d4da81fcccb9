"""Rows of CSV in bytes: whole lines of an endless input, their cells, and lines made of cells."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator, Sequence

from privet.errors import DataError
from privet.schema.missing import MISSING_TEXTS

__all__ = [
    "CHUNK",
    "as_line",
    "as_text",
    "cells_of",
    "cut_header",
    "is_missing",
    "is_number",
    "require_closed",
    "shown",
    "whole_lines",
    "widened",
]

#: Bytes that are read at once, at most.
CHUNK = 1 << 20
_MISSING = frozenset(MISSING_TEXTS)


def widened(end: int) -> None:
    """Let a pipe hold a whole chunk, where the system can: fewer and larger reads and writes."""
    try:
        import fcntl

        fcntl.fcntl(end, fcntl.F_SETPIPE_SZ, CHUNK)
    except (ImportError, AttributeError, OSError):  # another system, not a pipe, or more than it allows
        pass


def whole_lines(source: int) -> Iterator[bytes]:
    """What arrives, in pieces that end where a line ends; a last line may lack its end."""
    waiting = b""
    while chunk := os.read(source, CHUNK):
        waiting = waiting + chunk if waiting else chunk
        if cut := waiting.rfind(b"\n") + 1:
            yield waiting[:cut]
            waiting = waiting[cut:]
    if waiting.strip():
        yield waiting + b"\n"


def cut_header(part: bytes) -> tuple[bytes, bytes]:
    end = part.find(b"\n") + 1
    return (part[:end], part[end:]) if end else (part, b"")


def as_text(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise DataError("The input is not UTF-8 text.", "Convert it first.") from None


def cells_of(part: bytes, delimiter: str) -> Iterator[list[str]]:
    """The cells of each line, which is a record by itself whatever it holds.

    Were a line end within quotes a part of a cell, one record with a quote too many would take the next ones
    into a cell of its own, and they would go out as that cell does.
    """
    for line in as_text(part).split("\n"):
        line = line.removesuffix("\r")
        if '"' in line:
            yield _quoted(line, delimiter)
        elif line:
            yield line.split(delimiter)


def require_closed(part: bytes, delimiter: str) -> None:
    """Refuse a part in which a cell does not end with its line."""
    if b'"' in part:
        for line in as_text(part).split("\n"):
            if '"' in line:
                _quoted(line.removesuffix("\r"), delimiter)


def _quoted(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter, strict=True))
    except csv.Error:
        raise DataError(
            "A line has a quote that is not closed, or not where a cell begins.",
            "Each line is one record: take line ends out of the cells, and write a quote twice.",
        ) from None


def as_line(cells: Sequence[str], delimiter: str) -> bytes:
    text = delimiter.join(cells)
    if '"' in text or "\n" in text or text.count(delimiter) != len(cells) - 1:
        out = io.StringIO()
        csv.writer(out, delimiter=delimiter, lineterminator="\n").writerow(cells)
        return out.getvalue().encode()
    return (text + "\n").encode()


def shown(value: float) -> str:
    return repr(value) if value == value else ""


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return is_missing(text)
    return True


def is_missing(text: str) -> bool:
    """Whether a cell stands for a missing value."""
    return text.strip() in _MISSING
