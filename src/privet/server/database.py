"""The database: SQLite, in one file together with the ledger, or PostgreSQL; read() and write() lead in."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Engine, create_engine, event

from privet.server.settings import Settings

if TYPE_CHECKING:
    from privet.budget import Ledger

__all__ = ["FILE", "Database"]

FILE = "privet-server.db"


class Database:
    """Where everything but rows is kept.

    The ledger lives in the same database: one transaction pays for a run and says that it is paid for.
    """

    def __init__(self, settings: Settings) -> None:
        self.home = settings.home
        self.address = settings.database
        self.sqlite = settings.database is None

    @cached_property
    def ledger(self) -> Ledger:
        from privet.service.accounts import open_ledger

        return open_ledger(self.address or self.file, create=True)

    @property
    def on_this_machine(self) -> bool:
        """Whether it is reached without a network: a file, or a socket that is one."""
        if self.address is None:
            return True
        from psycopg.conninfo import conninfo_to_dict

        found = conninfo_to_dict(self.address)
        number = found.get("hostaddr") or os.environ.get("PGHOSTADDR")
        hosts = str(found.get("host") or os.environ.get("PGHOST") or "/").split(",")
        return not number and all(host.startswith(("/", "@")) for host in hosts)

    @property
    def file(self) -> Path:
        return self.home / FILE

    @cached_property
    def engine(self) -> Engine:
        if not self.sqlite:
            assert self.address is not None
            address = self.address.replace("postgresql://", "postgresql+psycopg://", 1)
            return create_engine(address, pool_size=10, max_overflow=30, pool_pre_ping=True)
        self.ledger  # noqa: B018  # the file is made as a ledger first
        engine = create_engine(f"sqlite:///{self.file}", isolation_level="AUTOCOMMIT", pool_size=10)
        event.listen(engine, "connect", _prepare)
        return engine

    def prepare(self) -> None:
        """Make the tables, or bring them up to date."""
        from alembic import command
        from alembic.config import Config

        self.ledger  # noqa: B018
        config = Config()
        config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
        with self.engine.connect() as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, "head")

    @contextmanager
    def read(self) -> Iterator[Connection]:
        with self.engine.connect() as connection:
            if self.sqlite:
                yield connection
            else:
                with connection.begin():
                    yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction that writes: alone on SQLite, with row locks on PostgreSQL; all or nothing."""
        with self.engine.connect() as connection:
            if not self.sqlite:
                with connection.begin():
                    yield connection
                return
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                connection.exec_driver_sql("ROLLBACK")
                raise
            connection.exec_driver_sql("COMMIT")

    def close(self) -> None:
        self.engine.dispose()


def _prepare(connection: Any, record: Any) -> None:
    for line in (
        "PRAGMA journal_mode = WAL",
        "PRAGMA synchronous = FULL",
        "PRAGMA busy_timeout = 30000",
        "PRAGMA foreign_keys = ON",
    ):
        connection.execute(line)
