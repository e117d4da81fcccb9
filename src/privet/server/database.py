"""The database: SQLite, in one file together with the ledger, or PostgreSQL; read() and write() lead in."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DisconnectionError

from privet.server.settings import Settings

if TYPE_CHECKING:
    from privet.budget import Ledger

__all__ = ["FILE", "Database"]

FILE = "privet-server.db"
RESTED = 1.0  # seconds after which a connection to PostgreSQL is tried before it is used


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
            return self._postgres(10, 30)
        self.ledger  # noqa: B018  # the file is made as a ledger first
        engine = create_engine(f"sqlite:///{self.file}", isolation_level="AUTOCOMMIT", pool_size=10)
        event.listen(engine, "connect", _prepare)
        return engine

    def _postgres(self, pool_size: int, max_overflow: int, **options: Any) -> Engine:
        assert self.address is not None
        address = self.address.replace("postgresql://", "postgresql+psycopg://", 1)
        engine = create_engine(address, pool_size=pool_size, max_overflow=max_overflow, **options)
        event.listen(engine, "checkout", _require_alive)
        event.listen(engine, "checkin", _used)
        return engine

    @cached_property
    def _jotting(self) -> Engine:
        """A few connections of their own, whose commits do not wait for the disk."""
        engine = self._postgres(2, 6, isolation_level="AUTOCOMMIT")
        event.listen(engine, "connect", _hurry)
        return engine

    @cached_property
    def _reading(self) -> Engine:
        """The same connections, where every statement stands by itself: no begin, no commit, no waiting."""
        return self.engine.execution_options(isolation_level="AUTOCOMMIT")

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
        with self._reading.connect() as connection:
            yield connection

    @contextmanager
    def jot(self) -> Iterator[Connection]:
        """For one statement that writes what need not outlast a power cut in the next second.

        It stands by itself, and nobody waits for the disk.
        """
        if self.sqlite:
            with self.write() as connection:
                yield connection
            return
        with self._jotting.connect() as connection:
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
                driver: Any = connection.connection.dbapi_connection
                if driver.in_transaction:  # on a full disk, SQLite has taken it back already
                    connection.exec_driver_sql("ROLLBACK")
                raise
            connection.exec_driver_sql("COMMIT")

    def close(self) -> None:
        self.engine.dispose()
        if "_jotting" in vars(self):
            self._jotting.dispose()


def _prepare(connection: Any, record: Any) -> None:
    for line in (
        "PRAGMA journal_mode = WAL",
        "PRAGMA synchronous = FULL",
        "PRAGMA busy_timeout = 30000",
        "PRAGMA foreign_keys = ON",
    ):
        connection.execute(line)


def _hurry(connection: Any, record: Any) -> None:
    connection.execute("SET synchronous_commit = off")
    connection.commit()


def _used(connection: Any, record: Any) -> None:
    record.info["used"] = time.monotonic()


def _require_alive(connection: Any, record: Any, proxy: Any) -> None:
    """A connection that has rested may have died since, with a database that was restarted: try it first."""
    if time.monotonic() - record.info.get("used", 0.0) > RESTED:
        try:
            connection.execute("SELECT 1")
            connection.rollback()
        except Exception:
            raise DisconnectionError from None
