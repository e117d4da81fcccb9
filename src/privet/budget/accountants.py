"""How costs add up against a limit: each accountant is a rule that says whether a total still fits.

A ledger is asked by people who choose each request after seeing earlier answers, so every rule here must be
a *privacy filter*: valid under fully adaptive choice of the next event and of its size.

- ``basic``: Σε and Σδ. Valid adaptively (Rogers, Roth, Ullman and Vadhan 2016).
- ``zcdp``: Σρ ≤ ρ*, where an (ε, δ) limit fixes ρ* = ``rho_for(ε, δ)`` once and for all. Valid adaptively
  (Feldman and Zrnic 2021; Whitehouse, Ramdas, Rogers and Wu 2023).
- ``best``, for an (ε, δ) limit: a total fits if it is pure and Σε ≤ ε, *or* if Σρ ≤ ρ*. Proof: let P and Q
  be the laws of all answers on neighbouring tables. Answers that end inside the first rule have
  P ≤ e^ε·Q and add nothing to Σ max(P − e^ε·Q, 0). Answers that end inside the second rule arise with the
  same probabilities if the ledger stops at that rule alone (sums never fall), and there they add at most δ.

Why ``best`` takes no (ε, δ) events: their Σδ and the conversion's δ would compete for the one δ of the
limit, and somebody who picks between them after seeing an unlikely answer can get nearly both. For the
same reason no rule converts "at whatever δ is left" (``tests/budget/test_adaptive.py`` overspends such a
rule by a quarter, and one that composes the history tightly by a third). An owner who needs such events
opens the account with ``accountant="basic"``. Tight numerical composition, which is not a filter, is in
``tight`` and serves plans that are fixed in advance.

>>> from privet.budget.amounts import Pure
>>> from privet.budget.cost import cost_of
>>> from privet.budget.events import PureEvent
>>> total = cost_of(*[PureEvent(Fraction(1, 10))] * 10)
>>> accountant_for("auto", Pure(Fraction(1))).fits(total, Pure(Fraction(1)))
True
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Protocol

from privet.budget.amounts import SMALLEST_EPSILON, Amount, Approximate, Pure, Zcdp
from privet.budget.conversions import rho_for, zcdp_to_epsilon
from privet.budget.cost import Cost
from privet.errors import ParameterError

__all__ = ["ACCOUNTANTS", "Accountant", "Basic", "Best", "Concentrated", "accountant_for"]


class Accountant(Protocol):
    """A rule for totals; ``None`` as an amount means nothing."""

    name: ClassVar[str]
    limits: ClassVar[tuple[type, ...]]

    def refusal(self, cost: Cost, limit: Amount) -> str | None:
        """Why something of this cost can never be counted here, however much is left; else nothing."""

    def fits(self, cost: Cost, limit: Amount) -> bool:
        """Whether this total is within the limit. Exact: equal fits."""

    def spent(self, cost: Cost, limit: Amount) -> Amount | None:
        """The total in the limit's currency, never understated."""

    def left(self, cost: Cost, limit: Amount) -> Amount | None:
        """What a single further request in the limit's currency may ask for, never overstated."""

    def left_pure(self, cost: Cost, limit: Amount) -> Pure | None:
        """What a single further request without a δ may ask for, never overstated."""

    def left_with(self, cost: Cost, limit: Amount, delta: Fraction) -> Approximate | None:
        """What a single further request with (at most) this δ may ask for, never overstated."""


@dataclass(frozen=True)
class Basic:
    """Σε against a pure limit; Σε and Σδ against an (ε, δ) limit."""

    name: ClassVar[str] = "basic"
    limits: ClassVar[tuple[type, ...]] = (Pure, Approximate)

    def refusal(self, cost: Cost, limit: Amount) -> str | None:
        if cost.boundless:
            return NO_GUARANTEE
        if cost.epsilon is None:
            return "Gaussian noise has no pure ε, and this account adds up ε."
        if cost.delta and isinstance(limit, Pure):
            return "The request has a δ, and this account's limit is a pure ε."
        return None

    def fits(self, cost: Cost, limit: Amount) -> bool:
        if isinstance(limit, Zcdp) or cost.epsilon is None or cost.delta is None:
            return False
        return cost.epsilon <= limit.epsilon and cost.delta <= limit.delta

    def spent(self, cost: Cost, limit: Amount) -> Amount | None:
        assert cost.epsilon is not None, "a ledger refuses what its accountant cannot count"
        return _spent(cost.epsilon, cost.delta or Fraction(0))

    def left(self, cost: Cost, limit: Amount) -> Amount | None:
        if isinstance(limit, Zcdp) or not self.fits(cost, limit):
            return None
        epsilon, delta = limit.epsilon - (cost.epsilon or 0), limit.delta - (cost.delta or 0)
        if epsilon < SMALLEST_EPSILON:
            return None
        return Approximate(epsilon, delta) if delta > 0 else Pure(epsilon)

    def left_pure(self, cost: Cost, limit: Amount) -> Pure | None:
        left = self.left(cost, limit)
        return None if left is None or isinstance(left, Zcdp) else Pure(left.epsilon)

    def left_with(self, cost: Cost, limit: Amount, delta: Fraction) -> Approximate | None:
        left = self.left(cost, limit)
        return Approximate(left.epsilon, min(delta, left.delta)) if isinstance(left, Approximate) else None


@dataclass(frozen=True)
class Concentrated:
    """Σρ against a zCDP limit, or against the ρ that an (ε, δ) limit stands for."""

    name: ClassVar[str] = "zcdp"
    limits: ClassVar[tuple[type, ...]] = (Zcdp, Approximate)

    def refusal(self, cost: Cost, limit: Amount) -> str | None:
        if cost.boundless:
            return NO_GUARANTEE
        return None if cost.rho is not None else "An (ε, δ) event has no ρ, and this account adds up ρ."

    def fits(self, cost: Cost, limit: Amount) -> bool:
        return cost.rho is not None and cost.rho <= _rho(limit)

    def spent(self, cost: Cost, limit: Amount) -> Amount | None:
        assert cost.rho is not None, "a ledger refuses what its accountant cannot count"
        if not cost.rho:
            return None
        if isinstance(limit, Approximate):
            epsilon = zcdp_to_epsilon(cost.rho, limit.delta)
            return Approximate(max(epsilon, SMALLEST_EPSILON), limit.delta)
        return Zcdp(cost.rho)

    def left(self, cost: Cost, limit: Amount) -> Amount | None:
        if cost.rho is None or cost.rho >= _rho(limit):
            return None
        rho = _rho(limit) - cost.rho
        if isinstance(limit, Approximate):
            return limit if not cost.rho else _largest_within(rho, limit.delta)
        return Zcdp(rho)

    def left_pure(self, cost: Cost, limit: Amount) -> Pure | None:
        if cost.rho is None or cost.rho >= _rho(limit):
            return None
        # ε counts as ε²/2: the root of 2ρ, rounded down to a multiple of 2⁻⁶⁴.
        double = 2 * (_rho(limit) - cost.rho)
        epsilon = Fraction(math.isqrt(double.numerator * 2**128 // double.denominator), 2**64)
        return Pure(epsilon) if epsilon >= SMALLEST_EPSILON else None

    def left_with(self, cost: Cost, limit: Amount, delta: Fraction) -> Approximate | None:
        if cost.rho is None or cost.rho >= _rho(limit):
            return None
        if isinstance(limit, Approximate) and not cost.rho and delta == limit.delta:
            return limit  # all of it, and not a little less for the way to ρ and back
        return _largest_within(_rho(limit) - cost.rho, delta)


@dataclass(frozen=True)
class Best:
    """Fits if ``basic`` says so for a pure total, or if ``zcdp`` says so."""

    name: ClassVar[str] = "best"
    limits: ClassVar[tuple[type, ...]] = (Approximate,)

    def refusal(self, cost: Cost, limit: Amount) -> str | None:
        if cost.delta and cost.rho is None:
            return "An (ε, δ) event cannot share one δ with Gaussian noise, and this account allows for both."
        return Concentrated().refusal(cost, limit)

    def fits(self, cost: Cost, limit: Amount) -> bool:
        return _pure_part(cost, limit) or Concentrated().fits(cost, limit)

    def spent(self, cost: Cost, limit: Amount) -> Amount | None:
        converted = Concentrated().spent(cost, limit)
        if cost.epsilon and not cost.delta:
            pure = Basic().spent(cost, limit)
            assert isinstance(pure, Pure)
            if not isinstance(converted, Approximate) or pure.epsilon <= converted.epsilon:
                return pure
        return converted

    def left(self, cost: Cost, limit: Amount) -> Amount | None:
        """The better of what a pure and what a Gaussian request may still ask for."""
        gaussian = Concentrated().left(cost, limit)
        if not isinstance(limit, Approximate) or not _pure_part(cost, limit):
            return gaussian
        pure = limit.epsilon - (cost.epsilon or 0)
        if isinstance(gaussian, Approximate) and gaussian.epsilon >= pure:
            return gaussian
        return Pure(pure) if pure >= SMALLEST_EPSILON else None

    def left_pure(self, cost: Cost, limit: Amount) -> Pure | None:
        converted = Concentrated().left_pure(cost, limit)
        if not isinstance(limit, Approximate) or not _pure_part(cost, limit):
            return converted
        pure = limit.epsilon - (cost.epsilon or 0)
        if converted is not None and converted.epsilon >= pure:
            return converted
        return Pure(pure) if pure >= SMALLEST_EPSILON else None

    def left_with(self, cost: Cost, limit: Amount, delta: Fraction) -> Approximate | None:
        return Concentrated().left_with(cost, limit, delta)


NO_GUARANTEE = "It has no privacy guarantee at all, so no budget is large enough for it."
ACCOUNTANTS: dict[str, Accountant] = {rule.name: rule for rule in (Basic(), Concentrated(), Best())}
_BY_LIMIT = {Pure: "basic", Approximate: "best", Zcdp: "zcdp"}


def accountant_for(name: str, limit: Amount) -> Accountant:
    """The accountant of this name (``"auto"``: the default for this kind of limit)."""
    chosen = _BY_LIMIT[type(limit)] if name == "auto" else name
    if chosen not in ACCOUNTANTS:
        advice = f"Use auto or one of {sorted(ACCOUNTANTS)}."
        if chosen == "tight":
            advice += " Tight composition is for plans fixed in advance: privet.budget.tight.tight_epsilon"
        raise ParameterError(f"There is no accountant '{chosen}' for a ledger.", advice)
    accountant = ACCOUNTANTS[chosen]
    if not isinstance(limit, accountant.limits):
        raise ParameterError(
            f"The accountant '{chosen}' cannot keep a limit of {limit}.", 'Use accountant = "auto".'
        )
    return accountant


def _pure_part(cost: Cost, limit: Amount) -> bool:
    return (
        isinstance(limit, Approximate)
        and cost.epsilon is not None
        and cost.delta == 0
        and cost.epsilon <= limit.epsilon
    )


def _spent(epsilon: Fraction, delta: Fraction) -> Amount | None:
    if not epsilon and not delta:
        return None
    epsilon = max(epsilon, SMALLEST_EPSILON)
    return Approximate(epsilon, min(delta, Fraction(1) - Fraction(1, 10**9))) if delta else Pure(epsilon)


def _rho(limit: Amount) -> Fraction:
    if isinstance(limit, Zcdp):
        return limit.rho
    return rho_for(limit.epsilon, limit.delta) if isinstance(limit, Approximate) else Fraction(0)


def _largest_within(rho: Fraction, delta: Fraction) -> Approximate | None:
    """The largest ε whose own ρ fits in this ρ, a little below if the floats demand it."""
    epsilon = zcdp_to_epsilon(rho, delta).limit_denominator(10**12)
    while epsilon >= SMALLEST_EPSILON:
        if rho_for(epsilon, delta) <= rho:
            return Approximate(epsilon, delta)
        epsilon *= 1 - Fraction(1, 10**6)
    return None
