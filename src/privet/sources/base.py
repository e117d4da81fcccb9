"""The contract of a source: named columns, as a stream of Arrow batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol, runtime_checkable

import pyarrow as pa

from privet.schema import Schema

__all__ = ["BATCH_ROWS", "Source"]

# Rows in a batch: large enough that the cost of each call vanishes, small enough to stay in the cache.
BATCH_ROWS = 1 << 16


@runtime_checkable
class Source(Protocol):
    """Where rows come from. Reading twice gives the same rows in the same order."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        """The rows, in order, as Arrow batches that hold these columns (all, if none is named)."""

    def table(self) -> Any | None:
        """The rows as an Ibis table, where a database can read them itself; else nothing."""

    def declared(self) -> Schema | None:
        """What the file itself declares to be public (an ARFF header's domains); else nothing."""
