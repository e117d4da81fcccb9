"""Comma-separated files, plain or gzip, in constant memory.

A column is numeric where the schema says so, or, without one, where *every* cell of the file is a number:
that is found in one pass over the file, because types guessed from the first rows fail on a later one. Text
comes as Arrow dictionaries. Blanks around a cell are dropped, and a cell that is one of ``missing`` is
missing, quoted or not.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from privet.errors import DataError
from privet.schema import Category, Schema
from privet.schema.missing import MISSING_TEXTS
from privet.sources.files import FilePath, open_input, reading
from privet.sources.projection import chosen, distinct

__all__ = ["CsvSource"]


_TEXT = pa.dictionary(pa.int32(), pa.string())
_BLANKS = " \t\n\r\v\f"
_BLOCK_BYTES = 1 << 21
_QUOTED = re.compile(r'"[^"]*"')


class CsvSource:
    """The rows of a CSV file whose first line names the columns.

    ``schema`` says which columns are numbers (columns it does not name are worked out from the file when they
    are asked for); ``delimiter`` is found in the first line where it is not given.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "people.csv"
    >>> _ = path.write_text("age;sex\\n30; f\\n?;m\\n")
    >>> [batch.to_pydict() for batch in CsvSource(path).batches()]
    [{'age': [30, None], 'sex': ['f', 'm']}]
    """

    def __init__(
        self,
        path: FilePath,
        schema: Schema | None = None,
        *,
        delimiter: str | None = None,
        missing: Sequence[str] = MISSING_TEXTS,
        block_bytes: int = _BLOCK_BYTES,
    ) -> None:
        self.path = Path(path)
        self._missing = tuple(missing)
        self._block_bytes = block_bytes
        self._delimiter, self._names, self._holds_rows = _header(self.path, delimiter)
        self._types = {} if schema is None else _declared_types(schema, self._names)

    @property
    def names(self) -> tuple[str, ...]:
        return self._names

    def declared(self) -> Schema | None:
        return None

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        wanted = chosen(self._names, columns)
        self._find_types(wanted)
        yield from self._read({name: self._types[name] for name in wanted})

    def table(self) -> Any:
        """The file as DuckDB reads it, with the same values as ``batches`` gives."""
        from privet.sources.duckdb import csv_table

        self._find_types(self._names)
        types = {name: None if self._types[name] == _TEXT else self._types[name] for name in self._names}
        return csv_table(self.path, types, self._delimiter, self._missing)

    def _find_types(self, wanted: Sequence[str]) -> None:
        """Decide the types of the columns that nobody declared, in one pass over the file."""
        unknown: dict[str, pa.DataType | None] = {name: None for name in wanted if name not in self._types}
        if not unknown:
            return
        for batch in self._read(dict.fromkeys(unknown, _TEXT)):
            for name, array in zip(batch.schema.names, batch.columns, strict=True):
                unknown[name] = _wider(unknown[name], array.dictionary)
        # A column without any value is a number's: nothing in it contradicts that.
        self._types |= {name: kind or pa.float64() for name, kind in unknown.items()}

    def _read(self, types: dict[str, pa.DataType]) -> Iterator[pa.RecordBatch]:
        if not self._holds_rows or not types:
            return
        with open_input(self.path) as stream, reading(self.path):
            try:
                for batch in self._open(stream, types):
                    arrays = [self._tidy(column) for column in batch.columns]
                    yield pa.RecordBatch.from_arrays(arrays, names=list(types))
            except pa.ArrowInvalid as error:
                raise self._explained(str(error)) from None

    def _open(self, stream: pa.NativeFile, types: dict[str, pa.DataType], threads: bool = True) -> Any:
        # pyarrow trims numbers but not the marks of a missing one, so padded marks are marks too.
        edges = [" " * blanks for blanks in range(9)]
        padded = {left + mark + right for mark in self._missing for left in edges for right in edges}
        return arrow_csv.open_csv(
            stream,
            read_options=arrow_csv.ReadOptions(
                column_names=self._names,
                skip_rows_after_names=1,
                block_size=self._block_bytes,
                use_threads=threads,
            ),
            parse_options=arrow_csv.ParseOptions(delimiter=self._delimiter, newlines_in_values=True),
            convert_options=arrow_csv.ConvertOptions(
                column_types=types,
                include_columns=list(types),
                null_values=sorted(padded),
                strings_can_be_null=True,
            ),
        )

    def _ragged_row(self) -> str | None:
        """The number of the first row with too few or too many cells: only one thread can count rows."""
        first = {self._names[0]: pa.binary()}
        with open_input(self.path) as stream:
            try:
                for _ in self._open(stream, first, threads=False):
                    pass
            except (pa.ArrowInvalid, OSError) as error:
                row = re.search(r"Row #(\d+): Expected", str(error))
                return row.group(1) if row else None
        return None

    def _tidy(self, array: pa.Array) -> pa.Array:
        """Text without blanks around it; work is done on the distinct values only."""
        if array.type != _TEXT:
            return array
        texts = pc.ascii_trim(array.dictionary, characters=_BLANKS)
        if texts.equals(array.dictionary):
            return array
        texts = pc.if_else(pc.is_in(texts, pa.array(self._missing)), pa.scalar(None, pa.string()), texts)
        distinct_texts = pc.unique(texts.drop_null())
        codes = pc.index_in(texts, distinct_texts)
        return pa.DictionaryArray.from_arrays(codes.take(array.indices), distinct_texts)

    def _explained(self, error: str) -> DataError:
        """What pyarrow found, without the cell that it quotes."""
        name = self.path.name
        if "invalid UTF8" in error:
            return DataError(f"The file {name} is not UTF-8 text.", "Save it again as UTF-8.")
        if counts := re.search(r"Expected (\d+) columns, got (\d+)", error):
            row = self._ragged_row()
            where = f"Row {row} of {name}" if row else f"A row of {name}"
            return DataError(
                f"{where} has {counts.group(2)} cells, where the first line names {counts.group(1)} columns.",
                "Check for a missing cell, a stray delimiter or an unclosed quote there.",
            )
        if column := re.search(r"In CSV column #(\d+)", error):
            culprit = self._names[int(column.group(1))]
            return DataError(
                f"Column '{culprit}' of {name} holds text where the schema says number.",
                "Declare it as a category, or correct the file.",
            )
        return DataError(f"The file {name} cannot be read as CSV.", "Check its quotes and line ends.")


def _header(path: Path, delimiter: str | None) -> tuple[str, tuple[str, ...], bool]:
    """The delimiter, the names in the first line, and whether anything comes after it."""
    with open_input(path) as stream, reading(path):
        lines = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")
        first = lines.readline()
        while first.count('"') % 2 and (more := lines.readline()):
            first += more
        if not first.strip():
            raise DataError(
                f"The file {path.name} is empty.", "A first line with the columns' names is needed."
            )
        if delimiter is None:
            bare = _QUOTED.sub("", first)
            delimiter = max(",;\t", key=bare.count)
        names = next(csv.reader([first], delimiter=delimiter, skipinitialspace=True))
        return delimiter, distinct(name.strip() for name in names), bool(lines.read(1))


def _declared_types(schema: Schema, names: Sequence[str]) -> dict[str, pa.DataType]:
    types = {}
    for column in schema.columns:
        text = isinstance(column, Category) and isinstance(column.values[0], str | bool)
        types[column.name] = _TEXT if text else pa.float64()
    if schema.unit.id is not None:
        types[schema.unit.id] = _TEXT
    return {name: types[name] for name in names if name in types}


def _wider(kind: pa.DataType | None, texts: pa.Array) -> pa.DataType | None:
    """The narrowest type that holds what was seen so far and these texts: integer, number, text."""
    if kind == _TEXT or len(texts) == 0:
        return kind
    for wider in (pa.int64(), pa.float64()):
        if kind == pa.float64() and wider == pa.int64():
            continue
        try:
            texts.cast(wider)
        except pa.ArrowInvalid:
            continue
        return wider
    return _TEXT
