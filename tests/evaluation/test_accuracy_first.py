"""An accuracy is given, and the smallest ε for it is chosen from a forecast: the same each time."""

from __future__ import annotations

import pytest

from privet.demo.patients import public_knowledge
from privet.errors import ParameterError
from privet.evaluation.forecast import epsilon_within
from privet.learning.classify import NaiveBayes
from privet.schema import Schema
from privet.worlds import Guess

SCHEMA = Schema.of(
    {"age": (0, 120), "smoker": ["no", "yes"], "ward": ["a", "b", "c"], "ill": ["no", "yes"]}, target="ill"
)
MANY = Guess(records=50_000, attainable=0.8)


def test_the_same_epsilon_each_time_and_more_for_more():
    model = NaiveBayes(schema=SCHEMA)
    loose, strict = (epsilon_within(model, loss, guess=MANY) for loss in (0.05, 0.01))
    assert epsilon_within(model, 0.05, guess=MANY) == loose
    assert loose.epsilon <= strict.epsilon
    assert f"epsilon = {strict.epsilon:g} was chosen" in strict.why()
    assert "No record was read" in strict.why()
    assert "it named too small an epsilon on 1" in strict.why()
    assert strict.forecast.at(strict.epsilon).low >= strict.forecast.attainable - 0.011


def test_how_many_records_would_be_needed():
    with pytest.raises(ParameterError, match=r"about [\d,]+ would be needed"):
        epsilon_within(NaiveBayes(schema=public_knowledge()), 0.01, guess=Guess(records=30, attainable=0.8))


@pytest.mark.parametrize("loss", [0, 1, -0.1, True, "0.1", float("nan")])
def test_a_goal_that_is_none_is_refused(loss):
    with pytest.raises(ParameterError):
        epsilon_within(NaiveBayes(schema=SCHEMA), loss)
