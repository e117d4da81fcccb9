"""Several private tables on the command line: each schema beside its table, each account asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from privet import Ledger
from privet.budget import budget
from privet.errors import BudgetExceeded, LedgerError, ParameterError
from privet.schema import read_schema
from privet.service.querying import AskQuery
from privet.service.session import Session

UNIT = '[unit]\nid = "patient"\nmost = {most}\n'
AGE = '[columns.age]\nkind = "number"\nlow = 0\nhigh = 120\n'
WARD = '[columns.ward]\nkind = "category"\nvalues = ["a", "b"]\n'
JOINED = "SELECT ward, COUNT(*) AS n FROM data JOIN people USING (patient) WHERE age > 50 GROUP BY ward"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "visits.csv").write_text("patient,ward\n" + "1,a\n2,b\n3,a\n" * 5)
    (tmp_path / "visits.schema.toml").write_text('dataset = "visits"\n' + UNIT.format(most=2) + WARD)
    (tmp_path / "people.csv").write_text("patient,age\n1,30\n2,60\n3,70\n")
    (tmp_path / "people.schema.toml").write_text('dataset = "people"\n' + UNIT.format(most=1) + AGE)
    return tmp_path


def accounts(folder: Path, **limits: float) -> Ledger:
    ledger = Ledger.in_memory()
    for name, limit in limits.items():
        ledger.open_account(name, budget(limit), unit=read_schema(folder / f"{name}.schema.toml").unit)
    return ledger


def asking(folder: Path, **more) -> AskQuery:
    return AskQuery(
        **{"data": folder / "visits.csv", "sql": JOINED, "tables": (f"people={folder / 'people.csv'}",)}
        | more
    )


def test_each_account_is_asked_before_and_pays_after(folder):
    ledger = accounts(folder, visits=20.0, people=9.0)
    case = asking(folder, epsilon=8.0)
    assert case.plan(Session(ledger=ledger)).amount == budget(8.0)
    assert ledger.spent("people") is None
    answer = case.run(Session(ledger=ledger)).answer
    counts = [round(figures[0].value) for _, figures in answer.rows]
    assert counts[:2] == pytest.approx([2, 2], abs=4)  # noise may let values that nobody listed stand out
    assert [ledger.spent(name) for name in ("visits", "people")] == [budget(8.0)] * 2
    for refused in (case.plan, case.run):
        with pytest.raises(BudgetExceeded, match="people"):
            refused(Session(ledger=ledger))
    assert ledger.spent("visits") == budget(8.0)


def test_an_account_that_is_not_there_and_an_owner_who_says_nothing(folder):
    with pytest.raises(LedgerError, match="people"):
        asking(folder).plan(Session(ledger=accounts(folder, visits=2.0)))
    with pytest.raises(LedgerError, match="people"):
        asking(folder).run(Session(idle=accounts(folder, people=2.0)))


def test_names_and_numbers_that_say_nothing(folder):
    for wrong in ({"tables": ("people",)}, {"per_key": ("nobody=3",)}, {"per_key": ("data=many",)}):
        with pytest.raises(ParameterError):
            asking(folder, **wrong).plan(Session())
