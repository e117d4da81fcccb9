"""The ledger's history for readers: entries, and the head that an owner notes down elsewhere."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from privet.budget.amounts import Amount, Pure, amount_from_dict
from privet.budget.book import Book, altered
from privet.budget.cost import Cost, cost_of
from privet.budget.events import Event, event_from_dict
from privet.budget.stores.base import Row
from privet.errors import LedgerError

__all__ = ["Entry", "Head", "entries", "verify"]


@dataclass(frozen=True)
class Entry:
    """Who did what, when, and what it cost. A commit is shown with its reservation, as its state.

    ``amount`` is what is spent: what was given back is taken off. ``kind`` is account (opened), limit (set),
    name (given to a table), schema (registered), word (of the owner), moved (the whole ledger) or reserve
    (spent). Times are to the minute, and a commit has none: when a search ended would hint at the secret
    number of its trials.
    """

    number: int
    when: str
    who: str
    dataset: str
    kind: str
    what: str
    hash: str
    amount: Amount | None = None
    event: Event | None = None
    state: Literal["reserved", "committed"] | None = None
    guarantee: dict[str, Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        plain = ("number", "when", "who", "dataset", "kind", "what", "hash")
        return {name: getattr(self, name) for name in plain} | {
            "amount": self.amount.to_dict() if self.amount else None,
            "event": self.event.to_dict() if self.event else None,
            "state": self.state,
            "guarantee": self.guarantee,
        }


@dataclass(frozen=True)
class Head:
    """The latest entry and its hash. Noted elsewhere, it later proves that nothing before it was changed.

    >>> Head.parse("3:ab12") == Head(3, "ab12")
    True
    """

    count: int
    hash: str

    def __str__(self) -> str:
        return f"{self.count}:{self.hash}"

    @classmethod
    def parse(cls, text: str) -> Head:
        count, _, seal = text.strip().partition(":")
        if not count.isdecimal():
            raise LedgerError("This is not the head of a ledger.", "It looks like  12:3f9a…")
        return cls(int(count), seal)


def entries(rows: Iterable[Row], dataset: str | None = None) -> list[Entry]:
    """The rows as entries, commits folded into their reservations; the steps of streams are not shown."""
    rows = list(rows)
    bodies = (json.loads(row.body) for row in rows if row.kind == "commit")
    commits = {body["reservation"]: body for body in bodies}
    shown = (row for row in rows if row.kind not in ("commit", "stream") and dataset in (None, row.dataset))
    return [_entry(row, json.loads(row.body), commits.get(row.number)) for row in shown]


def _entry(row: Row, body: dict[str, Any], commit: dict[str, Any] | None) -> Entry:
    line = (row.number, row.when, row.who, row.dataset, row.kind)
    match row.kind:
        case "account":
            limit = amount_from_dict(body["limit"])
            return Entry(*line, f"opened with a limit of {limit}", row.hash, limit)
        case "limit":
            limit = amount_from_dict(body["limit"])
            whose = f" of '{body['analyst']}'" if body["analyst"] else ""
            return Entry(*line, f"limit{whose} set to {limit}", row.hash, limit)
        case "schema":
            return Entry(*line, f"version {body['version']} of the schema was registered", row.hash)
        case "word":
            return Entry(*line, body["word"], row.hash)
        case "moved":
            words = {
                "leaving": "on its way to",
                "arrived": "arrived in",
                "gone": "moved, and closed here: now in",
            }
            return Entry(*line, f"{words[body['state']]} {body['to']}", row.hash)
        case "name":
            return Entry(*line, "a table was given this name", row.hash)
    amount = amount_from_dict(body["amount"]) if body["amount"] else None
    if commit and "returned" in commit and isinstance(amount, Pure):
        amount = Pure(amount.epsilon - Fraction(commit["returned"]))
    return Entry(
        *line,
        body["what"],
        row.hash,
        amount,
        event_from_dict(body["event"]),
        "committed" if commit else "reserved",
        commit["guarantee"] if commit else body["guarantee"],
    )


def verify(rows: Iterable[Row], secret: bytes, head: Head | None = None) -> None:
    """Raise an error that names the first entry that was changed, removed or moved."""
    book = Book()
    noted = head is None or head == Head(0, "")
    for row in rows:
        book.take(row, secret)
        if row.kind == "reserve":
            body = json.loads(row.body)
            if Cost.from_dict(body["cost"]) != cost_of(event_from_dict(body["event"])):
                raise altered(row.number, "costs something else than its event")
        if head is not None and row.number == head.count:
            if row.hash != head.hash:
                raise altered(row.number, "is not the one that was noted down")
            noted = True
    if head is not None and not noted:
        raise altered(book.count + 1, "is missing")
