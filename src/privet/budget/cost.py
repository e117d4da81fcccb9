"""What events cost, in all three currencies at once, so that any accountant can add them up later.

A cost is three running sums. A sum that has no finite value is ``None``: Gaussian noise has no pure ε, and
an (ε, δ) event has no ρ. Costs of events on the same people add (sequential composition); of events on
disjoint parts the largest counts, in each currency by itself (parallel composition): each currency is a
valid bound on its own, so taking the maxima one by one is sound. That the sums stay valid bounds when each
request is chosen after seeing earlier answers is shown in ``accountants``.

>>> tenth = PureEvent(Fraction(1, 10))
>>> cost_of(*[tenth] * 10).epsilon
Fraction(1, 1)
>>> cost_of(Parallel((tenth, tenth))) == cost_of(tenth)
True
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any

from privet.budget.amounts import exact
from privet.budget.events import (
    ApproximateEvent,
    Event,
    GaussianEvent,
    NoGuarantee,
    Parallel,
    PureEvent,
    Sequential,
)
from privet.errors import ParameterError

__all__ = ["FREE", "Cost", "cost_of"]

# Sums of fractions with unlike denominators grow without end. Past this size they are rounded up to a
# grid so fine that no person's budget can notice.
_LARGEST_DENOMINATOR = 1 << 1024
_GRID = 1 << 512


@dataclass(frozen=True)
class Cost:
    """Sums of ε, δ and ρ; ``None`` stands for "no finite bound"."""

    epsilon: Fraction | None
    delta: Fraction | None
    rho: Fraction | None

    def __add__(self, other: Cost) -> Cost:
        return self._with(other, lambda a, b: a + b)

    def __or__(self, other: Cost) -> Cost:
        """The cost of both on disjoint parts."""
        return self._with(other, max)

    def _with(self, other: Cost, join: Callable[[Fraction, Fraction], Fraction]) -> Cost:
        def joined(a: Fraction | None, b: Fraction | None) -> Fraction | None:
            return None if a is None or b is None else _rounded_up(join(a, b))

        return Cost(
            joined(self.epsilon, other.epsilon),
            joined(self.delta, other.delta),
            joined(self.rho, other.rho),
        )

    def less(self, epsilon: Fraction) -> Cost:
        """This cost without so much ε; δ and ρ stay (``returning`` says why)."""
        assert self.epsilon is not None
        return Cost(self.epsilon - epsilon, self.delta, self.rho)

    @property
    def boundless(self) -> bool:
        """Whether no currency bounds it: something without any guarantee is inside."""
        return self.epsilon is None and self.rho is None

    def to_dict(self) -> dict[str, Any]:
        pairs = {"epsilon": self.epsilon, "delta": self.delta, "rho": self.rho}
        return {name: None if value is None else str(value) for name, value in pairs.items()}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Cost:
        return cls(*(None if data[n] is None else Fraction(data[n]) for n in ("epsilon", "delta", "rho")))


FREE = Cost(Fraction(0), Fraction(0), Fraction(0))


def cost_of(*events: Event) -> Cost:
    """The cost of these events on the same people.

    ε-DP implies (ε²/2)-zCDP: Bun and Steinke 2016, Proposition 1.4.
    """
    return reduce(Cost.__add__, map(_single, events), FREE)


def _single(event: Event) -> Cost:
    match event:
        case PureEvent(epsilon=epsilon):
            epsilon = _not_negative("epsilon", epsilon)
            return Cost(epsilon, Fraction(0), epsilon * epsilon / 2)
        case GaussianEvent(rho=rho):
            return Cost(None, Fraction(0), _not_negative("rho", rho))
        case ApproximateEvent(epsilon=epsilon, delta=delta):
            return Cost(_not_negative("epsilon", epsilon), _not_negative("delta", delta), None)
        case Sequential(events=events):
            return cost_of(*events)
        case Parallel(events=events):
            return reduce(Cost.__or__, map(_single, events), FREE)
        case NoGuarantee():
            return Cost(None, None, None)
    raise ParameterError(f"{type(event).__name__} is not a privacy event.")


def _not_negative(name: str, value: Fraction) -> Fraction:
    value = exact(value)
    if value < 0:  # it would give budget back
        raise ParameterError(f"An event's {name} cannot be negative.")
    return value


def _rounded_up(value: Fraction) -> Fraction:
    if value.denominator <= _LARGEST_DENOMINATOR:
        return value
    return Fraction(-(-value.numerator * _GRID // value.denominator), _GRID)
