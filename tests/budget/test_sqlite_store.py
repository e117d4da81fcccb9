"""What can happen to a file: missing, foreign, read-only, held by others, on a full disk."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
import tempfile

import pytest

from privet.budget import Ledger, Pure, PureEvent, exact
from privet.budget.chain import Chain
from privet.budget.stores.sqlite import SqliteStore
from privet.errors import LedgerError
from privet.schema import Unit

UNIT = Unit()
TENTH = PureEvent(exact(0.1))


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "ledger.db"
    Ledger.open(path, create=True).open_account("patients", Pure(exact(1)), unit=UNIT)
    return path


def test_a_missing_file_is_an_error_and_is_not_made(tmp_path):
    with pytest.raises(LedgerError, match="create=True"):
        Ledger.open(tmp_path / "none.db")
    assert list(tmp_path.iterdir()) == []


def test_a_missing_folder_is_an_error(tmp_path):
    with pytest.raises(LedgerError, match="cannot be made"):
        Ledger.open(tmp_path / "none" / "ledger.db", create=True)


def test_creating_twice_is_opening(path):
    Ledger.open(path, create=True).reserve("patients", TENTH, unit=UNIT, what="x")
    assert Ledger.open(path, create=True).spent("patients") == Pure(exact(0.1))


def test_a_name_that_is_not_plain(tmp_path):
    path = tmp_path / "a ledger? with #100% odd name.db"
    Ledger.open(path, create=True).open_account("patients", Pure(exact(1)), unit=UNIT)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    assert len(Ledger.open(path).accounts()) == 1


def test_only_the_owner_may_read_it(path):
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_what_a_killed_creation_left_is_finished(tmp_path):
    (tmp_path / "ledger.db").touch()
    with pytest.raises(LedgerError, match="not a Privet ledger"):
        Ledger.open(tmp_path / "ledger.db")
    Ledger.open(tmp_path / "ledger.db", create=True).verify()


@pytest.mark.parametrize("create", [False, True])
def test_a_file_of_something_else_is_refused_and_left_alone(tmp_path, create):
    text = tmp_path / "notes.txt"
    text.write_bytes(b"This is not a database. " * 100)
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE songs (title TEXT)")
    connection.close()
    for file in (text, other):
        before = file.read_bytes()
        with pytest.raises(LedgerError, match="not a Privet ledger"):
            Ledger.open(file, create=create)
        assert file.read_bytes() == before


def test_a_newer_format_is_refused(path):
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(LedgerError, match="newer format"):
        Ledger.open(path)


def test_a_file_deleted_under_a_running_ledger(path):
    ledger = Ledger.open(path)
    path.unlink()
    with pytest.raises(LedgerError, match="cannot be opened"):
        ledger.reserve("patients", TENTH, unit=UNIT, what="x")
    assert not path.exists()


def test_a_damaged_file(path):
    ledger = Ledger.open(path)
    for _ in range(5):
        ledger.reserve("patients", TENTH, unit=UNIT, what="x" * 3000)
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(os.urandom(path.stat().st_size - 4096))
    with pytest.raises(LedgerError, match=r"damaged|altered|failed"):
        Ledger.open(path).verify()


def test_a_ledger_held_by_others_is_an_error_after_a_while(path):
    ledger = Ledger(Chain(SqliteStore(path, patience=0.05)))
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(LedgerError, match="busy"):
        ledger.reserve("patients", TENTH, unit=UNIT, what="x")
    holder.execute("ROLLBACK")
    holder.close()
    ledger.reserve("patients", TENTH, unit=UNIT, what="x")
    assert ledger.spent("patients") == Pure(exact(0.1))


def _as_child(program: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


READ_ONLY = """
import os, sys
from privet.budget import Ledger, PureEvent, exact
from privet.errors import LedgerError
from privet.schema import Unit
if os.getuid() == 0:  # root may write anything, so become somebody else
    os.setgid(65534); os.setuid(65534)
ledger = Ledger.open(sys.argv[1])
print(ledger.left("patients"))
try:
    ledger.reserve("patients", PureEvent(exact(0.1)), unit=Unit(), what="x")
except LedgerError as error:
    print(error)
"""


def test_a_read_only_ledger_can_be_read_and_says_so_when_written():
    # Not pytest's own folder, which another user may not enter.
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "ledger.db")
        Ledger.open(path, create=True).open_account("patients", Pure(exact(1)), unit=UNIT)
        os.chmod(path, 0o444)
        os.chmod(folder, 0o555)
        output = _as_child(READ_ONLY, path)
        os.chmod(folder, 0o700)
        assert output.startswith("ε = 1")
        assert "cannot be written to" in output
        assert Ledger.open(path).spent("patients") is None


FULL = """
import resource, signal, sys
from privet.budget import Ledger, PureEvent, exact
from privet.errors import LedgerError
from privet.schema import Unit
ledger = Ledger.open(sys.argv[1])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, resource.RLIM_INFINITY))
done = 0
try:
    for _ in range(1000):
        ledger.commit(ledger.reserve("patients", PureEvent(exact(0.0001)), unit=Unit(), what="x" * 500), {})
        done += 1
except LedgerError as error:
    print(done)
    print(len(ledger.history()) - 1, ledger.spent("patients").epsilon * 10000)
    print(error)
"""


def test_a_full_disk_loses_nothing(path):
    """A limit on the size of files makes writes fail for real, in the middle of a transaction."""
    output = _as_child(FULL, str(path)).splitlines()
    done = int(output[0])
    assert done > 5
    assert "disk is full" in output[2]
    ledger = Ledger.open(path)
    ledger.verify()
    committed = [entry for entry in ledger.history() if entry.state == "committed"]
    reserved = [entry for entry in ledger.history() if entry.event]
    assert len(committed) == done
    assert len(reserved) - done in (0, 1)  # the one whose commit failed stays spent
    assert output[1].split() == [str(len(reserved)), str(len(reserved))]
    ledger.reserve("patients", TENTH, unit=UNIT, what="there is space again")
    ledger.verify()
