"""However a ledger is copied or sent, what is spent is spent in the one ledger."""

from __future__ import annotations

import copy
import os
import pickle

import pytest
from joblib import Parallel as Workers
from joblib import delayed
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.model_selection import cross_val_score

from privet.budget import Ledger, Pure, PureEvent, exact
from privet.errors import BudgetExceeded, LedgerError
from privet.schema import Unit

UNIT = Unit()
TENTH = PureEvent(exact(0.1))


def spend(ledger):
    ledger.commit(ledger.reserve("patients", TENTH, unit=UNIT, what="a test"), {})


class Spender(ClassifierMixin, BaseEstimator):
    """An estimator that spends in every fit and learns nothing."""

    def __init__(self, ledger=None):
        self.ledger = ledger

    def fit(self, X, y):
        spend(self.ledger)
        self.classes_ = [0, 1]
        return self

    def predict(self, X):
        return [0] * len(X)


@pytest.fixture
def memory():
    ledger = Ledger.in_memory().as_analyst("alice")
    ledger.open_account("patients", Pure(exact(1)), unit=UNIT)
    return ledger


@pytest.fixture
def stored(tmp_path):
    ledger = Ledger.open(tmp_path / "ledger.db", create=True).as_analyst("alice")
    ledger.open_account("patients", Pure(exact(1)), unit=UNIT)
    return ledger


def test_copies_are_the_ledger_itself(memory):
    assert copy.copy(memory) is memory
    assert copy.deepcopy({"ledger": memory})["ledger"] is memory
    assert clone(Spender(memory)).ledger is memory
    assert memory.as_analyst("bob").as_analyst("alice").head() == memory.head()


@pytest.mark.parametrize("which", ["memory", "stored"])
def test_cross_validation_spends_into_the_one_ledger(which, request):
    ledger = request.getfixturevalue(which)
    cross_val_score(Spender(ledger), [[0]] * 10, [0, 1] * 5, cv=5)
    assert ledger.spent("patients") == Pure(exact(0.5))


def test_a_ledger_in_memory_is_not_pickled(memory):
    with pytest.raises(LedgerError, match=r"Ledger\.open"):
        pickle.dumps(memory)


def test_a_stored_ledger_travels_as_its_address(stored):
    other = pickle.loads(pickle.dumps(stored))
    assert other.analyst == "alice"
    spend(other)
    assert stored.spent("patients") == Pure(exact(0.1))


def test_a_refusal_travels_whole(stored):
    with pytest.raises(BudgetExceeded) as refused:
        stored.reserve("patients", PureEvent(exact(2)), unit=UNIT, what="too much")
    other = pickle.loads(pickle.dumps(refused.value))
    assert (other.asked, other.balance, str(other)) == (
        refused.value.asked,
        refused.value.balance,
        str(refused.value),
    )


def test_joblib_workers_spend_into_the_one_file(stored):
    def task(ledger):  # a nested function is sent to the workers by value
        ledger.commit(ledger.reserve("patients", TENTH, unit=UNIT, what="a test"), {})

    Workers(n_jobs=2, backend="loky")(delayed(task)(stored) for _ in range(10))
    assert stored.spent("patients") == Pure(exact(1))
    assert sum(entry.state == "committed" for entry in stored.history()) == 10
    with pytest.raises(BudgetExceeded):
        Workers(n_jobs=2, backend="loky")(delayed(task)(stored) for _ in range(2))
    stored.verify()


def _in_a_fork(action) -> str:
    """What ``action`` returned or raised in a forked child."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            text = str(action())
        except BaseException as error:
            text = f"{type(error).__name__}: {error}"
        os.write(writer, text.encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return text


def test_a_fork_spends_into_the_file_and_not_into_a_copy(stored, memory):
    spend(stored)
    assert _in_a_fork(lambda: spend(stored)) == "None"
    assert stored.spent("patients") == Pure(exact(0.2))
    assert "another process" in _in_a_fork(lambda: spend(memory))
    assert memory.spent("patients") is None


def test_a_fork_while_the_ledger_is_held_does_not_hang(stored):
    with stored._chain.reading():
        assert _in_a_fork(lambda: stored.spent("patients")) == "None"
    spend(stored)
