"""A store in one SQLite file, shared by processes on one machine.

Durability: every write is one ``BEGIN IMMEDIATE`` transaction with a rollback journal and
``synchronous = EXTRA``, so a row that was acknowledged survives a killed process and a power cut, and a
write that failed half-way is undone by whoever opens the file next. A connection lives for one
transaction only: nothing is carried over a fork or between threads.

The file holds the ledger's secret and is made readable by its owner alone.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import astuple
from pathlib import Path
from urllib.parse import quote

from privet.budget.stores.base import Row
from privet.errors import LedgerError

__all__ = ["SqliteStore"]

APPLICATION = 0x50525654  # "PRVT" in the file's header: this SQLite file is a Privet ledger
FORMAT = 1
PATIENCE = 30.0  # seconds to wait for other writers

_TABLES = (
    "CREATE TABLE secret (value BLOB NOT NULL)",
    "CREATE TABLE history (number INTEGER PRIMARY KEY, moment TEXT NOT NULL, who TEXT NOT NULL, "
    "dataset TEXT NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL, hash TEXT NOT NULL)",
    # Against accidents; against intent there is the hash chain.
    "CREATE TRIGGER no_update BEFORE UPDATE ON history BEGIN SELECT RAISE(ABORT, 'append only'); END",
    "CREATE TRIGGER no_delete BEFORE DELETE ON history BEGIN SELECT RAISE(ABORT, 'append only'); END",
)


class SqliteStore:
    """Rows in the file at ``path``."""

    shows_early = False

    def __init__(
        self,
        path: str | Path,
        *,
        create: bool = False,
        secret: bytes | None = None,
        patience: float = PATIENCE,
    ) -> None:
        self.path = Path(path).absolute()
        self._patience = patience
        if create:
            self._create(secret or secrets.token_bytes(32))
        elif not self.path.exists():
            raise LedgerError(
                f"There is no ledger {self.path.name}.",
                'Check the path, or make one (in Python:  Ledger.open("ledger.db", create=True)).',
                "open-account",
            )
        with self._connection() as connection:
            self.secret = self._checked_secret(connection)

    @property
    def address(self) -> str:
        return str(self.path)

    @contextmanager
    def transaction(self, *, write: bool) -> Iterator[_SqliteTransaction]:
        with self._connection() as connection:
            connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")
            try:
                yield _SqliteTransaction(connection)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        try:
            # mode=rw: a file deleted under our feet is an error, not a new empty ledger.
            with closing(
                sqlite3.connect(
                    f"file:{quote(str(self.path))}?mode=rw",
                    uri=True,
                    timeout=self._patience,
                    isolation_level=None,
                )
            ) as connection:
                connection.execute("PRAGMA synchronous = EXTRA")
                yield connection
        except sqlite3.Error as error:
            raise self._explained(error) from error

    def _create(self, secret: bytes) -> None:
        try:
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
        except OSError as error:
            raise LedgerError(
                f"The ledger {self.path.name} cannot be made: {error.strerror}.",
                "Check the folder and its permissions.",
            ) from None
        with self._connection() as connection:
            connection.execute("BEGIN IMMEDIATE")
            # An empty file may also be what a killed creation left behind.
            if not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                for statement in _TABLES:
                    connection.execute(statement)
                connection.execute("INSERT INTO secret VALUES (?)", (secret,))
                connection.execute(f"PRAGMA application_id = {APPLICATION}")
                connection.execute(f"PRAGMA user_version = {FORMAT}")
            connection.execute("COMMIT")

    def _checked_secret(self, connection: sqlite3.Connection) -> bytes:
        if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
            raise LedgerError(f"{self.path.name} is not a Privet ledger.", "Check the path.")
        if connection.execute("PRAGMA user_version").fetchone()[0] != FORMAT:
            raise LedgerError(f"The ledger {self.path.name} is in a newer format.", "Update Privet.")
        return bytes(connection.execute("SELECT value FROM secret").fetchone()[0])

    def _explained(self, error: sqlite3.Error) -> LedgerError:
        name = self.path.name
        code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
        match code:
            case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
                return LedgerError(
                    f"The ledger {name} was busy for {self._patience:g} seconds. Nothing was written.",
                    "Another program is holding it: wait for it to end, then try again.",
                )
            case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM | sqlite3.SQLITE_AUTH:
                return LedgerError(
                    f"The ledger {name} cannot be written to. Nothing was written.",
                    "Check the permissions of the file and of its folder.",
                )
            case sqlite3.SQLITE_CANTOPEN:
                return LedgerError(
                    f"The ledger {name} cannot be opened.", "Check that it is there and readable."
                )
            case sqlite3.SQLITE_FULL | sqlite3.SQLITE_IOERR:
                return LedgerError(
                    f"The ledger {name} could not be written: the disk is full or failing. Earlier entries "
                    "are safe, and this one was not made.",
                    "Free some space, then try again.",
                )
            case sqlite3.SQLITE_NOTADB:
                return LedgerError(f"{name} is not a Privet ledger.", "Check the path.")
            case sqlite3.SQLITE_CORRUPT:
                return LedgerError(
                    f"The ledger {name} is damaged.",
                    "Restore it from a backup, then verify it.",
                    "restore-ledger",
                )
        return LedgerError(f"The ledger {name} failed: {error}.", "Verify it.", "verify-ledger")


class _SqliteTransaction:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    def rows(self, after: int = 0) -> list[Row]:
        found = self.connection.execute(
            "SELECT number, moment, who, dataset, kind, body, hash FROM history "
            "WHERE number > ? ORDER BY number",
            (after,),
        )
        return [Row(*row) for row in found]

    def append(self, row: Row) -> None:
        self.connection.execute("INSERT INTO history VALUES (?, ?, ?, ?, ?, ?, ?)", astuple(row))
