"""A ledger that moves keeps its chain, and its budget exists once, whenever the move is interrupted."""

from __future__ import annotations

import pytest

from privet.budget import Ledger, Pure, PureEvent, exact, move_ledger
from privet.budget.stores.sqlite import _SqliteTransaction
from privet.errors import LedgerError
from privet.schema import Unit

UNIT = Unit()
TENTH = PureEvent(exact(0.1))


def spend(ledger):
    ledger.commit(ledger.reserve("patients", TENTH, unit=UNIT, what="a test"), {"epsilon": "0.1"})


@pytest.fixture
def old(tmp_path):
    ledger = Ledger.open(tmp_path / "old.db", create=True).as_analyst("ann")
    ledger.open_account("patients", Pure(exact(1)), unit=UNIT, fingerprint=b"content")
    spend(ledger)
    return ledger


def closed(ledger):
    with pytest.raises(LedgerError, match="was moved to"):
        spend(ledger)
    with pytest.raises(LedgerError, match="was moved to"):
        ledger.preview("patients", TENTH, unit=UNIT)
    assert ledger.spent("patients") == Pure(exact(0.1))  # it can still be read


@pytest.mark.parametrize("there", ["file", "database"])
def test_the_chain_stays_whole_and_the_old_ledger_is_closed(old, tmp_path, there, request):
    target = tmp_path / "new.db" if there == "file" else request.getfixturevalue("postgres_url")
    noted, open_for_days = old.head(), Ledger.open(tmp_path / "old.db")
    assert open_for_days.spent("patients") == Pure(exact(0.1))
    head = move_ledger(tmp_path / "old.db", target, "ann")
    new = Ledger.open(target)
    assert new.head() == head
    new.verify(head=noted)
    spend(new)
    assert new.spent("patients") == Pure(exact(0.2))
    assert new._digest(b"content") == old._digest(b"content")  # the table still has its name
    for ledger in (old, open_for_days, Ledger.open(tmp_path / "old.db")):
        closed(ledger)
        ledger.verify(head=noted)
    assert [entry.kind for entry in new.history()].count("moved") == 2
    for again in (target, tmp_path / "third.db"):
        with pytest.raises(LedgerError, match="must not exist twice"):
            move_ledger(tmp_path / "old.db", again)
    assert not (tmp_path / "third.db").exists()


def test_there_and_on_but_not_back_into_the_closed_file(old, tmp_path, postgres_url):
    noted = old.head()
    move_ledger(tmp_path / "old.db", postgres_url)
    spend(Ledger.open(postgres_url))
    with pytest.raises(LedgerError, match="another ledger"):
        move_ledger(postgres_url, tmp_path / "old.db")
    spend(Ledger.open(postgres_url))  # a refused move leaves it open
    move_ledger(postgres_url, tmp_path / "new.db")
    new = Ledger.open(tmp_path / "new.db")
    assert new.spent("patients") == Pure(exact(0.3))
    new.verify(head=noted)


def test_another_ledger_is_not_overwritten(old, tmp_path):
    other = Ledger.open(tmp_path / "other.db", create=True)
    other.open_account("strangers", Pure(exact(1)), unit=UNIT)
    before = other.head()
    with pytest.raises(LedgerError, match="another ledger"):
        move_ledger(tmp_path / "old.db", tmp_path / "other.db")
    assert other.head() == before
    with pytest.raises(LedgerError, match="there already"):
        move_ledger(tmp_path / "old.db", tmp_path / "old.db")


@pytest.mark.parametrize("rows", range(5))
def test_an_interrupted_move_is_finished_by_the_same_command(old, tmp_path, rows, monkeypatch):
    """Stopped before any row, or between two: nothing is spent meanwhile, nothing is lost."""
    noted, append, written = old.head(), _SqliteTransaction.append, []

    def interrupted(self, row):
        if len(written) > rows:  # the first is the entry that closes the old ledger
            raise KeyboardInterrupt
        written.append(row)
        append(self, row)

    monkeypatch.setattr(_SqliteTransaction, "append", interrupted)
    with pytest.raises(KeyboardInterrupt):
        move_ledger(tmp_path / "old.db", tmp_path / "new.db")
    monkeypatch.undo()
    closed(old)
    with pytest.raises(LedgerError, match="Finish that move first"):
        move_ledger(tmp_path / "old.db", tmp_path / "elsewhere.db")
    move_ledger(tmp_path / "old.db", tmp_path / "new.db")
    Ledger.open(tmp_path / "new.db").verify(head=noted)
    closed(old)


def test_a_move_interrupted_after_the_copy_is_finished(old, tmp_path, monkeypatch):
    monkeypatch.setattr(Ledger, "verify", lambda self, head=None: 1 / 0 if head else None)
    with pytest.raises(ZeroDivisionError):
        move_ledger(tmp_path / "old.db", tmp_path / "new.db")
    monkeypatch.undo()
    spend(Ledger.open(tmp_path / "new.db"))  # it has arrived, and somebody spends there
    closed(old)
    move_ledger(tmp_path / "old.db", tmp_path / "new.db")
    assert Ledger.open(tmp_path / "new.db").spent("patients") == Pure(exact(0.2))


def test_an_altered_ledger_does_not_move(old, tmp_path):
    import sqlite3

    with sqlite3.connect(tmp_path / "old.db") as connection:
        connection.execute("DROP TRIGGER no_update")
        connection.execute("UPDATE history SET body = replace(body, '1/10', '1/90')")
    connection.close()
    with pytest.raises(LedgerError, match="altered"):
        move_ledger(tmp_path / "old.db", tmp_path / "new.db")
    assert not (tmp_path / "new.db").exists()
