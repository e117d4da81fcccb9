"""A store in this process's memory: for notebooks and tests; gone when the process ends."""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from privet.budget.stores.base import Row
from privet.errors import LedgerError

__all__ = ["MemoryStore"]


class MemoryStore:
    """Rows in a list, behind a lock. A forked child holds a copy, and is refused: it would spend unseen."""

    address = None
    shows_early = False

    def __init__(self) -> None:
        self.secret = secrets.token_bytes(32)
        self._rows: list[Row] = []
        self._lock = threading.RLock()
        self._process = os.getpid()

    @contextmanager
    def transaction(self, *, write: bool) -> Iterator[_MemoryTransaction]:
        if os.getpid() != self._process:
            raise LedgerError(
                "A ledger in memory cannot be used from another process: what is spent there would be lost.",
                'Use a stored one:  Ledger.open("ledger.db", create=True)',
            )
        with self._lock:
            transaction = _MemoryTransaction(self._rows)
            yield transaction
            self._rows.extend(transaction.added)


class _MemoryTransaction:
    connection = None

    def __init__(self, rows: list[Row]) -> None:
        self._rows = rows
        self.added: list[Row] = []

    def rows(self, after: int = 0) -> list[Row]:
        return self._rows[after:] + self.added

    def append(self, row: Row) -> None:
        self.added.append(row)
