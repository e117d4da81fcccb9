"""The contract of a store: rows in order, read and appended within one transaction."""

from __future__ import annotations

import hashlib
import json
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

__all__ = ["Row", "Store", "Transaction", "canonical"]


def canonical(value: Any) -> str:
    """The one way a value is written as JSON, so that its hash is always the same."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


@dataclass(frozen=True)
class Row:
    """One line of history. ``body`` is canonical JSON; ``hash`` seals the row and all rows before it."""

    number: int
    when: str
    who: str
    dataset: str
    kind: str
    body: str
    hash: str = ""

    def seal(self, secret: bytes, previous: str) -> str:
        """The hash that this row must have after a row with the hash ``previous``."""
        text = canonical([previous, self.number, self.when, self.who, self.dataset, self.kind, self.body])
        return hashlib.blake2b(text.encode(), key=secret, digest_size=32).hexdigest()


class Transaction(Protocol):
    """A view of the rows that nobody else can change until it ends."""

    @property
    def connection(self) -> Any:
        """The connection to the database, for what is written in the same step; None if there is none."""

    def rows(self, after: int = 0) -> list[Row]:
        """The rows with a number above ``after``, in order."""

    def append(self, row: Row) -> None:
        """Add a row; it counts once the transaction has ended without an error."""


class Store(Protocol):
    """Where rows live. ``address`` says how another process finds it; ``None`` if it cannot."""

    @property
    def address(self) -> str | None: ...

    @property
    def secret(self) -> bytes:
        """The ledger's own random key."""

    @property
    def shows_early(self) -> bool:
        """Whether others may see rows before they are on the disk, which a crash can take back."""

    def transaction(self, *, write: bool) -> AbstractContextManager[Transaction]:
        """Alone with the rows; leaving it normally makes the appended rows durable, all or none."""
