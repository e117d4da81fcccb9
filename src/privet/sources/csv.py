"""Comma-separated files, plain or gzip, in constant memory.

A column is numeric where the schema says so, or, without one, where *every* cell of the file is a number:
that is found in one pass over the file, because types guessed from the first rows fail on a later one. Text
comes as Arrow dictionaries. Blanks around a cell are dropped, and a cell that is one of ``missing`` is
missing, quoted or not. One line can only change its own record (``lines``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from privet.errors import DataError, ParameterError
from privet.schema import Schema
from privet.schema.missing import MISSING_TEXTS
from privet.schema.number_texts import numbers_of_texts
from privet.sources.cells import TEXT, declared_types, holds_text, numerals, tidy, wider
from privet.sources.csv_header import read_header
from privet.sources.files import FilePath, not_text, open_input, reading
from privet.sources.lines import CheckedLines, check_lines
from privet.sources.options import PLAIN, ReadOptions
from privet.sources.projection import chosen

__all__ = ["CsvSource"]

_BLOCK_BYTES = 1 << 21


class _TextInNumbers(Exception):
    """A number's column holds a text that is to count as missing."""


class CsvSource:
    """The rows of a CSV file whose first line names the columns.

    ``schema`` says which columns are numbers (columns it does not name are worked out from the file when they
    are asked for); ``options`` say how the file is written. A first line ``sep=;``, as Excel reads it, is
    understood.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "people.csv"
    >>> _ = path.write_text("age;sex;height\\n30; f;1,72\\n?;m;1,8\\n")
    >>> [batch.to_pydict() for batch in CsvSource(path).batches()]
    [{'age': [30, None], 'sex': ['f', 'm'], 'height': [1.72, 1.8]}]
    """

    def __init__(
        self,
        path: FilePath,
        schema: Schema | None = None,
        *,
        options: ReadOptions = PLAIN,
        missing: Sequence[str] = MISSING_TEXTS,
        block_bytes: int = _BLOCK_BYTES,
    ) -> None:
        self.path = Path(path)
        self._options = options
        self._missing = tuple(missing)
        self._block_bytes = block_bytes
        self._header = read_header(self.path, options)
        if options.decimal == self._header.delimiter:
            raise ParameterError(
                f"Commas separate the cells of {self.path.name}, so they cannot mark decimals.",
                "Give its delimiter, or another decimal sign.",
            )
        # Where a comma does not separate cells, it may mark decimals: always if asked to, and in the files
        # that programs of the countries with decimal commas write.
        self._commas = options.decimal is None and self._header.delimiter == ";"
        self._types = declared_types(schema, self.names)
        # Whether a text in a number's column is missing, rather than an error.
        self._counts = schema is not None and schema.outside == "count"

    @property
    def names(self) -> tuple[str, ...]:
        return self._header.names

    def declared(self) -> Schema | None:
        return None

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        wanted = chosen(self.names, columns)
        self._find_types(wanted)
        yield from self._read({name: self._types[name] for name in wanted})

    def table(self) -> Any | None:
        """The file as DuckDB reads it, with the same values as ``batches`` gives.

        None if it cannot: the file is not UTF-8, or its lines do not all end alike.
        """
        from privet.sources.duckdb import csv_table

        if self._options.encoding != "utf-8":
            return None
        if not check_lines(self.path, self._header.delimiter, self._options.newlines):
            return None
        self._find_types(self.names)
        types = {name: None if self._types[name] == TEXT else self._types[name] for name in self.names}
        decimals = ".," if self._commas else self._options.decimal or "."
        return csv_table(self.path, types, self._header, self._missing, decimals, self._counts)

    def _find_types(self, wanted: Sequence[str]) -> None:
        """Decide the types of the columns that nobody declared, in one pass over the file."""
        unknown: dict[str, pa.DataType | None] = {name: None for name in wanted if name not in self._types}
        if not unknown:
            return
        for batch in self._read(dict.fromkeys(unknown, TEXT)):
            for name, array in zip(batch.schema.names, batch.columns, strict=True):
                unknown[name] = wider(unknown[name], self._as_numerals(array.dictionary))
        # A column without any value is a number's: nothing in it contradicts that.
        self._types |= {name: kind or pa.float64() for name, kind in unknown.items()}

    def _as_numerals(self, texts: pa.Array) -> pa.Array:
        """Texts as numbers would be written with a point; with decimal commas a point marks no number."""
        if self._options.decimal != ",":
            return numerals(texts, self._commas)
        points = pc.match_substring(texts, ".")
        return numerals(pc.if_else(points, "no number", texts), commas=True)

    def _read(self, types: dict[str, pa.DataType]) -> Iterator[pa.RecordBatch]:
        if not self._header.holds_rows or not types:
            return
        done = 0
        try:
            for batch in self._read_as(types, self._commas):
                done += batch.num_rows
                yield batch
        except _TextInNumbers:
            # Every cell is read as before, but for the texts, which are missing: so no record changes how
            # another one is read.
            for batch in self._read_as(types, as_text=True):
                if done < batch.num_rows:
                    yield batch.slice(done)
                done = max(done - batch.num_rows, 0)

    def _read_as(self, types: dict[str, pa.DataType], as_text: bool) -> Iterator[pa.RecordBatch]:
        # Arrow reads numbers with one decimal sign; where there may be two they come as text first.
        read = {n: pa.string() if as_text and kind != TEXT else kind for n, kind in types.items()}
        with open_input(self.path) as stream, reading(self.path):
            try:
                for batch in self._open(stream, read):
                    arrays = [
                        self._value(name, column, types[name])
                        for name, column in zip(types, batch.columns, strict=True)
                    ]
                    yield pa.RecordBatch.from_arrays(arrays, names=list(types))
            except pa.ArrowInvalid as error:
                if self._counts and not as_text and "In CSV column #" in str(error):
                    raise _TextInNumbers from None
                raise self._explained(str(error)) from None

    def _value(self, name: str, array: pa.Array, kind: pa.DataType) -> pa.Array:
        if kind == TEXT:
            return tidy(array, self._missing)
        if array.type == kind:
            return array
        if self._counts:
            return numbers_of_texts(self._as_numerals(array)).cast(kind)
        try:
            return numerals(array, self._commas).cast(kind)
        except pa.ArrowInvalid:
            raise holds_text(name, self.path.name) from None

    def _open(self, stream: pa.NativeFile, types: dict[str, pa.DataType], threads: bool = True) -> Any:
        # pyarrow trims numbers but not the marks of a missing one, so padded marks are marks too.
        edges = [" " * blanks for blanks in range(9)]
        padded = {left + mark + right for mark in self._missing for left in edges for right in edges}
        header, options = self._header, self._options
        lines = CheckedLines(stream, self.path, header.delimiter, options.encoding, options.newlines)
        return arrow_csv.open_csv(
            pa.PythonFile(lines, mode="r"),
            read_options=arrow_csv.ReadOptions(
                column_names=header.names,
                skip_rows=header.skip,
                skip_rows_after_names=1,
                block_size=self._block_bytes,
                use_threads=threads,
            ),
            parse_options=arrow_csv.ParseOptions(
                delimiter=header.delimiter, newlines_in_values=options.newlines
            ),
            convert_options=arrow_csv.ConvertOptions(
                column_types=types,
                include_columns=list(types),
                null_values=sorted(padded),
                strings_can_be_null=True,
                decimal_point=options.decimal or ".",
            ),
        )

    def _ragged_row(self) -> str | None:
        """The number of the first row with too few or too many cells: only one thread can count rows."""
        first = {self.names[0]: pa.binary()}
        with open_input(self.path) as stream:
            try:
                for _ in self._open(stream, first, threads=False):
                    pass
            except (pa.ArrowInvalid, OSError) as error:
                row = re.search(r"Row #(\d+): Expected", str(error))
                return row.group(1) if row else None
        return None

    def _explained(self, error: str) -> DataError:
        """What pyarrow found, without the cell that it quotes."""
        name = self.path.name
        if "invalid UTF8" in error:
            return not_text(name)
        if counts := re.search(r"Expected (\d+) columns, got (\d+)", error):
            row = self._ragged_row()
            where = f"Row {row} of {name}" if row else f"A row of {name}"
            return DataError(
                f"{where} has {_so_many(counts.group(2), 'cell')}, where the first line names "
                f"{_so_many(counts.group(1), 'column')}.",
                "Check for a missing cell, a stray delimiter or an unclosed quote there.",
            )
        if column := re.search(r"In CSV column #(\d+)", error):
            return holds_text(self.names[int(column.group(1))], name)
        return DataError(f"The file {name} cannot be read as CSV.", "Check its quotes and line ends.")


def _so_many(number: str, what: str) -> str:
    return f"{number} {what}" if number == "1" else f"{number} {what}s"
