"""PLANTED WRONG VERSIONS of staircase noise and smooth sensitivity. Nothing here may be used elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

from privet.mechanisms import SmoothQuantile, SmoothSensitivity, Staircase

ONE = Fraction(1)


@dataclass(frozen=True)
class StaircaseForL1:
    """WRONG: one staircase's noise for each of two answers whose *L1* distance is bounded.

    Two answers that move by half of the bound each can both cross a step: the true ε is 2.
    """

    epsilon: Fraction = ONE
    sensitivity: int = 10

    def randomise(self, value, randomness):
        return Staircase(self.epsilon, self.sensitivity).randomise(value, randomness)


def test_staircase_noise_for_an_l1_bound(caught, passed):
    found = caught(StaircaseForL1(), runs=32_000, search_runs=1_000)
    assert "share" in found.pair.name
    passed(Staircase(ONE, 10, coordinates=2), runs=32_000)


@dataclass(frozen=True)
class LocalNoise(SmoothQuantile):
    """WRONG: noise for the local sensitivity of the table at hand, whose size gives the table away."""

    def bound(self, values):
        return Fraction(max(1, self._local(self._ordered(values), 0)))


@pytest.mark.parametrize("delta", [Fraction(0), Fraction(1, 50)])
def test_noise_of_the_local_sensitivity(caught, passed, delta):
    noise = SmoothSensitivity(ONE, delta)
    caught(LocalNoise(0, 1000, noise))
    passed(SmoothQuantile(0, 1000, noise))


@dataclass(frozen=True)
class NotSmoothEnough(SmoothSensitivity):
    """WRONG: the bound falls three times as fast with the distance as its proof allows: e^(−3β)."""

    @property
    def decay(self):
        return super().decay ** 3


def test_a_bound_that_is_not_smooth_enough(caught):
    found = caught(SmoothQuantile(0, 10**6, NotSmoothEnough(ONE, tail=4)), runs=12_000, search_runs=100)
    assert found.bound < 3


@dataclass(frozen=True)
class LaplaceTails(SmoothSensitivity):
    """WRONG: Laplace noise in proportion to a smooth bound, claimed as pure ε: its thin tails tell the scale."""

    def randomise(self, value, bound, randomness):
        return value + int(np.rint(np.random.default_rng().laplace(0, float(bound) / float(self.epsilon))))
