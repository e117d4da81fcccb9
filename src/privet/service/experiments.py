"""Experiments: made, run and shown from their text files."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from annotated_types import Ge, Le

from privet.parameters import Alias, Argument, File
from privet.service.case import Result, UseCase
from privet.service.common import Force, OwnerSays
from privet.service.session import Session

if TYPE_CHECKING:
    from privet.experiment import Experiment, ExperimentPlan, Results
    from privet.report import Chart, Page
    from privet.service.plans import Plan

__all__ = ["MakeExperiment", "RunExperiment", "ShowExperiment"]

ExperimentFile = Annotated[Path, File(), Argument(), "The experiment's text file."]
StoreFile = Annotated[
    Path | None,
    "The file that keeps what was measured; None for EXPERIMENT.results.jsonl beside the experiment.",
]
Written = Annotated[
    Path | None,
    File("out"),
    Alias("o"),
    "Write the results: .html, .csv, .arff or .tex, by the name's ending.",
]


def _store(experiment: Path, store: Path | None) -> Path:
    return experiment.with_name(f"{experiment.name.split('.')[0]}.results.jsonl") if store is None else store


def _check_output(output: Path | None, force: bool) -> None:
    from privet.experiment.files import require_format
    from privet.service.outputs import check_place

    if output is not None:
        require_format(output)
        check_place(output, force=force)


@dataclass(frozen=True, kw_only=True)
class MakeExperiment(UseCase):
    """Write the text file of an experiment to begin with. All use people who do not exist, and cost nothing.

    clinic: two learners over epsilon. records: three learners over more records. As in the DPWeka thesis,
    figure-17 and figure-19: how many of the best variants a private choice finds; figure-18: their exact
    p-values in order; figure-24 and figure-25: logistic regression over epsilon. As in the tables on bee
    colonies, rule-learners: rules beside a tree; abc-tables: one rule and naive Bayes over epsilon.
    """

    preset: Annotated[
        Literal[
            "clinic",
            "records",
            "figure-17",
            "figure-18",
            "figure-19",
            "figure-24",
            "figure-25",
            "rule-learners",
            "abc-tables",
        ],
        Argument(),
        "Which experiment.",
    ]
    output: Annotated[Path, File("out"), Alias("o"), "Where the experiment goes."]
    table: Annotated[
        tuple[Path, ...],
        File(),
        "Public tables to use instead of the generated ones; a schema lies beside each.",
    ] = ()
    force: Force = False

    def run(self, session: Session) -> MadeExperiment:
        from privet.experiment import Dataset, preset
        from privet.service.outputs import check_place

        found = preset(self.preset)
        if self.table:
            places = [Path(os.path.relpath(place, self.output.parent)) for place in self.table]
            data = tuple(Dataset(place.name.split(".")[0], "public", str(place)) for place in places)
            found = replace(found, data=data)
        check_place(self.output, force=self.force).write_text(found.text(), encoding="utf-8")
        return MadeExperiment(found, self.output)


@dataclass(frozen=True)
class MadeExperiment(Result):
    """An experiment, and where its file is."""

    experiment: Experiment
    place: Path

    def to_dict(self) -> dict[str, Any]:
        return {"experiment": self.experiment.to_dict(), "file": str(self.place)}

    def text(self) -> str:
        return f"An experiment of {self.experiment.size:,} cells was written to {self.place}."


@dataclass(frozen=True, kw_only=True)
class RunExperiment(UseCase):
    """Run an experiment. What was measured is kept at once: one that was stopped goes on where it was.

    Public and made-up tables are free. All cells of a private table are priced before the first of them runs,
    and refused if the ledger does not hold enough for all.
    """

    spends: ClassVar[bool] = True
    uses_ledger: ClassVar[bool] = True
    always_planned: ClassVar[bool] = True

    experiment: ExperimentFile
    store: StoreFile = None
    processes: Annotated[
        int, Ge(1), Le(256), "Spread the cells of public tables over this many processes."
    ] = 1
    output: Written = None
    force: Force = False
    owner_says: OwnerSays = None

    def plan(self, session: Session) -> ExperimentPreview | None:
        """The price of each private table, as the ledger would pay for it; None if there is none."""
        from privet.release import Guarantee
        from privet.service.plans import planned

        found = self._plan
        if not found.prices:
            return None
        ledger = session.opened_ledger()
        plans = []
        for price in found.prices:
            what = f"experiment {self._experiment.name}: {price.dataset.name}"
            guarantee = Guarantee(price.amount, price.schema.unit, price.steps)
            plans.append(planned(what, guarantee, price.schema, [price.event(what)], ledger))
        return ExperimentPreview(found, tuple(plans))

    def run(self, session: Session) -> ExperimentShown:
        from contextlib import ExitStack

        from privet.experiment.files import write_results
        from privet.experiment.tables import Tables
        from privet.service.accounts import paying

        _check_output(self.output, self.force)
        experiment, folder = self._experiment, self.experiment.parent
        ledger = session.opened_ledger() if self._plan.prices else None
        if ledger is None:
            tables = Tables(experiment, {}, folder)
            priced = {price.dataset for price in self._plan.prices}
            for dataset in experiment.data:
                if dataset.kind == "public" or dataset in priced:
                    session.unpaid(tables.schema(dataset), f"experiment {experiment.name}", self.owner_says)
        with ExitStack() as stack, session.progress(f"Running {experiment.name}", "cells") as watch:
            for price in self._plan.prices:
                stack.enter_context(paying(ledger, price.schema))
            found = experiment.run(
                folder=folder,
                store=_store(self.experiment, self.store),
                ledger=ledger,
                processes=self.processes,
                owner_says=self.owner_says,
                progress=watch,
            )
        return ExperimentShown(found, None if self.output is None else write_results(found, self.output))

    @cached_property
    def _experiment(self) -> Experiment:
        from privet.experiment import Experiment

        return Experiment.read(self.experiment)

    @cached_property
    def _plan(self) -> ExperimentPlan:
        folder = self.experiment.parent
        return self._experiment.plan(folder=folder, store=_store(self.experiment, self.store))


@dataclass(frozen=True)
class ExperimentPreview:
    """What an experiment would cost, with a plan for each private table."""

    found: ExperimentPlan
    plans: tuple[Plan, ...]

    def to_dict(self) -> dict[str, Any]:
        return {"dry_run": True, **self.found.to_dict(), "plans": [plan.to_dict() for plan in self.plans]}

    def text(self) -> str:
        return "\n\n".join([self.found.text(steps=False), *(plan.text() for plan in self.plans)])


@dataclass(frozen=True, kw_only=True)
class ShowExperiment(UseCase):
    """Show what an experiment has found so far. Nothing is measured, and no private record is read."""

    experiment: ExperimentFile
    store: StoreFile = None
    output: Written = None
    force: Force = False

    def run(self, session: Session) -> ExperimentShown:
        from privet.experiment import Experiment
        from privet.experiment.files import write_results
        from privet.experiment.running import measured

        _check_output(self.output, self.force)
        experiment = Experiment.read(self.experiment)
        found = measured(experiment, _store(self.experiment, self.store), self.experiment.parent)
        return ExperimentShown(found, None if self.output is None else write_results(found, self.output))


@dataclass(frozen=True)
class ExperimentShown(Result):
    """What an experiment has found, and the file that it was written to."""

    found: Results
    place: Path | None = None

    @property
    def notes(self) -> tuple[str, ...]:  # type: ignore[override]
        return () if self.place is None else (f"The results were written to {self.place}.",)

    def to_dict(self) -> dict[str, Any]:
        return self.found.to_dict()

    def text(self) -> str:
        return self.found.text()

    def charts(self) -> tuple[Chart, ...]:
        return self.found.charts()

    def page(self) -> Page:
        return self.found.page()
