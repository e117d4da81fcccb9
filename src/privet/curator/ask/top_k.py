"""TopK: the k candidates that say most about the class, and noisy values of these k."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privet.budget import Pure, Zcdp
from privet.curator.ask.question import Exact, Question
from privet.mechanisms import TopK as TopKChoice
from privet.mechanisms import noise_for
from privet.mechanisms.top_k import How
from privet.release import Release, Step
from privet.stats import Judgement, Statistic

if TYPE_CHECKING:
    from privet.stats.association import Association, Candidates  # brings compiled kernels

__all__ = ["BestK", "TopK"]

HALF = Fraction(1, 2)


@dataclass(frozen=True)
class BestK:
    """The places of the chosen candidates, the best first, and their noisy values if they were asked for."""

    chosen: NDArray[np.int64]
    values: Release | None
    step: Step

    @property
    def steps(self) -> tuple[Step, ...]:
        return (self.step,) if self.values is None else (self.step, *self.values.steps)

    @property
    def told(self) -> tuple[Any, ...]:
        return (self.chosen,) if self.values is None else (self.chosen, self.values.value)


@dataclass(frozen=True)
class TopK(Question[BestK]):
    """The k candidates of highest association with the class; with ``values``, noisy values of them.

    The scores never leave: ``mechanisms.top_k`` chooses by them (its proof), with all of the share, or with
    half of it if the other half is for values. What the association allows to be said of the chosen k is
    released with noise for k times the sensitivity of one, since one unit of privacy can change them all. The
    two compose sequentially.
    """

    association: Association
    candidates: Candidates
    k: int
    what: str
    how: How = "permute_and_flip"
    values: bool = True

    @property
    def statistics(self) -> tuple[Statistic, ...]:
        counted = (self._everyone,) if self._everyone is not None else ()
        return (*self.candidates.statistics, *counted)

    @property
    def _everyone(self) -> Statistic | None:
        """What counts all records, if the score's noise depends on it: a table may leave some out."""
        return self.candidates.everyone if self.association.needs == "replace" else None

    def release(self, exact: Exact, amount: Pure | Zcdp, mechanism: Any) -> BestK:
        judged = self._judged(exact)
        paid = amount.share(HALF) if self.values else amount
        choice = TopKChoice(paid, self.k, judged.sensitivity, self.how, judged.monotonic)
        chosen = choice.choose(judged.scores, exact.randomness)
        words = f"top {self.k} by {self.how.replace('_', '-')}"
        error = choice.error(len(judged.scores)) / judged.scale
        step = Step(self.what, words, paid, error, judged.unit)
        values = self._values(judged, chosen, paid, exact) if self.values else None
        return BestK(self.candidates.order(exact.schema, len(judged.scores))[chosen], values, step)

    def _judged(self, exact: Exact) -> Judgement:
        records = None if self._everyone is None else int(exact.answers[-1].sum())
        answers = exact.answers if records is None else exact.answers[:-1]
        groups = self.candidates.groups(answers, exact.schema)
        return self.association.judge(groups, exact.schema.unit, records)

    def log_ratio(
        self, first: Exact, second: Exact, amount: Pure | Zcdp, mechanism: Any, told: BestK
    ) -> float:
        paid = amount.share(HALF) if self.values else amount

        def likely(exact: Exact) -> float:
            judged = self._judged(exact)
            order = list(self.candidates.order(exact.schema, len(judged.scores)))
            chosen = [order.index(place) for place in told.chosen]
            choice = TopKChoice(paid, self.k, judged.sensitivity, self.how, judged.monotonic)
            total = choice.log_probability(judged.scores, chosen)
            if told.values is not None:
                noise = noise_for(paid, self.k * judged.l1, self.k * judged.squared_l2)
                noisy = np.rint(np.asarray(told.values.value, float) * judged.scale)
                total += float(noise.log_probability(noisy - judged.values[chosen]).sum())
            return total

        return likely(first) - likely(second)

    def _values(
        self, judged: Judgement, chosen: NDArray[np.int64], amount: Pure | Zcdp, exact: Exact
    ) -> Release:
        noise = noise_for(amount, self.k * judged.l1, self.k * judged.squared_l2)
        error = noise.error(0.95) / judged.scale
        words = f"{noise.event.mechanism} noise"
        step = Step(f"values of the {self.k} chosen", words, amount, error, judged.unit)
        noisy = noise.randomise(judged.values[chosen], exact.randomness) / judged.scale
        return Release(noisy, noise.standard_deviation / judged.scale, error, step)
