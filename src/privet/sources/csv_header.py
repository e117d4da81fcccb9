"""The beginning of a CSV file: Excel's ``sep=`` line, the delimiter, and the names of the columns."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass
from pathlib import Path

from privet.errors import DataError
from privet.sources.files import not_text, open_input, reading
from privet.sources.options import ReadOptions
from privet.sources.projection import distinct

__all__ = ["Header", "read_header"]

_QUOTED = re.compile(r'"[^"]*"')
_SEPARATOR = re.compile(r'"?sep=([^"\r\n])"?[\r\n]*', re.IGNORECASE)


@dataclass(frozen=True)
class Header:
    """What the first line says; ``skip`` lines come before it, and records after it if ``holds_rows``."""

    delimiter: str
    names: tuple[str, ...]
    skip: int
    holds_rows: bool


def read_header(path: Path, options: ReadOptions) -> Header:
    """The first line, with a delimiter that is given, declared by a ``sep=`` line, or else the commonest."""
    encoding = "utf-8-sig" if options.encoding == "utf-8" else options.encoding
    with open_input(path) as stream, reading(path, options.encoding):
        # The wrapper decodes more than the first line: what is wrong after it is not for the header to say.
        lines = io.TextIOWrapper(stream, encoding=encoding, newline="", errors="surrogateescape")
        first, skip, delimiter = lines.readline(), 0, options.delimiter
        if declared := _SEPARATOR.fullmatch(first):
            delimiter, first, skip = delimiter or declared.group(1), lines.readline(), 1
        while options.newlines and first.count('"') % 2 and (more := lines.readline()):
            first += more
        if any("\ud800" <= character <= "\udfff" for character in first):
            raise not_text(path, options.encoding)
        if not first.strip():
            raise DataError(
                f"The file {path.name} is empty.", "A first line with the columns' names is needed."
            )
        if first.count('"') % 2:
            raise DataError(
                f"The first line of {path.name} has a quote that is not closed.",
                "Correct it, or, if names span lines: ReadOptions(newlines=True).",
            )
        if delimiter is None:
            bare = _QUOTED.sub("", first)
            delimiter = max(",;\t|", key=bare.count)
        names = next(csv.reader([first], delimiter=delimiter, skipinitialspace=True))
        return Header(delimiter, distinct(name.strip() for name in names), skip, bool(lines.read(1)))
