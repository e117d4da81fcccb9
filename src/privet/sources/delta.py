"""Delta tables, as they are now: what was deleted or replaced is not read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from privet.errors import MissingExtra
from privet.sources.base import BATCH_ROWS
from privet.sources.explained import explained_as
from privet.sources.files import FilePath
from privet.sources.named import Named
from privet.sources.projection import chosen, distinct

__all__ = ["DeltaSource"]


class DeltaSource(Named):
    """The rows of one version of a Delta table: the newest when it is opened, the same from then on.

    The library ``deltalake`` says which files hold them. A table that hides deleted rows inside a file
    (deletion vectors) or stores columns under other names is refused, since that library does not read it.
    """

    #: Files have no order: a change to one record can move others to another file.
    ordered = False

    def __init__(self, path: FilePath) -> None:
        try:
            from deltalake import DeltaTable
        except ImportError:
            raise MissingExtra.of("delta", "Reading a Delta table") from None
        self.title = Path(path).name
        with explained_as("Delta", self.title):
            table = DeltaTable(str(path))
            if table.metadata().configuration.get("delta.columnMapping.mode", "none") != "none":
                raise ValueError
            self._dataset: Any = table.to_pyarrow_dataset()
        self._names = distinct(self._dataset.schema.names)

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        wanted = chosen(self._names, columns)
        with explained_as("Delta", self.title):
            yield from self._dataset.to_batches(columns=wanted, batch_size=BATCH_ROWS)
