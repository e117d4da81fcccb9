"""Categories in a pipe: the CSV filter for methods that exchange texts, record by record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from privet.errors import DataError
from privet.perturbation.csv_filter import CsvFilter

__all__ = ["TextFilter"]


class TextFilter(CsvFilter):
    """Filters rows through a method that has ``begin``, ``transform`` and ``transform_one``.

    >>> import os, tempfile
    >>> from privet.perturbation.nominal import RandomisedColumns
    >>> from privet.schema import Schema
    >>> model = RandomisedColumns(schema=Schema.of({"smoker": ["no", "yes"]}), epsilon=1000.0)
    >>> with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as sink:
    ...     _ = source.write(b"name,smoker\\nann,no\\nbob,yes\\n"), source.seek(0)
    ...     rows = TextFilter(model).run(source.fileno(), sink.fileno())
    ...     _ = sink.seek(0)
    ...     rows, sink.read().decode().split()
    (2, ['name,smoker', 'ann,no', 'bob,yes'])
    """

    perturbation: Any

    def _begin(self, sample: Any) -> None:
        del sample
        self.perturbation.begin(self._names)
        self._out = list(self._names)
        self._head()

    def _chosen(self) -> Sequence[str]:
        return ()  # no column is read as numbers

    def _block(self, part: bytes) -> None:
        before = self.rows
        try:
            table = self._parsed(part, ())
            if not self._begun:
                self._begin(None)
            self._put(self.perturbation.transform(table))
        except (pa.ArrowInvalid, DataError):
            self._by_rows(part, skip=self.rows - before)

    def _new_cells(self, cells: list[str], number: int) -> list[str]:
        try:
            found = self.perturbation.transform_one(dict(zip(self._names, cells, strict=True)))
        except DataError as error:
            raise self._at(number, error) from None
        return [found[name] for name in self._names]
