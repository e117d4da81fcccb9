"""A choice among regressions: from public knowledge for nothing, by a rule or by a forecast."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from privet.errors import SchemaError
from privet.evaluation.forecast import learner_by_forecast
from privet.exchange.reading import form_of
from privet.learning.regress import AdditiveRegressor, AutoRegressor, Ridge
from privet.learning.regress.auto import LEARNERS
from privet.model import model_from_dict, model_to_dict
from privet.parameters import parameters_of
from privet.registry import ALGORITHMS, algorithm
from privet.schema import Schema
from privet.worlds import Guess

SCHEMA = Schema.of({"age": (0, 120), "smoker": ["no", "yes"], "pressure": (50.0, 250.0)}, target="pressure")


def people(records=3000):
    draw = np.random.default_rng(0)
    age = draw.integers(20, 90, records)
    smoker = np.where(draw.random(records) < 0.3, "yes", "no")
    pressure = 90 + 0.5 * age + 15 * (smoker == "yes") + draw.normal(0, 5, records)
    return pa.table({"age": age, "smoker": smoker, "pressure": pressure})


def test_the_additive_model_learns_and_the_plan_says_why():
    twin = AutoRegressor(epsilon=0.5, records=700, schema=SCHEMA)._rehearsed()
    assert twin._foreseen().startswith("additive-regressor will learn, because about 700 records (declared)")


def test_the_chosen_model_is_an_ordinary_one_and_survives_its_file():
    table = people()
    model = AutoRegressor(epsilon=3.0, schema=SCHEMA, random_state=0).fit(table)
    inner = model.best_estimator_
    assert isinstance(inner, AdditiveRegressor)
    assert inner.guarantee_ == model.guarantee_
    read = model_from_dict(model_to_dict(model))
    assert np.array_equal(read.predict(table), inner.predict(table))
    assert form_of(read).inputs == form_of(inner).inputs
    assert read.in_words() == f"It chose: additive regressor.\n{inner.in_words()}"
    assert len(read.pictures()) == len(inner.pictures()) > 0


def test_it_learns_just_what_the_learner_itself_would():
    table = people(500)
    one = AutoRegressor(learner="ridge", schema=SCHEMA, random_state=1).fit(table)
    other = Ridge(schema=SCHEMA, random_state=1).fit(table)
    assert np.array_equal(one.predict(table), other.predict(table))
    assert one.guarantee_.steps == other.guarantee_.steps


def test_every_regression_can_be_chosen():
    registered = {entry.name for entry in ALGORITHMS if entry.family == "regress"} - {"auto-regressor"}
    declared = {p.name: p for p in parameters_of(AutoRegressor)}["learner"].choices
    assert registered == set(LEARNERS) == set(declared) - {"auto"}
    assert all(algorithm(name).load() is kind for name, kind in LEARNERS.items())


def test_a_category_as_the_target_is_refused():
    with pytest.raises(SchemaError, match="a regression predicts a number"):
        AutoRegressor(schema=Schema(SCHEMA.columns, target="smoker")).rehearse()


def test_a_forecast_names_a_learner_and_says_what_it_rests_on():
    asked = AutoRegressor(schema=SCHEMA, epsilon=2.0)
    found = learner_by_forecast(asked, guess=Guess(400, 0.6))
    assert set(found.forecasts) == set(LEARNERS)
    values = {name: each.at(2.0).value for name, each in found.forecasts.items()}
    assert values[found.learner] == max(values.values())
    assert "About 400 records, as guessed." in found.why()
    assert found == learner_by_forecast(asked, guess=Guess(400, 0.6))  # what is planned is what learns
