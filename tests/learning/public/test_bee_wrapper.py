"""ABC–DE feature selection on public tables."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from privet.errors import DataError, ParameterError
from privet.learning.public.bee_wrapper import BeeSelection

FEW = {"iterations": 12, "population": 8, "random_state": 0}


def table(rows=150):
    draw = np.random.default_rng(0)
    X = draw.normal(size=(rows, 8))
    return X, np.where(X[:, 1] + X[:, 5] > 0, "yes", "no")


def test_it_finds_attributes_that_tell():
    X, y = table()
    chosen = BeeSelection(estimator=GaussianNB(), **FEW).fit(X, y)
    assert chosen.get_support()[[1, 5]].all()
    assert chosen.score_ > 0.85
    assert list(chosen.history_) == sorted(chosen.history_)
    assert chosen.transform(X).shape == (150, chosen.get_support().sum())
    assert "NONE" in chosen.guarantee_


def test_seeds_and_remembered_subsets():
    X, y = table(60)
    one, again = (BeeSelection(**FEW).fit(X, y) for _ in range(2))
    assert one.get_support().tolist() == again.get_support().tolist()
    assert one.evaluations_ <= 2**8


def test_bad_input():
    X, y = table(20)
    with pytest.raises(DataError, match="one class"):
        BeeSelection(**FEW).fit(X, ["a"] * 20)
    with pytest.raises(ParameterError):
        BeeSelection(population=2).fit(X, y)
    with pytest.warns(UserWarning, match="least populated class") as told:
        rare = BeeSelection(**FEW).fit(X, ["a"] * 19 + ["b"])
    assert rare.get_support().any()
    assert len(told) == 1
