"""From ρ-zCDP to (ε, δ) and back, always on the safe side.

Canonne, Kamath and Steinke 2020 (The Discrete Gaussian for Differential Privacy, Proposition 7): a ρ-zCDP
mechanism is (ε, δ)-DP with δ = inf over α > 1 of exp((α−1)(αρ−ε)) / (α−1) · (1−1/α)^α. Written with t = α−1
and solved for ε or for ρ, *every* t > 0 gives a true statement:

    ε = (1+t)·ρ − log(1+1/t) + (log(1/δ) − log(1+t)) / t.

So the search for the best t need not be exact to be safe; only the last evaluation must be, and it is
rounded outward by far more than the floats' error: ε is never too small, ρ never too large.

>>> round(float(zcdp_to_epsilon(Fraction(1, 2), Fraction(1, 10**6))), 3)
5.222
>>> rho_for(zcdp_to_epsilon(Fraction(1, 2), Fraction(1, 10**6)), Fraction(1, 10**6)) <= Fraction(1, 2)
True
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

from privet.errors import ParameterError

__all__ = ["rho_for", "zcdp_to_epsilon"]

# Relative widths of the outward rounding. The floats' own error is below 1e-15 of the sum of the terms'
# sizes; the way back is rounded more than the way there, so that a round trip cannot gain.
_SLACK_EPSILON = 1e-14
_SLACK_RHO = 1e-12
_GRID_POINTS = 200
_LARGE = 10**9
_GOLDEN = (math.sqrt(5) - 1) / 2


@lru_cache(maxsize=1024)
def zcdp_to_epsilon(rho: Fraction, delta: Fraction) -> Fraction:
    """An ε, as small as can be shown, for which ρ-zCDP implies (ε, δ)-differential privacy."""
    log_inverse_delta = _log_inverse(delta)
    if rho <= 0:
        return Fraction(0)
    if rho > _LARGE:  # ρ + 2·√(ρ·log(1/δ)), Bun and Steinke's bound, by the mean inequality
        return 2 * rho + Fraction(log_inverse_delta)
    loss = math.nextafter(float(rho), math.inf)

    def bound(log_t: float) -> float:
        t = math.exp(log_t)
        terms = ((1 + t) * loss, -math.log1p(1 / t), log_inverse_delta / t, -math.log1p(t) / t)
        return sum(terms) + _SLACK_EPSILON * sum(map(abs, terms))

    return Fraction(max(bound(_argmin(bound, log_inverse_delta)), 0.0))


@lru_cache(maxsize=1024)
def rho_for(epsilon: Fraction, delta: Fraction) -> Fraction:
    """A ρ, as large as can be shown, for which ρ-zCDP implies (ε, δ)-differential privacy."""
    log_inverse_delta = _log_inverse(delta)
    if epsilon <= 0:
        raise ParameterError("epsilon must be greater than 0.")
    target = math.nextafter(float(epsilon), 0.0)

    def negated(log_t: float) -> float:
        t = math.exp(log_t)
        terms = (target, math.log1p(1 / t), -log_inverse_delta / t, math.log1p(t) / t)
        return -(sum(terms) - _SLACK_RHO * sum(map(abs, terms))) / (1 + t)

    rho = -negated(_argmin(negated, log_inverse_delta))
    if rho <= 0:
        raise ParameterError(
            f"No zCDP budget is small enough for epsilon = {float(epsilon):g} at delta = {float(delta):g}.",
            "Give a larger epsilon or delta.",
        )
    return Fraction(rho) * (1 - Fraction(1, 10**15))


def _log_inverse(delta: Fraction) -> float:
    if not 0 < delta < 1:
        raise ParameterError(f"delta must lie between 0 and 1, but is {float(delta):g}.")
    # Logarithms of the whole numbers: a δ below the smallest float still has one. Rounded up: a smaller δ.
    return (math.log(delta.denominator) - math.log(delta.numerator)) * (1 + 1e-15) + 1e-15


def _argmin(function: Callable[[float], float], log_inverse_delta: float) -> float:
    """Where the function is least: a grid, then golden sections around its best point.

    The best t lies below about e/δ, beyond which the δ term vanishes.
    """
    low, high = -25.0, min(log_inverse_delta + 25.0, 600.0)  # exp(710) is no float
    step = (high - low) / _GRID_POINTS
    best = min((low + step * i for i in range(_GRID_POINTS + 1)), key=function)
    low, high = best - step, best + step
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_left, at_right = function(left), function(right)
    for _ in range(60):
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = high - _GOLDEN * (high - low)
            at_left = function(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + _GOLDEN * (high - low)
            at_right = function(right)
    return min((low, left, right, high, best), key=function)
