"""PLANTED WRONG VERSIONS of the use of randomness. Nothing in this file may be used outside of tests."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from privet.mechanisms import GeometricNoise, Laplace
from privet.randomness import secure, seeded
from privet.schema import Schema

SCHEMA = Schema.of({"ill": ["no", "yes"]})
FEW = {"runs": 1_000, "search_runs": 40}
HALF = GeometricNoise(Fraction(1, 2))


def counts(table):
    return [len(table), table["ill"].to_pylist().count("yes")]


def state_reused(table):
    """WRONG: both draws begin with the same random state, so their difference has no noise at all."""
    seed = int(np.random.default_rng().integers(2**62))
    return [HALF.randomise([count], seeded(seed))[0] for count in counts(table)]


def state_moves_on(table):
    """RIGHT."""
    source = secure()
    return [HALF.randomise([count], source)[0] for count in counts(table)]


def fixed_default_seed(table):
    """WRONG: whoever did not ask for a seed got this one."""
    return HALF.randomise(counts(table), seeded(0))


def test_one_random_state_for_two_draws(caught, passed):
    found = caught(state_reused, schema=SCHEMA, epsilon=1.0, **FEW)
    assert "linear combination" in found.event.description
    passed(state_moves_on, schema=SCHEMA, epsilon=1.0, **FEW)


def test_a_fixed_default_seed(caught):
    caught(fixed_default_seed, schema=SCHEMA, epsilon=1.0, **FEW)


@dataclass(frozen=True)
class FloatNoise:
    """WRONG: textbook Laplace noise, added in floating point: the low bits tell the answer (Mironov 2012)."""

    epsilon: float = 1.0
    sensitivity: float = 1.0

    def randomise(self, value, randomness):
        return np.asarray(value) + np.random.default_rng().laplace(
            0, self.sensitivity / self.epsilon, np.shape(value)
        )


def test_noise_added_in_floating_point(caught, passed):
    found = caught(FloatNoise(), runs=40_000)
    assert "lowest bit" in found.event.description
    passed(Laplace(Fraction(1)), runs=40_000)
