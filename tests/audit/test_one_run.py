"""One training run, many canaries."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from privet.audit import audit_one_run
from privet.errors import ParameterError
from privet.learning.classify import NaiveBayes
from privet.mechanisms import GeometricNoise
from privet.schema import Schema, Unit

SCHEMA = Schema.of({"age": (0.0, 120.0), "height": (1.0, 2.2), "ill": ["no", "yes"]}, target="ill")
SURE = 1 - 1e-8


class Memory(BaseEstimator):
    """WRONG: keeps every age that it has seen, each with a fixed probability."""

    def __init__(self, epsilon=1.0, keep=1.0):
        self.epsilon = epsilon
        self.keep = keep

    def fit(self, table):
        ages = table["age"].to_numpy()
        self.ages_ = set(ages[np.random.default_rng().random(len(ages)) < self.keep].tolist())
        return self


def remembered(model, table):
    return np.array([age in model.ages_ for age in table["age"].to_pylist()], float)


UNITS = {"add_remove": Unit(), "replace": Unit("replace"), "persons": Unit(id="who", most=3)}


@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
def test_a_model_that_memorises_is_caught_in_one_run(unit):
    schema = replace(SCHEMA, unit=unit)
    found = audit_one_run(
        Memory(), schema=schema, canaries=300, guesses=100, score=remembered, confidence=SURE
    )
    assert found.violated, found.verdict
    assert found.right == 100
    assert found.to_dict()["violated"]


@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
def test_naive_bayes_passes(unit):
    schema = replace(SCHEMA, unit=unit)
    found = audit_one_run(NaiveBayes(epsilon=1.0, schema=schema), canaries=400, confidence=SURE)
    assert not found.violated, found.verdict


def test_a_model_that_learns_nothing_shows_nothing():
    found = audit_one_run(Memory(keep=0.0), schema=SCHEMA, canaries=300, score=remembered, confidence=SURE)
    assert found.bound == 0  # all scores are equal: the order of the canaries must not help


def test_bad_requests_are_refused():
    with pytest.raises(ParameterError, match="guesses"):
        audit_one_run(Memory(), schema=SCHEMA, canaries=10, guesses=11)
    with pytest.raises(ParameterError, match="for an estimator"):
        audit_one_run(GeometricNoise(1))
    with pytest.raises(ParameterError, match="confidence"):
        audit_one_run(Memory(), schema=SCHEMA, confidence=2.0)
