"""Tight composition of a plan that is fixed in advance."""

from __future__ import annotations

import math
import subprocess
import sys
from fractions import Fraction

import pytest

from privet.budget import (
    ApproximateEvent,
    GaussianEvent,
    NoGuarantee,
    Parallel,
    PureEvent,
    Sequential,
    exact,
    tight_epsilon,
    zcdp_to_epsilon,
)
from privet.errors import ParameterError

MILLIONTH = Fraction(1, 10**6)
TENTH = PureEvent(exact(0.1))


def exact_pure_delta(count: int, epsilon: float, target: float) -> float:
    """The δ at ε = target of ``count`` ε-DP steps in the worst case: Kairouz, Oh and Viswanath 2015."""
    yes = 1 / (1 + math.exp(-epsilon))
    total = 0.0
    for k in range(count + 1):
        loss = (2 * k - count) * epsilon
        if loss > target:
            total += math.comb(count, k) * yes**k * (1 - yes) ** (count - k) * -math.expm1(target - loss)
    return total


@pytest.mark.parametrize("count", [1, 10, 50, 200])
def test_a_valid_bound_for_pure_steps_and_a_tight_one(count):
    epsilon = float(tight_epsilon(*[TENTH] * count, delta=MILLIONTH))
    assert exact_pure_delta(count, 0.1, epsilon) <= 1e-6
    assert exact_pure_delta(count, 0.1, epsilon * 0.97) > 1e-6  # not loose by 3 %
    assert epsilon <= 0.1 * count


def test_gaussians_are_composed_as_zcdp():
    events = [GaussianEvent(exact(0.01))] * 10
    assert tight_epsilon(*events, delta=MILLIONTH) == zcdp_to_epsilon(exact(0.1), MILLIONTH)


def test_a_mixture_costs_more_than_its_parts_and_no_more_than_zcdp():
    pure, gaussian = [TENTH] * 30, [GaussianEvent(exact(0.05))]
    both = tight_epsilon(*pure, *gaussian, delta=MILLIONTH)
    assert both > tight_epsilon(*pure, delta=MILLIONTH)
    assert both > tight_epsilon(*gaussian, delta=MILLIONTH)
    assert both <= zcdp_to_epsilon(exact(0.05) + 30 * exact(0.01) / 2, MILLIONTH)


def test_nesting_does_not_matter_and_parts_are_free():
    flat = tight_epsilon(*[TENTH] * 20, delta=MILLIONTH)
    assert tight_epsilon(Sequential((TENTH,) * 20), delta=MILLIONTH) == flat
    parts = [Parallel((TENTH, PureEvent(exact(0.05))))] * 20
    assert tight_epsilon(*parts, delta=MILLIONTH) == flat


def test_approximate_events_keep_their_delta():
    event = ApproximateEvent(exact(0.1), MILLIONTH / 100)
    assert tight_epsilon(*[event] * 20, delta=MILLIONTH) >= tight_epsilon(*[TENTH] * 20, delta=MILLIONTH)
    with pytest.raises(ParameterError, match="larger delta"):
        tight_epsilon(*[event] * 200, delta=MILLIONTH)


def test_what_has_no_bound_is_refused():
    with pytest.raises(ParameterError, match="no privacy guarantee"):
        tight_epsilon(NoGuarantee("seeded"), TENTH, delta=MILLIONTH)
    with pytest.raises(ParameterError, match="no common tight bound"):
        tight_epsilon(GaussianEvent(exact(1)), ApproximateEvent(exact(1), MILLIONTH), delta=MILLIONTH)
    assert tight_epsilon(delta=MILLIONTH) == 0


def test_without_the_extra_it_says_what_to_install_and_the_rest_works():
    program = """
import sys
sys.modules["dp_accounting"] = None
from fractions import Fraction
from privet.budget import PureEvent, tight_epsilon
from privet.errors import MissingExtra
try:
    tight_epsilon(PureEvent(Fraction(1)), delta=Fraction(1, 10))
except MissingExtra as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "privet[accounting]" in done.stdout


def test_importing_the_budget_stays_light():
    heavy = ("dp_accounting", "numpy", "scipy", "sqlalchemy")
    program = f"import sys, privet.budget; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
