"""Moving a ledger to another place, so that its budget is never in two.

The order makes it safe to be killed at any moment:

1. The old ledger gets an entry that closes it. From then on nobody spends from it, not even programs that
   have had it open for days: every writer reads the new entries first.
2. All rows are copied with the same key, and an entry that opens the new ledger follows: one transaction, all
   or nothing. The chain is the same: a head that was noted down before the move is in the history after it.
3. The copy is verified against the old head, and the old ledger notes that it is gone.

Killed after 1, nothing can be spent anywhere, and the same move finishes it; killed after 2, likewise. After
3 the old ledger can only be read.
"""

from __future__ import annotations

import secrets
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from privet.budget.book import Book
from privet.budget.history import Head, verify
from privet.budget.ledger import Ledger
from privet.budget.stores import open_store
from privet.budget.stores.address import is_database, shown
from privet.budget.stores.base import Row, Store, canonical
from privet.errors import LedgerError

__all__ = ["move_ledger"]


def move_ledger(source: str | Path, target: str | Path, analyst: str | None = None) -> Head:
    """Move all accounts and their history, close the old ledger, and return the head of the new one."""
    old = Ledger.open(source)
    old = old.as_analyst(analyst) if analyst else old
    label = _label(target)
    if label == _label(source):
        raise LedgerError("The ledger is there already.", "Name another place to move it to.")
    old.verify()
    with old._chain.reading() as book:
        _require_free(book, label)
        under_way = book.moved_to is not None
    secret = old._chain.store.secret
    store = open_store(target, create=True, secret=secret)
    with store.transaction(write=False) as transaction:
        taken = bool(transaction.rows()) and not under_way
    if taken or store.secret != secret:
        raise LedgerError(
            f"There is another ledger in {shown(target)} already.", "Move to a place without one."
        )
    move = _leave(old, label)
    rows = old._chain.rows()
    _arrive(store, rows, old.analyst, {"to": label, "move": move, "state": "arrived"})
    new = Ledger.open(target)
    new.verify(head=Head(rows[-1].number, rows[-1].hash))
    with old._chain.writing(moving=True) as pen:
        pen.append("moved", who=old.analyst, dataset="", body={"to": label, "move": move, "state": "gone"})
    return new.head()


def _require_free(book: Book, label: str) -> None:
    if book.gone or book.moved_to not in (None, label):
        where = "was moved" if book.gone else "is on its way"
        raise LedgerError(
            f"This ledger {where} to {book.moved_to}. A budget must not exist twice.",
            "Go on with the one there." if book.gone else "Finish that move first.",
        )


def _leave(old: Ledger, label: str) -> str:
    """Close the old ledger, or take up an interrupted move to the same place; returns the move's name."""
    with old._chain.writing(moving=True) as pen:
        _require_free(pen.book, label)
        if pen.book.moved_to == label:
            return pen.book.move
        move = secrets.token_hex(8)
        pen.append("moved", who=old.analyst, dataset="", body={"to": label, "move": move, "state": "leaving"})
    return move


def _arrive(store: Store, rows: list[Row], who: str, body: dict[str, str]) -> None:
    """Write all rows and the entry that opens the new ledger, unless they are there already."""
    with store.transaction(write=True) as transaction:
        there = transaction.rows()
        if there:
            if (
                there[: len(rows)] != rows
                or len(there) <= len(rows)
                or there[len(rows)].body != canonical(body)
            ):
                raise LedgerError("What is there is not a copy of this ledger.", "Move to an empty place.")
            return
        last = rows[-1]
        when = datetime.now(UTC).isoformat(timespec="minutes")
        opening = Row(last.number + 1, when, who, "", "moved", canonical(body))
        opening = replace(opening, hash=opening.seal(store.secret, last.hash))
        verify([*rows, opening], store.secret)
        for row in (*rows, opening):
            transaction.append(row)


def _label(place: str | Path) -> str:
    return shown(place) if is_database(place) else str(Path(place).absolute())
