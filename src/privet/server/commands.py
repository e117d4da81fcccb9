"""``privet serve`` and ``privet workbench``, as use cases: the command line presents them like any other."""

from __future__ import annotations

import os
import secrets
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from annotated_types import Ge, Le

from privet.errors import MissingExtra, ParameterError
from privet.parameters import Alias, File
from privet.service.case import Result, UseCase
from privet.service.session import Session

__all__ = ["Serve", "Workbench"]

Port = Annotated[int, Ge(0), Le(65_535), "The port; 0 takes any that is free."]


@dataclass(frozen=True, kw_only=True)
class Serve(UseCase):
    """Serve the REST API and the workbench's pages to many people, with one ledger that cannot be overspent.

    Without further settings: this machine only, one process, everything in one folder. There is no account at
    first; the first owner is made with ``init``, and is shown a password once.
    """

    home: Annotated[Path, File("out"), "The server's own folder: stored tables and its database."] = Path(
        "privet-server"
    )
    host: Annotated[str, "The address to listen at."] = "127.0.0.1"
    port: Port = 8440
    database: Annotated[
        str | None, "A PostgreSQL address, as postgresql://…; None for $PRIVET_DATABASE, or SQLite."
    ] = None
    names: Annotated[
        tuple[str, ...], Alias("name"), "A host name by which browsers reach the server; others are refused."
    ] = ()
    tls: Annotated[bool, "It stands behind a proxy that speaks TLS: cookies travel encrypted only."] = False
    web: Annotated[int, Ge(0), Le(64), "How many web processes; more than 1 needs PostgreSQL."] = 1
    runs: Annotated[int, Ge(0), Le(64), "How many runs at the same time."] = 1
    grid: Annotated[float, Ge(0), Le(3600), "Runs end at multiples of this many seconds."] = 2.0
    metrics: Annotated[int | None, Ge(0), Le(65_535), "A port for Prometheus; None for none."] = None
    init: Annotated[str | None, "Make the first owner, print their password, and exit."] = None
    operator: Annotated[str | None, "Make an operator, print their password, and exit."] = None

    def run(self, session: Session) -> Result:
        _require_parts()
        from privet.server.serving import serve

        settings = self._settings()
        if self.init is not None or self.operator is not None:
            return self._made(settings)
        serve(settings, self.host, self.port, session.note, web=self.web, metrics=self.metrics)
        return Said("The server has stopped.")

    def _settings(self) -> Any:
        from privet.server.settings import LOOPBACK, Settings, database_address

        database = database_address(self.database)
        if self.web > 1 and database is None:
            raise ParameterError("Several web processes need PostgreSQL.", "Give a database, or one process.")
        return Settings(
            self.home.absolute(),
            database=database,
            hosts=(*LOOPBACK, *self.names),
            secure_cookie=self.tls,
            grid_seconds=self.grid,
            workers=self.runs,
            openid=_openid(),
        )

    def _made(self, settings: Any) -> Result:
        from privet.server.serving import first_owner, new_operator

        lines = []
        if self.init is not None:
            lines.append(f"Owner '{self.init}' was made. Password: {first_owner(settings, self.init)}")
        if self.operator is not None:
            lines.append(
                f"Operator '{self.operator}' was made. Password: {new_operator(settings, self.operator)}"
            )
        return Said("\n".join([*lines, "It is shown once: keep it."]))


@dataclass(frozen=True, kw_only=True)
class Workbench(UseCase):
    """Open the workbench in a browser, on this machine and for you alone.

    It keeps its projects in a private folder. The address holds a key that works once.
    """

    home: Annotated[Path | None, File("out"), "Its folder; None for a private one of yours."] = None
    port: Port = 0
    browser: Annotated[bool, "Open the browser; otherwise the address is only printed."] = True
    forget: Annotated[bool, "Keep nothing: the folder is removed at the end."] = False

    def run(self, session: Session) -> Result:
        _require_parts()
        from privet.server.serving import workbench

        if self.forget:
            with tempfile.TemporaryDirectory(prefix="privet-workbench-") as folder:
                workbench(Path(folder), self.port, session.note, browser=self.browser, key=_key())
        else:
            workbench(self.home or _own_folder(), self.port, session.note, browser=self.browser, key=_key())
        return Said("The workbench is closed.")


def _openid() -> Any:
    """The OpenID provider in the environment: its secret belongs on no command line."""
    from privet.server.settings import OpenId

    found = {name: os.environ.get(f"PRIVET_OIDC_{name.upper()}") for name in ("issuer", "client", "secret")}
    if not any(found.values()):
        return None
    if missing := [name for name, value in found.items() if not value]:
        raise ParameterError(f"PRIVET_OIDC_{missing[0].upper()} is not set.", "Set all three, or none.")
    more = {name: os.environ.get(f"PRIVET_OIDC_{name.upper()}") for name in ("public", "name")}
    return OpenId(**{name: value for name, value in (found | more).items() if value})


def _key() -> str:
    return secrets.token_urlsafe(24)


def _own_folder() -> Path:
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "privet" / "workbench"


def _require_parts() -> None:
    try:
        import alembic  # noqa: F401
        import fastapi  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise MissingExtra.of("server", "A server") from None


@dataclass(frozen=True)
class Said(Result):
    """A sentence."""

    sentence: str
    kind: Literal["said"] = "said"

    def to_dict(self) -> dict[str, Any]:
        return {"said": self.sentence}

    def text(self) -> str:
        return self.sentence
