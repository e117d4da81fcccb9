"""Additive models for classes: interactions, cells for missing values, what they cost, and bad input."""

from __future__ import annotations

import ibis
import numpy as np
import pyarrow as pa
import pytest

from privet.errors import ParameterError
from privet.learning.additive.boosting import Attribute
from privet.learning.additive.classes import start_for
from privet.learning.classify import AdditiveModel
from privet.learning.classify.additive_model import half_bayes
from privet.release import Release
from privet.report import Bars, Heatmap, Lines
from privet.schema import Schema, Unit
from privet.stats import Coded
from privet.stats.boosting import Additive, Grouped

SCHEMA = Schema.of(
    {"age": (0.0, 100.0), "left": [0, 1], "right": [0, 1], "ward": ["a", "b", "c"], "ill": ["no", "yes"]},
    target="ill",
)


def people(records=6000, seed=0):
    """Ill are the old, and those of whom exactly one of two things holds."""
    draw = np.random.default_rng(seed)
    age, left, right = (
        draw.uniform(0, 100, records),
        draw.integers(0, 2, records),
        draw.integers(0, 2, records),
    )
    ill = (age > 80) | ((left ^ right) == 1)
    columns = {"age": age, "left": left, "right": right, "ward": draw.choice(["a", "b", "c"], records)}
    return pa.table(columns | {"ill": np.where(ill, "yes", "no")})


def right(model, table):
    return float(np.mean(model.predict(table) == table["ill"].to_numpy(zero_copy_only=False)))


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_an_interaction_is_found_and_drawn(delta):
    model = AdditiveModel(epsilon=3.0, delta=delta, schema=SCHEMA, random_state=1).fit(people())
    assert right(model, people(seed=1)) > 0.97
    assert set(model.shapes_[0]["columns"]) == {"left", "right"}
    charts = model.pictures()
    assert isinstance(charts[0], Heatmap)
    assert any(isinstance(chart, Lines | Heatmap) and "age" in chart.title for chart in charts)
    assert all(chart.svg().startswith("<svg") or "<svg" in chart.svg() for chart in charts[:2])
    assert model.in_words().startswith("What multiplies the odds of 'yes', strongest first (")
    alone = AdditiveModel(epsilon=3.0, schema=SCHEMA, pairs=False, random_state=1).fit(people())
    assert right(alone, people(seed=1)) < 0.85
    assert any(isinstance(chart, Bars | Lines) for chart in alone.pictures())


def test_among_very_many_pairs_are_those_of_attributes_that_were_chosen():
    """All pairs of 100 attributes would be slow: one that says nothing alone is found beside its partner."""
    draw = np.random.default_rng(3)
    X = draw.random((12_000, 100))
    schema = Schema.of({**{f"c{place}": (0.0, 1.0) for place in range(100)}, "y": [0, 1]}, target="y")
    y = ((X[:, 80] > 0.5) ^ (X[:, 90] > 0.7)).astype(int)
    model = AdditiveModel(epsilon=30.0, schema=schema, random_state=0).fit(X[:9000], y[:9000])
    assert np.mean(model.predict(X[9000:]) == y[9000:]) > 0.94
    assert ["c80", "c90"] in [sorted(shape["columns"]) for shape in model.shapes_]


@pytest.mark.parametrize(
    ("delta", "unit"), [(0.0, Unit()), (1e-6, Unit("replace")), (0.0, Unit(id="who", most=2))]
)
def test_the_steps_use_up_the_budget_and_no_more(delta, unit):
    table = people(2000).append_column("who", pa.array(np.arange(2000) // 2))
    schema = Schema(SCHEMA.columns, "ill", unit=unit)
    guarantee = AdditiveModel(epsilon=2.0, delta=delta, schema=schema, rounds=18).fit(table).guarantee_
    amounts = [getattr(step.amount, "epsilon", None) or step.amount.rho for step in guarantee.steps]
    # The classes and the age's table; in every round a choice and residuals.
    assert len(amounts) == 2 + 2 * 18
    assert guarantee.delta == delta
    if not delta:
        assert sum(amounts) == 2


def test_a_delta_is_not_taken_where_it_would_only_add_noise():
    assert AdditiveModel(epsilon=0.1, delta=1e-6, schema=SCHEMA).rehearse().delta == 0
    assert AdditiveModel(epsilon=1.0, delta=1e-6, schema=SCHEMA).rehearse().delta == 1e-6
    assert AdditiveModel(epsilon=1.0, delta=1e-6, records=500, schema=SCHEMA).rehearse().delta == 0


def test_more_classes_and_missing_values():
    draw = np.random.default_rng(0)
    kind = draw.integers(0, 4, 4000)
    known = np.where(kind == 3, None, np.array(["p", "q", "r", ""])[kind])
    schema = Schema.of({"a": ["p", "q", "r"], "n": (0.0, 1.0), "k": [0, 1, 2, 3]}, target="k")
    table = pa.table({"a": pa.array(known, pa.string()), "n": draw.random(4000), "k": kind})
    model = AdditiveModel(epsilon=2.0, schema=schema, random_state=0).fit(table)
    assert np.mean(model.predict(table) == kind) > 0.95
    np.testing.assert_allclose(model.predict_proba(table).sum(axis=1), 1)
    assert "What multiplies the odds of a class" in model.in_words()
    assert "\na (for " in model.in_words()


def test_a_declared_direction_is_kept():
    draw = np.random.default_rng(3)
    age = draw.uniform(0, 100, 3000)
    ill = draw.random(3000) < np.where(age > 60, 0.2, 0.6)  # against the declaration
    schema = Schema.of({"age": (0.0, 100.0), "ill": ["no", "yes"]}, target="ill")
    table = pa.table({"age": age, "ill": np.where(ill, "yes", "no")})
    grid = pa.table({"age": np.arange(0.0, 100.0)})
    for how, sign in (("increasing", 1), ("decreasing", -1)):
        model = AdditiveModel(epsilon=1.0, schema=schema, **{how: "age"}).fit(table)
        assert (sign * np.diff(model.predict_proba(grid)[:, 1]) >= -1e-12).all()
    with pytest.raises(ParameterError, match="not a number"):
        AdditiveModel(schema=SCHEMA, increasing="ward").rehearse()
    with pytest.raises(ParameterError, match="rise and fall"):
        AdditiveModel(schema=SCHEMA, increasing="age", decreasing="age").rehearse()


def test_without_noise_probabilities_are_the_shares():
    schema = Schema.of({"a": [0, 1], "b": [0, 1], "y": [0, 1]}, target="y")
    table = pa.table(
        {"a": [0] * 1000 + [1] * 1000, "b": [0, 1] * 1000, "y": ([1] + [0] * 9) * 100 + ([0] + [1] * 4) * 200}
    )
    model = AdditiveModel(epsilon=1e6, schema=schema, rounds=60).fit(table)
    np.testing.assert_allclose(
        model.predict_proba(pa.table({"a": [0, 1], "b": [0, 0]}))[:, 1], [0.2, 0.8], atol=0.02
    )


@pytest.mark.parametrize("records", [0, 1, 30])
def test_with_too_little_to_know_the_largest_class_is_predicted_or_nothing_breaks(records):
    model = AdditiveModel(epsilon=0.1, schema=SCHEMA).fit(people(40).slice(0, records))
    proba = model.predict_proba(people(50))
    assert np.isfinite(proba).all()


def test_one_class_constant_columns_and_a_thousand_values():
    one = Schema.of({"a": [0, 1], "y": ["only"]}, target="y")
    model = AdditiveModel(schema=one).fit(pa.table({"a": [0, 1, 1], "y": ["only"] * 3}))
    assert model.predict([[0]]).tolist() == ["only"]
    constant = Schema.of({"a": ["same"], "y": [0, 1]}, target="y")
    model = AdditiveModel(epsilon=5.0, schema=constant).fit(
        pa.table({"a": ["same"] * 100, "y": [1] * 80 + [0] * 20})
    )
    assert model.predict([["same"]]).tolist() == [1]
    assert "same for every record" in model.explanation_
    assert sum(step.amount.epsilon for step in model.guarantee_.steps) == 5
    wide = Schema.of({"a": list(range(1000)), "y": [0, 1]}, target="y")
    codes = np.minimum(np.random.default_rng(0).geometric(0.3, 5000), 999)
    table = pa.table({"a": codes, "y": codes % 2})
    model = AdditiveModel(epsilon=3.0, schema=wide).fit(table)
    assert np.mean(model.predict(table) == codes % 2) > 0.9


def test_a_database_gives_the_same_model():
    table = people(1500)
    stored = ibis.duckdb.connect().create_table("people", table)
    asked = {"epsilon": 1.0, "schema": SCHEMA, "random_state": 5, "rounds": 4}
    assert AdditiveModel(**asked).fit(table).shapes_ == AdditiveModel(**asked).fit(stored).shapes_


@pytest.mark.parametrize("classes", [2, 3])
def test_error_bars_hold_the_noise_of_the_tables_that_a_model_starts_from(classes):
    """Error bars of the start: they were 0, as if the tables had been exact."""
    draw = np.random.default_rng(classes)
    exact = np.array([[400, 90, 60], [120, 300, 80], [60, 50, 200]])[:, :classes]
    prior = exact.sum(axis=0) / exact.sum()
    grouped = Grouped(Coded("ward"), (0, 1, 2))
    attributes = [Attribute(grouped, None)]

    def start(noise):
        release = Release(exact + noise, 14.0, 28.0, None)
        return half_bayes(Additive(start_for(prior)), attributes, {"ward": release}, prior)

    [(_, right)] = start(np.zeros_like(exact)).model.terms
    held = []
    for _ in range(400):
        kept = start(np.rint(draw.laplace(0, 14 / np.sqrt(2), exact.shape)).astype(int))
        [(_, table)], [squared] = kept.model.terms, kept.errors
        held.append(np.abs(table - right) <= np.sqrt(squared))
    assert 0.92 < np.mean(held) < 0.99
