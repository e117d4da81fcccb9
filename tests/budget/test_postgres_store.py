"""What can happen to a ledger in a database: unsafe servers, broken connections, stopped writers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import psycopg
import pytest

from privet.budget import Ledger, Pure, PureEvent, exact
from privet.budget.chain import Chain
from privet.budget.stores import postgres as store_module
from privet.budget.stores.postgres import PostgresStore
from privet.budget.stores.postgres_tables import MIGRATIONS
from privet.errors import LedgerError
from privet.schema import Unit
from tests.postgres import Postgres, needed

UNIT = Unit()
TENTH = PureEvent(exact(0.1))


def reserve(ledger):
    return ledger.reserve("patients", TENTH, unit=UNIT, what="x")


@pytest.fixture
def ledger(postgres_url):
    ledger = Ledger.open(postgres_url, create=True)
    ledger.open_account("patients", Pure(exact(1)), unit=UNIT)
    return ledger


def test_a_database_without_a_ledger_is_an_error_and_none_is_made(postgres_url):
    with pytest.raises(LedgerError, match="There is no ledger"):
        Ledger.open(postgres_url)
    with psycopg.connect(postgres_url) as connection:
        assert connection.execute("SELECT to_regnamespace('privet_ledger')").fetchone() == (None,)


def test_creating_twice_is_opening(ledger, postgres_url):
    reserve(ledger)
    assert Ledger.open(postgres_url, create=True).spent("patients") == Pure(exact(0.1))


def test_the_password_is_never_shown(postgres, postgres_url, ledger):
    words = [repr(ledger)]
    for address in (postgres_url.replace("127.0.0.1", "127.0.0.2"), postgres_url + "x", postgres_url):
        try:
            Ledger.open(address.replace(postgres.password, "wrong" + postgres.password))
        except LedgerError as error:
            words.append(f"{error} {error.advice}")
    assert len(words) > 1
    assert postgres.password not in " ".join(words)


def test_a_server_without_fsync_is_refused(ledger, postgres):
    """Also one that is switched while the ledger is open."""
    needed()
    careless = Postgres.make("fsync=off")
    try:
        with pytest.raises(LedgerError, match="fsync = off"):
            Ledger.open(careless.url(), create=True)
        with psycopg.connect(careless.url(), autocommit=True) as connection:
            connection.execute("ALTER SYSTEM SET fsync = on")
            connection.execute("SELECT pg_reload_conf()")
        careless.stop()
        careless.start()
        held = Ledger.open(careless.url(), create=True)
        held.open_account("patients", Pure(exact(1)), unit=UNIT)
        with psycopg.connect(careless.url(), autocommit=True) as connection:
            connection.execute("ALTER SYSTEM SET fsync = off")
        careless.stop()
        careless.start()
        with pytest.raises(LedgerError, match="fsync = off"):
            reserve(held)
        # A standby: a server that recovers and never ends recovering.
        careless.stop()
        (careless.data / "standby.signal").touch()
        os.chmod(careless.data / "standby.signal", 0o644)
        careless.start()
        for work in (lambda: reserve(held), lambda: Ledger.open(careless.url())):
            with pytest.raises(LedgerError, match="standby"):
                work()
    finally:
        careless.remove()


def test_what_was_answered_survives_a_power_cut(ledger, postgres, postgres_url):
    """Also where the database's own default is not to wait for the disk, and nothing else makes it write."""
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("ALTER ROLE privet SET synchronous_commit = off")
        connection.execute("ALTER SYSTEM SET wal_writer_delay = '10s'")
        connection.execute("SELECT pg_reload_conf()")
    try:
        held = Ledger.open(postgres_url)
        for times in range(1, 4):
            reserve(held)
            postgres.crash()
            postgres.start()
            assert held.spent("patients") == Pure(exact(0.1) * times)
    finally:
        with psycopg.connect(postgres_url, autocommit=True) as connection:
            connection.execute("ALTER ROLE privet RESET synchronous_commit")
            connection.execute("ALTER SYSTEM RESET wal_writer_delay")
            connection.execute("SELECT pg_reload_conf()")


def test_who_has_seen_rows_that_a_power_cut_took_back_goes_on(ledger, postgres, postgres_url, monkeypatch):
    """Nobody was answered for them. What a ledger was answered for itself must still be there."""
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("ALTER SYSTEM SET wal_writer_delay = '10s'")
        connection.execute("SELECT pg_reload_conf()")
    try:
        reserve(ledger)
        reader = Ledger.open(postgres_url)
        with monkeypatch.context() as patch:
            patch.setattr(store_module, "_ON_DISK", "SELECT 1")  # stopped before the wait
            reserve(Ledger.open(postgres_url))
        for each in (ledger, reader):
            assert each.spent("patients") == Pure(exact(0.2))
        postgres.crash()
        postgres.start()
        for times, each in enumerate((ledger, reader), 1):
            assert each.spent("patients") == Pure(exact(0.1) * times)
            reserve(each)
            assert each.spent("patients") == Pure(exact(0.1) * (times + 1))
        ledger.verify()
    finally:
        with psycopg.connect(postgres_url, autocommit=True) as connection:
            connection.execute("ALTER SYSTEM RESET wal_writer_delay")
            connection.execute("SELECT pg_reload_conf()")


def test_nobody_waits_for_the_disk_with_the_lock_held(ledger, postgres_url):
    """The rows are committed at once; what waits is a transaction that holds no lock."""
    store = Ledger.open(postgres_url)._chain.store
    with store.transaction(write=True) as transaction:
        assert transaction.connection.execute("SHOW synchronous_commit").fetchone() == ("off",)
        before = transaction.connection.execute("SELECT pg_current_wal_insert_lsn()").fetchone()[0]
    with psycopg.connect(postgres_url) as connection:
        (later,) = connection.execute("SELECT pg_current_wal_flush_lsn() > %s::pg_lsn", (before,)).fetchone()
    assert later


def test_history_is_append_only_against_accidents(ledger, postgres_url):
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        for statement in ("DELETE FROM", "TRUNCATE"):
            with pytest.raises(psycopg.errors.RaiseException, match="append only"):
                connection.execute(f"{statement} privet_ledger.history")


def test_an_altered_row_is_found(ledger, postgres_url):
    reserve(ledger)
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("ALTER TABLE privet_ledger.history DISABLE TRIGGER USER")
        connection.execute("UPDATE privet_ledger.history SET body = replace(body, '1/10', '1/90')")
    with pytest.raises(LedgerError, match="entry 2 does not match"):
        Ledger.open(postgres_url).verify()


def test_a_database_put_back_under_a_running_ledger_is_found(ledger, postgres_url):
    """As after a failover to a copy that lagged behind."""
    reserve(ledger)
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("ALTER TABLE privet_ledger.history DISABLE TRIGGER USER")
        connection.execute("DELETE FROM privet_ledger.history WHERE number = 2")
    with pytest.raises(LedgerError, match="entry 2 is gone"):
        reserve(ledger)


def test_an_older_version_is_brought_up_to_date_and_a_newer_one_refused(ledger, postgres_url):
    reserve(ledger)
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("DROP TRIGGER append_only ON privet_ledger.history")
        connection.execute("DROP FUNCTION privet_ledger.append_only")
        connection.execute("DELETE FROM privet_ledger.version WHERE number = 2")
        assert Ledger.open(postgres_url).spent("patients") == Pure(exact(0.1))
        found = connection.execute("SELECT max(number) FROM privet_ledger.version").fetchone()
        assert found == (len(MIGRATIONS),)
        with pytest.raises(psycopg.errors.RaiseException, match="append only"):
            connection.execute("DELETE FROM privet_ledger.history")
        connection.execute("INSERT INTO privet_ledger.version VALUES (99)")
    with pytest.raises(LedgerError, match="newer format"):
        Ledger.open(postgres_url)


def test_a_ledger_held_by_others_is_an_error_after_a_while(ledger, postgres_url):
    hurried = Ledger(Chain(PostgresStore(postgres_url, patience=0.05)))
    with psycopg.connect(postgres_url) as holder:
        holder.execute("SELECT * FROM privet_ledger.secret FOR UPDATE")
        with pytest.raises(LedgerError, match="busy"):
            reserve(hurried)
        assert hurried.spent("patients") is None  # readers do not wait
    reserve(hurried)
    assert ledger.spent("patients") == Pure(exact(0.1))


def test_a_connection_that_died_while_idle_is_replaced(ledger, postgres):
    reserve(ledger)
    postgres.crash()
    with pytest.raises(LedgerError, match="cannot be reached"):
        reserve(ledger)
    postgres.start()
    reserve(ledger)
    assert ledger.spent("patients") == Pure(exact(0.2))
    ledger.verify()


def test_a_break_before_commit_writes_nothing(ledger, postgres_url):
    def broken():
        with ledger._chain.writing() as pen:
            pen.append("word", who="x", dataset="patients", body={"word": "x"})
            pid = pen.transaction.connection.info.backend_pid
            with psycopg.connect(postgres_url, autocommit=True) as other:
                other.execute("SELECT pg_terminate_backend(%s, 5000)", (pid,))

    before = ledger.head()
    with pytest.raises(LedgerError, match="Nothing was written"):
        broken()
    assert ledger.head() == before


@pytest.mark.parametrize("written", ["", "COMMIT", "COMMIT and wait"])
def test_a_lost_answer_to_commit_is_settled(ledger, postgres, monkeypatch, written):
    """COMMIT reached the server, with the wait for its disk or without it, or not at all."""
    real = psycopg.Connection.execute
    lost = []

    def execute(self, query, *more, **words):
        if str(query).startswith("COMMIT;") and not lost:
            lost.append(1)
            if written:
                real(self, "COMMIT" if written == "COMMIT" else query)
            self.close()
            raise psycopg.OperationalError("the connection is lost")
        return real(self, query, *more, **words)

    monkeypatch.setattr(psycopg.Connection, "execute", execute)
    if written:
        reservation = reserve(ledger)
        ledger.commit(reservation, {"epsilon": "0.1"})
    else:
        with pytest.raises(LedgerError, match="Nothing was written"):
            reserve(ledger)
    monkeypatch.undo()
    assert lost
    assert (ledger.spent("patients") is not None) is bool(written)
    ledger.verify()


def test_an_entry_of_another_that_looks_the_same_is_not_taken_for_ones_own(ledger, postgres_url, monkeypatch):
    """Two analysts of one name ask for the same in the same minute: one row, one of them pays for it."""
    real = psycopg.Connection.execute
    other = Ledger.open(postgres_url)
    lost = []

    def execute(self, query, *more, **words):
        if str(query).startswith("COMMIT;") and not lost:
            lost.append(1)
            self.close()  # rolled back: nothing was written ...
            reserve(other)  # ... and another writes the very same row in its place
            raise psycopg.OperationalError("the connection is lost")
        return real(self, query, *more, **words)

    monkeypatch.setattr(psycopg.Connection, "execute", execute)
    with pytest.raises(LedgerError, match="Nothing was written"):
        reserve(ledger)
    assert ledger.spent("patients") == Pure(exact(0.1))


def test_a_server_that_stays_away_leaves_it_open_and_the_commit_may_be_repeated(
    ledger, postgres, postgres_url, monkeypatch
):
    hurried = Ledger(Chain(PostgresStore(postgres_url, patience=0.2)))
    reservation = reserve(hurried)
    real = psycopg.Connection.execute

    def execute(self, query, *more, **words):
        answer = real(self, query, *more, **words)
        if str(query).startswith("COMMIT;"):
            postgres.crash()
            raise psycopg.OperationalError("the connection is lost")
        return answer

    monkeypatch.setattr(psycopg.Connection, "execute", execute)
    with pytest.raises(LedgerError, match="is not known") as lost:
        hurried.commit(reservation, {"epsilon": "0.1"})
    assert "Repeat a commit" in lost.value.advice
    monkeypatch.undo()
    postgres.start()
    for _ in range(2):
        hurried.commit(reservation, {"epsilon": "0.1"})
    committed = [entry for entry in ledger.history() if entry.state == "committed"]
    assert [entry.number for entry in committed] == [reservation.number]
    ledger.verify()


STOPPED = """
import sys, time
from privet.budget import Ledger
ledger = Ledger.open(sys.argv[1])
with ledger._chain.writing() as pen:
    pen.append("word", who="x", dataset="patients", body={"word": "x"})
    print("held", flush=True)
    time.sleep(600)
"""


def test_a_writer_that_stops_with_the_lock_loses_it(ledger, postgres_url, monkeypatch):
    words = [sys.executable, "-c", STOPPED.replace("import sys", _SHORT), postgres_url]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        os.kill(holder.pid, signal.SIGSTOP)
        reserve(ledger)  # waits for the lock, which the server takes from the stopped one
        holder.kill()
    assert [entry.kind for entry in ledger.history()] == ["account", "reserve"]


_SHORT = "import privet.budget.stores.postgres as p; p.IDLE = 0.5; import sys"


def test_a_fork_uses_a_connection_of_its_own(ledger):
    reserve(ledger)
    child = os.fork()
    if child == 0:
        reserve(ledger)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    reserve(ledger)
    assert ledger.spent("patients") == Pure(exact(0.3))
    ledger.verify()


def test_without_psycopg_the_extra_is_named(monkeypatch):
    from privet.errors import MissingExtra

    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtra, match="postgres"):
        store_module.PostgresStore("postgresql://localhost/x")
