"""A real PostgreSQL for the tests: Debian's programs, a temporary folder, a loopback port.

``postgres`` is one running server for the whole test session (each worker of pytest-xdist has its own); its
``database()`` makes a new empty database and gives its address. ``postgres_url`` is the address of one that
is empty when a test begins. A test may ``crash()`` the server and ``start()`` it again: the cluster is
durable, as in earnest.

    def test_something(postgres_url):
        ledger = Ledger.open(postgres_url, create=True)
"""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

SETTINGS = (
    "fsync=on",  # the ledger refuses a server without
    "max_connections=100",
    "shared_buffers=16MB",
    "max_wal_size=128MB",
    "listen_addresses=127.0.0.1",
    "logging_collector=off",
    "recovery_init_sync_method=syncfs",  # of thousands of small files, one by one, it takes seconds
)


def programs() -> Path | None:
    """The folder with ``initdb`` and ``pg_ctl``, of the newest version; None where there are none."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[4]))
    on_path = shutil.which("initdb")
    return found[-1].parent if found else Path(on_path).resolve().parent if on_path else None


def stored(url: str, **tables: Any) -> dict[str, str]:
    """The addresses of these Arrow tables, once they are in this database."""
    import psycopg
    from psycopg import sql

    kinds = {"int64": "bigint", "string": "text", "double": "float8", "bool": "boolean"}
    with psycopg.connect(url) as connection:
        for name, table in tables.items():
            columns = [
                sql.SQL("{} {}").format(
                    sql.Identifier(f.name), sql.SQL(kinds.get(str(f.type)) or _rarer(f.type))
                )
                for f in table.schema
            ]
            made, place = sql.SQL(", ").join(columns), sql.Identifier(name)
            connection.execute(sql.SQL("CREATE TABLE {} ({})").format(place, made))
            with connection.cursor().copy(sql.SQL("COPY {} FROM STDIN").format(place)) as copy:
                for row in table.to_pylist():
                    copy.write_row(tuple(row.values()))
    return {name: f"{url}?table={name}" for name in tables}


def _rarer(kind: Any) -> str:
    return "numeric(12, 2)" if str(kind).startswith("decimal") else "timestamptz"


class Postgres:
    """A server of its own. Made by ``Postgres.make``; ``remove`` ends it and deletes its folder."""

    def __init__(self, folder: Path, port: int, password: str) -> None:
        self.folder = folder
        self.port = port
        self.password = password
        self._databases = 0
        self._reused: str | None = None

    @classmethod
    def make(cls, *settings: str) -> Postgres:
        """A new cluster, started. ``settings`` are lines as in postgresql.conf, such as ``fsync=off``."""
        folder = Path(tempfile.mkdtemp(prefix="privet-pg-"))
        if os.getuid() == 0:  # PostgreSQL refuses to run as root
            account = pwd.getpwnam("postgres")
            os.chown(folder, account.pw_uid, account.pw_gid)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        server = cls(folder, port, secrets.token_urlsafe(12))
        words = ("--auth=scram-sha-256", "--encoding=UTF8", "--locale=C.UTF-8", "--username=privet", "-N")
        password = folder / "password"
        password.write_text(server.password)
        password.chmod(0o644)  # within a folder that only its owner may enter
        server._call("initdb", *words, f"--pwfile={password}", f"--pgdata={server.data}")
        lines = (*SETTINGS, f"port={port}", f"unix_socket_directories={folder}", *settings)
        with (server.data / "postgresql.auto.conf").open("a") as file:
            file.writelines(_quoted(line) + "\n" for line in lines)
        server.start()
        return server

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def url(self, database: str = "postgres") -> str:
        return f"postgresql://privet:{self.password}@127.0.0.1:{self.port}/{database}"

    def by_socket(self, address: str) -> str:
        """The same database by the socket in the server's folder, instead of the network."""
        name = address.rpartition("/")[2]
        return f"postgresql://privet:{self.password}@/{name}?host={self.folder}&port={self.port}"

    def database(self) -> str:
        """The address of a new, empty database."""
        import psycopg

        self._databases += 1
        name = f"test_{self._databases}"
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return self.url(name)

    def emptied(self) -> str:
        """The address of a database that is emptied now: faster than a new one."""
        import psycopg

        if self._reused is None:
            self._reused = self.database()
        with psycopg.connect(self._reused, autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
            found = connection.execute(
                "SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'"
            ).fetchall()
            for (name,) in found:
                connection.execute(f'DROP SCHEMA "{name}" CASCADE')
            connection.execute("CREATE SCHEMA public")
        return self._reused

    def start(self) -> None:
        """Start it, and wait until it answers. Does nothing if it runs."""
        if not self.running():
            log = self.folder / "log"
            self._call("pg_ctl", "start", "--wait", "--silent", f"--log={log}", f"--pgdata={self.data}")

    def stop(self, mode: str = "fast") -> None:
        if self.running():
            self._call("pg_ctl", "stop", "--silent", f"--mode={mode}", f"--pgdata={self.data}")

    def crash(self) -> None:
        """As a power cut: nothing is flushed, connections break, the next start recovers from the log."""
        self.stop("immediate")

    def running(self) -> bool:
        return self._call("pg_ctl", "status", f"--pgdata={self.data}", check=False) == 0

    def remove(self) -> None:
        self.stop("immediate")
        shutil.rmtree(self.folder, ignore_errors=True)

    def _call(self, program: str, *words: str, check: bool = True) -> int:
        folder = programs()
        assert folder is not None
        as_postgres = (
            {"user": "postgres", "group": "postgres", "extra_groups": []} if os.getuid() == 0 else {}
        )
        done = subprocess.run(
            [str(folder / program), *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            # A server inherits what pg_ctl was given: a pipe would never close.
            stderr=subprocess.DEVNULL,
            cwd=self.folder,
            check=False,
            **as_postgres,  # type: ignore[call-overload]
        )
        if check and done.returncode:
            log = self.folder / "log"
            tail = log.read_text()[-2000:] if log.exists() else ""
            raise RuntimeError(f"{program} ended with {done.returncode}. {tail}")
        return int(done.returncode)


def _quoted(line: str) -> str:
    name, _, value = line.partition("=")
    return f"{name} = '{value}'"


def needed() -> None:
    """Skip a test where PostgreSQL is not installed; in the CI, fail."""
    if programs() is None:
        if os.environ.get("CI"):
            pytest.fail("PostgreSQL is not installed: make debian")
        pytest.skip("needs Debian's postgresql package (make debian)")


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """One PostgreSQL server for all tests of this process."""
    needed()
    server = Postgres.make()
    yield server
    server.remove()


@pytest.fixture
def postgres_url(postgres: Postgres) -> str:
    """The address of an empty database on a running server: for all tests the same one, emptied for each."""
    postgres.start()
    return postgres.emptied()
