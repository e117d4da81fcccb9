"""Private figures of a regression: near the exact ones, honest about the noise, and paid for."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest
from sklearn.metrics import mean_absolute_error, mean_squared_error, r2_score

from privet.budget import Ledger, Pure, exact
from privet.errors import BudgetExceeded, ParameterError
from privet.evaluation import evaluate, evaluation_cost
from privet.learning.regress import Ridge
from privet.schema import Schema

COLUMNS = {"hours": (0.0, 60.0), "job": ["a", "b"], "wage": (0.0, 1000.0)}
SCHEMA = Schema.of(COLUMNS, target="wage", dataset="wages")


def wages(records=5_000):
    draw = np.random.default_rng(1)
    hours, job = draw.uniform(0, 60, records), draw.integers(0, 2, records)
    wage = 100 + 10 * hours + 150 * job + draw.normal(0, 40, records)
    return pa.table({"hours": hours, "job": [["a", "b"][j] for j in job], "wage": wage})


@pytest.fixture(scope="module")
def model():
    return Ridge(epsilon=10.0, schema=SCHEMA, random_state=0).fit(wages())


def test_exact_figures_on_public_data_are_scikit_learns(model):
    table = wages(800)
    found = evaluate(model, table, public=True)
    truth, guess = np.asarray(table["wage"]), model.predict(table)
    assert found.records.value == 800
    assert found.r2.value == pytest.approx(r2_score(truth, guess), abs=1e-4)
    assert found.mean_absolute_error.value == pytest.approx(mean_absolute_error(truth, guess), rel=1e-3)
    assert found.root_mean_squared_error.value == pytest.approx(
        mean_squared_error(truth, guess) ** 0.5, rel=1e-3
    )
    assert found.r2.error == 0
    assert not found.guarantee.holds


def test_error_bars_cover_the_noise(model):
    table = wages(2_000)
    truth = evaluate(model, table, public=True)
    names = ("records", "r2", "mean_absolute_error", "root_mean_squared_error")
    inside = dict.fromkeys(names, 0)
    for _ in range(60):
        found = evaluate(model, table, epsilon=1.0)
        for name in names:
            figure = getattr(found, name)
            inside[name] += abs(figure.value - getattr(truth, name).value) <= figure.error
    # 95 % of 60 is 57; fewer than 48 happens by chance less than once in 100,000 runs.
    assert min(inside.values()) >= 48, inside


def test_the_score_is_paid_for(model):
    ledger = Ledger.in_memory().as_analyst("test")
    ledger.open_account("wages", Pure(exact(1)), unit=SCHEMA.unit)
    assert evaluate(model, wages(200), epsilon=0.75, ledger=ledger).guarantee.epsilon == 0.75
    assert ledger.spent("wages") == Pure(exact(0.75))
    with pytest.raises(BudgetExceeded):
        evaluate(model, wages(200), epsilon=0.75, ledger=ledger)


def test_the_cost_is_told_before(model):
    cost = evaluation_cost(SCHEMA, epsilon=0.5)
    assert cost.steps == evaluate(model, wages(200), epsilon=0.5).guarantee.steps
    with pytest.raises(ParameterError):
        evaluation_cost(SCHEMA, epsilon=-1.0)


def test_text_and_json(model):
    found = evaluate(model, wages(500), epsilon=1.0)
    assert "R²" in found.text()
    assert "ε = 1" in str(found)
    assert json.loads(json.dumps(found.to_dict()))["target"] == "wage"
