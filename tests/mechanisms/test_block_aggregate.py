"""The aggregate of block outputs: its noise, and what its medians cost in Gaussian currency."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from privet.budget.amounts import Pure, Zcdp
from privet.errors import ParameterError
from privet.mechanisms import BlockAggregate, DiscreteGaussian, Staircase
from privet.mechanisms.block_aggregate import dominated_epsilon
from privet.randomness import secure

GRID = 1 << 6


OUTPUTS, BLOCKS = 25_000, 60


@pytest.mark.parametrize(
    ("amount", "one"),
    [
        (Pure(Fraction(OUTPUTS)), lambda factor: Staircase(1 / Fraction(factor), GRID)),
        (
            Zcdp(Fraction(OUTPUTS)),
            lambda factor: DiscreteGaussian(1 / Fraction(factor) ** 2, Fraction(GRID**2)),
        ),
    ],
)
def test_every_mean_gets_the_noise_of_its_share_and_no_other(amount, one, noise_p_value, false_alarm):
    mechanism = BlockAggregate(amount, BLOCKS, OUTPUTS, GRID)
    rows = np.full((BLOCKS, OUTPUTS), GRID // 2)
    noise = np.rint(mechanism.randomise(rows, secure()) * BLOCKS * GRID).astype(int) - rows.sum(axis=0)
    assert noise_p_value(noise, one(1).log_probability, one(1).scale) > false_alarm
    for factor in ("0.9", "1.1"):
        assert noise_p_value(noise, one(factor).log_probability, one(factor).scale) < false_alarm
    assert mechanism.standard_deviation == pytest.approx(one(1).standard_deviation / (BLOCKS * GRID))
    assert mechanism.error(0.9) == one(1).error(0.9) / (BLOCKS * GRID)


def test_mean_and_median_of_rows():
    rows = np.array([[0, 1], [10, 2], [GRID, 3]])
    for amount in (Pure(Fraction(10**6)), Zcdp(Fraction(10**6))):
        mean = BlockAggregate(amount, 3, 2, GRID).randomise(rows, secure())
        np.testing.assert_allclose(mean, rows.mean(axis=0) / GRID)
        median = BlockAggregate(Pure(Fraction(10**6)), 3, 2, GRID, "median").randomise(rows, secure())
        np.testing.assert_allclose(median, [10 / GRID, 2 / GRID])
    with pytest.raises(ValueError, match="row"):
        BlockAggregate(Pure(Fraction(1)), 4, 2, GRID).randomise(rows, secure())
    with pytest.raises(ParameterError):
        BlockAggregate(Pure(Fraction(1)), 0, 2, GRID)


@pytest.mark.parametrize("mu", [1e-6, 0.01, 0.5, 2.0, 10.0])
def test_a_pure_mechanism_is_no_easier_to_attack_than_the_gaussian_it_is_paid_as(mu):
    epsilon = float(dominated_epsilon(mu))
    for at in np.linspace(0, max(6 * mu, 1), 200):  # the privacy profile: δ as a function of ε
        gaussian = stats.norm.cdf(mu / 2 - at / mu) - math.exp(at) * stats.norm.cdf(-mu / 2 - at / mu)
        pure = max(0.0, (math.exp(epsilon) - math.exp(at)) / (1 + math.exp(epsilon)))
        assert pure <= gaussian + 1e-12
    assert epsilon**2 / 2 <= mu**2 / 2 or mu > 3  # so it is also within the zCDP, for budgets in use
    profile = 2 * stats.norm.cdf(mu / 2) - 1  # the advantage of an attacker of Gaussian noise
    assert math.tanh(1.05 * epsilon / 2) > profile - 1e-12  # no larger ε would do
    if mu < 1:
        assert math.tanh(mu / 2) > profile  # ε = μ, as the conversion of zCDP would say, would be wrong


def test_medians_share_the_budget():
    pure = BlockAggregate(Pure(Fraction(3)), 10, 3, GRID, "median")
    assert pure._median.noise.epsilon == 1
    gaussian = BlockAggregate(Zcdp(Fraction(3, 200)), 10, 3, GRID, "median")
    assert float(gaussian._median.noise.epsilon) == pytest.approx(float(dominated_epsilon(0.1)))
    assert pure.error(0.95) == 1.0
    assert "median" in pure.name
