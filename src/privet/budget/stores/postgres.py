"""A store in a PostgreSQL database, shared by processes on many machines.

**One writer at a time.** A writing transaction first locks the one row of ``secret`` (``FOR UPDATE``) and
only then reads, so it sees every row that was committed before it. The row's number is a primary key: were
the lock ever lost, the second of two writers would fail, not overspend. Serializable isolation would give
the same by retrying, at a fifth of the speed.

**Durability.** No writer is answered before its rows are on the disk, whatever the server's or the user's
default of ``synchronous_commit``. But nobody waits for the disk with the lock held: the rows are committed
without waiting (others see them at once), and a second, empty transaction in the same round trip waits. The
log is written in order, so when the second is on the disk, so is the first; and as many writers as wait at
that moment share one write. After a crash in between, the rows are there or not, nobody has been answered,
and everything later that built on them is gone with them; who has seen them begins again with what is left
(``budget.chain``). A server with ``fsync`` off is refused, as is a standby, on every transaction and not only
the first. What no client can see is a failover to a copy that
lagged behind: that restores spent budget. Use synchronous replication, or compare a head that was noted
elsewhere.

**A connection that breaks** is never used again. If it breaks before COMMIT, nothing was written. If it
breaks during COMMIT, the store asks again on a new connection, *after taking the lock*: then the old
transaction has ended, and its rows, known by a random token, are there or will never be. Only if the server
stays away is the answer "not known", and then a ``commit`` of the ledger may simply be repeated: it is
idempotent.

**A writer that stops** with the lock held (a suspended process) loses it after ``IDLE`` seconds, and with
it everything that it had not committed.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import astuple
from typing import TYPE_CHECKING, Any

from privet.budget.stores.address import shown
from privet.budget.stores.base import Row
from privet.budget.stores.postgres_tables import migrate, version_of
from privet.errors import LedgerError, MissingExtra

if TYPE_CHECKING:
    from psycopg import Connection

__all__ = ["PostgresStore"]

PATIENCE = 30.0  # seconds to wait for other writers, and for a server that restarts during COMMIT
IDLE = 10.0  # seconds after which a writer that does nothing loses the lock
MOST_IDLE = 4  # connections kept for the next transaction

# One round trip: the lock, what must be true of the server, and the settings of this transaction. A pooler
# may give every transaction another session, so nothing is left to the session.
_BEGIN = """
BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
SET LOCAL lock_timeout = {wait};
SET LOCAL idle_in_transaction_session_timeout = {idle};
SELECT current_setting('fsync'), pg_is_in_recovery(), set_config('synchronous_commit', 'off', true)
FROM privet_ledger.secret FOR UPDATE
"""

# The second transaction of one round trip: a message in the log that nobody reads, and the wait for it.
_ON_DISK = """
BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
SELECT set_config('synchronous_commit', CASE current_setting('synchronous_commit')
                  WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, true),
       pg_logical_emit_message(true, 'privet', '');
COMMIT
"""


class PostgresStore:
    """Rows in the database at an address such as ``postgresql://user@host/database``."""

    shows_early = True

    def __init__(
        self, address: str, *, create: bool = False, secret: bytes | None = None, patience: float = PATIENCE
    ) -> None:
        try:
            import psycopg
        except ImportError:
            raise MissingExtra.of("postgres", "A ledger in PostgreSQL") from None
        self._psycopg = psycopg
        self.address = address
        self.name = shown(address)
        self._patience = patience
        self._idle: list[Connection[Any]] = []
        self._process = os.getpid()
        self.secret = self._prepare(create, secret)

    @contextmanager
    def transaction(self, *, write: bool) -> Iterator[_PostgresTransaction]:
        connection = self._begun(write)
        transaction = _PostgresTransaction(connection)
        try:
            yield transaction
        except BaseException as error:
            self._abandon(connection)
            if isinstance(error, self._psycopg.Error):
                raise self._explained(error) from error
            raise
        try:
            connection.execute(f"COMMIT; {_ON_DISK}" if write else "COMMIT")
        except self._psycopg.Error as error:
            connection.close()
            if not transaction.numbers:
                raise self._explained(error) from error
            self._settle(transaction, error)
        except BaseException:  # interrupted while it waited: what became of it is for the next reader to see
            connection.close()
            raise
        else:
            self._keep(connection)

    # Connections

    def _connect(self) -> Connection[Any]:
        try:
            return self._psycopg.connect(
                self.address, autocommit=True, connect_timeout=10, application_name="privet"
            )
        except self._psycopg.Error as error:
            raise self._explained(error) from error

    def _begun(self, write: bool) -> Connection[Any]:
        """A connection within a transaction. A kept one may have died since: then, once, a new one."""
        if os.getpid() != self._process:  # a fork: the parent's connections are not ours to use or to close
            self._idle, self._process = [], os.getpid()
        with suppress(IndexError):
            connection = self._idle.pop()
            try:
                return self._begin(connection, write)
            except self._psycopg.OperationalError as error:
                if isinstance(error, self._psycopg.errors.LockNotAvailable):
                    raise self._explained(error) from error
        try:
            return self._begin(self._connect(), write)
        except self._psycopg.Error as error:
            raise self._explained(error) from error

    def _begin(self, connection: Connection[Any], write: bool) -> Connection[Any]:
        """Begin a transaction on this connection, or close it and raise."""
        try:
            if not write:
                connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
                return connection
            wait, idle = round(1000 * self._patience), round(1000 * IDLE)
            cursor = connection.execute(_BEGIN.format(wait=wait, idle=idle))
            while cursor.nextset():
                pass
            found = cursor.fetchone()
            if found is None:
                raise LedgerError(f"The ledger in {self.name} has lost its key.", "Restore a backup.")
            self._require_safe(fsync=found[0], standby=found[1])
        except BaseException:
            connection.close()
            raise
        return connection

    def _require_safe(self, *, fsync: str, standby: bool) -> None:
        if standby:
            raise self._standby()
        if fsync != "on":
            raise LedgerError(
                f"The server at {self.name} runs with fsync = off: a power cut would bring budget back.",
                "Set  fsync = on  in postgresql.conf.",
            )

    def _standby(self) -> LedgerError:
        return LedgerError(
            f"The server at {self.name} is a standby, a copy that cannot be written to. Nothing was written.",
            "Use the address of the primary server.",
        )

    def _keep(self, connection: Connection[Any]) -> None:
        if len(self._idle) < MOST_IDLE:
            self._idle.append(connection)
        else:
            connection.close()

    def _abandon(self, connection: Connection[Any]) -> None:
        try:
            connection.execute("ROLLBACK")
        except BaseException:
            connection.close()
        else:
            self._keep(connection)

    # What became of a COMMIT whose answer was lost

    def _settle(self, transaction: _PostgresTransaction, error: Exception) -> None:
        """Return if the rows were written after all; raise if not, or if nobody can say."""
        self._idle.clear()
        end = time.monotonic() + self._patience
        while True:
            try:
                written = self._written(transaction)
                break
            except (self._psycopg.Error, LedgerError):
                if time.monotonic() > end:
                    raise LedgerError(
                        f"The connection to {self.name} broke while an entry was being written, and whether "
                        "it was written is not known. If it was a reservation, nothing was measured.",
                        "Repeat a commit once the server is back: that is safe. The history shows the rest.",
                    ) from error
                time.sleep(0.1)
        if not written:
            raise self._explained(error) from error

    def _written(self, transaction: _PostgresTransaction) -> bool:
        connection = self._begin(self._connect(), write=True)  # with the lock, the old transaction has ended
        try:
            connection.execute(f"COMMIT; {_ON_DISK}")  # what is seen below is on the disk, too
            found = connection.execute(
                "SELECT count(*) FROM privet_ledger.history WHERE number = ANY(%s) AND token = %s",
                (transaction.numbers, transaction.token),
            ).fetchone()
            return found is not None and found[0] == len(transaction.numbers)
        finally:
            connection.close()

    # Opening, and what errors mean

    def _prepare(self, create: bool, secret: bytes | None) -> bytes:
        connection = self._connect()
        try:
            found = connection.execute("SELECT current_setting('fsync'), pg_is_in_recovery()").fetchone()
            assert found is not None
            self._require_safe(fsync=found[0], standby=found[1])
            with connection.transaction():
                migrate(connection, create=create, secret=secret)
            if version_of(connection) is None:
                raise LedgerError(
                    f"There is no ledger in {self.name}.",
                    "Check the address, or make one (in Python:  Ledger.open(ADDRESS, create=True)).",
                    "open-account",
                )
            kept = connection.execute("SELECT value FROM privet_ledger.secret").fetchone()
            if kept is None:
                raise LedgerError(f"The ledger in {self.name} has lost its key.", "Restore a backup.")
        except BaseException as error:
            connection.close()
            if isinstance(error, self._psycopg.Error):
                raise self._explained(error) from error
            raise
        self._keep(connection)
        return bytes(kept[0])

    def _explained(self, error: Exception) -> LedgerError:
        errors = self._psycopg.errors
        match error:
            case errors.LockNotAvailable():
                return LedgerError(
                    f"The ledger in {self.name} was busy for {self._patience:g} seconds. "
                    "Nothing was written.",
                    "Another program is holding it: wait for it to end, then try again.",
                )
            case errors.FeatureNotSupported() | errors.ReadOnlySqlTransaction():
                return self._standby()
            case errors.InsufficientPrivilege():
                return LedgerError(
                    f"The ledger in {self.name} cannot be used by this user. Nothing was written.",
                    "Its owner grants rights on the schema privet_ledger.",
                )
            case errors.DiskFull() | errors.IoError():
                return LedgerError(
                    f"The ledger in {self.name} could not be written: the disk is full or failing. Earlier "
                    "entries are safe, and this one was not made.",
                    "Free some space, then try again.",
                )
            case errors.UniqueViolation():
                return LedgerError(
                    f"The ledger in {self.name} was written to without its lock. Nothing was written now.",
                    "Find out who writes to it, and verify it.",
                    "verify-ledger",
                )
            case self._psycopg.OperationalError() | self._psycopg.InterfaceError():
                return LedgerError(
                    f"The server at {self.name} cannot be reached, or ended the connection. "
                    "Nothing was written.",
                    "Check the address and the password (PGPASSWORD or a .pgpass file), then try again.",
                )
        return LedgerError(f"The ledger in {self.name} failed ({type(error).__name__}).", "Verify it.")


class _PostgresTransaction:
    def __init__(self, connection: Connection[Any]) -> None:
        self.connection = connection
        self.token = secrets.token_hex(16)
        self.numbers: list[int] = []

    def rows(self, after: int = 0) -> list[Row]:
        found = self.connection.execute(
            "SELECT number, moment, who, dataset, kind, body, hash FROM privet_ledger.history "
            "WHERE number > %s ORDER BY number",
            (after,),
        )
        return [Row(*row) for row in found]

    def append(self, row: Row) -> None:
        self.numbers.append(row.number)
        self.connection.execute(
            "INSERT INTO privet_ledger.history VALUES (%s, %s, %s, %s, %s, %s, %s, %s)",
            (*astuple(row), self.token),
        )
