"""A perturbation as a filter: CSV in, CSV out, on an input that need never end, in constant memory.

What has arrived is perturbed and written at once, whole rows only. At a row that cannot be perturbed, the
rows before it have been written, and the error says where it stands but not what it holds.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from privet.errors import DataError
from privet.perturbation.affine import AffinePerturbation
from privet.perturbation.base import Perturbation
from privet.perturbation.csv_lines import (
    CHUNK,
    as_line,
    as_text,
    cells_of,
    cut_header,
    is_missing,
    is_number,
    require_closed,
    shown,
    whole_lines,
    widened,
)
from privet.perturbation.key import Key
from privet.schema.missing import MISSING_TEXTS

__all__ = ["CsvFilter"]


class CsvFilter:
    """Reads rows from one file descriptor and writes them, perturbed, to another.

    ``rekey_every`` so many rows a new key is drawn; ``keep(window, key)`` is given every key, the first one
    included. Columns that are not chosen pass as they are.

    >>> import tempfile
    >>> from privet.perturbation import Rotation
    >>> from privet.schema import Schema
    >>> schema = Schema.of({"age": (0, 120), "weight": (2, 200)})
    >>> with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as sink:
    ...     _ = source.write(b"name,age,weight\\nann,30,60\\nbob,40,80\\n"), source.seek(0)
    ...     rows = CsvFilter(Rotation(schema=schema)).run(source.fileno(), sink.fileno())
    ...     _ = sink.seek(0)
    ...     rows, [line.split(b",")[0] for line in sink]
    (2, [b'name', b'ann', b'bob'])
    """

    def __init__(
        self,
        perturbation: Perturbation,
        *,
        delimiter: str | None = None,
        row_by_row: bool = False,
        rekey_every: int | None = None,
        keep: Callable[[int, Key], None] | None = None,
        watch: Callable[[int, int | None], None] | None = None,
    ) -> None:
        self.perturbation = perturbation
        self.delimiter = delimiter
        self.row_by_row = row_by_row
        self.rekey_every = rekey_every
        self.keep = keep
        self.watch = watch
        self.rows = 0
        # While rows are being written, an interruption is put in `pending` and waits for the end of them.
        self.busy = False
        self.pending: list[int] = []
        self._window = 0

    def run(self, source: int, sink: int) -> int:
        """Filter until the input ends; returns how many rows were written."""
        self._sink = sink
        for end in (source, sink):
            widened(end)
        parts = whole_lines(source)
        first = next(parts, b"")
        head, rest = cut_header(first)
        if not head.strip():
            raise DataError("The input is empty.", "A first line with the columns' names is needed.")
        self._header(head)
        for part in self._pieces(rest, parts):
            if self.row_by_row:
                self._by_rows(part)
            else:
                self._block(part)
        return self.rows

    def _pieces(self, rest: bytes, parts: Iterator[bytes]) -> Iterator[bytes]:
        if rest:
            yield rest
        yield from parts

    def _header(self, head: bytes) -> None:
        text = as_text(head).lstrip("\ufeff")
        if self.delimiter is None:
            self.delimiter = max(",;\t", key=text.count)
        self._names = tuple(name.strip() for name in next(csv.reader([text], delimiter=self.delimiter)))
        if len(set(self._names)) < len(self._names) or not all(self._names):
            raise DataError("Two columns have the same name, or one has none.", "Correct the first line.")
        self._begun = False

    def _begin(self, sample: Any) -> None:
        """The key is drawn when the first rows are there, which candidates may be tried on."""
        model = self.perturbation
        if not hasattr(model, "key_"):
            model.begin(self._names, sample)
        if self.keep is not None:
            self.keep(self._window, model.key_)
        self._places = [self._names.index(name) for name in model.columns_]
        self._out = list(model.get_feature_names_out())
        self._in_place = self._out == list(self._names)
        # Condensation may want to know a category of each record.
        self._by: str | None = getattr(model, "by", None)
        # A method that need not learn from a record before it perturbs it has a shorter way for a single one.
        self._one = model._one if isinstance(model, AffinePerturbation) else None
        self._head()

    def _head(self) -> None:
        self._write(as_line(self._out, str(self.delimiter)))
        self._begun = True

    def _chosen(self) -> Sequence[str]:
        model = self.perturbation
        return model.columns_ if hasattr(model, "columns_") else model._chosen(model._declared(), self._names)

    def _block(self, part: bytes) -> None:
        chosen, before = self._chosen(), self.rows
        try:
            require_closed(part, str(self.delimiter))
            table = self._parsed(part, chosen)
            numbers = np.column_stack([_floats(table.column(name)) for name in chosen])
            if not self._begun:
                self._begin(numbers)
            start = 0
            while start < len(numbers):
                stop = min(len(numbers), start + self._room())
                beside = [table.column(self._by).slice(start, stop - start).to_pylist()] if self._by else []
                values = self.perturbation.follow(numbers[start:stop], *beside)
                self._emit(table.slice(start, stop - start), values)
                start = stop
        except (pa.ArrowInvalid, DataError):
            # Some row is at fault: row by row, those before it still get out, and the error says which one it
            # was.
            self._by_rows(part, skip=self.rows - before)

    def _parsed(self, part: bytes, chosen: Sequence[str]) -> pa.Table:
        types = {name: pa.float64() if name in chosen else pa.string() for name in self._names}
        return arrow_csv.read_csv(
            pa.BufferReader(part),
            # A part is one block: threads would have nothing to share, and a program that ends at once
            # after it would end before they do.
            read_options=arrow_csv.ReadOptions(
                column_names=self._names, block_size=max(len(part) + 1, CHUNK), use_threads=False
            ),
            parse_options=arrow_csv.ParseOptions(delimiter=self.delimiter, newlines_in_values=True),
            convert_options=arrow_csv.ConvertOptions(
                column_types=types, null_values=list(MISSING_TEXTS), strings_can_be_null=False
            ),
        )

    def _emit(self, table: pa.Table, values: np.ndarray) -> None:
        kept = {name: table.column(name) for name in self._names}
        new = {
            name: pc.if_else(pc.is_nan(column), None, column)
            for name, column in zip(self.perturbation._new_names(), map(pa.array, values.T), strict=True)
        }
        self._put(pa.table({name: new.get(name, kept.get(name)) for name in self._out}))

    def _put(self, out: pa.Table) -> None:
        """Write rows that are whole."""
        buffer = pa.BufferOutputStream()
        for style in ("none", "needed"):  # "none" is refused where a text needs quotes
            try:
                options = arrow_csv.WriteOptions(
                    include_header=False, delimiter=self.delimiter, quoting_style=style
                )
                arrow_csv.write_csv(out, buffer, options)
                break
            except pa.ArrowInvalid:
                buffer = pa.BufferOutputStream()
        self._write(buffer.getvalue())
        self._count(out.num_rows)

    def _by_rows(self, part: bytes, skip: int = 0) -> None:
        """The rows of a part one by one, each written before the next is read."""
        for cells in cells_of(part, str(self.delimiter)):
            if skip > 0:
                skip -= 1
                continue
            self._row(cells)

    def _row(self, cells: list[str]) -> None:
        number = self.rows + 1
        if len(cells) != len(self._names):
            raise DataError(
                f"Row {number} has {len(cells)} cells, where the first line names "
                f"{len(self._names)} columns.",
                "The rows before it were written. Check for a cut or another header there.",
            )
        if not self._begun:
            self._begin(None)
        self._write(as_line(self._new_cells(cells, number), str(self.delimiter)))
        self._count(1)

    def _new_cells(self, cells: list[str], number: int) -> list[str]:
        try:
            values = [float(cells[place]) for place in self._places]
            new = None if self._one is None else self._one(values)
        except ValueError:
            values, new = [self._number(cells, place, number) for place in self._places], None
        if new is None:
            try:
                beside = [[cells[self._names.index(self._by)]]] if self._by else []
                row = np.array([values], dtype=np.float64)
                new = self.perturbation.follow(row, *beside)[0].tolist()
            except DataError as error:
                raise self._at(number, error) from None
        if self._in_place:
            for place, value in zip(self._places, new, strict=True):
                cells[place] = repr(value) if value == value else ""
            return cells
        found = dict(zip(self._names, cells, strict=True))
        found.update(zip(self.perturbation._new_names(), map(shown, new), strict=True))
        return [found[name] for name in self._out]

    def _at(self, number: int, error: DataError) -> DataError:
        """The error with the row where it happened."""
        return DataError(f"Row {number}: {error.message}", f"The rows before it were written. {error.advice}")

    def _number(self, cells: list[str], place: int, number: int) -> float:
        text = cells[place].strip()
        if is_missing(text):
            return float("nan")
        try:
            return float(text)
        except ValueError:
            pass
        if all(not is_number(cells[p]) for p in self._places):
            raise DataError(
                f"Row {number} looks like another header: it holds text in every perturbed column.",
                "The rows before it were written. Filter each table by itself, with the same key.",
            )
        raise DataError(
            f"Row {number}: column '{self._names[place]}' holds something that is not a number.",
            "The rows before it were written. Correct the input, or leave the column out.",
        )

    def _room(self) -> int:
        """How many rows may still use the present key."""
        if self.rekey_every is None:
            return CHUNK
        return self.rekey_every - self.rows % self.rekey_every

    def _count(self, rows: int) -> None:
        self.rows += rows
        if self.watch is not None:
            self.watch(self.rows, None)
        if self.rekey_every is not None and self.rows % self.rekey_every == 0:
            self._window += 1
            key = self.perturbation.rekey()
            if self.keep is not None:
                self.keep(self._window, key)

    def _write(self, data: Any) -> None:
        self.busy = True
        written = os.write(self._sink, data)
        while written < len(data):  # a full pipe takes a part: the rest of the rows must follow it
            written += os.write(self._sink, memoryview(data)[written:])
        self.busy = False
        if self.pending:
            raise KeyboardInterrupt


def _floats(column: Any) -> np.ndarray:
    return np.asarray(column.to_numpy())
