"""Private figures of a regression: near the exact ones, honest about the noise, and paid for."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from sklearn.metrics import mean_absolute_error, mean_squared_error, r2_score

from privet.budget import Ledger, Pure, exact
from privet.errors import BudgetExceeded, DataError, ParameterError, SchemaError
from privet.evaluation import cross_validate, cross_validation_cost, evaluate, evaluation_cost
from privet.learning.regress import Ridge
from privet.release import BEFOREHAND
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


def test_error_bars_cover_the_noise_where_figures_reach_the_ends_of_their_range(model):
    """In half of these runs the mean squared error is less than possible, and is held to the least."""
    table = wages(2_000)
    truth = evaluate(model, table, public=True)
    runs = [evaluate(model, table, epsilon=1.0, random_state=seed) for seed in range(400)]
    for name in ("records", "r2", "mean_absolute_error", "root_mean_squared_error"):
        found = [getattr(run, name) for run in runs]
        inside = [abs(each.value - getattr(truth, name).value) <= each.error for each in found]
        assert np.mean(inside) >= 0.935, name


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


def test_cross_validation_is_paid_once_and_near_the_truth():
    ledger = Ledger.in_memory()
    ledger.open_account("wages", Pure(exact(10)), unit=SCHEMA.unit)
    estimator = Ridge(epsilon=1.0, schema=SCHEMA, ledger=ledger)
    cost = cross_validation_cost(estimator, folds=4, epsilon=0.5, repeats=2)
    assert cost.amount == Pure(exact(7))  # 2 · (3 · 1 + 0.5)
    assert sum(step.amount.epsilon for step in cost.steps) == 7
    found = cross_validate(estimator, wages(), folds=4, epsilon=0.5, repeats=2)
    assert found.guarantee == replace(cost, caveats=(BEFOREHAND, *cost.caveats))
    assert ledger.spent("wages") == cost.amount
    assert [each.kind for each in ledger.history("wages")].count("reserve") == 1
    assert abs(found.evaluation.records.value - 5000) <= 5 * found.evaluation.records.error
    # Without noise they are 0.957 and 40·√(2/π) ≈ 32, within a point or two for the noise in the fits.
    assert abs(found.evaluation.r2.value - 0.957) <= 3 * found.evaluation.r2.error + 0.03
    mean = found.evaluation.mean_absolute_error
    assert abs(mean.value - 32) <= 3 * mean.error + 2
    assert mean.error < 5
    assert len(found.repeats) == 2
    assert json.loads(json.dumps(found.to_dict()))["repeats"][1]["r2"]["error"] > 0
    assert "4-fold cross-validation, 2 times" in found.text()


def test_cross_validation_scores_records_by_models_that_did_not_see_them():
    """Forty records of towns that occur once: whoever has seen a record's town can say its wage."""
    towns = [f"town {place}" for place in range(40)]
    schema = Schema.of({"town": towns, "wage": (0.0, 100.0)}, target="wage")
    table = pa.table({"town": towns, "wage": [0.0, 100.0] * 20})
    estimator = Ridge(epsilon=1e6, schema=schema, random_state=0)
    seen = evaluate(estimator.fit(table), table, public=True)
    unseen = cross_validate(estimator, table, folds=5, public=True)
    assert seen.r2.value > 0.5
    assert unseen.evaluation.r2.value < 0.1
    assert unseen.evaluation.records.value == 40


def test_cross_validation_refuses_a_category_as_the_target_before_it_is_paid():
    schema = Schema.of(COLUMNS, target="job", dataset="wages")
    ledger = Ledger.in_memory()
    ledger.open_account("wages", Pure(exact(10)), unit=schema.unit)
    with pytest.raises(SchemaError, match="predicts a number"):
        cross_validate(Ridge(schema=schema, ledger=ledger), wages(), epsilon=1.0)
    assert ledger.spent("wages") is None


def test_what_is_no_private_learner_is_told_which_are():
    from sklearn.linear_model import Ridge as Theirs

    for refused in (lambda: evaluate(Theirs(), wages()), lambda: cross_validate(Theirs(), wages())):
        with pytest.raises(ParameterError, match="own classifiers and regressions"):
            refused()


def test_public_figures_of_no_records_are_refused_and_private_ones_are_noise(model):
    nobody = wages().slice(0, 0)
    unknown = wages(3).set_column(2, "wage", pa.nulls(3, pa.float64()))
    for table in (nobody, unknown):
        with pytest.raises(DataError, match="nothing to score"):
            evaluate(model, table, public=True)
        with pytest.raises(DataError, match="nothing to score"):
            cross_validate(Ridge(schema=SCHEMA), table, folds=2, public=True)
        assert evaluate(model, table, epsilon=1.0).records.error > 0


def test_what_the_noise_hides_is_said_to_be_unknown(model):
    hidden = [evaluate(model, wages(20), epsilon=0.1, random_state=seed) for seed in range(20)]
    for found in hidden:
        for figure in (found.mean_absolute_error, found.root_mean_squared_error):
            assert figure.error <= max(figure.value, 1000 - figure.value) + 1e-9
    unknown = [found for found in hidden if found.r2.error > 1]
    assert unknown
    assert all("not known: " in found.text() and "larger epsilon" in found.text() for found in unknown)
    assert "not known" not in evaluate(model, wages(), epsilon=10.0).text()


def test_records_are_whole_numbers_for_a_reader(model):
    assert "Records                      5,000\n" in evaluate(model, wages(), public=True).text()
    assert re.search(r"Records {22}[45],\d{3} ± \d+\n", evaluate(model, wages(), epsilon=1.0).text())
