"""A choice among classifiers: from public knowledge for nothing, or on the data and paid for."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from privet.errors import SchemaError
from privet.evaluation.tuning import PrivateSearch
from privet.exchange.reading import form_of
from privet.learning.classify import AdditiveModel, AutoClassifier, OneR
from privet.learning.classify.auto import LEARNERS
from privet.model import model_from_dict, model_to_dict
from privet.parameters import parameters_of
from privet.registry import ALGORITHMS, algorithm
from privet.schema import Schema

SCHEMA = Schema.of({"age": (0, 120), "smoker": ["no", "yes"], "ill": ["no", "yes"]}, target="ill")


def people(records=2000):
    draw = np.random.default_rng(0)
    age = draw.integers(20, 90, records)
    smoker = np.where(draw.random(records) < 0.3, "yes", "no")
    ill = np.where(age + 20 * (smoker == "yes") > 65, "yes", "no")
    return pa.table({"age": age, "smoker": smoker, "ill": ill})


@pytest.mark.parametrize(
    ("records", "epsilon", "learner"),
    [(200, 1.0, "one-r"), (5000, 0.1, "rules"), (200, 3.0, "rules"), (5000, 1.0, "additive-model")],
)
def test_more_records_and_more_budget_carry_more(records, epsilon, learner):
    model = AutoClassifier(epsilon=epsilon, records=records, schema=SCHEMA, random_state=0).fit(people(200))
    assert model.learner_ == learner
    assert learner in model.explanation_
    assert f"{records:,} records (declared)" in model.explanation_


def test_the_choice_does_not_depend_on_the_data():
    chosen = {AutoClassifier(schema=SCHEMA, random_state=0).fit(people(n)).learner_ for n in (20, 3000)}
    assert chosen == {"additive-model"}


def test_a_plan_names_what_will_learn_and_why():
    twin = AutoClassifier(epsilon=0.1, records=500, schema=SCHEMA)._rehearsed()
    assert twin._foreseen().startswith("one-r will learn, because about 500 records (declared)")


def test_the_chosen_model_is_an_ordinary_one_and_survives_its_file():
    table = people()
    model = AutoClassifier(epsilon=3.0, schema=SCHEMA, random_state=0).fit(table)
    inner = model.best_estimator_
    assert isinstance(inner, AdditiveModel)
    assert inner.guarantee_ == model.guarantee_
    assert (inner.predict(table) == model.predict(table)).all()
    read = model_from_dict(model_to_dict(model))
    assert np.array_equal(read.predict_proba(table), model.predict_proba(table))
    assert form_of(read).inputs == form_of(inner).inputs
    assert read.in_words() == f"It chose: additive model.\n{inner.in_words()}"
    assert len(read.pictures()) == len(inner.pictures())


def test_it_learns_just_what_the_learner_itself_would():
    table = people()
    one = AutoClassifier(learner="one-r", schema=SCHEMA, random_state=1).fit(table)
    other = OneR(schema=SCHEMA, random_state=1).fit(table)
    assert one.learned_["rules_"] == other.rules_
    assert one.guarantee_.steps == other.guarantee_.steps


def test_a_delta_is_taken_as_the_learner_takes_it():
    assert AutoClassifier(learner="one-r", delta=1e-6, schema=SCHEMA).rehearse().delta == 0


def test_a_private_search_over_algorithms_pays_once():
    search = PrivateSearch(AutoClassifier(schema=SCHEMA), epsilon=2.0, trials=4)
    plan = search.plan()
    assert {setting["learner"] for setting in plan.settings.tried} == set(LEARNERS)
    assert float(plan.price.epsilon) == 1.0
    found = search.fit(people())
    assert found.best_estimator_.learner_ == found.best_parameters_["learner"]
    assert found.best_estimator_.guarantee_.epsilon == 2.0


def test_every_classifier_can_be_chosen():
    registered = {entry.name for entry in ALGORITHMS if entry.family == "classify"} - {"auto"}
    declared = {p.name: p for p in parameters_of(AutoClassifier)}["learner"].choices
    assert registered == set(LEARNERS) == set(declared) - {"auto"}
    assert all(algorithm(name).load() is kind for name, kind in LEARNERS.items())


def test_a_number_as_the_target_is_refused_with_what_to_take():
    schema = Schema.of({"smoker": ["no", "yes"], "age": (0, 120)}, target="age")
    with pytest.raises(SchemaError, match="this auto chooses among classifiers") as refused:
        AutoClassifier(schema=schema).rehearse()
    assert "auto-regressor" in refused.value.advice
