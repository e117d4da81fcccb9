"""The bounds themselves, against exact calculations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from privet.audit.confidence import (
    epsilon_from_counts,
    epsilon_from_guesses,
    lower_probability,
    quick_epsilon_from_counts,
    upper_probability,
)


@given(st.integers(1, 400), st.data())
@settings(max_examples=100, deadline=None)
def test_clopper_pearson_against_the_binomial_tails(runs, data):
    hits, error = data.draw(st.integers(0, runs)), data.draw(st.sampled_from([0.25, 0.01, 1e-8]))
    low, high = float(lower_probability(hits, runs, error)), float(upper_probability(hits, runs, error))
    assert low <= hits / runs <= high
    if hits > 0:
        assert stats.binom.sf(hits - 1, runs, low) == pytest.approx(error, rel=1e-6)
    if hits < runs:
        assert stats.binom.cdf(hits, runs, high) == pytest.approx(error, rel=1e-6)


@pytest.mark.parametrize(("p", "q"), [(0.5, 0.5 / np.e), (0.9, 0.7), (0.02, 0.02 / np.e)])
@pytest.mark.parametrize("confidence", [0.9, 0.99])
def test_the_bound_covers_the_truth_as_often_as_it_says(p, q, confidence):
    """Exactly: over all counts, the probability of a bound above the true ε is at most 1 − confidence."""
    runs = 60
    counts = np.arange(runs + 1)
    bounds = epsilon_from_counts(counts[:, None], runs, counts[None, :], runs, confidence=confidence)
    chances = stats.binom.pmf(counts, runs, p)[:, None] * stats.binom.pmf(counts, runs, q)[None, :]
    assert chances[bounds > np.log(p / q)].sum() <= 1 - confidence


def test_delta_is_taken_off():
    """An event of probability δ that never happens on the other table says nothing against (ε, δ)."""
    assert epsilon_from_counts(1000, 100_000, 0, 100_000, confidence=0.99) > 4
    assert epsilon_from_counts(1000, 100_000, 0, 100_000, confidence=0.99, delta=0.01) == 0


def test_the_quick_bound_is_close():
    hits, other = np.array([5000.0, 300.0, 0.0]), np.array([1800.0, 100.0, 0.0])
    exact = epsilon_from_counts(hits, 10_000, other, 10_000, confidence=0.999)
    quick = quick_epsilon_from_counts(hits, 10_000, other, 10_000, confidence=0.999)
    np.testing.assert_allclose(exact, quick, atol=0.05)


def _published_tail(canaries, guesses, right, epsilon, delta):
    """The p-value of Steinke, Nasr and Jagielski (2023), written as a sum over single probabilities."""
    binomial = stats.binom(guesses, 1 / (1 + np.exp(-epsilon)))
    beta = sum(binomial.pmf(k) for k in range(right, guesses + 1))
    alpha = max(sum(binomial.pmf(right - j) for j in range(1, i + 1)) / i for i in range(1, right + 1))
    return beta + 2 * canaries * delta * alpha


@pytest.mark.parametrize("delta", [0.0, 1e-5])
@pytest.mark.parametrize(("canaries", "guesses", "right"), [(100, 100, 95), (1000, 200, 170), (500, 60, 60)])
def test_guesses_against_the_published_theorem(canaries, guesses, right, delta):
    bound = epsilon_from_guesses(right, guesses, confidence=0.95, delta=delta, canaries=canaries)
    assert _published_tail(canaries, guesses, right, bound, delta) == pytest.approx(0.05, rel=1e-6)


def test_guessing_shows_nothing():
    assert epsilon_from_guesses(52, 100, confidence=0.99) == 0
    assert epsilon_from_guesses(0, 0, confidence=0.99) == 0


def test_guesses_cover_the_truth():
    """Randomised response is the worst case: the bound passes the true ε with at most 1 − confidence."""
    epsilon, guesses = 1.3, 80
    binomial = stats.binom(guesses, 1 / (1 + np.exp(-epsilon)))
    missed = sum(
        binomial.pmf(k)
        for k in range(guesses + 1)
        if epsilon_from_guesses(k, guesses, confidence=0.95) > epsilon
    )
    assert 0.01 < missed <= 0.05
