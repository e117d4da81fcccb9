"""PLANTED WRONG VERSIONS of private choices. Nothing in this file may be used outside of tests."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from privet.mechanisms import Exponential, PermuteAndFlip
from privet.randomness import secure
from privet.schema import Schema

SCHEMA = Schema.of({"ward": ["a", "b", "c", "d"]})
BEST = PermuteAndFlip(Fraction(1), monotonic=True)
FEW = {"runs": 1_000, "search_runs": 16}
GENERATOR = np.random.default_rng()


@dataclass(frozen=True)
class Weights:
    """Chooses with weights exp(ε·q/(divisor·k·Δ)), k times; the right divisor is 2, WRONG and printed is 1.

    With eight candidates the printed weights have a true ε of 1.73 where 1 is claimed.
    """

    divisor: float
    epsilon: float = 1.0
    sensitivity: float = 1.0
    monotonic: bool = False

    def choose(self, scores, randomness):
        weights = np.exp(self.epsilon * np.asarray(scores) / (self.divisor * self.sensitivity))
        return int(np.searchsorted(np.cumsum(weights / weights.sum()), GENERATOR.random()))


def test_exponential_weights_without_the_two(caught, passed):
    found = caught(Weights(divisor=1), runs=48_000, search_runs=400)
    assert "eight" in found.pair.name
    passed(Weights(divisor=2), runs=48_000, search_runs=400)


def test_privets_choices(passed):
    for kind in (Exponential, PermuteAndFlip):
        for monotonic in (False, True):
            passed(kind(Fraction(1), monotonic=monotonic), runs=1_000, search_runs=40)


def counts(table):
    wards = table["ward"].to_pylist()
    return [wards.count(ward) for ward in "abcd"]


def exact_value_beside_the_choice(table):
    """WRONG: which ward is fullest is chosen privately, and its exact count is handed out with it."""
    exact = counts(table)
    chosen = BEST.choose(exact, secure())
    return {"ward": chosen, "count": exact[chosen]}


def choice_alone(table):
    """RIGHT."""
    return {"ward": BEST.choose(counts(table), secure())}


def test_exact_value_beside_a_private_choice(caught, passed):
    caught(exact_value_beside_the_choice, schema=SCHEMA, epsilon=1.0, **FEW)
    passed(choice_alone, schema=SCHEMA, epsilon=1.0, **FEW)
