"""Linear regression: least squares without noise, close to it with noise, and honest scores."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pyarrow as pa
import pytest
from sklearn.exceptions import SkipTestWarning
from sklearn.linear_model import LinearRegression as LeastSquares
from sklearn.linear_model import Ridge as ReferenceRidge
from sklearn.utils.estimator_checks import check_estimator

from privet.budget import exact
from privet.errors import SchemaError
from privet.learning.linear import Encoder
from privet.learning.regress import AdditiveRegressor, LinearRegression, Ridge
from privet.schema import Schema, Unit
from privet.sources import ArraySource


def wages(records=20_000, seed=0):
    draw = np.random.default_rng(seed)
    hours, age = draw.uniform(0, 60, records), draw.uniform(15, 70, records)
    job = draw.integers(0, 3, records)
    wage = 10 * hours + 2 * age + np.array([0.0, 150.0, -80.0])[job] + draw.normal(0, 40, records) + 100
    table = pa.table({"hours": hours, "age": age, "job": [["a", "b", "c"][j] for j in job], "wage": wage})
    columns = {"hours": (0.0, 60.0), "age": (15.0, 70.0), "job": ["a", "b", "c"], "wage": (-500.0, 1500.0)}
    return table, Schema.of(columns, target="wage")


def r2(model, table):
    return model.score(table.drop_columns(["wage"]), np.asarray(table["wage"]))


@pytest.mark.parametrize("algorithm", [LinearRegression, Ridge])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("neighbours", ["add_remove", "replace"])
def test_learns_with_privacy(algorithm, delta, neighbours):
    table, schema = wages()
    schema = Schema(schema.columns, target="wage", unit=Unit(neighbours))
    model = algorithm(epsilon=1.0, delta=delta, schema=schema).fit(table)
    reference = LeastSquares().fit(Encoder(schema=schema).transform(table), np.asarray(table["wage"]))
    best = reference.score(Encoder(schema=schema).transform(table), np.asarray(table["wage"]))
    assert r2(model, table) > best - 0.05
    assert model.guarantee_.holds


def test_without_noise_it_is_least_squares():
    table, schema = wages()
    X, y = Encoder(schema=schema).transform(table), np.asarray(table["wage"])
    model = LinearRegression(epsilon=1e6, schema=schema).fit(table)
    np.testing.assert_allclose(model.predict(table), LeastSquares().fit(X, y).predict(X), atol=2)
    strong = Ridge(epsilon=1e6, schema=schema, regularisation=3000).fit(table)
    reference = ReferenceRidge(alpha=3000).fit(X, y)
    np.testing.assert_allclose(strong.predict(table), reference.predict(X), atol=10)
    assert np.abs(strong.coef_).sum() < np.abs(model.coef_).sum()


@pytest.mark.parametrize("algorithm", [LinearRegression, Ridge])
@pytest.mark.parametrize("epsilon", [1.0, 10.0])
def test_error_bars_cover_least_squares(algorithm, epsilon):
    table, schema = wages()
    X, y = Encoder(schema=schema).transform(table), np.asarray(table["wage"])
    truth = LeastSquares().fit(X, y).coef_[:2]
    models = [algorithm(epsilon=epsilon, schema=schema, random_state=seed).fit(table) for seed in range(25)]
    covered = [np.abs(model.coef_[:2] - truth) <= model.coef_error_[:2] for model in models]
    assert np.mean(covered) >= 0.85
    assert np.median([model.coef_error_[0] / model.coef_[0] for model in models]) < 0.3 / epsilon**0.5


def test_records_without_a_target_do_not_count():
    """They must not draw predictions to the middle of the bounds, whoever they are."""
    table, schema = wages()
    wage = np.asarray(table["wage"]).copy()
    gone = (np.asarray(table["hours"]) > 30) & (np.arange(len(wage)) % 4 > 0)
    half = table.set_column(3, "wage", pa.array(np.where(gone, np.nan, wage), from_pandas=True))
    model = Ridge(epsilon=1000.0, schema=schema).fit(half)
    complete = Ridge(epsilon=1000.0, schema=schema).fit(half.filter(pa.array(~gone)))
    np.testing.assert_allclose(model.predict(table), complete.predict(table), atol=5)
    arrays = table.select(["hours", "age"]).to_pandas().to_numpy()
    numbers = Schema((schema["hours"], schema["age"], schema["wage"]), target="wage")
    source = ArraySource(arrays, np.where(gone, np.nan, wage), names=["hours", "age"], target="wage")
    by_rows = Ridge(epsilon=1000.0, schema=numbers).fit(source)
    assert by_rows.score(arrays, wage) > 0.7


def test_predictions_stay_within_the_public_bounds():
    table, schema = wages(50)
    model = Ridge(epsilon=0.01, schema=schema).fit(table)
    predicted = model.predict(table.drop_columns(["wage"]))
    assert ((predicted >= -500) & (predicted <= 1500)).all()
    assert np.isfinite(model.coef_error_).all()


def test_scikit_learn():
    for algorithm in (LinearRegression, Ridge):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SkipTestWarning)
            check_estimator(algorithm(schema="infer", epsilon=100.0))


def test_steps_are_those_of_the_rehearsal_and_add_up():
    table, schema = wages(4000)
    model = Ridge(epsilon=0.5, schema=schema)
    assert model.rehearse().steps == model.fit(table).guarantee_.steps
    assert sum(step.amount.epsilon for step in model.guarantee_.steps) == exact(0.5)


def test_where_noise_would_hide_the_weights_the_mean_gets_the_budget():
    table, schema = wages(100)
    model = Ridge(epsilon=0.2, schema=schema).fit(table)
    assert "the mean is predicted" in model.explanation_
    assert not model.coef_.any()
    steps = model.guarantee_.steps
    asked = [step.what.split(" '")[0] for step in steps[1:]]
    added_up = ["a histogram of", "the sum of", "the number of records with a"]
    assert asked in (added_up, ["a histogram of", "how far"])
    assert sum(step.amount.epsilon for step in steps) == exact(0.2)


@pytest.mark.parametrize("algorithm", [Ridge, AdditiveRegressor])
def test_a_mean_within_bounds_that_are_far_too_wide_is_found(algorithm):
    """Values in a hundredth of the bounds: noise for the bounds would be as large as what it hides."""
    draw = np.random.default_rng(3)
    table = pa.table({"hours": draw.uniform(0, 10, 1000), "wage": draw.normal(1500, 700, 1000)})
    schema = Schema.of({"hours": (0.0, 10.0), "wage": (-10_000.0, 100_000.0)}, target="wage")
    told = [
        float(algorithm(epsilon=0.1, schema=schema, random_state=seed).fit(table).predict([[5.0]])[0])
        for seed in range(5)
    ]
    assert np.median(np.abs(np.array(told) - 1500)) < 350  # half of how far values lie from their mean


def test_a_seed_and_an_inferred_schema_promise_nothing():
    table, schema = wages(100)
    one, two = (Ridge(schema=schema, random_state=1).fit(table) for _ in range(2))
    np.testing.assert_array_equal(one.coef_, two.coef_)
    assert not one.guarantee_.holds
    inferred = Ridge(schema="infer").fit(
        table.select(["hours", "age"]).to_pandas(), np.asarray(table["wage"])
    )
    assert not inferred.guarantee_.holds


@pytest.mark.parametrize("epsilon", [1e-3, 1.0, 1e6])
def test_odd_tables(epsilon):
    schema = Schema.of({"x": (0.0, 1.0), "copy": (0.0, 1.0), "c": ["a"], "y": (0.0, 1.0)}, target="y")
    x = np.linspace(0, 1, 10)
    for values in (x, x[:1], np.full(10, np.nan), np.full(10, 0.5), 1e6 * x):
        table = pa.table({"x": values, "copy": values, "c": ["a"] * len(values), "y": values})
        model = LinearRegression(epsilon=epsilon, schema=schema).fit(table)
        assert np.isfinite(model.coef_).all()
    with pytest.raises(SchemaError, match="is a category"):
        Ridge(schema=Schema.of({"x": (0.0, 1.0), "c": ["a"]}, target="c")).fit(table)


def test_it_says_what_was_done_and_how_large_a_ridge_the_noise_needed():
    table, schema = wages(2000)

    def ridge(model):
        text = model.fit(table).explanation_
        assert text.startswith("Noisy second moments and one linear solve, with a regularisation of ")
        return text, float(re.search(r"regularisation of ([0-9.e+]+\d)", text)[1])

    text, asked = ridge(Ridge(epsilon=1e6, schema=schema, regularisation=50.0))
    assert asked == pytest.approx(50, abs=0.5)  # hardly any noise
    assert text.endswith(": 50 as asked for, the rest because of the noise.")
    text, needed = ridge(LinearRegression(epsilon=0.5, schema=schema))
    assert needed > 50
    assert ", for the noise." in text
    # Before a fit nothing is said of its ridge: a rehearsal's is that of a table without records.
    foreseen = LinearRegression(schema=schema)._rehearsed()._foreseen()
    assert foreseen.endswith("with a regularisation of what the noise turns out to need.")
    assert "of 7 as asked for, and" in Ridge(schema=schema, regularisation=7.0)._rehearsed()._foreseen()
