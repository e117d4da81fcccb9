"""The rules hold against somebody who chooses each next request after seeing all earlier answers.

The worst pure event is randomised response, and the worst (ε, δ) event is the same with a leak of
probability δ (Kairouz, Oh and Viswanath 2015). So the best adaptive strategy against a rule can be found by
dynamic programming over what was spent and the privacy loss so far, and its true δ at the limit's ε compared
with the limit's δ. A planted wrong rule must fail, or this test shows nothing.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache

import pytest

from privet.budget import (
    Amount,
    Approximate,
    ApproximateEvent,
    Cost,
    Pure,
    PureEvent,
    accountant_for,
    cost_of,
    zcdp_to_epsilon,
)

STEP = Fraction(1, 4)
Event = PureEvent | ApproximateEvent


def worst_delta(limit: Amount, menu: tuple[Event, ...], fits: Callable[[Cost], bool]) -> float:
    """The δ at the limit's ε that the best adaptive choice from the menu reaches under the rule."""

    @cache
    def allowed(counts: tuple[int, ...]) -> bool:
        return fits(cost_of(*(event for event, n in zip(menu, counts, strict=True) for _ in range(n))))

    @cache
    def value(counts: tuple[int, ...], loss: Fraction) -> float:
        best = max(0.0, -math.expm1(float(limit.epsilon - loss)))
        for place, event in enumerate(menu):
            after = (*counts[:place], counts[place] + 1, *counts[place + 1 :])
            if not allowed(after):
                continue
            leak = float(getattr(event, "delta", 0))
            yes = 1 / (1 + math.exp(-float(event.epsilon)))
            up, down = value(after, loss + event.epsilon), value(after, loss - event.epsilon)
            best = max(best, leak + (1 - leak) * (yes * up + (1 - yes) * down))
        return best

    return value((0,) * len(menu), Fraction(0))


PURE_MENU = (PureEvent(STEP / 2), PureEvent(STEP), PureEvent(4 * STEP))


@pytest.mark.parametrize("delta", [Fraction(1, 1000), Fraction(1, 100), Fraction(1, 10)])
@pytest.mark.parametrize("epsilon", [2 * STEP, 4 * STEP, 6 * STEP])
def test_the_better_of_two_rules_holds_against_adaptive_choice(epsilon, delta):
    limit = Approximate(epsilon, delta)
    rule = accountant_for("best", limit)
    assert worst_delta(limit, PURE_MENU, lambda cost: rule.fits(cost, limit)) <= delta


def test_basic_holds_against_adaptive_choice_and_is_exact():
    limit = Approximate(3 * STEP, Fraction(1, 50))
    menu = (
        PureEvent(STEP),
        ApproximateEvent(STEP, Fraction(1, 100)),
        ApproximateEvent(Fraction(0), limit.delta),
    )
    rule = accountant_for("basic", limit)
    worst = worst_delta(limit, menu, lambda cost: rule.fits(cost, limit))
    assert 0.9 * limit.delta <= worst <= limit.delta + Fraction(1, 10**12)


def test_a_pure_limit_holds_against_adaptive_choice():
    limit = Pure(4 * STEP)
    rule = accountant_for("auto", limit)
    assert worst_delta(limit, PURE_MENU, lambda cost: rule.fits(cost, limit)) == 0


def test_a_wrong_rule_is_found():
    """Twice the ρ that the limit stands for."""
    limit = Approximate(2 * STEP, Fraction(1, 100))
    wrong = Approximate(4 * STEP, limit.delta)
    rule = accountant_for("zcdp", wrong)
    assert worst_delta(limit, PURE_MENU, lambda cost: rule.fits(cost, wrong)) > limit.delta


def test_converting_at_the_delta_that_is_left_is_no_rule():
    """Why no rule does it: who picks between ρ and δ after an unlikely answer gets nearly both."""
    limit = Approximate(3 * STEP, Fraction(1, 20))
    menu = (PureEvent(STEP), ApproximateEvent(Fraction(0), limit.delta / 4))

    def wrong(cost: Cost) -> bool:
        left, rho = limit.delta - cost.delta, cost.epsilon * STEP / 2
        basic = left >= 0 and cost.epsilon <= limit.epsilon
        return basic or (left > 0 and zcdp_to_epsilon(rho, left) <= limit.epsilon)

    assert worst_delta(limit, menu, wrong) > 1.2 * limit.delta


def test_tight_composition_is_no_rule_for_a_ledger():
    """The exact δ of the history so far, used as a running rule, is overspent by adaptive choice."""
    limit = Approximate(4 * STEP, Fraction(1, 10))
    small, large = STEP, 4 * STEP

    def wrong(cost: Cost) -> bool:
        many = (2 * cost.rho - cost.epsilon * small) / (large * (large - small))
        few = (cost.epsilon - many * large) / small
        return _fixed(int(few), int(many), small, large, float(limit.epsilon)) <= limit.delta

    assert worst_delta(limit, (PureEvent(small), PureEvent(large)), wrong) > 1.3 * limit.delta


def _fixed(few: int, many: int, small: Fraction, large: Fraction, epsilon: float) -> float:
    """The exact δ of a plan fixed in advance: so many small and so many large steps."""
    p, q = (1 / (1 + math.exp(-float(size))) for size in (small, large))
    total = 0.0
    for i, j in itertools.product(range(few + 1), range(many + 1)):
        chance = math.comb(few, i) * p**i * (1 - p) ** (few - i)
        chance *= math.comb(many, j) * q**j * (1 - q) ** (many - j)
        loss = float((2 * i - few) * small + (2 * j - many) * large)
        total += chance * max(0.0, -math.expm1(epsilon - loss))
    return total
