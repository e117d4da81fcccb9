"""Costs and the rules for their totals."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.budget import (
    Approximate,
    ApproximateEvent,
    Cost,
    GaussianEvent,
    NoGuarantee,
    Parallel,
    Pure,
    PureEvent,
    Sequential,
    Zcdp,
    accountant_for,
    cost_of,
    exact,
    rho_for,
    zcdp_to_epsilon,
)
from privet.errors import ParameterError

MILLIONTH = Fraction(1, 10**6)
fractions = st.fractions(min_value=0, max_value=10, max_denominator=1000)
leaves = st.one_of(
    fractions.map(PureEvent),
    fractions.map(GaussianEvent),
    st.builds(ApproximateEvent, fractions, st.fractions(0, Fraction(1, 10))),
)
events = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4).map(lambda parts: Sequential(tuple(parts))),
        st.lists(inner, max_size=4).map(lambda parts: Parallel(tuple(parts))),
    ),
    max_leaves=12,
)


def fits(limit, *parts, accountant="auto"):
    return accountant_for(accountant, limit).fits(cost_of(*parts), limit)


def test_ten_tenths_are_one():
    tenth = PureEvent(exact(0.1))
    assert fits(Pure(exact(1)), *[tenth] * 10)
    assert not fits(Pure(exact(1)), *[tenth] * 11)
    assert not fits(Pure(exact(1)), *[tenth] * 10, PureEvent(Fraction(1, 10**30)))


def test_epsilon_and_delta_add_up():
    event = ApproximateEvent(exact(0.5), MILLIONTH / 2)
    limit = Approximate(exact(1), MILLIONTH)
    assert fits(limit, event, event, accountant="basic")
    assert not fits(limit, event, event, ApproximateEvent(Fraction(0), MILLIONTH / 10**9), accountant="basic")
    assert not fits(limit, event, PureEvent(exact(0.51)), accountant="basic")


def test_disjoint_parts_cost_the_dearest():
    small, large = PureEvent(exact(0.1)), PureEvent(exact(0.4))
    assert cost_of(Parallel((small, large, small))) == cost_of(large)
    assert cost_of(Sequential((small, large))).epsilon == exact(0.5)
    mixed = cost_of(Parallel((ApproximateEvent(exact(1), MILLIONTH), PureEvent(exact(2)))))
    assert mixed == Cost(exact(2), MILLIONTH, None)
    gaussian = cost_of(Parallel((PureEvent(exact(2)), GaussianEvent(exact(1)))))
    assert gaussian == Cost(None, Fraction(0), exact(2))


@settings(max_examples=40)
@given(st.lists(events, max_size=4))
def test_sequential_is_the_sum_and_parallel_never_costs_more(parts):
    together = cost_of(Sequential(tuple(parts)))
    assert together == cost_of(*parts)
    apart = cost_of(Parallel(tuple(parts)))
    for name in ("epsilon", "delta", "rho"):
        whole, part = getattr(together, name), getattr(apart, name)
        assert (whole is None) == (part is None)
        assert whole is None or part <= whole
    assert Cost.from_dict(together.to_dict()) == together


@given(events)
def test_nothing_gives_budget_back(event):
    cost = cost_of(event)
    assert all(value is None or value >= 0 for value in (cost.epsilon, cost.delta, cost.rho))


@pytest.mark.parametrize(
    "event",
    [PureEvent(Fraction(-1)), GaussianEvent(Fraction(-1)), ApproximateEvent(Fraction(1), Fraction(-1))],
)
def test_negative_events_are_refused(event):
    with pytest.raises(ParameterError, match="negative"):
        cost_of(Sequential((event,)))


def test_gaussians_compose_as_zcdp_under_an_epsilon_delta_limit():
    limit = Approximate(exact(1), MILLIONTH)
    rho = rho_for(limit.epsilon, limit.delta)
    assert fits(limit, *[GaussianEvent(rho / 7)] * 7)
    assert not fits(limit, *[GaussianEvent(rho / 7)] * 7, GaussianEvent(rho / 10**9))


def test_the_better_of_two_rules():
    """Few large pure events fit by Σε, many small ones by ρ; neither rule alone allows both."""
    limit = Approximate(exact(1), MILLIONTH)
    one, many = [PureEvent(exact(1))], [PureEvent(Fraction(1, 1000))] * 2000
    assert fits(limit, *one)
    assert not fits(limit, *one, accountant="zcdp")
    assert fits(limit, *many)
    assert not fits(limit, *many, accountant="basic")
    assert not fits(limit, *one, PureEvent(Fraction(1, 1000)))


def test_zcdp_limits_take_pure_and_gaussian_events():
    limit = Zcdp(exact(1))
    assert fits(limit, GaussianEvent(exact(0.5)), PureEvent(exact(1)))  # 1²/2 = 0.5
    assert not fits(limit, GaussianEvent(exact(0.5)), PureEvent(exact(1.000001)))


@pytest.mark.parametrize(
    ("limit", "accountant", "event", "reason"),
    [
        (Pure(exact(1)), "auto", GaussianEvent(exact(0.1)), "no pure ε"),
        (Pure(exact(1)), "auto", ApproximateEvent(exact(0.1), MILLIONTH), "δ"),
        (Zcdp(exact(1)), "auto", ApproximateEvent(exact(0.1), MILLIONTH), "no ρ"),
        (
            Approximate(exact(1), MILLIONTH),
            "auto",
            ApproximateEvent(exact(0.1), MILLIONTH / 2),
            "share one δ",
        ),
        (Approximate(exact(1), MILLIONTH), "basic", GaussianEvent(exact(0.1)), "no pure ε"),
        (Pure(exact(1)), "auto", NoGuarantee("seeded"), "no privacy guarantee"),
        (Approximate(exact(1), MILLIONTH), "auto", NoGuarantee("seeded"), "no privacy guarantee"),
        (Approximate(exact(1), MILLIONTH), "basic", NoGuarantee("seeded"), "no privacy guarantee"),
        (Zcdp(exact(1)), "auto", Parallel((PureEvent(exact(0)), NoGuarantee("x"))), "no privacy guarantee"),
    ],
)
def test_what_a_rule_cannot_count_it_refuses_with_a_reason(limit, accountant, event, reason):
    rule, cost = accountant_for(accountant, limit), cost_of(event)
    assert reason in rule.refusal(cost, limit)
    assert not rule.fits(cost, limit)


def test_unknown_and_unfit_accountants():
    with pytest.raises(ParameterError, match="no accountant 'guess'"):
        accountant_for("guess", Pure(exact(1)))
    with pytest.raises(ParameterError, match="cannot keep"):
        accountant_for("zcdp", Pure(exact(1)))
    with pytest.raises(ParameterError, match="tight"):
        accountant_for("tight", Approximate(exact(1), MILLIONTH))


limits = st.one_of(
    st.fractions(Fraction(1, 100), 20).map(Pure),
    st.builds(
        Approximate, st.fractions(Fraction(1, 100), 20), st.fractions(Fraction(1, 10**8), Fraction(1, 10))
    ),
    st.fractions(Fraction(1, 100), 20).map(Zcdp),
)


@given(limits, st.lists(fractions.map(PureEvent), max_size=5))
def test_what_is_left_can_be_asked_for(limit, parts):
    """``left`` is never overstated: a request of that amount fits, whatever was spent before."""
    rule, total = accountant_for("auto", limit), cost_of(*parts)
    left = rule.left(total, limit)
    if left is None:
        return
    match left:
        case Pure(epsilon=epsilon):
            event = PureEvent(epsilon)
        case Zcdp(rho=rho):
            event = GaussianEvent(rho)
        case Approximate(epsilon=epsilon, delta=delta):
            event = GaussianEvent(rho_for(epsilon, delta))
    assert rule.fits(total + cost_of(event), limit)


@given(limits, st.lists(fractions.map(PureEvent), max_size=5))
def test_what_fits_is_not_overspent(limit, parts):
    rule, total = accountant_for("auto", limit), cost_of(*parts)
    spent = rule.spent(total, limit)
    if spent is None:
        assert total == cost_of()
    elif isinstance(limit, Zcdp):
        assert rule.fits(total, limit) == (spent.rho <= limit.rho)
    elif isinstance(limit, Pure):
        assert rule.fits(total, limit) == (spent.epsilon <= limit.epsilon)
    else:
        assert spent.epsilon <= total.epsilon or spent.epsilon <= exact(1e-9)
        assert spent.epsilon <= zcdp_to_epsilon(total.rho, limit.delta) or spent.epsilon <= exact(1e-9)
        # Conversions are rounded outward both ways: what fits is within, up to that rounding.
        assert not rule.fits(total, limit) or spent.epsilon <= limit.epsilon


def test_sums_of_unlike_fractions_stay_small_and_never_round_down():
    primes = [n for n in range(3, 4000) if all(n % d for d in range(2, int(n**0.5) + 1))]
    parts = [Fraction(1, prime) for prime in primes]
    total = cost_of(*map(PureEvent, parts)).epsilon
    assert total >= sum(parts)
    assert total - sum(parts) < Fraction(1, 2**400)
    assert total.denominator.bit_length() <= 1025
