"""Intervals of odds ratios hold the truth as often as they say, with and without noise."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from privet.mechanisms import GeometricNoise
from privet.randomness import seeded
from privet.selection import odds_ratio


@pytest.mark.parametrize("epsilon", [0.3, 1, 10])
@pytest.mark.parametrize(("cases", "controls"), [(0.3, 0.3), (0.5, 0.2), (0.08, 0.05)])
def test_coverage(cases, controls, epsilon):
    draw, source = np.random.default_rng(0), seeded(0)
    noise = GeometricNoise(Fraction(epsilon), 2)
    truth = cases / (1 - cases) / (controls / (1 - controls))
    held, runs = 0, 600
    for _ in range(runs):
        counts = noise.randomise([draw.binomial(600, cases), draw.binomial(400, controls)], source)
        estimate = odds_ratio(*counts.tolist(), 600, 400, noise.standard_deviation)
        held += estimate.low <= truth <= estimate.high
    assert held / runs > 0.93


def test_without_regard_to_the_noise_the_interval_would_be_too_narrow():
    draw, source = np.random.default_rng(0), seeded(0)
    noise = GeometricNoise(Fraction(1, 20), 2)
    honest = careless = 0
    for _ in range(400):
        counts = noise.randomise([draw.binomial(600, 0.5), draw.binomial(600, 0.5)], source).tolist()
        for deviation in (noise.standard_deviation, 0.0):
            estimate = odds_ratio(*counts, 600, 600, deviation)
            if deviation:
                honest += estimate.low <= 1 <= estimate.high
            else:
                careless += estimate.low <= 1 <= estimate.high
    assert honest / 400 > 0.93 > 0.75 > careless / 400


def test_what_noise_can_explain_is_left_open():
    assert odds_ratio(100, 1, 600, 600, deviation=20).high == math.inf
    assert odds_ratio(-30, 300, 600, 600, deviation=20).low == 0
    assert odds_ratio(700, 300, 600, 600, deviation=5).high == math.inf
