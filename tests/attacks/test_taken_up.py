"""Flows are taken up where they stopped: that gives nobody a second draw, or an answer that nobody paid for.

The attacker may take files of a flow's folder away, copy them, and stop the program whenever they like; what
the ledger has recorded they cannot change.
"""

from __future__ import annotations

import json

import pytest

from privet.budget import Ledger, Pure, exact
from privet.demo.patients import DATASET, patients, public_knowledge
from privet.errors import LedgerError
from privet.flow import Flow, running

STEPS = {
    "people": {"do": "source", "data": "people.csv"},
    "chosen": {"do": "select-k-best", "from": "people", "k": 3},
    "model": {"do": "naive-bayes", "from": "chosen"},
    "score": {"do": "evaluate", "from": ["model", "people"], "measures": "confusion"},
}
TABLES = {"people": (patients(600), public_knowledge())}
FLOW = Flow.from_dict({"epsilon": 1.0, "allocation": "equal", "steps": STEPS})


@pytest.fixture
def ledger():
    found = Ledger.in_memory()
    found.open_account(DATASET, Pure(exact(9)), unit=public_knowledge().unit)
    return found


def spent(ledger):
    return ledger.balance(DATASET).spent.epsilon


def stopped(monkeypatch, store, ledger, at, *, begun=True):
    """Run up to a step; stop the program before it is begun, or when it has answered and nothing is kept."""
    real, begin = running.measured, running._Running._begin

    def seen(step, *rest):
        found = real(step, *rest)
        return found if step.name != at else _stop()

    with monkeypatch.context() as patch:
        if begun:
            patch.setattr(running, "measured", seen)
        else:
            patch.setattr(
                running._Running, "_begin", lambda self, s: begin(self, s) if s.name != at else _stop()
            )
        with pytest.raises(KeyboardInterrupt):
            FLOW.run(TABLES, ledger=ledger, store=store)


def _stop():
    raise KeyboardInterrupt


def test_a_release_that_was_taken_away_is_drawn_again_for_money_only(monkeypatch, tmp_path, ledger):
    FLOW.run(TABLES, ledger=ledger, store=tmp_path, until="model")
    before = spent(ledger)
    stopped(monkeypatch, tmp_path, ledger, "score", begun=False)  # a reservation for the score alone
    for place in tmp_path.glob("release-*.json"):
        place.unlink()
    planned = FLOW.plan(TABLES, store=tmp_path).total
    result = FLOW.run(TABLES, ledger=ledger, store=tmp_path)
    assert planned is not None
    assert planned.epsilon == before, "the plan prices the two that are drawn again"
    assert spent(ledger) == before + 1
    assert result.guarantee.epsilon == 1.0


def test_whoever_stops_it_again_and_again_pays_each_time_and_the_guarantee_says_so(
    monkeypatch, tmp_path, ledger
):
    for _ in range(3):
        stopped(monkeypatch, tmp_path, ledger, "model")
    stopped(monkeypatch, tmp_path, ledger, "score")
    result = FLOW.run(TABLES, ledger=ledger, store=tmp_path)
    third = FLOW.plan(TABLES).amount_of("model").epsilon
    assert spent(ledger) == 1 + 4 * third, "three more draws of the model, and one of the score"
    assert result.guarantee.amount.epsilon == spent(ledger)


def test_what_was_kept_and_taken_away_before_the_end_is_a_second_draw(monkeypatch, tmp_path, ledger):
    stopped(monkeypatch, tmp_path, ledger, "score", begun=False)
    kept = sorted(tmp_path.glob("release-*.json"))
    assert len(kept) == 2
    for place in kept:
        place.unlink()
    FLOW.run(TABLES, ledger=ledger, store=tmp_path)
    assert spent(ledger) == 1 + 2 * FLOW.plan(TABLES).amount_of("model").epsilon


def test_an_older_journal_that_does_not_say_what_it_paid_for_pays_for_nothing(monkeypatch, tmp_path, ledger):
    stopped(monkeypatch, tmp_path, ledger, "score", begun=False)
    place = tmp_path / "journal.json"
    journal = json.loads(place.read_text())
    del journal["paid"]
    place.write_text(json.dumps(journal))
    score = FLOW.plan(TABLES).amount_of("score").epsilon
    assert FLOW.plan(TABLES, store=tmp_path).total.epsilon == score
    FLOW.run(TABLES, ledger=ledger, store=tmp_path)
    assert spent(ledger) == 1 + score


def test_another_ledger_does_not_honour_the_reservation(monkeypatch, tmp_path, ledger):
    stopped(monkeypatch, tmp_path, ledger, "model", begun=False)
    other = Ledger.in_memory()
    other.open_account(DATASET, Pure(exact(9)), unit=public_knowledge().unit)
    with pytest.raises(LedgerError):
        FLOW.run(TABLES, ledger=other, store=tmp_path)
    assert other.balance(DATASET).spent is None or spent(other) == 0


def test_a_larger_part_of_the_budget_is_another_step(monkeypatch, tmp_path, ledger):
    stopped(monkeypatch, tmp_path, ledger, "model", begun=False)
    dearer = Flow.from_dict({"epsilon": 3.0, "allocation": "equal", "steps": STEPS})
    dearer.run(TABLES, ledger=ledger, store=tmp_path)
    assert spent(ledger) == 4, "what was reserved for the cheaper one stays spent and pays for nothing else"


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_a_plan_reads_no_record(delta):
    """A refusal could not say anything about them: the table here cannot even be read."""

    class Sealed:
        def __getattribute__(self, name):
            raise AssertionError(f"a plan looked at the table: {name}")

    flow = Flow.from_dict({"epsilon": 1.0, "delta": delta, "steps": STEPS})
    assert flow.plan({"people": (Sealed(), public_knowledge())}).total is not None
