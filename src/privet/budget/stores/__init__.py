"""Where a ledger's rows are kept: in memory, a file, or a database. Rows are appended, never changed."""

from __future__ import annotations

from pathlib import Path

from privet.budget.stores.address import is_database, require_place
from privet.budget.stores.base import Store
from privet.budget.stores.sqlite import SqliteStore

__all__ = ["open_store"]


def open_store(place: str | Path, *, create: bool = False, secret: bytes | None = None) -> Store:
    """The store in a file, or at the address of a database. ``secret``: the key of a new one, if a copy."""
    require_place(place)
    if is_database(place):
        from privet.budget.stores.postgres import PostgresStore

        return PostgresStore(str(place), create=create, secret=secret)
    return SqliteStore(place, create=create, secret=secret)
