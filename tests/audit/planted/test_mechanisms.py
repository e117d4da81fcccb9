"""PLANTED WRONG VERSIONS of staircase noise and smooth sensitivity. Nothing here may be used elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import pytest

from privet.mechanisms import SmoothQuantile, SmoothSensitivity, Staircase

ONE = Fraction(1)


@dataclass(frozen=True)
class StaircaseForL1:
    """WRONG: one staircase's noise for each of two answers whose *L1* distance is bounded.

    Two answers that move by half of the bound each can both cross a step: the true ε is twice the claim.
    """

    epsilon: Fraction = ONE
    sensitivity: int = 10

    def randomise(self, value, randomness):
        return Staircase(self.epsilon, self.sensitivity).randomise(value, randomness)


def test_staircase_noise_for_an_l1_bound(caught, passed):
    found = caught(StaircaseForL1(Fraction(2)), runs=32_000, search_runs=500)
    assert "share" in found.pair.name
    passed(Staircase(Fraction(2), 10, coordinates=2), runs=32_000)


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
