"""Choose: a candidate with a high score, in each group; the scores themselves stay inside."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from privet.budget import Pure, Zcdp
from privet.curator.ask.question import Exact, Question
from privet.mechanisms import Exponential, PermuteAndFlip
from privet.release import Step
from privet.schema import Schema
from privet.stats import Scores, Statistic

__all__ = ["Choice", "Choose"]


@dataclass(frozen=True)
class Choice:
    """The place of the chosen candidate in each group, and the step that chose."""

    chosen: list[int]
    step: Step

    @property
    def steps(self) -> tuple[Step, ...]:
        return (self.step,)

    @property
    def told(self) -> tuple[Any, ...]:
        return tuple(self.chosen)


@dataclass(frozen=True)
class Choose(Question[Choice]):
    """One candidate of each group, by scores that never leave.

    One share pays for all groups together (proof: ``stats.scores``). Under zCDP it is always the exponential
    mechanism: ρ = ε²/8 is proved for it alone, and buys twice the ε of pure ε's ρ = ε²/2.
    """

    scores: Scores
    what: str
    how: Literal["permute-and-flip", "exponential"] = "permute-and-flip"

    @property
    def statistics(self) -> tuple[Statistic, ...]:
        return self.scores.statistics

    def mechanism(self, amount: Pure | Zcdp, schema: Schema) -> Any:
        pure = isinstance(amount, Pure)
        epsilon = amount.epsilon if isinstance(amount, Pure) else _root(8 * amount.rho)
        kind = PermuteAndFlip if pure and self.how == "permute-and-flip" else Exponential
        # "monotonic" is what makes the scale Δ/ε; both neighbours' directions are in the sensitivity already.
        return kind(epsilon, Fraction(self.scores.sensitivity(schema)), monotonic=True)

    def release(self, exact: Exact, amount: Pure | Zcdp, mechanism: Any) -> Choice:
        groups = self.scores.groups(exact.answers, exact.schema)
        error = mechanism.error(max(group.size for group in groups)) / self.scores.scale
        words = f"{mechanism.event.mechanism} choice"
        step = Step(self.what, words, amount, error, "records from the best")
        return Choice([mechanism.choose(group, exact.randomness) for group in groups], step)

    def log_ratio(self, first: Exact, second: Exact, amount: Pure | Zcdp, mechanism: Any, told: Any) -> float:
        def likely(exact: Exact) -> float:
            groups = self.scores.groups(exact.answers, exact.schema)
            chances = [
                mechanism.probabilities(group)[place]
                for group, place in zip(groups, told.chosen, strict=True)
            ]
            return float(np.log(np.maximum(chances, 1e-300)).sum())

        return likely(first) - likely(second)


def _root(square: Fraction) -> Fraction:
    """The square root, rounded down to a multiple of 2⁻⁶⁴."""
    return Fraction(math.isqrt(square.numerator * 2**128 // square.denominator), 2**64)
