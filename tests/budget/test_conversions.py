"""zCDP to (ε, δ) and back: safe, monotone, tight, and never better than what is exactly true."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from privet.budget import rho_for, zcdp_to_epsilon
from privet.errors import ParameterError

rhos = st.floats(-14, 6).map(lambda power: Fraction(10**power))
deltas = st.floats(-30, -0.31).map(lambda power: Fraction(10**power))
epsilons = st.floats(-6, 4).map(lambda power: Fraction(10**power))


def exact_gaussian_delta(rho: float, epsilon: float) -> float:
    """The δ of the Gaussian mechanism itself: Balle and Wang 2018, Theorem 5."""
    ratio = math.sqrt(2 * rho)  # Δ/σ
    first = norm.cdf(ratio / 2 - epsilon / ratio)
    return float(first - math.exp(epsilon + norm.logcdf(-ratio / 2 - epsilon / ratio)))


@given(epsilons, deltas)
def test_a_round_trip_never_gains(epsilon, delta):
    rho = rho_for(epsilon, delta)
    assert zcdp_to_epsilon(rho, delta) <= epsilon
    assert zcdp_to_epsilon(rho, delta) >= epsilon * (1 - Fraction(1, 10**6)) or epsilon < delta * 100


@given(rhos, deltas)
def test_the_other_round_trip_never_gains(rho, delta):
    epsilon = zcdp_to_epsilon(rho, delta)
    if epsilon > 0:
        assert rho_for(epsilon, delta) <= rho


@given(rhos, rhos, deltas)
def test_more_rho_costs_more_epsilon(a, b, delta):
    low, high = sorted((a, b))
    # The outward rounding, 1e-14 of the terms, is the only thing that may disturb the order.
    assert zcdp_to_epsilon(low, delta) <= zcdp_to_epsilon(high, delta) * (1 + Fraction(1, 10**9))


@given(rhos, deltas, deltas)
def test_less_delta_costs_more_epsilon(rho, a, b):
    low, high = sorted((a, b))
    assert zcdp_to_epsilon(rho, high) <= zcdp_to_epsilon(rho, low) * (1 + Fraction(1, 10**9))


@given(st.floats(-4, 1.5), st.floats(-12, -1))
def test_never_better_than_the_gaussian_mechanism(log_rho, log_delta):
    """Gaussian noise is ρ-zCDP, so no true conversion can promise less than its own exact curve."""
    rho, delta = 10**log_rho, 10**log_delta
    epsilon = float(zcdp_to_epsilon(Fraction(rho), Fraction(delta)))
    assert exact_gaussian_delta(rho, epsilon) <= delta * (1 + 1e-6) + 1e-15


@given(st.floats(-4, 2), st.floats(-12, -1))
def test_as_tight_as_a_fine_search_over_alpha(log_rho, log_delta):
    rho, delta = 10**log_rho, 10**log_delta

    def at(t: float) -> float:
        alpha = 1 + t
        return alpha * rho + math.log1p(-1 / alpha) - (math.log(delta) + math.log(alpha)) / t

    best = min(at(10 ** (power / 200)) for power in range(-800, 2400))
    assert float(zcdp_to_epsilon(Fraction(rho), Fraction(delta))) <= max(best, 0) * (1 + 1e-9) + 1e-12


@settings(max_examples=25, deadline=None)
@given(st.floats(-3, 1), st.floats(-10, -3))
def test_agrees_with_dp_accounting(log_rho, log_delta):
    import dp_accounting

    rho, delta = 10**log_rho, 10**log_delta
    orders = [1 + 10 ** (power / 100) for power in range(-300, 600)]
    accountant = dp_accounting.rdp.RdpAccountant(orders=orders)
    accountant.compose(dp_accounting.ZCDpEvent(rho))
    ours = float(zcdp_to_epsilon(Fraction(rho), Fraction(delta)))
    # Theirs is a minimum over a grid of orders, so ours may only be a little smaller, never larger.
    assert ours <= accountant.get_epsilon(delta) * (1 + 1e-9)
    assert ours >= accountant.get_epsilon(delta) * (1 - 1e-3)


def test_enormous_and_zero():
    delta = Fraction(1, 10**6)
    assert zcdp_to_epsilon(Fraction(0), delta) == 0
    assert zcdp_to_epsilon(Fraction(10**400), delta) > 10**400
    assert zcdp_to_epsilon(Fraction(1), Fraction(1, 10**400)) > 30  # a δ below the smallest float


@pytest.mark.parametrize("delta", [Fraction(0), Fraction(1), Fraction(-1)])
def test_impossible_deltas_are_refused(delta):
    with pytest.raises(ParameterError, match="delta"):
        zcdp_to_epsilon(Fraction(1), delta)
    with pytest.raises(ParameterError, match="delta"):
        rho_for(Fraction(1), delta)


def test_no_epsilon_no_rho():
    with pytest.raises(ParameterError, match="epsilon"):
        rho_for(Fraction(0), Fraction(1, 10))
