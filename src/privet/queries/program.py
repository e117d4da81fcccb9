"""Several selections of one table, paid for together: the price of all is known before anything is read.

**Privacy.** Each question is a statistic of a view (``stats.views.viewed``) or a choice by such statistics,
with noise for its share of the budget; shares add up to at most 1, so the questions compose to what the run
reserved (``curator.curator``). Groups are cells of one statistic: they compose in parallel, by its norms.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from privet import randomness
from privet.budget import Approximate, Event, Ledger, Pure, budget
from privet.curator import Curator, FindValues, Measure, require_pure
from privet.errors import ParameterError
from privet.queries.answer import Answer, answered
from privet.queries.selection import Selection
from privet.queries.tables import Tables
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

    def _searches(self) -> dict[Any, tuple[FindValues, Fraction]]:
        """What must be found first, each once: half of the budget, in equal shares, and all of δ."""
        found = dict.fromkeys((s.view, column) for s in self.selections for column in s.found)
        share = Fraction(1, 2 * len(found)) if found else Fraction(0)
        return {(view, column): (FindValues(view, column, Fraction(0)), share) for view, column in found}

    def _asked(self, selections: Sequence[Selection] | None = None) -> list[tuple[Any, Any, Fraction]]:
        """Every question once, with its share; the shares add up to 1, or 1/2 if values are found first."""
        selections = self.selections if selections is None else selections
        if not selections:
            raise ParameterError("Nothing is asked.", "Name at least one query.")
        if sets := set_columns(self.schema.columns):
            raise sets_refused(sets[0].name)
        weights = self.weights or (1.0,) * len(selections)
        if len(weights) != len(selections) or not all(weight > 0 for weight in weights):
            raise ParameterError("There must be one positive weight for each query.")
        whole = [max(1, round(1000 * weight)) for weight in weights]
        left = Fraction(1, 2) if self._searches() else Fraction(1)
        asked: dict[Any, tuple[Any, Fraction]] = {}
        for selection, weight in zip(selections, whole, strict=True):
            questions = selection.questions(self.schema)
            for key, question in questions.items():
                place = (selection.view, key)
                before = asked[place][1] if place in asked else Fraction(0)
                asked[place] = (question, before + left * Fraction(weight, sum(whole) * len(questions)))
        return [(place, question, share) for place, (question, share) in asked.items()]

    def plan(self, epsilon: float, delta: float = 0.0) -> Guarantee:
        """What it would cost and how large its errors would be, without reading data or spending."""
        with self.rehearsed(epsilon, delta) as curator:
            self._told(curator)
        return curator.guarantee

    def event(self, epsilon: float, delta: float = 0.0) -> Event:
        """What a run of it is to the ledger of each table."""
        with self.rehearsed(epsilon, delta) as curator:
            return curator.event

    def rehearsed(self, epsilon: float, delta: float = 0.0) -> Curator:
        """A curator of no records, who is asked what this program asks."""
        tables = self.data.schemas if isinstance(self.data, Tables) else ()
        amount = self._amount(epsilon, delta)
        return Curator.rehearsal(self.schema, amount, tables=tables, searches=bool(self._searches()))

    def release(
        self,
        epsilon: float,
        delta: float = 0.0,
        random_state: int | None = None,
        until: float | None = None,
    ) -> Sequence[Answer]:
        """The answers, paid for by one reservation: of every table's account, or of none.

        With ``until``, ε is a limit: precision is added step by step until no figure is off by more than
        so much in 95 % of cases, and what was not needed is given back.
        """
        asked = self._asked()  # what does not fit is said before anything is reserved
        if until is not None:
            require_gradual([question for _, question, _ in asked], until)
            require_pure(delta)
        amount, source = self._amount(epsilon, delta), randomness.of(random_state)
        if isinstance(self.data, Tables):
            curator = Curator.of_tables(
                self.data.relation,
                self.data.tables,
                amount,
                ledger=self.ledger,
                randomness=source,
                what="query",
            )
        else:
            curator = Curator(
                self.data,
                self.schema,
                amount,
                ledger=self.ledger,
                randomness=source,
                what="query",
                searches=bool(self._searches()),
            )

        with curator:
            if until is None:
                selections, by_place = self._told(curator)
            else:
                selections, measured = self.selections, [(question, share) for _, question, share in asked]
                for told in curator.ask_gradually(measured):
                    by_place = _placed(asked, told)
                    if self._within(by_place, float(until)):
                        break
        return self._answers(selections, by_place, curator.guarantee)

    def _within(self, by_place: dict[Any, Any], error: float) -> bool:
        """Whether no figure that follows from these answers is off by more than so much."""
        answers = self._answers(self.selections, by_place, Guarantee.none(["Not released yet."]))
        figures = [each for answer in answers for _, row in answer.rows for each in row]
        return bool(figures) and all(figure.error <= error for figure in figures)

    def _answers(
        self, selections: Sequence[Selection], by_place: dict[Any, Any], guarantee: Guarantee
    ) -> list[Answer]:
        return [
            answered(
                selection,
                self.schema,
                {key: each for (view, key), each in by_place.items() if view == selection.view},
                guarantee,
            )
            for selection in selections
        ]

    def _amount(self, epsilon: float, delta: float) -> Pure | Approximate:
        if self._searches():
            if isinstance(self.data, Tables):
                raise ParameterError(
                    "Unlisted values are found in one table, not in one that is made of others.",
                    "List the values in the schema, or ask the table by itself.",
                )
            if not delta:
                raise ParameterError(
                    "Values that the schema does not list can be found with a delta only: a value that one "
                    "person alone has must stay unnamed, but for a tiny probability.",
                    "Give a delta far below 1 / (number of records), such as 1e-6, or group by listed ones.",
                )
        return budget(epsilon, delta)

    def _told(self, curator: Curator) -> tuple[Sequence[Selection], dict[Any, Any]]:
        """The selections with the values that were found, and the answers, by view and question.

        What is found is released, so that what is asked next may depend on it (adaptive composition).
        """
        selections, searches = self.selections, self._searches()
        if searches:
            delta = curator.amount.delta / len(searches)
            asked = [(replace(question, delta=delta), share) for question, share in searches.values()]
            values = {
                place: each.values for place, each in zip(searches, curator.ask_together(asked), strict=True)
            }
            selections = tuple(
                each.with_values({name: values[each.view, name] for name in each.found})
                for each in self.selections
            )
        questions = self._asked(selections)
        told = curator.ask_together([(question, share) for _, question, share in questions])
        return selections, _placed(questions, told)


def _placed(asked: Sequence[tuple[Any, Any, Fraction]], told: Sequence[Any]) -> dict[Any, Any]:
    """The answers, by view and question."""
    return {place: each for (place, _, _), each in zip(asked, told, strict=True)}


def require_gradual(questions: Sequence[Any], until: float) -> None:
    """Refuse to add precision step by step to what is chosen and not measured."""
    if isinstance(until, bool) or not isinstance(until, numbers.Real) or not 0 < float(until) < math.inf:
        raise ParameterError("until must be a number above 0: how far off each figure may be.")
    if not all(isinstance(question, Measure) for question in questions):
        raise ParameterError(
            "Precision is added step by step to counts, sums, means and variances, and quantiles are asked.",
            "Ask for the quantiles by themselves, with an epsilon or an error.",
        )
