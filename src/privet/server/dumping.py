"""The database of a server on PostgreSQL, dumped and put back by PostgreSQL's own programs."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from privet.budget import Head
from privet.errors import LedgerError, ParameterError

__all__ = ["DUMP", "dump", "head_at", "heads_in", "put_back"]

DUMP = "database.dump"
_LAST = "SELECT number, hash FROM privet_ledger.history ORDER BY number DESC LIMIT 1"


def dump(address: str, place: Path) -> Head:
    """Write one moment of the database to a file; gives the head of the ledger at that very moment."""
    import psycopg

    with psycopg.connect(address) as connection:
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        found = connection.execute("SELECT pg_export_snapshot()").fetchone()
        last = connection.execute(_LAST).fetchone()
        assert found is not None
        _call("pg_dump", address, "--format=custom", f"--snapshot={found[0]}", f"--file={place}")
    return Head(0, "") if last is None else Head(*last)


def head_at(address: str) -> Head | None:
    """The head of the ledger that is there now; None if there is none."""
    import psycopg

    with psycopg.connect(address) as connection:
        there = connection.execute("SELECT to_regclass('privet_ledger.history')").fetchone()
        if there is None or there[0] is None:
            return None
        last = connection.execute(_LAST).fetchone()
    return Head(0, "") if last is None else Head(*last)


def heads_in(place: Path) -> list[Head]:
    """The head after each entry of the ledger in a dump, the latest last, without restoring anything."""
    words = ("--data-only", "--schema=privet_ledger", "--table=history", "--file=-", str(place))
    found, columns = [Head(0, "")], None
    for line in _call("pg_restore", None, *words).splitlines():
        if line.startswith("COPY privet_ledger.history ("):
            columns = line.partition("(")[2].partition(")")[0].split(", ")
        elif line == "\\.":
            columns = None
        elif columns is not None:  # a tab within a value is written in another way
            row = dict(zip(columns, line.split("\t"), strict=True))
            found.append(Head(int(row["number"]), row["hash"]))
    return sorted(found, key=lambda head: head.count)


def put_back(place: Path, address: str) -> None:
    """Replace what is in the database by the dump, all or nothing. Nobody else may be using it."""
    import psycopg

    with psycopg.connect(address) as connection:
        others = connection.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
            "AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
        ).fetchone()
    if others is not None and others[0]:
        raise LedgerError(
            "Somebody is connected to the database, and might spend from the ledger that is replaced. "
            "Nothing was changed.",
            "Stop the server first.",
        )
    _call("pg_restore", address, "--clean", "--if-exists", "--single-transaction", "--no-owner", str(place))


def _call(program: str, address: str | None, *words: str) -> str:
    """Run one of PostgreSQL's programs. The password goes in the environment: command lines can be read."""
    from psycopg.conninfo import conninfo_to_dict, make_conninfo

    if shutil.which(program) is None:
        raise ParameterError(f"{program} is not installed.", "Install PostgreSQL's client programs.")
    environment, to = dict(os.environ), []
    if address is not None:
        parts: dict[str, Any] = conninfo_to_dict(address)
        if (password := parts.pop("password", None)) is not None:
            environment["PGPASSWORD"] = str(password)
        to = [f"--dbname={make_conninfo(**parts)}"]
    done = subprocess.run(
        [program, *to, *words], env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:  # its words may quote a row
        raise LedgerError(
            f"{program} failed with the code {done.returncode}. Nothing was changed.",
            "Check the address, the rights of this user and that the program is as new as the server.",
        )
    return done.stdout
