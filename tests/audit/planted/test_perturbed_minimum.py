"""PLANTED WRONG VERSIONS of perturbed minima. Nothing in this file may be used outside of tests."""

from __future__ import annotations

import pytest

from privet.learning.classify import LogisticRegression
from privet.mechanisms.perturbed_minimum import ObjectivePerturbation, OutputPerturbation
from privet.schema import Schema

SCHEMA = Schema.of({"fever": ["no", "yes"], "ill": ["no", "yes"]}, target="ill")
ENOUGH = {"runs": 1_200, "search_runs": 24}


@pytest.mark.parametrize("method", ["objective", "output"])
def test_privets_own_pass(passed, method):
    passed(LogisticRegression(schema=SCHEMA, method=method), **ENOUGH)


def test_a_tilt_for_the_mean_on_a_sum(caught, monkeypatch):
    """WRONG: noise for the slope of the mean loss of 50 records, put on the sum: the true ε is about 50ε."""
    drawn = ObjectivePerturbation.tilt
    monkeypatch.setattr(ObjectivePerturbation, "tilt", lambda self, randomness: drawn(self, randomness) / 50)
    caught(LogisticRegression(schema=SCHEMA, method="objective"), **ENOUGH)


def test_the_exact_minimum_without_noise(caught, monkeypatch):
    """WRONG: output perturbation that solves, and forgets the noise."""
    monkeypatch.setattr(OutputPerturbation, "release", lambda self, weights, randomness: weights)
    caught(LogisticRegression(schema=SCHEMA, method="output"), **ENOUGH)
