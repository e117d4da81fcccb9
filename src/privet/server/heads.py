"""The ledger's head as it may be shown: it must not tell when a run has really ended."""

from __future__ import annotations

from privet.budget import Head
from privet.server.state import Server
from privet.server.store import runs

__all__ = ["public_head"]


def public_head(server: Server) -> Head:
    """The latest head; while runs go on, the one at which the first of them was paid for.

    The ledger grows by an entry when a run really ends, which is before the public grid says so, and whoever
    watches the head would read off how long it took. When a run was paid for is public. The ledger is read
    first: a run that ends in between has been shown to end.
    """
    latest = server.database.ledger.head()
    with server.database.read() as connection:
        paid = [number for number in runs.unended(connection) if number < latest.count]
    return server.database.ledger.head(min(paid)) if paid else latest
