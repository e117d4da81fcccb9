"""PLANTED WRONG VERSIONS of private choices. Nothing in this file may be used outside of tests."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

from privet.budget.amounts import Pure
from privet.mechanisms import Exponential, PermuteAndFlip, TopK
from privet.randomness import secure
from privet.schema import Schema

SCHEMA = Schema.of({"ward": ["a", "b", "c", "d"]})
BEST = PermuteAndFlip(Fraction(1), monotonic=True)
FEW = {"runs": 1_000, "search_runs": 16}
GENERATOR = np.random.default_rng()


@dataclass(frozen=True)
class Weights:
    """k different candidates, one after the other, with weights exp(ε·q/(divisor·k·Δ)).

    The right divisor is 2; WRONG and printed is 1. Then, with seven other candidates, the true ε is 1.73
    where 1 is claimed for k = 1; and with eight others 3.3 where 2 is claimed for k = 2.
    """

    divisor: float
    epsilon: float = 1.0
    k: int = 1
    sensitivity: int = 1
    monotonic: bool = False

    def choose(self, scores, randomness):
        # Adding Gumbel noise and taking the k largest is the same as k rounds of exponential weights.
        scale = self.divisor * self.k * self.sensitivity / self.epsilon
        return np.argsort(-scores / scale - GENERATOR.gumbel(size=len(scores)))[: self.k]


@pytest.mark.parametrize(("k", "epsilon"), [(1, 1.0), (2, 2.0)])
def test_exponential_weights_without_the_two(caught, passed, k, epsilon):
    found = caught(Weights(1, epsilon, k), runs=64_000 * k, search_runs=2_000)
    assert "many" in found.pair.name
    passed(Weights(2, epsilon, k), runs=16_000, search_runs=100)


def test_privets_choices(passed):
    for kind in (Exponential, PermuteAndFlip):
        for monotonic in (False, True):
            passed(kind(Fraction(1), monotonic=monotonic), runs=1_000, search_runs=40)


@pytest.mark.parametrize("how", ["permute_and_flip", "exponential", "laplace"])
def test_privets_choices_of_several(passed, how):
    assert passed(TopK(Pure(Fraction(2)), 2, how=how), runs=1_000, search_runs=16).epsilon == 2


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
