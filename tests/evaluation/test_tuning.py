"""Private tuning: one price for the whole search, paid once; nothing of its number of trials is told."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

from privet.budget import Approximate, Ledger, Pure, exact
from privet.errors import BudgetExceeded, DataError, ParameterError
from privet.evaluation.tuning import PrivateSearch, default_grid
from privet.learning.classify import LogisticRegression, NaiveBayes, OneR
from privet.learning.regress import LinearRegression, Ridge
from privet.release import BEFOREHAND
from privet.schema import Schema, Unit

SCHEMA = Schema.of({"fever": (35.0, 42.0), "ward": ["a", "b"], "ill": [0, 1]}, target="ill", dataset="ward")


def patients(records=3000, seed=0):
    draw = np.random.default_rng(seed)
    ill = draw.integers(0, 2, records)
    fever = 36.5 + 2 * ill + draw.normal(0, 0.8, records)
    return pa.table({"fever": fever, "ward": np.where(draw.random(records) < 0.5, "a", "b"), "ill": ill})


def account(limit=2, **how):
    ledger = Ledger.in_memory().as_analyst("test")
    ledger.open_account("ward", how.pop("amount", Pure(exact(limit))), unit=SCHEMA.unit, **how)
    return ledger


def search(**how):
    return PrivateSearch(NaiveBayes(schema=SCHEMA), {"bins": [4, 16]}, **how)


def test_the_whole_search_is_one_spend():
    ledger = account()
    found = search(epsilon=0.5, ledger=ledger).fit(patients())
    assert ledger.spent("ward") == Pure(Fraction(1, 2))
    assert found.guarantee_.epsilon == 0.5
    assert found.guarantee_.holds
    assert found.best_estimator_.guarantee_ == found.guarantee_
    # Each trial pays half of it: for the fit, and on other records for the score.
    steps = found.guarantee_.steps
    assert "random number of trials" in steps[0].what
    within = [step for step in steps if step.what.startswith("in a trial with ")]
    scores = [step for step in within if "confusion" in step.what]
    assert sum(step.amount.epsilon for step in within if step not in scores) == Fraction(1, 4)
    assert [step.amount.epsilon for step in scores] == [Fraction(1, 4)]


def test_with_a_delta_the_price_is_that_of_the_proof():
    limit = Approximate(exact(2), exact(1e-5))
    with pytest.raises(BudgetExceeded, match="another kind of noise"):  # it is no zCDP, and says so
        search(epsilon=1.0, delta=1e-6, ledger=account(amount=limit)).fit(patients(100))
    ledger = account(amount=limit, accountant="basic")
    found = search(epsilon=1.0, delta=1e-6, ledger=ledger, trials=10).fit(patients())
    assert found.guarantee_.delta == 1e-6
    assert 0.5 < found.best_estimator_.epsilon < 0.7
    spent = ledger.spent("ward")
    assert (spent.epsilon, spent.delta) == (1, exact(1e-6))


def test_the_rehearsal_is_the_fit():
    planned = search(epsilon=1.0).rehearse()
    done = search(epsilon=1.0).fit(patients()).guarantee_
    assert planned.amount == done.amount
    assert planned.steps[0] == done.steps[0]


def test_it_finds_the_better_settings():
    """A model of one number by a normal distribution fails where the ill are at both ends."""
    draw = np.random.default_rng(1)
    ill = draw.integers(0, 2, 6000)
    fever = np.where(ill == 1, 38.5 + 2.5 * draw.choice([-1, 1], 6000), 38.5) + draw.normal(0, 0.3, 6000)
    table = pa.table({"fever": fever, "ward": ["a"] * 6000, "ill": ill})
    grid = {"bins": [2, 16]}
    chosen = [
        PrivateSearch(NaiveBayes(schema=SCHEMA), grid, epsilon=2.0, trials=50, random_state=seed)
        .fit(table)
        .best_parameters_["bins"]
        for seed in range(8)
    ]
    # One search in eight or so tries the worse settings only; seeds make it the same in every run.
    assert chosen.count(16) >= 6


def test_nothing_says_how_many_trials_there_were():
    found = search(trials=30).fit(patients(400))
    told = {name for name in vars(found) if name.endswith("_")}
    of_the_best = {"best_estimator_", "best_evaluation_", "best_parameters_"}
    assert told == of_the_best | {"classes_", "guarantee_", "left_out_"}  # what is left out is public


def logistic(grid, **how):
    return PrivateSearch(LogisticRegression(schema=SCHEMA, **how), grid, epsilon=2.0, trials=2)


def test_what_the_algorithm_refuses_is_left_out_and_said():
    grid = {"method": ["newton", "objective", "privgene"], "steps": [0, 2], "regularisation": [1.0, 9.0]}
    plan = logistic(grid).plan()
    tried = [tuple(each[name] for name in ("method", "steps")) for each in plan.settings.tried]
    # Objective goes with no number of steps: it is tried without one. PrivGene goes with 2.
    assert set(tried) == {("newton", 0), ("newton", 2), ("privgene", 2), ("objective", None)}
    assert len(tried) == 8
    assert len(plan.settings.left_out) == 6
    assert "of 8 settings" in plan.guarantee.steps[0].what
    text = "\n".join(plan.lines())
    assert "Settings that may be tried (8):" in text
    assert "method = newton, regularisation = 9.0, steps = 0 | 2" in text
    assert "steps = 0 | 2: LogisticRegression: method='objective' has no steps." in text
    assert "one in 5" in text
    assert "ε = 2 in all" in text
    assert "Each trial has ε = 1 for its fit" in text
    found = logistic(grid).fit(patients(200))
    assert found.left_out_ == plan.settings.left_out
    assert found.best_parameters_ in plan.settings.tried


def test_where_nothing_is_left_it_is_said_before_anything_is_paid():
    ledger = account()
    with pytest.raises(ParameterError, match=r"None of the 2 settings can be tried.*has no steps") as refused:
        logistic({"steps": [1, 2]}, method="objective").set_params(ledger=ledger).fit(patients(100))
    assert "Leave steps out" in refused.value.advice
    with pytest.raises(ParameterError, match="None of the 4 settings"):
        logistic({"method": ["objective", "output"], "steps": [1, 2]}).plan()
    assert ledger.spent("ward") is None


def test_what_is_left_out_does_not_depend_on_the_data():
    grid = {"method": ["newton", "objective"], "steps": [1]}
    assert logistic(grid).fit(patients(20)).left_out_ == logistic(grid).fit(patients(900)).left_out_


def test_the_model_is_an_ordinary_one(tmp_path):
    from privet.model import load_model, save_model

    table = patients()
    found = search(epsilon=2.0).fit(table)
    save_model(found.best_estimator_, tmp_path / "model.json")
    again = load_model(tmp_path / "model.json")
    some = table.drop_columns(["ill"])
    np.testing.assert_array_equal(again.predict(some), found.predict(some))
    assert again.guarantee_ == found.guarantee_
    assert found.predict_proba(some).shape == (3000, 2)
    # 0.89 with 16 bins; one search in ten has a single trial, of 4 bins: 0.81, with a deviation of 0.013.
    assert found.best_evaluation_.accuracy.value > 0.74
    assert any("too high" in caveat for caveat in found.guarantee_.caveats)


@pytest.mark.parametrize("unit", [Unit(), Unit("replace"), Unit(id="who", most=2)])
def test_both_relations_and_persons(unit):
    table = patients(600).append_column("who", pa.array(np.arange(600) // 2))
    schema = Schema(SCHEMA.columns, target="ill", unit=unit)
    found = PrivateSearch(NaiveBayes(schema=schema), {"bins": [4, 8]}, epsilon=1.0).fit(table)
    assert found.guarantee_.unit == unit


def test_arrays_clones_and_logistic_regression():
    table = patients(800)
    X = np.column_stack([table["fever"], [0.0] * 800])
    schema = Schema.of({"fever": (35.0, 42.0), "none": (0.0, 1.0), "ill": [0, 1]}, target="ill")
    tuned = PrivateSearch(LogisticRegression(schema=schema, records=800), epsilon=4.0, trials=3)
    fitted = clone(tuned).fit(X, np.asarray(table["ill"]))
    assert set(fitted.best_parameters_) <= {"method", "steps", "regularisation", "numbers"}
    assert fitted.predict(X[:5]).shape == (5,)
    assert not hasattr(tuned, "best_estimator_")


def test_seeds_repeat_and_void_the_guarantee():
    one, other = (search(random_state=5).fit(patients(500)) for _ in range(2))
    assert one.best_parameters_ == other.best_parameters_
    assert one.best_evaluation_.accuracy.value == other.best_evaluation_.accuracy.value
    assert not one.guarantee_.holds
    with pytest.raises(ParameterError, match="without a guarantee"):
        search(random_state=5, ledger=account()).fit(patients(500))


def test_refusals_cost_nothing_and_failures_stand():
    ledger = account(limit=0.3)
    with pytest.raises(BudgetExceeded):
        search(epsilon=0.5, ledger=ledger).fit(patients(100))
    for bad in ({"bims": [1]}, {"bins": [1]}, {"epsilon": [9]}):
        with pytest.raises(ParameterError):
            PrivateSearch(NaiveBayes(schema=SCHEMA), bad, epsilon=0.1, ledger=ledger).fit(patients(100))
    for how in ({"trials": 0.5}, {"parts": 1}, {"epsilon": -1.0}):
        with pytest.raises(ParameterError):
            search(**{"epsilon": 0.1, "ledger": ledger} | how).fit(patients(100))
    assert ledger.spent("ward") is None
    strange = patients(100).set_column(1, "ward", pa.array(["z"] * 100))
    strict = NaiveBayes(schema=replace(SCHEMA, outside="refuse"), look_first=False)
    with pytest.raises(DataError, match="stays spent"):
        PrivateSearch(strict, {"bins": [4, 8]}, epsilon=0.1, ledger=ledger).fit(strange)
    assert ledger.spent("ward") == Pure(exact(0.1))


def test_default_grids():
    assert {"numeric", "shares"} & set(default_grid(NaiveBayes))
    methods = {each.get("method") for each in ParameterGrid(default_grid(LogisticRegression))}
    assert methods == {"newton", "objective", None}  # None: bins, by the method that suits
    plan = PrivateSearch(LogisticRegression(schema=SCHEMA)).plan()
    assert len(plan.settings.tried) == 7
    assert not plan.settings.left_out
    assert default_grid(OneR)

    class Plain:
        def __init__(self, *, epsilon: float = 1.0) -> None: ...

    with pytest.raises(ParameterError, match="no choices"):
        default_grid(Plain)

    class Numbers:
        def __init__(self, *, epsilon: float = 1.0, depth: int = 3, rate: float = 0.1) -> None: ...

    with pytest.raises(ParameterError) as refused:
        default_grid(Numbers)
    assert "one or more of: depth, rate" in refused.value.advice
    assert "{'depth': [" in refused.value.advice


def test_a_regression_is_tuned_by_its_squared_errors():
    draw = np.random.default_rng(2)
    hours = draw.uniform(0, 10, 4000)
    wage = 5 + 2 * hours + draw.normal(0, 1, 4000)
    schema = Schema.of({"hours": (0.0, 10.0), "wage": (0.0, 30.0)}, target="wage")
    chosen = [
        PrivateSearch(
            Ridge(schema=schema), {"regularisation": [1.0, 1e6]}, epsilon=4.0, trials=50, random_state=seed
        )
        .fit(hours[:, None], wage)
        .best_parameters_["regularisation"]
        for seed in range(8)
    ]
    assert chosen.count(1.0) >= 6
    found = PrivateSearch(Ridge(schema=schema), epsilon=4.0, trials=20).fit(hours[:, None], wage)
    name, figure = found.best_figure
    assert name == "r2"
    assert figure.value <= 1
    assert found.guarantee_.epsilon == 4
    assert found.predict([[5.0]]).shape == (1,)
    assert found.score(hours[:, None], wage) == pytest.approx(
        found.best_estimator_.score(hours[:, None], wage)
    )
    with pytest.raises(ParameterError, match="no choices") as refused:
        PrivateSearch(LinearRegression(schema=schema)).rehearse()
    assert "bins" not in str(refused.value)


def test_the_score_is_the_best_models():
    found = search(epsilon=4.0, random_state=0).fit(patients())
    X, y = patients(500, seed=1).select(["fever", "ward"]), np.asarray(patients(500, seed=1)["ill"])
    assert found.score(X, y) == (found.predict(X) == y).mean() > 0.8


@pytest.mark.parametrize("order", [["newton", "objective"], ["objective", "newton"]])
def test_a_search_carries_the_caveats_of_all_that_could_have_run(order):
    """Which settings were tried is secret, so the guarantee must hold whichever they were."""
    solver = "minimum can be found"
    estimator = LogisticRegression(schema=SCHEMA, records=300)

    def tuned(methods):
        return PrivateSearch(estimator, {"method": methods}, epsilon=1.0, trials=1)

    assert not any(solver in each for each in tuned(["newton"]).rehearse().caveats)
    planned = tuned(order).rehearse()
    done = tuned(order).fit(patients(300)).guarantee_
    for guarantee in (planned, done):
        assert sum(solver in each for each in guarantee.caveats) == 1
        assert ("about how many records there are", "declared") in guarantee.public
    assert {*planned.caveats, BEFOREHAND} == set(done.caveats)
    assert set(planned.public) == set(done.public)


def test_a_refusal_says_what_was_asked_for_in_the_words_of_whoever_asked():
    ledger = account(amount=Approximate(exact(2), exact(1e-5)))
    NaiveBayes(epsilon=0.5, schema=SCHEMA, ledger=ledger).fit(patients(100))
    with pytest.raises(BudgetExceeded, match=r"does not allow ε = 0\.5, δ = 1e-06:"):
        LogisticRegression(method="objective", epsilon=0.5, delta=1e-6, schema=SCHEMA, ledger=ledger).fit(
            patients(100)
        )
