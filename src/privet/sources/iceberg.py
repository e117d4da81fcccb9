"""Iceberg tables, as they are now: what was deleted or replaced is not read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from privet.errors import DataError, MissingExtra
from privet.sources.explained import explained_as
from privet.sources.files import FilePath
from privet.sources.named import Named
from privet.sources.projection import chosen, distinct

__all__ = ["IcebergSource"]


class IcebergSource(Named):
    """The rows of one snapshot of an Iceberg table, named by its metadata file.

    Which metadata file is the current one is known to the table's catalog, or to ``version-hint.text`` in the
    table's folder, where there is one. Nothing is guessed: the newest file may be of a change that failed.
    """

    #: Files have no order: a change to one record can move others to another file.
    ordered = False

    def __init__(self, path: FilePath) -> None:
        try:
            from pyiceberg.table import StaticTable
        except ImportError:
            raise MissingExtra.of("iceberg", "Reading an Iceberg table") from None
        place = Path(path)
        self.title = place.name
        if place.is_dir() and not (place / "metadata" / "version-hint.text").exists():
            raise DataError(
                f"Which rows of the Iceberg table {self.title} were deleted is known to its catalog alone.",
                "Name the metadata file that is the current one, as the catalog says: a path that ends in "
                ".metadata.json",
            )
        with explained_as("Iceberg", self.title):
            self._table: Any = StaticTable.from_metadata(str(place.absolute()))
            names = [field.name for field in self._table.schema().fields]
        self._names = distinct(names)

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        wanted = chosen(self._names, columns)
        with explained_as("Iceberg", self.title):
            for batch in self._table.scan(selected_fields=tuple(wanted)).to_arrow_batch_reader():
                yield batch.select(wanted)
