"""Fitting: planned, rehearsed, paid for, learned, and delivered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from annotated_types import Ge, Gt, Le, Lt

from privet.errors import ParameterError
from privet.families import family_of
from privet.parameters import Alias, File, IfAlgorithm, IfTaken, Named, When, parameters_of
from privet.registry import algorithm as entry_of
from privet.service.building import build, settled
from privet.service.common import (
    Data,
    EngineName,
    Force,
    Guesses,
    OwnerSays,
    SchemaFile,
    SeedNumber,
    Settings,
)
from privet.service.paying import Paid
from privet.service.reading import OfTable
from privet.service.reports import Reported, written
from privet.service.session import Session

if TYPE_CHECKING:
    from privet.evaluation.forecast import Chosen, ForetoldLearner
    from privet.release import Guarantee
    from privet.report import Chart, Page
    from privet.schema import Schema
    from privet.service.plans import Plan

__all__ = ["Fit", "Fitted"]


@dataclass(frozen=True, kw_only=True)
class Fit(Paid, OfTable):
    """Learn a private model from the table DATA."""

    stdout_name: ClassVar[str] = "model.json"

    algorithm: Annotated[str, "What learns."]
    data: Data
    parameters: Settings = field(default_factory=dict)
    schema: SchemaFile = None
    output: Annotated[
        Path | None, File("out", stdout=True, kept=True), Alias("o"), "Where the model goes."
    ] = None
    report: Annotated[Path | None, File("out"), "Write an HTML report of the model and its guarantee."] = None
    force: Force = False
    sign_key: Annotated[Path | None, File(), "Sign the model with this private key."] = None
    tune: Annotated[
        bool,
        IfTaken("cross-validate"),
        "Try several settings and keep the best; epsilon and delta pay for all of it.",
    ] = False
    grid: Annotated[
        Mapping[str, Any] | None,
        Named("NAME=VALUE,…"),
        Alias("try"),
        IfTaken("cross-validate"),
        When("tune", True),
        "With tuning: the values to try; without any, the algorithm's own.",
    ] = None
    trials: Annotated[
        float | None,
        Ge(1),
        Le(5000),
        IfTaken("cross-validate"),
        When("tune", True),
        "With tuning: how many trials on average.",
    ] = None
    accuracy: Annotated[
        float | None,
        Gt(0),
        Lt(1),
        IfTaken("forecast"),
        "Instead of an epsilon: how much may be lost to privacy, such as 0.02. A forecast on made-up people "
        "chooses the smallest epsilon; no record is read for it.",
    ] = None
    by: Annotated[
        Literal["rule", "forecast"],
        IfAlgorithm("learners"),
        "How the learner is chosen: by a rule, or by a forecast of each on made-up people. Neither reads a "
        "record.",
    ] = "rule"
    guess: Annotated[Guesses, IfTaken("forecast")] = field(default_factory=dict)
    engine: EngineName = "auto"
    seed: SeedNumber = None
    owner_says: OwnerSays = None

    @property
    def always_planned(self) -> bool:  # type: ignore[override]  # a search does more than its parameters say
        return self.tune or self.accuracy is not None or self.by == "forecast"

    def plan(self, session: Session) -> Plan:
        """What a fit would cost, what would be left, and the expected error of each step."""
        from privet.service.plans import planned
        from privet.service.tuning import tuning_events

        self._check_places()
        ledger = session.opened_ledger()
        self.require_columns(session, self._schema)
        if self.tune:
            found = self._search(ledger).plan()
            events = tuning_events(found.guarantee.amount, self._what)
            plan = planned(self._what, found.guarantee, self._schema, events, ledger)
            return replace(plan, search=found)
        twin = self._twin
        how = " ".join(filter(None, (self._why, twin._foreseen())))
        events = [twin._whole_run(self._schema).event]
        return planned(self._what, twin.guarantee_, self._schema, events, ledger, how)

    def run(self, session: Session) -> Fitted:
        """A fitted model with its guarantee, written to its file if one was named."""
        self._check_places()
        with self.paid(session, self._schema, self._what) as ledger:
            if self.tune:
                # Nobody watches the progress of a search: how many trials there are must stay secret.
                table = self.opened(session, self._schema, engine=self.engine, ledger=ledger)
                return self._delivered(self._search(ledger).fit(table))
            estimator = build(self.algorithm, self._schema, self._settings, ledger=ledger, seed=self.seed)
            if "_twin" in vars(self):  # planned already: a rehearsal is not needed twice
                estimator._rehearsed_by(self._twin)
            with session.progress(f"Fitting {self.algorithm}", ""):
                table = self.opened(session, self._schema, self.engine, ledger)
                return self._delivered(estimator.fit(table))

    @property
    def _what(self) -> str:
        return f"{'tune' if self.tune else 'fit'} {self.algorithm}"

    @cached_property
    def _schema(self) -> Schema:
        return settled(self.schema, self.data)

    @cached_property
    def _twin(self) -> Any:
        """The algorithm, fitted to a table without records: what is public about a fit."""
        return build(self.algorithm, self._schema, self._settings, seed=self.seed)._rehearsed()

    @cached_property
    def _chosen(self) -> Chosen | None:
        """The epsilon that a forecast chose for the accuracy; None if none was asked for."""
        from privet.evaluation.forecast import epsilon_within
        from privet.worlds import Guess

        if self.accuracy is None:
            return None
        estimator = build(self.algorithm, self._schema, self.parameters)
        default = {p.name: p.default for p in parameters_of(type(estimator))}["epsilon"]
        if self.parameters.get("epsilon", default) != default:
            raise ParameterError("An accuracy was given, and an epsilon too.", "Give one of the two.")
        if "forecast" not in entry_of(self.algorithm).commands:
            raise ParameterError(
                f"{self.algorithm} has no forecast to choose an epsilon by.", "Give an epsilon."
            )
        return epsilon_within(estimator, self.accuracy, self._schema, Guess.from_text(self.guess))

    @cached_property
    def _learner(self) -> ForetoldLearner | None:
        """The learner that a forecast chose; None if a rule or a person does."""
        from privet.evaluation.forecast import learner_by_forecast
        from privet.worlds import Guess

        if self.by == "rule":
            return None
        estimator = build(self.algorithm, self._schema, self.parameters)
        if not hasattr(estimator, "learners"):
            raise ParameterError(f"{self.algorithm} leaves no learner to be chosen.", "Take auto.")
        if estimator.learner != "auto":
            raise ParameterError("A learner was named, and a forecast was to choose it.", "Leave one out.")
        guess = {"records": estimator.records} if estimator.records else {}
        return learner_by_forecast(estimator, self._schema, Guess.from_text(guess | dict(self.guess)))

    @property
    def _settings(self) -> Mapping[str, Any]:
        if self._chosen is not None:
            return {**self.parameters, "epsilon": self._chosen.epsilon}
        if self._learner is not None:
            return {**self.parameters, "learner": self._learner.learner}
        return self.parameters

    @property
    def _why(self) -> str:
        chosen = self._chosen or self._learner
        return "" if chosen is None else chosen.why()

    def _search(self, ledger: Any) -> Any:
        from privet.service.tuning import search_of

        return search_of(
            self.algorithm, self._schema, self.parameters, self.grid, self.trials, ledger, self.seed
        )

    def _check_places(self) -> None:
        """A budget that is spent does not come back: everything that can fail later is tried first."""
        from privet.service.outputs import check_key, check_place

        entry_of(self.algorithm)
        if not self.tune and (self.grid is not None or self.trials is not None):
            raise ParameterError(
                "A grid and a number of trials say how to tune.", "Ask for tuning, too.", "tune"
            )
        if self.tune and self.accuracy is not None:
            raise ParameterError("A search is paid for with an epsilon.", "Leave one of the two out.")
        if self.by == "forecast" and (self.tune or self.accuracy is not None):
            raise ParameterError(
                "A forecast of the learner goes with an epsilon, and not with a search or a goal.",
                "Leave one of the two out.",
            )
        if self.accuracy is None and self.by == "rule" and self.guess:
            raise ParameterError("Guesses serve to reach an accuracy.", "Give one, too.")
        for place in (self.output, self.report):
            if place is not None:
                check_place(place, force=self.force)
        if self.sign_key is not None:
            check_key(self.sign_key)
        _ = self._schema  # a draft is refused as such, whatever the ledger says

    def _delivered(self, fitted: Any) -> Fitted:
        """The result, with the model written: it is paid for now and, whatever happens, not lost."""
        from privet.service.outputs import save

        model, tuned = fitted, None
        if self.tune:
            model = fitted.best_estimator_
            tuned = Tuned(fitted.best_parameters_, *fitted.best_figure)
        document = None if self.output is None else save(model, self.output, key=self.sign_key)
        fitted = Fitted(
            found=model, algorithm=self.algorithm, place=self.output, document=document, tuned=tuned
        )
        return written(fitted, self.report)


@dataclass(frozen=True)
class Tuned:
    """The settings that a search chose, and how good they are on the records held out."""

    chosen: Mapping[str, Any]
    name: str
    figure: Any

    def to_dict(self) -> dict[str, Any]:
        return {"chosen": dict(self.chosen), self.name: self.figure.to_dict()}

    def text(self) -> str:
        chosen = ", ".join(f"{name} = {value}" for name, value in self.chosen.items())
        return f"Chosen: {chosen}. On the records kept apart, {self.name} = {self.figure}."


@dataclass(frozen=True, kw_only=True)
class Fitted(Reported):
    """A fitted model, and the document that was written of it (None if no file was named)."""

    algorithm: str
    place: Path | None = None
    document: dict[str, Any] | None = None
    tuned: Tuned | None = None

    @property
    def model(self) -> Any:
        return self.found

    @property
    def guarantee(self) -> Guarantee:  # type: ignore[override]
        found: Guarantee = self.model.guarantee_
        return found

    @property
    def notes(self) -> tuple[str, ...]:  # type: ignore[override]
        return (*((self.tuned.text(),) if self.tuned else ()), *super().notes)

    @property
    def remedy(self) -> str:  # type: ignore[override]
        return "show-model" if self.place else ""

    def charts(self) -> tuple[Chart, ...]:
        found: tuple[Chart, ...] = self.model.pictures()
        return found

    def headline(self) -> str:
        family, title = family_of(self.model), entry_of(self.algorithm).title
        if self._predicts:
            return f"{title} predicts {self.model.schema_.target}"
        return f"{title}: {family.line.partition(' ')[2]}"  # without its verb

    def in_words(self) -> str:
        return str(self.model.in_words() or self._about())

    @property
    def _predicts(self) -> bool:
        family = family_of(self.model)  # clusters are foretold for new records, too, but nobody's target
        return None not in (self.model.schema_.target, family.target) and "predict" in family.model_commands

    def _about(self) -> str:
        """What can be said of any model that predicts, all of it public: what, and from what."""
        schema, title = self.model.schema_, entry_of(self.algorithm).title
        if not self._predicts:
            return ""
        names = [column.name for column in schema.columns if column.name != schema.target]
        shown = ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")
        return f"{title} predicts {schema.target} from {len(names)} columns.\nThey are: {shown}."

    def model_document(self) -> dict[str, Any]:
        from privet.model import released_document

        return self.document or released_document(self.model)

    def page(self) -> Page:
        """The model in words and pictures, as far as it has any, and its guarantee."""
        from privet.report import Page

        model = self.model
        page = Page(f"A private model: {self.algorithm}", self.guarantee.headline)
        section = page.section("What was learned")
        section.text(f"It was learned from {len(model.schema_.columns)} columns.")
        if explanation := getattr(model, "explanation_", ""):
            section.text(explanation)
        if words := model.in_words():
            section.code(words)
        for chart in self.charts():
            section.chart(chart)
        if self.tuned is not None:
            section.text(self.tuned.text())
        page.section("Guarantee").prose(self.guarantee.text())
        return page

    def to_dict(self) -> dict[str, Any]:
        document = self.document or {}
        return {
            "algorithm": self.algorithm,
            "model": str(self.place) if self.place else None,
            "digest": document.get("digest"),
            "signed": "signature" in document,
            "guarantee": self.guarantee.to_dict(),
        } | ({"tuned": self.tuned.to_dict()} if self.tuned else {})

    def text(self) -> str:
        written = f" and written to {self.place}" if self.place else ""
        lines = [f"{self.algorithm} was fitted{written}."]
        if explanation := getattr(self.model, "explanation_", ""):
            lines.append(f"How: {explanation}")
        return "\n".join([*lines, self.guarantee.headline])
