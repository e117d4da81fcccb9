"""The ledger's tables in PostgreSQL, and how a database of an older version is brought up to date.

Each migration is applied once, in order, and noted in ``version``, in the same transaction. The tables have a
PostgreSQL schema of their own, so that a database can be shared with other tables.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

from privet.errors import LedgerError

if TYPE_CHECKING:
    from psycopg import Connection

__all__ = ["MIGRATIONS", "migrate", "version_of"]

_ONE_AT_A_TIME = 0x5052565400000001  # "PRVT": the key of the lock that makes and migrates the tables

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        "CREATE TABLE privet_ledger.secret (value bytea NOT NULL)",
        # The row that every writer locks, and the one row of the table above.
        "CREATE UNIQUE INDEX one_secret ON privet_ledger.secret ((true))",
        # `token` is new for each transaction: it tells a writer whose connection broke whether the row that
        # stands there is its own. It is no part of the chain.
        "CREATE TABLE privet_ledger.history (number bigint PRIMARY KEY, moment text NOT NULL, "
        "who text NOT NULL, dataset text NOT NULL, kind text NOT NULL, body text NOT NULL, "
        "hash text NOT NULL, token text NOT NULL)",
    ),
    (
        # Against accidents; against intent there is the hash chain.
        "CREATE FUNCTION privet_ledger.append_only() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'append only'; END $$",
        "CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON privet_ledger.history "
        "FOR EACH STATEMENT EXECUTE FUNCTION privet_ledger.append_only()",
    ),
)


def version_of(connection: Connection[Any]) -> int | None:
    """The version of the tables; None if there are none."""
    found = connection.execute("SELECT to_regclass('privet_ledger.version')").fetchone()
    if found is None or found[0] is None:
        return None
    row = connection.execute("SELECT coalesce(max(number), 0) FROM privet_ledger.version").fetchone()
    return int(row[0]) if row else 0


def migrate(connection: Connection[Any], *, create: bool, secret: bytes | None = None) -> None:
    """Make the tables (with ``create``), or bring them up to date. Within the caller's transaction."""
    connection.execute("SELECT pg_advisory_xact_lock(%s)", (_ONE_AT_A_TIME,))
    version = version_of(connection)
    if version is None:
        if not create:
            return
        connection.execute("CREATE SCHEMA IF NOT EXISTS privet_ledger")
        connection.execute("REVOKE ALL ON SCHEMA privet_ledger FROM PUBLIC")
        connection.execute("CREATE TABLE privet_ledger.version (number integer PRIMARY KEY)")
        version = 0
    if version > len(MIGRATIONS):
        raise LedgerError("The ledger in the database is in a newer format.", "Update Privet.")
    for number, statements in enumerate(MIGRATIONS[version:], version + 1):
        for statement in statements:
            connection.execute(statement)  # fixed texts, from above
        if number == 1:
            value = secret or secrets.token_bytes(32)
            connection.execute("INSERT INTO privet_ledger.secret VALUES (%s)", (value,))
        connection.execute("INSERT INTO privet_ledger.version VALUES (%s)", (number,))
