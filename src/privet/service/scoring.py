"""Scores of models: exact on data declared public, noised and paid for on all other data."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from annotated_types import Ge

from privet.service.building import build, settled
from privet.service.common import (
    Data,
    EngineName,
    ModelFile,
    OwnerSays,
    Public,
    Report,
    SchemaFile,
    SeedNumber,
    Settings,
)
from privet.service.judging import Judging, priced
from privet.service.paying import Paid
from privet.service.reading import OfTable
from privet.service.reports import Reported, written
from privet.service.session import Session

if TYPE_CHECKING:
    from privet.evaluation.score_goal import ScoreGoal
    from privet.release import Guarantee
    from privet.report import Chart, Page
    from privet.schema import Schema
    from privet.service.plans import Plan
    from privet.worlds import Guess

__all__ = ["CrossValidate", "Evaluate", "Scored"]


@dataclass(frozen=True, kw_only=True)
class Scored(Reported):
    """Figures with error bars, and their guarantee."""

    @property
    def guarantee(self) -> Guarantee:  # type: ignore[override]
        found: Guarantee = self.found.guarantee
        return found

    def charts(self) -> tuple[Chart, ...]:
        found = getattr(self.found, "evaluation", self.found)
        return found.charts() if hasattr(found, "charts") else ()

    def page(self) -> Page:
        """The figures as tables and charts, and the guarantee."""
        from privet.report import Page

        evaluation = getattr(self.found, "evaluation", self.found)
        page = Page("How good a model is", self.guarantee.headline)
        section = page.section("Figures")
        plain = evaluation.to_dict()
        rows = [
            [name.replace("_", " "), f"{value['value']:.4g}", f"± {value['error']:.2g}"]
            for name, value in plain.items()
            if isinstance(value, dict) and {"value", "error"} <= set(value) and value["value"] is not None
        ]
        section.table(["figure", "value", "noise (95 %)"], rows, "Figures with the error of their noise")
        for chart in self.charts():
            section.chart(chart)
        section.text("± covers the privacy noise in 95 % of cases, not the choice of test records.")
        page.section("Guarantee").prose(self.guarantee.text())
        return page

    def in_words(self) -> str:
        """The figure that most people want, and how sure it is."""
        evaluation = getattr(self.found, "evaluation", self.found)
        if (accuracy := getattr(evaluation, "accuracy", None)) is not None:
            if not math.isfinite(accuracy.value):
                return "There is too much noise to say how often it is right."
            told = f"It is right about {100 * accuracy.value:.0f} times out of 100 (accuracy {accuracy})."
        elif (r2 := getattr(evaluation, "r2", None)) is not None and math.isfinite(r2.value):
            told = f"It explains about {100 * max(0.0, r2.value):.0f} % of the variation (R² {r2})."
        else:
            return ""
        return f"{told}\n± covers the privacy noise in 95 % of cases, not the choice of test records."


@dataclass(frozen=True, kw_only=True)
class Evaluate(Judging):
    """Score a released MODEL on the table DATA, which holds the true classes (or numbers).

    Scores on private data give people away like any other figure, so they are noised and paid for.
    """

    title: ClassVar[str] = "How good a model is"

    model: ModelFile
    data: Data

    def _reached(self, error: float, guess: Guess) -> ScoreGoal:
        from privet.evaluation.score_goal import epsilon_for_accuracy

        return epsilon_for_accuracy(self._schema, error, guess, delta=self.delta)

    def _cost(self, epsilon: float) -> Guarantee:
        from privet.evaluation import evaluation_cost

        return evaluation_cost(self._schema, epsilon=epsilon, delta=self.delta)

    def _found(self, table: Any, **paid: Any) -> Any:
        from privet.evaluation import evaluate

        return evaluate(self._model, table, **paid)

    def _result(self, found: Any) -> Scored:
        return Scored(found=found)


@dataclass(frozen=True, kw_only=True)
class CrossValidate(Paid, OfTable):
    """Learn from all parts of the table DATA but one, and score on that one, in turn.

    Each of the models is paid for.
    """

    algorithm: Annotated[str, "What learns."]
    data: Data
    parameters: Settings = field(default_factory=dict)
    schema: SchemaFile = None
    folds: Annotated[int, Ge(2), "How many parts."] = 10
    repeats: Annotated[int, Ge(1), "How often, with new folds."] = 1
    score_epsilon: Annotated[
        float | None, "What the scores of one repeat may cost (needed unless the data is public)."
    ] = None
    score_delta: Annotated[float, "Their delta."] = 0.0
    public: Public = False
    output: Report = None
    engine: EngineName = "auto"
    seed: SeedNumber = None
    owner_says: OwnerSays = None

    @cached_property
    def _schema(self) -> Schema:
        return settled(self.schema, self.data)

    @cached_property
    def _estimator(self) -> Any:
        return build(self.algorithm, self._schema, self.parameters, seed=self.seed)

    def _cost(self) -> Any:
        from privet.evaluation import cross_validation_cost

        return cross_validation_cost(
            self._estimator,
            folds=self.folds,
            repeats=self.repeats,
            epsilon=self.score_epsilon,
            delta=self.score_delta,
        )

    def plan(self, session: Session) -> Plan | None:
        """What it would cost in total: every record is in all training sets but one."""
        from privet.evaluation.cross_validation import cross_validation_event
        from privet.service.plans import planned

        priced(self.score_epsilon, self.public)
        if self.score_epsilon is None:
            return None
        schema, ledger = self._schema, session.opened_ledger()
        cost = self._cost()
        what = f"{self.folds}-fold cross-validation of {type(self._estimator).__name__}"
        event = cross_validation_event(
            self._estimator,
            what,
            folds=self.folds,
            repeats=self.repeats,
            epsilon=self.score_epsilon,
            delta=self.score_delta,
        )
        self.require_columns(session, schema)
        return planned(what, cost, schema, [event], ledger)

    def run(self, session: Session) -> Scored:
        from privet.evaluation import cross_validate

        priced(self.score_epsilon, self.public)
        schema, what = self._schema, f"cross-validate {self.algorithm}"
        if not self.public:
            self._cost()
        with (
            self.paid(session, schema, what, public=self.public) as ledger,
            session.progress(f"Cross-validating {self.algorithm}", "fits") as progress,
        ):
            found = cross_validate(
                self._estimator,
                self.opened(session, schema, engine=self.engine, ledger=ledger),
                folds=self.folds,
                repeats=self.repeats,
                epsilon=self.score_epsilon,
                delta=self.score_delta,
                public=self.public,
                ledger=ledger,
                progress=progress,
            )
        return written(Scored(found=found), self.output)
