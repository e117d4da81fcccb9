"""What an operator can set. Everything has a default that is safe on one machine."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from privet.errors import ParameterError

__all__ = ["LOOPBACK", "WORKBENCH", "Limits", "OpenId", "Settings", "database_address"]

#: The account of whoever opens the workbench on this machine.
WORKBENCH = "you"
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True)
class Limits:
    """How much one request may bring, and how often."""

    body_bytes: int = 1_000_000
    upload_bytes: int = 2_000_000_000
    #: What a party says in a study of several: rows that are sealed for a coordinator are large.
    submission_bytes: int = 100_000_000
    #: What an upload may come to once it is unpacked.
    unpacked_bytes: int = 20_000_000_000
    logins_per_minute: int = 10
    plans_per_minute: int = 240
    session_hours: float = 12.0
    #: Runs of one person that wait at the same time.
    waiting_runs: int = 50
    #: Runs that one person follows at the same time, in one process.
    followed_runs: int = 100


@dataclass(frozen=True)
class OpenId:
    """Where people sign in instead of here. ``public`` is this server's own address, as browsers see it."""

    issuer: str
    client: str
    secret: str = field(repr=False)
    public: str = "http://127.0.0.1:8440"
    name: str = "your organisation"

    def back(self, prefix: str) -> str:
        """Where the provider sends people back to: configured, never taken from a request."""
        return f"{self.public.rstrip('/')}{prefix}/oidc/callback"


@dataclass(frozen=True)
class Settings:
    """One server. ``home`` is a folder of its own: stored tables and, by default, the database.

    ``database`` is the address of a PostgreSQL database; None for an SQLite file in ``home``. ``hosts`` are
    the names by which browsers may reach it: any other is refused, also on this machine, since a foreign
    page can point a name of its own at it. ``grid_seconds`` is the public grid on which runs end.
    """

    home: Path
    database: str | None = None
    mode: Literal["server", "workbench"] = "server"
    hosts: tuple[str, ...] = LOOPBACK
    secure_cookie: bool = False
    grid_seconds: float = 2.0
    workers: int = 1
    limits: Limits = field(default_factory=Limits)
    openid: OpenId | None = None
    #: The one-time key of ``privet workbench``.
    key: str | None = field(default=None, repr=False)


def database_address(given: str | None) -> str | None:
    """The address of PostgreSQL: as given, or in the environment; None for SQLite."""
    found = given or os.environ.get("PRIVET_DATABASE") or None
    if found is not None and not found.startswith("postgresql://"):
        raise ParameterError("The database must be PostgreSQL.", "Give an address  postgresql://…")
    return found
