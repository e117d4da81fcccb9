"""One step at a time on a store: catch up with its rows, decide, append, and seal what was appended."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from privet.budget.book import Book, altered
from privet.budget.history import Head
from privet.budget.stores.base import Row, Store, Transaction, canonical
from privet.errors import LedgerError

__all__ = ["Chain", "Pen"]


class Pen:
    """The book as it is now, and what adds to it."""

    def __init__(self, book: Book, transaction: Transaction, secret: bytes) -> None:
        self.book = book
        self.added: list[Row] = []
        self.transaction = transaction
        self._secret = secret

    def append(self, kind: str, *, who: str, dataset: str, body: dict[str, Any]) -> Row:
        last = self.added[-1] if self.added else None
        number = (last.number if last else self.book.count) + 1
        # To the minute, and none at all for a commit: how long a search took hints at its secret number of
        # trials, and the ledger is read by many.
        when = "" if kind == "commit" else datetime.now(UTC).isoformat(timespec="minutes")
        try:
            row = Row(number, when, who, dataset, kind, canonical(body))
        except (TypeError, ValueError):
            raise LedgerError(
                "The guarantee cannot be recorded: it is not plain JSON.",
                "Use text, finite numbers, lists and mappings only.",
            ) from None
        row = replace(row, hash=row.seal(self._secret, last.hash if last else self.book.head))
        self.transaction.append(row)
        self.added.append(row)
        return row

    def committed(self, number: int, seal: str, body: dict[str, Any]) -> bool:
        """Whether the reservation with this number and seal was committed in these very words."""
        if not 0 < number <= self.book.count:
            return False
        rows = self.transaction.rows(after=number - 1)
        same = rows[0].kind == "reserve" and rows[0].hash == seal
        return same and any(row.kind == "commit" and row.body == canonical(body) for row in rows)


class Chain:
    """A store with its folded book, for the threads of one process."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.forget()
        _chains.add(self)

    def forget(self) -> None:
        """Start over from the rows, with a lock of our own (after a fork, the old one may be held)."""
        self._lock = threading.RLock()
        self._book = Book()
        self._answered = Head(0, "")  # as far as a write of ours was answered: it is on the disk
        self._seen = threading.local()

    @contextmanager
    def reading(self) -> Iterator[Book]:
        with self._lock:
            if not getattr(self._seen, "just_now", False):
                with self.store.transaction(write=False) as transaction:
                    self._catch_up(transaction)
            yield self._book

    @contextmanager
    def reading_once(self) -> Iterator[None]:
        """What this thread reads within is as it was at the beginning, or newer. Writing looks anew."""
        with self.reading():
            pass
        self._seen.just_now = True
        try:
            yield
        finally:
            self._seen.just_now = False

    @contextmanager
    def writing(self, *, moving: bool = False) -> Iterator[Pen]:
        """Alone with the ledger. What is appended counts once this ends; an error appends nothing.

        A ledger that was moved elsewhere is closed to all but the one who is ``moving`` it.
        """
        with self._lock:
            if not self._book.count:  # a long history is read before the others are kept waiting
                with self.reading():
                    pass
            with self.store.transaction(write=True) as transaction:
                self._catch_up(transaction)
                if not moving:
                    self._book.require_here()
                pen = Pen(self._book, transaction, self.store.secret)
                yield pen
            # Only now is it durable. Should we be stopped here, the next pen reads the rows from the store.
            self._take(pen.added)
            self._answered = Head(self._book.count, self._book.head)

    def rows(self) -> list[Row]:
        with self.store.transaction(write=False) as transaction:
            return transaction.rows()

    def row(self, number: int) -> Row:
        with self.store.transaction(write=False) as transaction:
            found = transaction.rows(after=number - 1)
        if not found or found[0].number != number:
            raise altered(number, "is missing")
        return found[0]

    def _catch_up(self, transaction: Transaction) -> None:
        book = self._book
        rows = transaction.rows(after=max(book.count - 1, 0))
        if book.count:
            # The last row that we know must still be the one we know: a ledger put back to an older
            # state would hand out the same budget twice.
            if rows and rows[0].number == book.count and rows[0].hash == book.head:
                rows = rows[1:]
            else:
                rows = self._left_by_a_crash(transaction)
        self._take(rows)

    def _left_by_a_crash(self, transaction: Transaction) -> list[Row]:
        """All rows, to begin again with, if the store may lose some that were shown; else that is an error.

        Where rows are shown before they are on the disk, a crash takes back some that nobody was answered
        for. Those that a write of ours was answered for must be there.
        """
        known, early = self._answered, self.store.shows_early
        rows = transaction.rows() if early else []
        if not early or len(rows) < known.count or (known.count and rows[known.count - 1].hash != known.hash):
            number = known.count if early else self._book.count
            raise altered(number, "is gone or was changed while the ledger was in use")
        self._book = Book()
        return rows

    def _take(self, rows: list[Row]) -> None:
        try:
            for row in rows:
                self._book.take(row, self.store.secret)
        except BaseException:
            self._book = Book()  # half a row may have been counted: read again from the start
            raise


_chains: weakref.WeakSet[Chain] = weakref.WeakSet()


def _after_fork() -> None:
    for chain in list(_chains):
        chain.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
