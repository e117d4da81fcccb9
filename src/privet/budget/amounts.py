"""Amounts of privacy loss: exact numbers, in the three currencies of the literature.

Amounts are fractions, not floats, because a guarantee that is off in the last digit is either false or
refuses a request that fits: ten spends of 0.1 are exactly a budget of 1. A float enters by its shortest
decimal form (0.1 means one tenth), which is what a person who types it means.

>>> sum((exact(0.1) for _ in range(10)), start=exact(0)) == exact(1)
True
>>> print(Approximate(exact(0.5), exact(1e-6)))
ε = 0.5, δ = 1e-06
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privet.errors import ParameterError

__all__ = ["Amount", "Approximate", "Pure", "Zcdp", "amount_from_dict", "budget", "exact", "rounded_down"]

# Below this, noise scales pass what 64-bit counts can hold: the release would be pure noise and the
# sampler could overflow, so it is refused with a reason instead of treated as "no privacy".
SMALLEST_EPSILON = Fraction(1, 10**9)


def exact(value: float | int | str | Fraction) -> Fraction:
    """The exact fraction that a number written in decimal stands for."""
    if isinstance(value, Fraction):
        return value
    if isinstance(value, float) or not isinstance(value, int | str):
        value = float(value)
        if not math.isfinite(value):
            raise ParameterError(f"A privacy amount must be a finite number, not {value}.")
        return Fraction(repr(value))
    return Fraction(value)


def _positive(name: str, value: Fraction) -> None:
    if value <= 0:
        raise ParameterError(
            f"{name} must be greater than 0, but is {float(value):g}.",
            f"Give {name} a value above 0: smaller is more private and noisier; 0 would release nothing.",
        )


def _share(epsilon: Fraction, part: Fraction) -> Fraction:
    """A part of an ε. Whoever gave the whole has never seen the part, so its refusal names both."""
    share = epsilon * part
    if 0 < share < SMALLEST_EPSILON:
        raise ParameterError(
            f"A share of the budget, ε = {float(share):.3g} of {float(epsilon):g}, is too small for noise "
            "that a computer can draw.",
            "Give a larger epsilon: the run divides it among its steps, and every share must be at least "
            f"{float(SMALLEST_EPSILON):g}.",
        )
    return share


@dataclass(frozen=True)
class Pure:
    """ε-differential privacy."""

    epsilon: Fraction

    def __post_init__(self) -> None:
        _positive("epsilon", self.epsilon)
        if self.epsilon < SMALLEST_EPSILON:
            raise ParameterError(
                f"epsilon = {float(self.epsilon):g} is so small that the noise would overflow.",
                f"Give a larger epsilon: nothing below {float(SMALLEST_EPSILON):g} can be used, and a run "
                "that divides its budget among several steps needs more.",
            )

    @property
    def delta(self) -> Fraction:
        return Fraction(0)

    def share(self, part: Fraction) -> Pure:
        return Pure(_share(self.epsilon, part))

    def to_dict(self) -> dict[str, Any]:
        return {"kind": "pure", "epsilon": str(self.epsilon)}

    def __str__(self) -> str:
        return f"ε = {float(self.epsilon):g}"


@dataclass(frozen=True)
class Approximate:
    """(ε, δ)-differential privacy."""

    epsilon: Fraction
    delta: Fraction

    def __post_init__(self) -> None:
        Pure(self.epsilon)
        if not 0 < self.delta < 1:
            raise ParameterError(
                f"delta must lie between 0 and 1, but is {float(self.delta):g}.",
                "Give a delta far below 1 / (number of records), such as 1e-6, or 0 for pure ε.",
            )

    def share(self, part: Fraction) -> Approximate:
        return Approximate(_share(self.epsilon, part), self.delta * part)

    def to_dict(self) -> dict[str, Any]:
        return {"kind": "approximate", "epsilon": str(self.epsilon), "delta": str(self.delta)}

    def __str__(self) -> str:
        return f"ε = {float(self.epsilon):g}, δ = {float(self.delta):g}"


@dataclass(frozen=True)
class Zcdp:
    """ρ-zero-concentrated differential privacy (Bun and Steinke 2016)."""

    rho: Fraction

    def __post_init__(self) -> None:
        _positive("rho", self.rho)

    def share(self, part: Fraction) -> Zcdp:
        return Zcdp(self.rho * part)

    def to_dict(self) -> dict[str, Any]:
        return {"kind": "zcdp", "rho": str(self.rho)}

    def __str__(self) -> str:
        return f"ρ = {float(self.rho):g} (zCDP)"


Amount = Pure | Approximate | Zcdp


def rounded_down(amount: Amount) -> Amount:
    """The amount with no more digits than are shown: what is said to be left can be asked for as it is said.

    >>> print(Pure(Fraction(2, 3)), "|", rounded_down(Pure(Fraction(2, 3))))
    ε = 0.666667 | ε = 0.666666
    """
    match amount:
        case Pure(epsilon=epsilon):
            return Pure(_digits(epsilon))
        case Approximate(epsilon=epsilon, delta=delta):
            return Approximate(_digits(epsilon), _digits(delta))
        case Zcdp(rho=rho):
            return Zcdp(_digits(rho))


def _digits(value: Fraction) -> Fraction:
    """A number of six digits, or a little fewer, that is no larger."""
    shown = f"{float(value):.5e}"
    if Fraction(shown) <= value:
        return Fraction(shown) or value  # what is too small for a float stays as it is
    return Fraction(shown) - Fraction(10) ** (int(shown.partition("e")[2]) - 5)


def budget(epsilon: float, delta: float = 0.0) -> Pure | Approximate:
    """The amount that a user's ``epsilon`` and ``delta`` stand for: pure where δ is 0.

    >>> print(budget(1.0))
    ε = 1
    """
    if delta == 0:
        return Pure(exact(epsilon))
    return Approximate(exact(epsilon), exact(delta))


def amount_from_dict(data: dict[str, Any]) -> Amount:
    """The inverse of ``to_dict``."""
    kind = data["kind"]
    if kind == "pure":
        return Pure(Fraction(data["epsilon"]))
    if kind == "approximate":
        return Approximate(Fraction(data["epsilon"]), Fraction(data["delta"]))
    if kind == "zcdp":
        return Zcdp(Fraction(data["rho"]))
    raise ParameterError(f"Unknown kind of privacy amount: {kind!r}.")
