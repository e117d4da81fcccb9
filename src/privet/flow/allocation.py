"""One budget, divided among the steps of a flow.

The error that noise of a share s causes is about c/s in pure ε, so its square is c²/s²; in zCDP its square is
c²/s. Minimising the weighted sum Σ w·c²/s^p over shares that add up to 1 gives, by Lagrange's multipliers,
s ∝ (w·c²)^(1/3) for p = 2 and s ∝ (w·c²)^(1/2) for p = 1. The c of a step is what its rehearsal says: the
root of the sum of the squared errors of its questions, with the whole budget to itself. A step that prepares
or selects asks each attribute by itself, and an error there harms that attribute alone, so for it the mean
takes the place of the sum. How much an error of a step matters for the goal is its weight, chosen on public
tables (``benchmarks/flow_allocation.py``). A rehearsal knows no records, and a learner that looks first
whether there are enough may ask no more in it than that, so its c can be far too small: where the goal is a
model, learning gets no less than 17 parts of 20.

That leaves the score of a model so little that nobody could read it, so where the goal is a model its score
is given more (``scoring``): what it needs to be known to ± 0.05, at most 3 parts of 20 of the flow. All other
steps give it up in proportion.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction

from privet.budget import Approximate, Pure, Zcdp, exact, rho_for, zcdp_to_epsilon
from privet.errors import ParameterError
from privet.flow.steps import FlowStep
from privet.release import Step

__all__ = ["amounts", "error_of", "searching_amounts", "shares"]

_GRAIN = 1000
#: How much an error of one record matters, by what a step is for: those of bounds and choices do little.
WEIGHTS = {
    "model": {"learn": 1.0, "select": 1 / 8, "prepare": 1 / 64, "evaluate": 1 / 16},
    "interval": {"learn": 1.0, "select": 1 / 8, "prepare": 1 / 64, "evaluate": 16.0},
}
_UNKNOWN_ERROR = 3.0
_LEAST_LEARNING = 0.85


def error_of(steps: Sequence[Step], step: FlowStep) -> float:
    """The c of a step: the root of its questions' squared errors, in records where they are counted so."""
    if not steps:
        return _UNKNOWN_ERROR
    squares = [
        asked.error**2
        if asked.error is not None and asked.unit.startswith("records") and math.isfinite(asked.error)
        else (_UNKNOWN_ERROR * len(steps)) ** 2
        for asked in steps
    ]
    parts = len(squares) if _role(step) in ("prepare", "select") else 1
    return math.sqrt(sum(squares) / parts) or _UNKNOWN_ERROR


def shares(
    priced: Sequence[FlowStep],
    allocation: str,
    goal: str,
    errors: Mapping[str, float],
    *,
    pure: bool,
    scores: Mapping[str, float] | None = None,
) -> dict[str, Fraction]:
    """The share of each step: exact, and adding up to 1. ``scores`` are the parts that scores should get.

    >>> one, two = FlowStep("bounds", "evaluate"), FlowStep("model", "naive-bayes")
    >>> found = shares([one, two], "auto", "model", {"bounds": 3.0, "model": 30.0}, pure=True)
    >>> sum(found.values()), found["model"] > found["bounds"]
    (Fraction(1, 1), True)
    """
    if not priced:
        return {}
    if allocation == "equal":
        return {step.name: Fraction(1, len(priced)) for step in priced}
    if allocation == "weights":
        if left := [step.name for step in priced if step.weight is None]:
            raise ParameterError(
                f"The budget is divided by weights, and '{left[0]}' has none.",
                f"Write under [steps.{left[0]}]:  weight = 1",
            )
        weights = [exact(float(step.weight or 0)) for step in priced]
        return {step.name: weight / sum(weights) for step, weight in zip(priced, weights, strict=True)}
    power = 1 / 3 if pure else 1 / 2
    raw = [(WEIGHTS[goal][_role(step)] * errors[step.name] ** 2) ** power for step in priced]
    learning = sum(each for each, step in zip(raw, priced, strict=True) if _role(step) == "learn")
    if goal == "model" and 0 < learning < _LEAST_LEARNING * sum(raw):
        less = learning * (1 / _LEAST_LEARNING - 1) / (sum(raw) - learning)
        raw = [e if _role(step) == "learn" else less * e for e, step in zip(raw, priced, strict=True)]
    if goal == "model" and scores:
        raw = _scored(raw, [scores.get(step.name, 0.0) for step in priced])
    grains = [max(1, round(_GRAIN * each / sum(raw))) for each in raw]
    return {step.name: Fraction(grain, sum(grains)) for step, grain in zip(priced, grains, strict=True)}


def _scored(raw: Sequence[float], wanted: Sequence[float]) -> list[float]:
    """The parts in which none is smaller than wanted; the others are made smaller in proportion.

    >>> [round(part, 3) for part in _scored([2.0, 17.0, 1.0], [0, 0, 0.15])]
    [0.089, 0.761, 0.15]
    """
    parts = [each / sum(raw) for each in raw]
    more = {place: want for place, want in enumerate(wanted) if want > parts[place]}
    left = sum(part for place, part in enumerate(parts) if place not in more)
    return [
        more[place] if place in more else part * (1 - sum(more.values())) / left
        for place, part in enumerate(parts)
    ]


def _role(step: FlowStep) -> str:
    entry = step.kind.algorithm
    if entry is None:
        return "evaluate"
    return entry.family if entry.family in ("select", "prepare") else "learn"


def searching_amounts(
    epsilons: Mapping[str, Fraction], delta: Fraction, searching: Collection[str]
) -> dict[str, Pure | Approximate]:
    """Where values are searched for: each part its ε, and the searches δ in equal parts (they add up)."""
    return {
        name: Approximate(epsilon, delta / len(searching)) if delta and name in searching else Pure(epsilon)
        for name, epsilon in epsilons.items()
    }


def amounts(
    whole: Pure | Approximate, parts: Mapping[str, Fraction], searching: Collection[str] = ()
) -> dict[str, Pure | Approximate]:
    """What each share is worth: parts of ε; or, where δ allows, of the zCDP ρ, each told as (ε, δ).

    The ρ of the parts add up to no more than that of the whole: an ε that would round up is made smaller.
    ``searching`` are the steps that look for values: if there are any, δ is theirs (``searching_amounts``).
    """
    if searching:
        pure = Pure(whole.epsilon)
        return searching_amounts({n: pure.share(s).epsilon for n, s in parts.items()}, whole.delta, searching)
    if isinstance(whole, Pure):
        return {name: whole.share(share) for name, share in parts.items()}
    rho = rho_for(whole.epsilon, whole.delta)
    found: dict[str, Pure | Approximate] = {}
    for name, share in parts.items():
        wanted = Zcdp(rho).share(share).rho
        epsilon = zcdp_to_epsilon(wanted, whole.delta)
        if epsilon <= 0:
            raise ParameterError(
                f"The share of '{name}' is too small to be written as an epsilon beside delta = "
                f"{float(whole.delta):g}.",
                "Give a larger epsilon, a smaller delta, or fewer steps.",
            )
        while rho_for(epsilon, whole.delta) > wanted:
            epsilon *= 1 - Fraction(1, 10**9)
        found[name] = Approximate(epsilon, whole.delta)
    return found
