"""ChooseSeveral: the k candidates of highest score; the scores themselves stay inside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from privet.budget import Pure, Zcdp
from privet.curator.ask.choose import Choice
from privet.curator.ask.question import Exact, Question
from privet.mechanisms import TopK
from privet.release import Step
from privet.schema import Schema
from privet.stats import Scores, Statistic

__all__ = ["ChooseSeveral"]


@dataclass(frozen=True)
class ChooseSeveral(Question[Choice]):
    """k different candidates of the scores' one group, the best first.

    k rounds with fresh noise among those not yet chosen, each for 1/k of the amount (``mechanisms.top_k``:
    the one-shot Gumbel form is the same distribution). The scale of a round is that of ``Choose``: their
    ``sensitivity`` holds the neighbours' directions already, so it counts as monotonic (``stats.scores``).
    Under zCDP a round is the exponential mechanism's, at ρ = ε₀²/8.
    """

    scores: Scores
    k: int
    what: str

    @property
    def statistics(self) -> tuple[Statistic, ...]:
        return self.scores.statistics

    def mechanism(self, amount: Pure | Zcdp, schema: Schema) -> Any:
        how = "permute_and_flip" if isinstance(amount, Pure) else "exponential"
        return TopK(amount, self.k, self.scores.sensitivity(schema), how, monotonic=True)  # type: ignore[arg-type]

    def release(self, exact: Exact, amount: Pure | Zcdp, mechanism: Any) -> Choice:
        [scores] = self.scores.groups(exact.answers, exact.schema)
        chosen = mechanism.choose(scores, exact.randomness)
        error = mechanism.error(len(scores)) / self.scores.scale
        words = f"top {self.k} by {mechanism.how.replace('_', '-')}"
        return Choice([int(place) for place in chosen], Step(self.what, words, amount, error))
