"""What a reservation did not need is given back: so much, to whom it was taken from, and once."""

from __future__ import annotations

from fractions import Fraction

import pytest

from privet.budget import GaussianEvent, Ledger, Pure, PureEvent, Zcdp, budget
from privet.errors import BudgetExceeded, LedgerError
from privet.schema import Unit

HALF, TENTH = Fraction(1, 2), Fraction(1, 10)


@pytest.fixture
def ledger():
    found = Ledger.in_memory().as_analyst("alice")
    found.open_account("people", budget(1.0), unit=Unit(), each_analyst=budget(0.6))
    return found


def reserved(ledger, epsilon=HALF, event=PureEvent):
    return ledger.reserve("people", event(epsilon), unit=Unit(), what="a question")


def test_what_is_given_back_can_be_spent_again(ledger):
    ledger.commit(reserved(ledger), {}, returned=HALF - TENTH)
    assert ledger.spent("people") == Pure(TENTH)
    assert ledger.spent("people", "alice") == Pure(TENTH)
    ledger.commit(reserved(ledger), {})
    assert ledger.spent("people") == Pure(TENTH + HALF)
    assert [entry.amount for entry in ledger.history() if entry.kind == "reserve"] == [
        Pure(TENTH),
        Pure(HALF),
    ]
    ledger.verify()


def test_until_the_outcome_is_known_all_of_it_counts(ledger):
    one = reserved(ledger)
    with pytest.raises(BudgetExceeded):
        reserved(ledger.as_analyst("bob"), Fraction(51, 100))
    ledger.commit(one, {}, returned=HALF - TENTH)
    reserved(ledger.as_analyst("bob"), Fraction(51, 100))


def test_it_goes_to_whom_it_was_taken_from(ledger):
    ledger.as_analyst("bob").commit(reserved(ledger), {}, returned=HALF - TENTH)
    assert ledger.spent("people", "alice") == Pure(TENTH)
    assert ledger.spent("people", "bob") is None


def test_a_commit_that_is_repeated_gives_back_nothing_more(ledger):
    one = reserved(ledger)
    for _ in range(2):
        ledger.commit(one, {"epsilon": 0.1}, returned=HALF - TENTH)
    assert ledger.spent("people") == Pure(TENTH)


@pytest.mark.parametrize("returned", [HALF, Fraction(1), Fraction(-1, 10)])
def test_more_than_was_reserved_is_refused_and_nothing_changes(ledger, returned):
    one = reserved(ledger)
    with pytest.raises(LedgerError, match="given back"):
        ledger.commit(one, {}, returned=returned)
    assert ledger.spent("people") == Pure(HALF)
    ledger.commit(one, {})


def test_of_gaussian_noise_nothing_is_given_back():
    ledger = Ledger.in_memory()
    ledger.open_account("people", Zcdp(Fraction(1)), unit=Unit())
    one = reserved(ledger, event=GaussianEvent)
    with pytest.raises(LedgerError, match="given back"):
        ledger.commit(one, {}, returned=TENTH)


def test_rho_stays_spent():
    """E(o)²/2 is no ρ of a mechanism that chose E by its outcome."""
    ledger = Ledger.in_memory()
    ledger.open_account("people", Zcdp(Fraction(1, 8)), unit=Unit())
    ledger.commit(reserved(ledger), {}, returned=HALF - TENTH)
    assert ledger.spent("people") == Zcdp(Fraction(1, 8))
    with pytest.raises(BudgetExceeded):
        reserved(ledger, TENTH)


def test_a_stored_ledger_says_the_same_after_it_is_read_again(tmp_path):
    ledger = Ledger.open(tmp_path / "ledger.db", create=True)
    ledger.open_account("people", budget(1.0), unit=Unit())
    ledger.commit(reserved(ledger), {}, returned=HALF - TENTH)
    again = Ledger.open(tmp_path / "ledger.db")
    assert again.spent("people") == Pure(TENTH)
    again.verify()
