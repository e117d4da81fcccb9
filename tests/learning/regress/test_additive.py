"""Additive regression: shapes and interactions of a number, fallback to the mean, and bad input."""

from __future__ import annotations

import ibis
import numpy as np
import pyarrow as pa
import pytest

from privet.learning.regress import AdditiveRegressor, LinearRegression
from privet.schema import Schema

SCHEMA = Schema.of({"a": (0.0, 1.0), "b": (0.0, 1.0), "c": ["x", "y"], "wage": (0.0, 20.0)}, target="wage")


def wages(records=8000, seed=0):
    draw = np.random.default_rng(seed)
    a, b, c = draw.random(records), draw.random(records), draw.choice(["x", "y"], records)
    wage = 8 + 4 * np.where((a > 0.5) ^ (b > 0.5), 1, 0) + 2 * (c == "y") + draw.normal(0, 0.5, records)
    return pa.table({"a": a, "b": b, "c": c, "wage": wage})


def explained(model, table):
    y = table["wage"].to_numpy()
    return 1 - np.mean((model.predict(table) - y) ** 2) / np.var(y)


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_an_interaction_is_found(delta):
    model = AdditiveRegressor(epsilon=3.0, delta=delta, schema=SCHEMA, random_state=0).fit(wages())
    assert explained(model, wages(seed=1)) > 0.75
    assert {"a", "b"} == set(model.shapes_[0]["columns"])
    assert "'wage'" in model.in_words()
    assert all("<svg" in chart.svg() for chart in model.pictures()[:2])
    linear = LinearRegression(epsilon=3.0, schema=SCHEMA, random_state=0).fit(wages())
    assert explained(linear, wages(seed=1)) < 0.4


def test_with_a_tiny_budget_both_stay_near_the_mean_of_what_is_possible():
    for kind in (AdditiveRegressor, LinearRegression):
        scores = [
            explained(kind(epsilon=0.2, schema=SCHEMA, random_state=seed).fit(wages(3000)), wages(seed=1))
            for seed in range(4)
        ]
        assert np.mean(scores) > -0.5


def test_linear_regression_says_when_it_falls_back():
    schema = Schema.of({**{f"x{i}": (0.0, 1.0) for i in range(12)}, "wage": (0.0, 20.0)}, target="wage")
    draw = np.random.default_rng(0)
    table = pa.table({**{f"x{i}": draw.random(500) for i in range(12)}, "wage": draw.normal(10, 1, 500)})
    model = LinearRegression(epsilon=0.1, schema=schema, random_state=1).fit(table)
    assert "the mean" in model.explanation_


@pytest.mark.parametrize("records", [0, 3])
def test_hardly_any_records(records):
    model = AdditiveRegressor(epsilon=1.0, schema=SCHEMA).fit(wages(10).slice(0, records))
    told = model.predict(wages(20))
    assert ((told >= 0) & (told <= 20)).all()


def test_a_declared_direction_is_kept():
    model = AdditiveRegressor(epsilon=1.0, schema=SCHEMA, increasing="a", random_state=0).fit(wages())
    grid = pa.table({"a": np.linspace(0, 1, 50), "b": [0.2] * 50, "c": ["x"] * 50})
    assert (np.diff(model.predict(grid)) >= -1e-9).all()


def test_a_database_gives_the_same_model():
    table = wages(1000)
    stored = ibis.duckdb.connect().create_table("wages", table)
    asked = {"epsilon": 1.0, "schema": SCHEMA, "random_state": 5, "rounds": 3}
    assert AdditiveRegressor(**asked).fit(table).shapes_ == AdditiveRegressor(**asked).fit(stored).shapes_
