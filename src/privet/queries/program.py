"""Several selections of one table, paid for together: the price of all is known before anything is read.

**Privacy.** Each question is a statistic of a view (``stats.views.viewed``) or a choice by such statistics,
with noise for its share of the budget; shares add up to at most 1, so the questions compose to what the run
reserved (``curator.curator``). Groups are cells of one statistic: they compose in parallel, by its norms.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privet import randomness
from privet.budget import Ledger, budget
from privet.curator import Curator, Measure, require_pure
from privet.errors import ParameterError
from privet.queries.answer import Answer, answered
from privet.queries.selection import Selection
from privet.release import Guarantee
from privet.schema import Schema
from privet.schema.item_sets import set_columns, sets_refused

__all__ = ["Program", "require_gradual"]


@dataclass(frozen=True, eq=False)
class Program:
    """What is asked of a table, as a whole. ``weights`` say how the budget is split over the selections.

    Selections that need the same question share its answer.
    """

    data: Any
    schema: Schema
    selections: tuple[Selection, ...]
    weights: tuple[float, ...] | None = None
    ledger: Ledger | None = None

    def _asked(self) -> list[tuple[Any, Any, Fraction]]:
        """Every question once, with its share; the shares add up to 1."""
        if not self.selections:
            raise ParameterError("Nothing is asked.", "Name at least one query.")
        if sets := set_columns(self.schema.columns):
            raise sets_refused(sets[0].name)
        weights = self.weights or (1.0,) * len(self.selections)
        if len(weights) != len(self.selections) or not all(weight > 0 for weight in weights):
            raise ParameterError("There must be one positive weight for each query.")
        whole = [max(1, round(1000 * weight)) for weight in weights]
        asked: dict[Any, tuple[Any, Fraction]] = {}
        for selection, weight in zip(self.selections, whole, strict=True):
            questions = selection.questions(self.schema)
            for key, question in questions.items():
                place = (selection.view, key)
                before = asked[place][1] if place in asked else Fraction(0)
                asked[place] = (question, before + Fraction(weight, sum(whole) * len(questions)))
        return [(place, question, share) for place, (question, share) in asked.items()]

    def plan(self, epsilon: float, delta: float = 0.0) -> Guarantee:
        """What it would cost and how large its errors would be, without reading data or spending."""
        with Curator.rehearsal(self.schema, budget(epsilon, delta)) as curator:
            curator.ask_together([(question, share) for _, question, share in self._asked()])
        return curator.guarantee

    def release(
        self,
        epsilon: float,
        delta: float = 0.0,
        random_state: int | None = None,
        until: float | None = None,
    ) -> Sequence[Answer]:
        """The answers, paid for by one reservation.

        With ``until``, ε is a limit: precision is added step by step until no figure is off by more than
        so much in 95 % of cases, and what was not needed is given back.
        """
        asked = self._asked()
        if until is not None:
            require_gradual([question for _, question, _ in asked], until)
            require_pure(delta)
        curator = Curator(
            self.data,
            self.schema,
            budget(epsilon, delta),
            ledger=self.ledger,
            randomness=randomness.of(random_state),
            what="query",
        )
        questions = [(question, share) for _, question, share in asked]

        with curator:
            if until is None:
                told: Sequence[Any] = curator.ask_together(questions)
            else:
                for told in curator.ask_gradually(questions):
                    if self._within(asked, told, float(until)):
                        break
        return self._answers(asked, told, curator.guarantee)

    def _within(self, asked: Sequence[Any], told: Sequence[Any], error: float) -> bool:
        """Whether no figure that follows from these answers is off by more than so much."""
        answers = self._answers(asked, told, Guarantee.none(["Not released yet."]))
        figures = [each for answer in answers for _, row in answer.rows for each in row]
        return bool(figures) and all(figure.error <= error for figure in figures)

    def _answers(self, asked: Sequence[Any], told: Sequence[Any], guarantee: Guarantee) -> list[Answer]:
        by_place = {place: each for (place, _, _), each in zip(asked, told, strict=True)}
        return [
            answered(
                selection,
                self.schema,
                {key: each for (view, key), each in by_place.items() if view == selection.view},
                guarantee,
            )
            for selection in self.selections
        ]


def require_gradual(questions: Sequence[Any], until: float) -> None:
    """Refuse to add precision step by step to what is chosen and not measured."""
    if isinstance(until, bool) or not isinstance(until, numbers.Real) or not 0 < float(until) < math.inf:
        raise ParameterError("until must be a number above 0: how far off each figure may be.")
    if not all(isinstance(question, Measure) for question in questions):
        raise ParameterError(
            "Precision is added step by step to counts, sums, means and variances, and quantiles are asked.",
            "Ask for the quantiles by themselves, with an epsilon or an error.",
        )
