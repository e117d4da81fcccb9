"""Sheets of Excel files (``.xlsx``), read row by row, as text cells would be read from a CSV file."""

from __future__ import annotations

import datetime
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from privet.errors import DataError, MissingExtra
from privet.schema import Schema
from privet.schema.missing import MISSING_TEXTS
from privet.schema.number_texts import numbers_of_texts
from privet.sources.cells import TEXT, declared_types, holds_text, numerals, tidy, wider
from privet.sources.files import FilePath, reading
from privet.sources.named import Named
from privet.sources.projection import chosen, distinct

__all__ = ["ExcelSource"]

# A sheet has at most a million rows; Python's objects are some fifty bytes a cell.
_ROWS = 1 << 13


class ExcelSource(Named):
    """The rows of one sheet, whose first row names the columns: the first sheet, or ``file.xlsx#Sheet``.

    A formula counts by the value that Excel saved with it. Cells in error (``#N/A``) are missing, dates are
    text (``2024-05-31``), and rows without any value are left out. Types are found as in CSV files.
    """

    def __init__(self, path: FilePath, schema: Schema | None = None) -> None:
        file, _, sheet = str(path).partition(".xlsx#")
        self.path = Path(f"{file}.xlsx") if sheet else Path(path)
        self._sheet = sheet or None
        with self._rows() as rows:
            first = list(next(rows, ()))
            while first and first[-1] is None:
                first.pop()
        if not first:
            raise DataError(
                f"The sheet in {self.path.name} is empty.", "A first row with the columns' names is needed."
            )
        self._names = distinct("" if cell is None else cell.strip() for cell in first)
        self._types = declared_types(schema, self._names)
        self._counts = schema is not None and schema.outside == "count"

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        wanted = chosen(self._names, columns)
        unknown: dict[str, pa.DataType | None] = {name: None for name in wanted if name not in self._types}
        if unknown:
            for texts in self._texts(list(unknown)):
                for name, array in texts.items():
                    unknown[name] = wider(unknown[name], numerals(array.dictionary, commas=False))
            self._types |= {name: kind or pa.float64() for name, kind in unknown.items()}
        for texts in self._texts(wanted):
            arrays = [self._value(name, array) for name, array in texts.items()]
            yield pa.RecordBatch.from_arrays(arrays, names=wanted)

    def _value(self, name: str, array: pa.Array) -> pa.Array:
        kind = self._types[name]
        if kind == TEXT:
            return array
        if self._counts:
            return numbers_of_texts(array.dictionary).cast(kind).take(array.indices)
        try:
            return numerals(array.dictionary, commas=False).cast(kind).take(array.indices)
        except pa.ArrowInvalid:
            raise holds_text(name, self.path.name) from None

    def _texts(self, wanted: Sequence[str]) -> Iterator[dict[str, pa.Array]]:
        places = [self._names.index(name) for name in wanted]
        width = len(self._names)
        missing = set(MISSING_TEXTS)
        with self._rows() as rows:
            next(rows, None)
            columns: list[list[str | None]] = [[] for _ in places]
            for number, cells in enumerate(rows, start=2):
                if not any(cell is not None for cell in cells):
                    continue
                if any(cell is not None for cell in cells[width:]):
                    raise DataError(
                        f"Row {number} of {self.path.name} has more cells than the first row has names.",
                        "Name every column, or clear the cells beside the table.",
                    )
                for column, place in zip(columns, places, strict=True):
                    cell = cells[place] if place < len(cells) else None
                    column.append(None if cell in missing else cell)
                if columns and len(columns[0]) == _ROWS:
                    yield self._arrays(wanted, columns)
                    columns = [[] for _ in places]
            if columns and columns[0]:
                yield self._arrays(wanted, columns)

    def _arrays(self, wanted: Sequence[str], columns: list[list[str | None]]) -> dict[str, pa.Array]:
        arrays = [pa.array(column, pa.string()).dictionary_encode() for column in columns]
        return {name: tidy(array, MISSING_TEXTS) for name, array in zip(wanted, arrays, strict=True)}

    @contextmanager
    def _rows(self) -> Iterator[Iterator[list[str | None]]]:
        """The rows of the sheet, each a list of texts."""
        try:
            import openpyxl
        except ImportError:
            raise MissingExtra.of("excel", "Reading an Excel file") from None
        with reading(self.path), _explained(self.path):
            book = openpyxl.load_workbook(self.path, read_only=True, data_only=True)
            try:
                names = [sheet.title for sheet in book.worksheets]
                if self._sheet is not None and self._sheet not in names:
                    raise DataError(
                        f"The file {self.path.name} has no sheet of that name.", "Check the part after #."
                    )
                if not names:
                    raise DataError(f"The file {self.path.name} has no sheet.", "Check what the file is.")
                sheet = book[self._sheet or names[0]]
                # The size that a file states may be wrong, and would cut rows off.
                sheet.reset_dimensions()
                yield ([_text(cell) for cell in row] for row in sheet.iter_rows())
            finally:
                book.close()


def _text(cell: Any) -> str | None:
    value = cell.value
    if value is None or cell.data_type == "e":
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.datetime):
        midnight = value.time() == datetime.time()
        return value.date().isoformat() if midnight else value.isoformat(sep=" ")
    return repr(value) if isinstance(value, int | float) else str(value)


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn the errors of a file that is damaged, or no Excel file at all, into ones that say so."""
    try:
        yield
    except (DataError, OSError, MissingExtra, GeneratorExit):
        raise
    except Exception as error:  # whose text may quote a cell
        locked = isinstance(error, zipfile.BadZipFile)
        more = " A file with a password must be saved without one." if locked else ""
        raise DataError(
            f"The file {path.name} is no Excel file (.xlsx) or damaged.", f"Save it again in Excel.{more}"
        ) from None
