"""Delta tables, as they are now: what was deleted or replaced is not read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from privet.errors import DataError, MissingExtra, PrivetError
from privet.schema import Schema
from privet.sources.base import BATCH_ROWS
from privet.sources.files import FilePath
from privet.sources.projection import chosen, distinct

__all__ = ["DeltaSource", "as_it_is_now"]


class DeltaSource:
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
        with as_it_is_now(self.title, "Delta"):
            table = DeltaTable(str(path))
            if table.metadata().configuration.get("delta.columnMapping.mode", "none") != "none":
                raise ValueError
            self._dataset: Any = table.to_pyarrow_dataset()
        self._names = distinct(self._dataset.schema.names)

    @property
    def names(self) -> tuple[str, ...]:
        return self._names

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        wanted = chosen(self._names, columns)
        with as_it_is_now(self.title, "Delta"):
            yield from self._dataset.to_batches(columns=wanted, batch_size=BATCH_ROWS)

    def table(self) -> Any | None:
        return None

    def declared(self) -> Schema | None:
        return None


@contextmanager
def as_it_is_now(title: str, kind: str) -> Iterator[None]:
    """Turn whatever a library says, which may quote a cell, into an error that does not."""
    try:
        yield
    except PrivetError:
        raise
    except Exception:
        raise DataError(
            f"{title} could not be read as a {kind} table, or it is written in a way that is not known here.",
            "Export the table as it is now to a file such as people.parquet, or give Privet a table of a "
            "database that reads it.",
        ) from None
