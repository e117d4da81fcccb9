"""Somebody edits the file: the chain says so, and names the entry."""

from __future__ import annotations

import os
import shutil
import sqlite3

import pytest

from privet.budget import Ledger, Pure, PureEvent, exact
from privet.errors import LedgerError
from privet.schema import Unit

UNIT = Unit()


@pytest.fixture
def path(tmp_path):
    ledger = Ledger.open(tmp_path / "ledger.db", create=True)
    ledger.open_account("patients", Pure(exact(1)), unit=UNIT)
    for _ in range(4):  # entries 2 to 9: a reservation and its commit, four times
        ledger.commit(ledger.reserve("patients", PureEvent(exact(0.1)), unit=UNIT, what="x"), {})
    return tmp_path / "ledger.db"


def edit(path, *statements):
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TRIGGER IF EXISTS no_update")
        connection.execute("DROP TRIGGER IF EXISTS no_delete")
        for statement in statements:
            assert connection.execute(statement).rowcount
    connection.close()


def test_an_untouched_ledger_verifies(path):
    Ledger.open(path).verify()


def test_history_is_append_only_against_accidents(path):
    with sqlite3.connect(path) as connection:
        for statement in ("DELETE FROM history", "UPDATE history SET who = 'nobody'"):
            with pytest.raises(sqlite3.IntegrityError, match="append only"):
                connection.execute(statement)
    connection.close()


@pytest.mark.parametrize(
    ("statements", "entry"),
    [
        (["UPDATE history SET body = replace(body, '1/10', '1/90') WHERE number = 4"], 4),
        (["UPDATE history SET body = replace(body, '\"1\"', '\"9\"') WHERE number = 1"], 1),
        (["UPDATE history SET who = 'nobody' WHERE number = 6"], 6),
        (["UPDATE history SET moment = '2020' WHERE number = 6"], 6),
        (["UPDATE history SET dataset = 'others' WHERE number = 6"], 6),
        (["DELETE FROM history WHERE number = 4"], 4),
        (
            [
                "DELETE FROM history WHERE number = 4",
                "UPDATE history SET number = number - 1 WHERE number > 4",
            ],
            4,
        ),
        (
            [
                "UPDATE history SET number = 100 WHERE number = 4",
                "UPDATE history SET number = 4 WHERE number = 6",
                "UPDATE history SET number = 6 WHERE number = 100",
            ],
            4,
        ),
        (
            ["INSERT INTO history SELECT 10, moment, who, dataset, kind, body, hash FROM history LIMIT 1"],
            10,
        ),
        (["DELETE FROM history WHERE number = 1"], 1),
    ],
)
def test_an_edit_is_found_and_nothing_more_is_spent(path, statements, entry):
    edit(path, *statements)
    ledger = Ledger.open(path)
    with pytest.raises(LedgerError, match=f"entry {entry} "):
        ledger.verify()
    for act in (
        lambda: ledger.reserve("patients", PureEvent(exact(0.1)), unit=UNIT, what="x"),
        lambda: ledger.left("patients"),
    ):
        with pytest.raises(LedgerError, match="altered"):
            act()


def test_a_removed_tail_is_found_with_the_head_that_was_noted(path):
    head = Ledger.open(path).head()
    edit(path, "DELETE FROM history WHERE number > 7")
    Ledger.open(path).verify()  # a shorter chain is a chain
    with pytest.raises(LedgerError, match="entry 8 is missing"):
        Ledger.open(path).verify(head=head)


def test_a_rewritten_past_is_found_with_the_head_that_was_noted(path):
    """An insider with the secret reseals everything after the edit; only the noted head tells."""
    from dataclasses import astuple, replace

    ledger = Ledger.open(path)
    head, previous, forged = ledger.head(), "", []
    for row in ledger._chain.rows():
        row = replace(row, body=row.body.replace("1/10", "1/90").replace("1/200", "1/16200"))
        row = replace(row, hash=row.seal(ledger._chain.store.secret, previous))
        previous = row.hash
        forged.append(row)
    edit(path, "DELETE FROM history")
    with sqlite3.connect(path) as connection:
        connection.executemany("INSERT INTO history VALUES (?,?,?,?,?,?,?)", map(astuple, forged))
    connection.close()
    Ledger.open(path).verify()
    with pytest.raises(LedgerError, match="entry 9 is not the one that was noted down"):
        Ledger.open(path).verify(head=head)


def test_a_cost_that_is_not_its_events_is_found(path):
    """Even a row with a valid seal must cost what its event costs."""
    ledger = Ledger.open(path)
    body = {
        "what": "x",
        "event": PureEvent(exact(0.5)).to_dict(),
        "cost": {"epsilon": "0", "delta": "0", "rho": "0"},
        "amount": None,
        "guarantee": None,
    }
    with ledger._chain.writing() as step:
        step.append("reserve", who="insider", dataset="patients", body=body)
    with pytest.raises(LedgerError, match="entry 10 costs something else"):
        ledger.verify()


def test_an_older_copy_put_back_under_a_running_ledger_is_found(path, tmp_path):
    shutil.copy(path, tmp_path / "older.db")
    ledger = Ledger.open(path)
    ledger.reserve("patients", PureEvent(exact(0.1)), unit=UNIT, what="x")
    os.replace(tmp_path / "older.db", path)
    with pytest.raises(LedgerError, match="while the ledger was in use"):
        ledger.reserve("patients", PureEvent(exact(0.1)), unit=UNIT, what="x")
