"""Tables of a database, through Ibis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pyarrow as pa

from privet.errors import DataError, PrivetError
from privet.schema import Schema
from privet.sources.base import BATCH_ROWS
from privet.sources.collation import by_bytes, compares_bytes
from privet.sources.cursor import THROUGH_PANDAS, cursor_batches
from privet.sources.named import Named
from privet.sources.projection import chosen, distinct
from privet.sources.same_each_time import require_same_each_time

__all__ = ["TableSource"]


class TableSource(Named):
    """The rows of an Ibis table: a table of a database, a view, or any query.

    A database promises no order of rows; where the order matters, pass ``table.order_by(...)``. Which records
    of a person are kept never depends on it (``privet.stats.contribution``). Of a database that may compare
    texts without case or accents the rows are read, and nothing is counted there.
    """

    ordered = False
    #: Whether the database may count: it keeps texts apart that differ (``collation``).
    counts = True

    def __init__(self, table: Any, schema: Schema | None = None) -> None:
        if not hasattr(table, "to_pyarrow_batches"):
            raise DataError("This is not an Ibis table.", "For example: ibis.connect(address).table(name)")
        require_same_each_time(table)
        self._table = by_bytes(table)
        self.counts = compares_bytes(table)
        self._names = distinct(table.columns)
        self._counts_odd = schema is not None and schema.outside == "count"

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        rows = self._table.select(*chosen(self._names, columns))
        backend = next(iter(rows._find_backends()[0]), None)
        with _explained():
            if backend is not None and backend.name in THROUGH_PANDAS:
                yield from cursor_batches(backend, rows, counts=self._counts_odd)
            else:
                yield from rows.to_pyarrow_batches(chunk_size=BATCH_ROWS)

    def table(self) -> Any:
        return self._table

    def execute(self, expression: Any) -> pa.Table:
        """The result of an expression on ``table()``, computed by the database."""
        return expression.to_pyarrow()


@contextmanager
def _explained() -> Iterator[None]:
    """What a database says of a cell that it cannot compute or convert may quote it: nothing is passed on."""
    try:
        yield
    except PrivetError:
        raise
    except Exception:
        raise DataError(
            "The database could not read the table as its schema describes it.",
            "Check the table against its schema: that finds the column, and says what is wrong with it.",
            "check-schema",
        ) from None
