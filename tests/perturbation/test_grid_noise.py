"""Noise on a grid: its exact distribution, wrong scales rejected, ties settled by further bits."""

from __future__ import annotations

import math
import sys
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from privet.perturbation.grid_noise import WORD, GridNoise, coin, places
from privet.randomness import secure, seeded

# Built from whole numbers: drawing fractions between bounds is slow enough to fail hypothesis's own check of
# its pace on a busy machine, which says nothing about the code.
RATES = st.builds(Fraction, st.integers(10**9, 40 * 10**12), st.integers(10**12, 2 * 10**12))


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(RATES, st.integers(0, 2))
def test_places_are_those_of_the_probability(rate, depth):
    with localcontext(prec=300):
        shrunk = (-Decimal(rate.numerator) / Decimal(rate.denominator)).exp()
        scaled = shrunk / (1 + shrunk) * Decimal(2) ** (64 * (depth + 1))
    assert places(rate, depth) == int(scaled) % WORD


def probabilities(scale, reach):
    noise = np.arange(-reach, reach + 1)
    weights = np.exp(-np.abs(noise) / scale)
    return weights / weights.sum()


@pytest.mark.parametrize(("epsilon", "grid"), [(Fraction(2), 3), (Fraction(1, 2), 1), (Fraction(7, 3), 16)])
def test_it_is_discrete_laplace_and_no_other_scale(epsilon, grid):
    runs, reach = 40_000, int(14 * grid / epsilon)
    noise = GridNoise(epsilon, grid).randomise(np.full(runs, grid), seeded(5)) - grid
    counts = np.bincount(np.clip(noise, -reach, reach) + reach, minlength=2 * reach + 1)
    for factor, fits in ((1, True), (0.9, False), (1.1, False)):
        expected = probabilities(factor * grid / float(epsilon), reach) * runs
        used = expected >= 5
        seen, wanted = counts[used], expected[used]
        verdict = chisquare(np.append(seen, runs - seen.sum()), np.append(wanted, runs - wanted.sum()))
        assert (verdict.pvalue > 1e-4) == fits


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(1, 1000), st.integers(0, 1000))
def test_values_come_back_in_shape_and_within_the_residues(grid, value):
    noise = GridNoise(Fraction(1, 3), grid)
    half = 1 << (noise.digits - 1)
    told = noise.randomise(np.full((3, 2), min(value, grid)), seeded(value))
    assert told.shape == (3, 2)
    assert (np.abs(told) <= half).all()
    assert math.exp(-(half - grid) / noise.scale) < math.exp(-64)


class Words:
    """Fair bits that are not: the words given, one after the other."""

    def __init__(self, *words):
        self.words = list(words)

    def bits(self, size):
        return np.array([self.words.pop(0) for _ in range(size)], np.uint64)


def test_ties_are_settled_by_the_next_places():
    """The first 8 places, then 56, then 64 at a time: each draw decides where those before were equal."""
    rate = Fraction(1, 7)
    first, second, third = (places(rate, depth) for depth in range(3))
    octet, rest = first >> 56, (first % 2**56) << 8
    assert coin(1, rate, Words(octet - 1)).tolist() == [True]
    assert coin(1, rate, Words(octet + 1)).tolist() == [False]
    for unused in (0, 255):  # bits of a word that are not compared
        assert coin(1, rate, Words(octet, rest - 256 + unused)).tolist() == [True]
        assert coin(1, rate, Words(octet, rest + 256 + unused)).tolist() == [False]
        assert coin(1, rate, Words(octet, rest + unused, second - 1)).tolist() == [True]
        assert coin(1, rate, Words(octet, rest + unused, second + 1)).tolist() == [False]
    assert coin(1, rate, Words(octet, rest, second, third - 1)).tolist() == [True]
    two = int.from_bytes(bytes([octet, octet + 1]), sys.byteorder)
    assert coin(2, rate, Words(two, rest - 256)).tolist() == [True, False]


@pytest.mark.parametrize("rate", [Fraction(1, 50), Fraction(1), Fraction(7)])
def test_a_coin_falls_as_often_as_it_should(rate):
    size = 400_000
    chance = 1 / (1 + math.exp(rate))
    off = 5 * math.sqrt(chance * (1 - chance) / size)
    assert coin(size, rate, seeded(1)).mean() == pytest.approx(chance, abs=off)


def test_secure_draws_differ():
    noise = GridNoise(Fraction(1), 1 << 20)
    one, other = (noise.randomise(np.zeros(100, np.int64), secure()) for _ in range(2))
    assert (one != other).mean() > 0.9
