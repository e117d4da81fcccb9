"""The best of a random number of trials: its price holds by brute force, and its number is drawn rightly."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from privet.budget import Approximate, Pure, budget, rho_for
from privet.errors import ParameterError
from privet.mechanisms.random_trials import RandomTrials
from privet.randomness import secure

TRIALS = RandomTrials(Fraction(1, 32))


def best(q, trials):
    """The distribution of the best outcome, if one trial's is q and later outcomes are better."""
    stop = float(trials.stop)
    above = np.concatenate([[0.0], np.cumsum(q)])
    generating = -np.log1p(-(1 - stop) * np.minimum(above, 1)) / -math.log(stop)
    return np.diff(generating)


def neighbour(q, moves, epsilon):
    """Another distribution whose probabilities are within e^±ε of q's."""
    low, high = q * math.exp(-epsilon), q * math.exp(epsilon)
    other = low + moves * (high - low)
    # Move all towards one end until the sum is 1, which keeps the bounds.
    for end in (low, high):
        total, goal = other.sum(), end.sum()
        if (goal - 1) * (total - 1) < 0:
            part = (1 - total) / (goal - total)
            return other + part * (end - other)
    return other / other.sum()


@settings(max_examples=200, deadline=None)
@given(
    weights=st.lists(st.floats(0.01, 1), min_size=2, max_size=6),
    moves=st.lists(st.floats(0, 1), min_size=6, max_size=6),
    epsilon=st.floats(0.01, 2),
    stop=st.sampled_from([1, 64, 2048, 32768]),
)
def test_pure_price_by_brute_force(weights, moves, epsilon, stop):
    q = np.array(weights) / np.sum(weights)
    other = neighbour(q, np.array(moves[: len(q)]), epsilon)
    assert np.all(np.abs(np.log(q / other)) <= epsilon + 1e-9)
    trials = RandomTrials(Fraction(stop, 65536))
    loss = np.log(best(q, trials) / best(other, trials))
    assert np.max(np.abs(loss)) <= 2 * epsilon + 1e-7


def test_the_pure_price_is_nearly_reached():
    """Rare outcomes above the rest that get less rare: one ε is not enough."""
    epsilon, few = 0.5, RandomTrials(Fraction(1, 65536))

    def loss(rare):
        one, other = (np.array([1 - 2 * r, r, r]) for r in (rare, rare * math.exp(epsilon)))
        return float(np.abs(np.log(best(one, few) / best(other, few))).max())

    assert 1.3 * epsilon < max(map(loss, np.geomspace(1e-6, 0.2, 30))) <= 2 * epsilon


@pytest.mark.parametrize("stop", [Fraction(1, 2), Fraction(1, 32), Fraction(1, 512)])
@pytest.mark.parametrize("total", [0.3, 1.0, 4.0])
def test_the_gaussian_price_by_integration(stop, total):
    """Trials that are Gaussian noise on 0 or 1, the largest wins: the exact δ is below the promised one."""
    trials, delta = RandomTrials(stop), 1e-5
    price = trials.affordable(budget(total, delta))
    assert trials.cost(price).epsilon <= Fraction(total)
    sigma = 1 / math.sqrt(2 * float(rho_for(price.epsilon, price.delta)))
    edges = np.linspace(-12 * sigma, 12 * sigma + 1, 40_001)
    for shift in (1.0, -1.0):
        one = best(np.diff(stats.norm.cdf(edges, 0, sigma)), trials)
        other = best(np.diff(stats.norm.cdf(edges, shift, sigma)), trials)
        exact = np.maximum(one - math.exp(total) * other, 0).sum()
        assert exact <= delta


def test_claiming_one_trials_price_is_wrong():
    """The planted mistake: the exact loss of the best exceeds what a single trial costs."""
    q, other = np.array([0.5, 0.5]), np.array([0.5 * math.exp(0.5), 1 - 0.5 * math.exp(0.5)])
    assert abs(np.log(best(q, TRIALS) / best(other, TRIALS))).max() > 0.5


def test_the_number_of_trials_has_its_distribution():
    drawn = np.array([TRIALS.draw(secure()) for _ in range(4000)])
    k = np.arange(1, 60)
    chance = (1 - 1 / 32) ** k / (k * math.log(32))
    expected = np.append(chance, 1 - chance.sum()) * drawn.size
    observed = np.array([(drawn == number).sum() for number in k] + [(drawn > k[-1]).sum()])

    def pools(counts):  # of at least five expected each
        return np.add.reduceat(counts, [0, 1, 2, 3, 5, 8, 13, 20, 30, 45, 59])

    assert stats.chisquare(pools(observed), pools(expected)).pvalue > 1e-6
    geometric = (1 / 32) * (1 - 1 / 32) ** (k - 1)  # and not the distribution whose price is 3ε
    wrong = np.append(geometric, 1 - geometric.sum()) * drawn.size
    assert stats.chisquare(pools(observed), pools(wrong)).pvalue < 1e-6


def test_means_prices_and_bad_values():
    assert abs(RandomTrials.about(20).mean - 20) < 0.1
    assert RandomTrials.about(1).mean < 1.01
    assert TRIALS.affordable(Pure(Fraction(1))) == Pure(Fraction(1, 2))
    prices = [TRIALS.affordable(Approximate(Fraction(1), Fraction(1, d))).epsilon for d in (10**5, 10**9)]
    assert all(Fraction(2, 5) < price < Fraction(3, 4) for price in prices)
    for mean in (0.5, 6000):
        with pytest.raises(ParameterError):
            RandomTrials.about(mean)
    with pytest.raises(ParameterError):
        RandomTrials(Fraction(1, 3))
