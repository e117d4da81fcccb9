"""What is written beside a reservation becomes durable with it or not at all, on both stores."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from privet.budget import Ledger, PureEvent, budget, exact
from privet.schema import Unit


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: Any, tmp_path: Path) -> str:
    if request.param == "postgres":
        return str(request.getfixturevalue("postgres_url"))
    return str(tmp_path / "ledger.db")


def test_both_or_neither(place: str):
    ledger = Ledger.open(place, create=True).as_analyst("ann")
    ledger.open_account("people", budget(1.0), unit=Unit())
    seen: list[int] = []

    def make(transaction: Any, number: int) -> None:
        transaction.connection.execute("CREATE TABLE beside (number INTEGER)")

    def write(transaction: Any, number: int) -> None:
        transaction.connection.execute(f"INSERT INTO beside VALUES ({number})")
        seen.append(number)

    def fail(transaction: Any, number: int) -> None:
        write(transaction, number)
        raise RuntimeError

    def count(transaction: Any, number: int) -> None:
        found = transaction.connection.execute("SELECT number FROM beside ORDER BY number").fetchall()
        seen.append(-len(found))

    def spend(beside: Any) -> int:
        paying = ledger.writing_beside(beside).as_analyst("bob")
        return paying.reserve("people", PureEvent(exact(0.1)), unit=Unit(), what="x").number

    spend(make)
    first = spend(write)
    assert seen == [first]
    with pytest.raises(RuntimeError):
        spend(fail)
    assert str(ledger.spent("people")) == "ε = 0.2"  # neither the reservation nor what was beside it
    spend(count)
    assert seen[-1] == -1
    assert [entry.who for entry in ledger.history("people")][1:] == ["bob"] * 3
    ledger.verify()
