"""Tight composition of a plan: what a list of events, fixed in advance, costs together at a given δ.

Numerical composition gives a smaller ε than the accountants' sums when a plan has many pure steps. It is
valid for a plan whose steps and sizes do not depend on any answer, such as the tables that one fit releases;
it is *not* valid as a running rule for a ledger, where the next request may depend on earlier answers. The
result can then be spent as one ``ApproximateEvent``.

Two bounds, each valid, so the smaller is valid:

- Without Gaussian events: the privacy-loss distribution of randomised response with a leak of probability
  δ, which dominates every (ε, δ)-DP mechanism (Kairouz, Oh and Viswanath 2015), composed by dp-accounting.
- With Gaussian events: Rényi composition, with ρ·α for each Gaussian and randomised response's own curve
  for each pure event. The Gaussian's privacy-loss distribution is not used: counts get *discrete* Gaussian
  noise, for which ρ·α is proved and the continuous curve is not an upper bound.
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from typing import Any

from privet.budget.accountants import NO_GUARANTEE
from privet.budget.conversions import zcdp_to_epsilon
from privet.budget.cost import Cost, cost_of
from privet.budget.events import Event, Sequential
from privet.errors import MissingExtra, ParameterError

__all__ = ["tight_epsilon"]

# Numerical composition works on floats; this is added on top of its own pessimistic rounding.
_SLACK = Fraction(1, 10**9)


def tight_epsilon(*events: Event, delta: Fraction) -> Fraction:
    """An ε for which these events, fixed in advance, are together (ε, δ)-differentially private."""
    if not 0 < delta < 1:
        raise ParameterError(f"delta must lie between 0 and 1, but is {float(delta):g}.")
    steps = Counter(step for event in events for step in _steps(event) if step != cost_of())
    total = cost_of(*events)
    if any(step.boundless for step in steps):
        raise ParameterError(NO_GUARANTEE)
    bounds = []
    if total.epsilon is not None and total.delta is not None:
        if total.delta <= delta:
            bounds.append(total.epsilon)
        if steps:
            bounds.append(_by_loss_distribution(steps, delta))
    if total.rho is not None:
        bounds.append(zcdp_to_epsilon(total.rho, delta))
        if steps:
            bounds.append(_by_renyi(steps, delta))
    if not bounds:
        raise ParameterError(
            "Gaussian noise and (ε, δ) events in one plan have no common tight bound here.",
            "Split δ between them and compose each kind by itself.",
        )
    return min(bounds)


def _steps(event: Event) -> list[Cost]:
    """Sequential steps apart; a parallel event is one step that costs its dearest part."""
    if isinstance(event, Sequential):
        return [step for part in event.events for step in _steps(part)]
    return [cost_of(event)]


def _by_loss_distribution(steps: Counter[Cost], delta: Fraction) -> Fraction:
    pld = _accounting().pld.privacy_loss_distribution
    parameters = _accounting().pld.common.DifferentialPrivacyParameters
    smallest = min(float(step.epsilon or 0) for step in steps) or 1e-4
    # Rounding is upward at any interval; this one keeps the grid below a hundred thousand points.
    largest = sum(float(step.epsilon or 0) * count for step, count in steps.items())
    interval = max(min(1e-4, smallest / 20), largest / 1e5)
    composed = pld.identity(value_discretization_interval=interval)
    for step, count in steps.items():
        single = pld.from_privacy_parameters(
            parameters(float(step.epsilon or 0), float(step.delta or 0)),
            value_discretization_interval=interval,
        )
        composed = composed.compose(single.self_compose(count))
    return _upward(composed.get_epsilon_for_delta(float(delta)))


def _by_renyi(steps: Counter[Cost], delta: Fraction) -> Fraction:
    accounting = _accounting()
    accountant = accounting.rdp.RdpAccountant(neighboring_relation=accounting.NeighboringRelation.REPLACE_ONE)
    for step, count in steps.items():
        if step.epsilon is None:
            accountant.compose(accounting.ZCDpEvent(float(step.rho or 0)), count)
        else:
            flip = 2 / (1 + math.exp(float(step.epsilon)))
            accountant.compose(accounting.RandomizedResponseDpEvent(flip, 2), count)
    return _upward(accountant.get_epsilon(float(delta)))


def _upward(epsilon: float) -> Fraction:
    if not math.isfinite(epsilon):
        raise ParameterError("No finite epsilon holds at this delta.", "Give a larger delta.")
    return Fraction(epsilon) * (1 + _SLACK) + _SLACK


def _accounting() -> Any:
    try:
        import dp_accounting
        import dp_accounting.pld.common
        import dp_accounting.pld.privacy_loss_distribution
        import dp_accounting.rdp
    except ImportError:
        raise MissingExtra.of("accounting", "Tight composition") from None
    return dp_accounting
