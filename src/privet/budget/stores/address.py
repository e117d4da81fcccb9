"""Where a ledger is: the path of a file, or the address of a PostgreSQL database.

>>> is_database("postgresql://ledger.example/privet"), is_database("privet-ledger.db")
(True, False)
>>> shown("postgresql://ann:secret@ledger.example:5432/privet?password=x&sslmode=require")
'postgresql://ann@ledger.example:5432/privet?sslmode=require'
>>> shown("folder/privet-ledger.db")
'folder/privet-ledger.db'
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from privet.errors import ParameterError

__all__ = ["is_database", "require_place", "shown"]


def is_database(place: str | Path) -> bool:
    """Whether this is the address of a database, and not a path."""
    return isinstance(place, str) and place.startswith(("postgresql://", "postgres://"))


def require_place(place: str | Path) -> None:
    """Refuse the address of anything else: as a path it would be a file that nobody meant.

    >>> require_place("sqlite:///ledger.db")
    Traceback (most recent call last):
    ...
    privet.errors.ParameterError: No ledger can be kept at an address that begins with sqlite://.
      What to do: Name a file by its path, or a PostgreSQL database as postgresql://user@host/database.
    """
    kind, is_address, _ = str(place).partition("://")
    if isinstance(place, str) and is_address and not is_database(place):
        raise ParameterError(
            f"No ledger can be kept at an address that begins with {kind}://.",
            "Name a file by its path, or a PostgreSQL database as postgresql://user@host/database.",
        )


def shown(place: str | Path) -> str:
    """The place as people and files may see it: without a password, which libpq finds elsewhere."""
    if not is_database(place):
        return str(place)
    parts = urlsplit(str(place))
    who, at, host = parts.netloc.rpartition("@")
    kept = [setting for setting in parts.query.split("&") if "password" not in setting.lower()]
    netloc = f"{who.partition(':')[0]}{at}{host}"
    return urlunsplit(("postgresql", netloc, parts.path or "/", "&".join(kept), ""))
