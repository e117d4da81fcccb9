"""CountSignificant: how many candidates are significant, so that k need not be guessed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from privet.budget import Pure, Zcdp
from privet.curator.ask.question import Exact, Question
from privet.mechanisms import TopK
from privet.release import Step
from privet.stats import Statistic

if TYPE_CHECKING:
    from privet.stats.association import Candidates, Distance  # brings compiled kernels

__all__ = ["Count", "CountSignificant"]


@dataclass(frozen=True)
class Count:
    """A count, and the step that chose it."""

    value: int
    step: Step

    @property
    def steps(self) -> tuple[Step, ...]:
        return (self.step,)

    @property
    def told(self) -> tuple[Any, ...]:
        return (self.value,)


@dataclass(frozen=True)
class CountSignificant(Question[Count]):
    """How many candidates, up to ``most``, pass the threshold of a distance.

    Permute-and-flip chooses the count by the scores of ``stats.association.significant_count``, whose
    sensitivity is proved there.
    """

    association: Distance
    candidates: Candidates
    most: int
    what: str

    @property
    def statistics(self) -> tuple[Statistic, ...]:
        return self.candidates.statistics

    def release(self, exact: Exact, amount: Pure | Zcdp, mechanism: Any) -> Count:
        from privet.stats.association.significant_count import judge_count

        groups = self.candidates.groups(exact.answers, exact.schema)
        judged = judge_count(self.association, groups, self.most, exact.schema.unit)
        choice = TopK(amount, 1, judged.sensitivity, "permute_and_flip", judged.monotonic)
        [count] = choice.choose(judged.scores, exact.randomness)
        error = choice.error(len(judged.scores)) / judged.scale
        return Count(int(count), Step(self.what, "top 1 by permute-and-flip", amount, error, judged.unit))
