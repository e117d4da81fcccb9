"""Tables of a database, through Ibis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from privet.errors import DataError
from privet.schema import Schema
from privet.sources.base import BATCH_ROWS
from privet.sources.projection import chosen, distinct
from privet.sources.same_each_time import require_same_each_time

__all__ = ["TableSource"]


class TableSource:
    """The rows of an Ibis table: a table of a database, a view, or any query.

    A database promises no order of rows; where the order matters, pass ``table.order_by(...)``. Which records
    of a person are kept never depends on it (``privet.stats.contribution``).
    """

    ordered = False

    def __init__(self, table: Any) -> None:
        if not hasattr(table, "to_pyarrow_batches"):
            raise DataError("This is not an Ibis table.", "For example: ibis.connect(address).table(name)")
        require_same_each_time(table)
        self._table = table
        self._names = distinct(table.columns)

    @property
    def names(self) -> tuple[str, ...]:
        return self._names

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        wanted = chosen(self._names, columns)
        yield from self._table.select(*wanted).to_pyarrow_batches(chunk_size=BATCH_ROWS)

    def table(self) -> Any:
        return self._table

    def execute(self, expression: Any) -> pa.Table:
        """The result of an expression on ``table()``, computed by the database."""
        return expression.to_pyarrow()

    def declared(self) -> Schema | None:
        return None
