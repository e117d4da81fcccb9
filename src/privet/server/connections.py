"""Tables of databases and of Spark: the operator says which, in a file; nobody else sees an address.

``connections.toml`` in the server's folder names each connection, its address with the password, and the
tables that may be opened through it:

    [clinic]
    address = "postgresql://reader:…@host/database"
    tables = ["public.people"]
    owners = ["ann"]    # left out: everybody who may register tables

    [cluster]
    address = "spark://host:7077"    # or spark://local: the cores of this machine
    tables = ["clinic.people"]

A dataset keeps the two names. The address is looked up when rows are read, so a changed password is changed
in one place, and no answer, log or database of the server holds it. Workers keep their network only if there
is such a file when they start.
"""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import Row

from privet.server.problems import Refusal
from privet.server.state import Server

__all__ = ["CONNECTED", "Connected", "address_of", "any_connections", "connections_for", "write_link"]

FILE = "connections.toml"
#: What a dataset's source is called whose rows are in a database.
CONNECTED = ".connected"


@dataclass(frozen=True)
class Connected:
    """A connection that the operator has set up."""

    name: str
    address: str = field(repr=False)
    tables: tuple[str, ...]
    owners: tuple[str, ...] | None = None


def _all(server: Server) -> dict[str, Connected]:
    place = server.settings.home / FILE
    if not place.exists():
        return {}
    try:
        found = tomllib.loads(place.read_text(encoding="utf-8"))
        return {name: _one(name, about) for name, about in found.items()}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, KeyError, TypeError, ValueError):
        raise Refusal(  # without a word of what is in it
            500,
            "The connections cannot be read",
            f"{FILE} of the server is not as it should be.",
            "Ask the operator.",
        ) from None


def _one(name: str, about: dict[str, Any]) -> Connected:
    address, tables, owners = about["address"], about["tables"], about.get("owners")
    if not address.startswith(("postgresql://", "postgres://", "spark://")) or "table=" in address:
        raise ValueError
    return Connected(name, address, tuple(map(str, tables)), None if owners is None else tuple(owners))


def any_connections(server: Server) -> bool:
    """Whether the operator has set up any: then who reads rows needs a network."""
    return (server.settings.home / FILE).exists()


def connections_for(server: Server, who: str) -> list[Connected]:
    """The connections that this owner may open tables of."""
    return [each for each in _all(server).values() if each.owners is None or who in each.owners]


def write_link(place: Path, connection: str, table: str) -> None:
    """Keep which table of which connection a dataset is."""
    place.write_text(json.dumps({"connection": connection, "table": table}), encoding="utf-8")


def address_of(server: Server, row: Row[Any]) -> Path:
    """Where the rows of a connected dataset are, as sources take it."""
    link = json.loads((server.folder(row.id) / f"rows{CONNECTED}").read_text(encoding="utf-8"))
    found = _all(server).get(link["connection"])
    if found is None or link["table"] not in found.tables:
        raise Refusal(
            409,
            "The connection is gone",
            "The operator has taken away the connection of this table.",
            "Ask them. What was released stays.",
        )
    joint = "&" if "?" in found.address else "?"
    return Path(f"{found.address}{joint}table={quote(link['table'], safe='')}")
