"""What a refusal says: what was asked for, and what may be asked for instead, which is then asked for."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.budget import (
    Approximate,
    ApproximateEvent,
    GaussianEvent,
    Ledger,
    Pure,
    PureEvent,
    Zcdp,
    budget,
    exact,
    rho_for,
    rounded_down,
)
from privet.errors import BudgetExceeded
from privet.schema import Unit

UNIT = Unit()


def opened(limit, **how):
    ledger = Ledger.in_memory().as_analyst("ana")
    ledger.open_account("people", limit, unit=UNIT, **how)
    return ledger


def ask(ledger, epsilon, delta=0.0, told=True):
    """As a fit asks: without a δ as ε, with one as ρ."""
    amount = budget(epsilon, delta)
    if isinstance(amount, Pure):
        event = PureEvent(amount.epsilon)
    else:
        event = GaussianEvent(rho_for(amount.epsilon, amount.delta))
    ledger.reserve("people", event, unit=UNIT, what="a fit", asked=amount if told else None)


def refused(ledger, epsilon, delta=0.0, told=True):
    with pytest.raises(BudgetExceeded) as caught:
        ask(ledger, epsilon, delta, told)
    return caught.value


def offered(advice):
    """The pairs of ε and δ in an advice, as somebody would type them."""
    number = r"([0-9]+(?:\.[0-9]+)?(?:e-[0-9]+)?)"
    found = re.findall(rf"ε = {number}(?:, δ = {number})?", advice)
    return [(float(epsilon), float(delta or 0)) for epsilon, delta in found]


def test_a_request_with_a_delta_after_spends_without():
    ledger = opened(Approximate(exact(2), exact(1e-5)))
    ask(ledger, 0.5)
    error = refused(ledger, 0.5, 1e-6)
    assert "does not allow ε = 0.5, δ = 1e-06: ε = 0.5 spent of ε = 2, δ = 1e-05." in error.message
    assert "added up as ρ" in error.message
    assert offered(error.advice) == [(1.5, 0)]
    assert "ε = 1.5 without a δ" in error.advice
    ask(ledger, 1.5)


def test_a_request_without_a_delta_after_spends_with_one():
    ledger = opened(Approximate(exact(2), exact(1e-5)))
    ask(ledger, 0.5, 1e-6)
    error = refused(ledger, 0.5)
    assert "does not allow ε = 0.5: " in error.message
    [(epsilon, delta), (pure, none)] = offered(error.advice)
    assert (delta, none) == (1e-5, 0)
    assert epsilon > 1.9
    assert 0.3 < pure < 0.5
    assert f"ε = {pure:g} without a δ" in error.advice


@pytest.mark.parametrize("place", [0, 1])
def test_each_offer_is_taken(place):
    ledger = opened(Approximate(exact(2), exact(1e-5)))
    ask(ledger, 0.5, 1e-6)
    ask(ledger, *offered(refused(ledger, 0.5).advice)[place])


def test_with_a_delta_of_ones_own_the_offer_is_for_that_delta():
    ledger = opened(Approximate(exact(1), exact(1e-5)))
    ask(ledger, 0.5, 1e-6)
    error = refused(ledger, 2.0, 1e-7)
    (epsilon, delta), *_ = offered(error.advice)
    assert delta == 1e-7
    ask(ledger, epsilon, delta)


def test_noise_with_a_delta_that_nobody_has_put_in_words():
    ledger = opened(Approximate(exact(1), exact(1e-5)))
    error = refused(ledger, 2.0, 1e-6, told=False)
    assert "noise with a δ, of ρ = " in error.message
    assert "at δ = 1e-05)" in error.message
    assert offered(error.advice)[0] == (1, 1e-5)


def test_an_offer_fits_in_the_limit_of_the_dataset_and_in_ones_own():
    limit, own = Approximate(exact(2), exact(1e-5)), Approximate(exact(1.9), exact(1e-6))
    ledger = opened(limit, analysts={"ana": own})
    ask(ledger.as_analyst("ben"), 1.8, 1e-5)
    error = refused(ledger, 1.9, 1e-6)
    ask(ledger, *offered(error.advice)[0])
    other = opened(Pure(exact(1)), each_analyst=Pure(exact(3)))
    ask(other, 0.4)
    error = refused(other, 2)
    assert offered(error.advice) == [(0.6, 0)]
    assert "without" not in error.advice


def test_where_epsilon_and_delta_are_added_up():
    ledger = opened(Approximate(exact(1), exact(1e-5)), accountant="basic")
    event = ApproximateEvent(exact(0.5), exact(1e-4))
    with pytest.raises(BudgetExceeded) as caught:
        ledger.reserve("people", event, unit=UNIT, what="a search")
    assert "does not allow ε = 0.5, δ = 0.0001" in caught.value.message
    assert offered(caught.value.advice) == [(1, 1e-5), (1, 0)]
    assert offered(refused(ledger, 2).advice) == [(1, 0)]


def test_nothing_is_offered_where_nothing_is_left():
    ledger = opened(Pure(exact(1)))
    ask(ledger, 1)
    assert "Use what was released already" in refused(ledger, 0.1).advice


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from([Approximate(exact(2), exact(1e-5)), Zcdp(exact(0.3)), Pure(exact(2))]),
    st.lists(st.tuples(st.floats(0.01, 1), st.sampled_from([0.0, 1e-6])), max_size=4),
    st.sampled_from([0.0, 1e-7]),
    st.integers(0, 1),
)
def test_what_is_offered_is_not_refused(limit, earlier, delta, place):
    if isinstance(limit, Pure):
        earlier, delta = [(epsilon, 0.0) for epsilon, _ in earlier], 0.0
    ledger = opened(limit)
    for request in earlier:
        try:
            ask(ledger, *request)
        except BudgetExceeded:
            break
    offers = offered(refused(ledger, 50, delta).advice)
    if place < len(offers):
        ask(ledger, *offers[place])


@given(st.fractions(Fraction(1, 10**8), 1000))
def test_rounding_down_is_down_and_by_little(epsilon):
    rounded = rounded_down(Pure(epsilon)).epsilon
    assert epsilon * (1 - Fraction(1, 10**4)) < rounded <= epsilon
    assert exact(float(f"{float(rounded):g}")) == rounded


def test_what_a_balance_says_is_left_can_be_asked_for():
    ledger = opened(Pure(Fraction(2, 3)))
    [[left, _]] = offered(str(ledger.balance("people")).partition(", ")[2])
    assert np.isclose(left, 2 / 3)
    ask(ledger, left)
