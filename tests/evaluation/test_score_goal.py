"""A figure is to be known to ± an error: the smallest ε for it, or what would be needed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from privet.errors import ParameterError
from privet.evaluation import compare_models, diagnose, evaluate
from privet.evaluation.score_goal import epsilon_for_accuracy, epsilon_for_auc, epsilon_for_difference
from privet.learning.classify import OneR
from privet.schema import Schema, Unit
from privet.worlds import Guess
from tests.evaluation.conftest import patients

GUESS = Guess(records=5000, attainable=0.7, shares={"late": 0.1})


def test_the_chosen_epsilon_reaches_the_goal(model, schema):
    table = patients(5000, seed=3)
    goal = epsilon_for_accuracy(schema, 0.02, GUESS)
    runs = [evaluate(model, table, epsilon=goal.epsilon, random_state=seed).accuracy for seed in range(5)]
    chance = 1.96 * np.sqrt(0.7 * 0.3 / 5000)
    assert np.mean([np.hypot(chance, each.error) for each in runs]) <= 0.02 * 1.15
    looser = epsilon_for_accuracy(schema, 0.04, GUESS)
    assert looser.epsilon < goal.epsilon
    assert "No record was read" in goal.why()


def test_so_does_that_for_an_auc(model, schema):
    goal = epsilon_for_auc(schema, 0.03, GUESS, positive="late")
    found = [diagnose(model, patients(5000, seed=3), epsilon=goal.epsilon, random_state=s) for s in range(5)]
    assert np.mean([each.in_all for each in found]) <= 0.03
    assert "'late'" in goal.why()


def test_so_does_that_for_a_difference(model, schema):
    goal = epsilon_for_difference(schema, 0.025, GUESS)
    table, always = patients(5000, seed=3), OneR(epsilon=1.0, schema=schema, random_state=0)
    always.fit(patients(2000, seed=4))
    runs = [
        compare_models(model, always, table, epsilon=goal.epsilon, random_state=seed) for seed in range(5)
    ]
    assert np.mean([each.in_all for each in runs]) <= 0.025
    alone = epsilon_for_accuracy(schema, 0.025, GUESS).epsilon
    assert "one of the two alone 42%" in goal.why()
    assert goal.epsilon < 3 * alone


def test_a_goal_that_no_epsilon_reaches_says_how_many_records_would(schema):
    for function in (epsilon_for_accuracy, epsilon_for_auc, epsilon_for_difference):
        with pytest.raises(
            ParameterError, match=r"Even without privacy .* about [\d,]+ more would be needed"
        ):
            function(schema, 0.01, Guess(records=1000, attainable=0.7))
    with pytest.raises(ParameterError, match="Even with an epsilon of 10"):
        epsilon_for_auc(
            replace(schema, unit=Unit(id="who", most=50)), 0.05, Guess(records=3000, attainable=0.97)
        )


@pytest.mark.parametrize("error", [0, 1, -1, True, "0.1", float("nan")])
def test_a_goal_that_is_none_is_refused(schema, error):
    with pytest.raises(ParameterError):
        epsilon_for_accuracy(schema, error, GUESS)


def test_a_regression_has_neither():
    schema = Schema.of({"a": (0.0, 1.0), "y": (0.0, 1.0)}, target="y")
    for function in (epsilon_for_accuracy, epsilon_for_auc, epsilon_for_difference):
        with pytest.raises(ParameterError, match="regression"):
            function(schema, 0.05)
