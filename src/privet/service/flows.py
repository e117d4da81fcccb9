"""Flows: shown, planned and run from their text files."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from annotated_types import Gt, Lt

from privet.parameters import Alias, Argument, File
from privet.service.case import Result, Shown, UseCase
from privet.service.common import Force, Guesses, OwnerSays
from privet.service.session import Session

if TYPE_CHECKING:
    from privet.budget import Ledger
    from privet.flow import Flow, FlowPlan, FlowResult, PartsPlan, PartsResult
    from privet.report import Chart, Page
    from privet.service.plans import Plan

__all__ = ["PlanFlow", "RunFlow", "ShowFlow"]

FlowFile = Annotated[Path, File(), Argument(), "The flow's text file."]
StoreFolder = Annotated[
    Path | None,
    "The folder that keeps what was released, to be used again; None for FLOW.releases beside the file.",
]


Until = Annotated[
    str | None, "Stop after this step and what it depends on. The budget is divided as for the whole flow."
]


Accuracy = Annotated[
    float | None,
    Gt(0),
    Lt(1),
    "Instead of the file's epsilon: how much the last model may lose to privacy, such as 0.02; its score is "
    "then known to ± the same. A forecast on made-up people chooses the smallest epsilon; no record is read.",
]


def _store(flow: Path, store: Path | None) -> Path:
    return flow.with_name(f"{flow.name.split('.')[0]}.releases") if store is None else store


@dataclass(frozen=True, kw_only=True)
class ShowFlow(UseCase):
    """Show a flow: its steps and edges, or a picture of them. A flow that would leak is refused."""

    flow: FlowFile
    output: Annotated[Path | None, File("out"), Alias("o"), "Write a picture (SVG)."] = None
    force: Force = False

    def run(self, session: Session) -> ShownFlow:
        from privet.flow import Flow
        from privet.service.outputs import check_place

        flow = Flow.read(self.flow)
        if self.output is not None:
            check_place(self.output, force=self.force).write_text(flow.svg(), encoding="utf-8")
        return ShownFlow(flow, self.output)


@dataclass(frozen=True)
class ShownFlow(Result):
    """A flow, and where its picture is."""

    flow: Flow
    place: Path | None = None

    def to_dict(self) -> dict[str, Any]:
        return self.flow.to_dict() | {"svg": self.flow.svg()}

    def text(self) -> str:
        graph = self.flow.graph
        priced = {step.name for step in graph.priced()}
        lines = [f"{self.flow.name}: {self.flow.amount}, allocation {self.flow.allocation}."]
        for step in graph.order:
            kinds = [edge.kind for edge in graph.edges if edge.target == step.name]
            edges = [f"{kind} of '{name}'" for kind, name in zip(kinds, step.inputs, strict=True)]
            takes = f"  <-  {', '.join(edges)}" if edges else ""
            lines.append(f"  {'*' if step.name in priced else ' '} {step.name} ({step.do}){takes}")
        lines.append("Steps with a * measure private rows and are paid for.")
        return "\n".join([*lines, *([f"The picture was written to {self.place}."] if self.place else [])])


@dataclass(frozen=True, kw_only=True)
class PlanFlow(UseCase):
    """Say what a flow would cost: what each of its steps gets, and what that buys. Nothing is spent."""

    flow: FlowFile
    until: Until = None
    store: StoreFolder = None
    accuracy: Accuracy = None
    guess: Guesses = field(default_factory=dict)

    def run(self, session: Session) -> PlannedFlow:
        flow = _read(self.flow, self.accuracy, self.guess)
        return PlannedFlow(_planned(flow, self.flow, self.store, self.until))


@dataclass(frozen=True)
class PlannedFlow(Result):
    """What a flow would cost."""

    plan: FlowPlan | PartsPlan

    def to_dict(self) -> dict[str, Any]:
        return self.plan.to_dict()

    def text(self) -> str:
        return self.plan.text()


@dataclass(frozen=True, kw_only=True)
class RunFlow(UseCase):
    """Run a flow: one reservation for all of it. Steps that were released before are used again for free.

    A flow that was interrupted is taken up where it stopped.
    """

    spends: ClassVar[bool] = True
    uses_ledger: ClassVar[bool] = True
    always_planned: ClassVar[bool] = True

    flow: FlowFile
    until: Until = None
    store: StoreFolder = None
    accuracy: Accuracy = None
    guess: Guesses = field(default_factory=dict)
    owner_says: OwnerSays = None

    def plan(self, session: Session) -> Plan | PartsPlan | None:
        """What the steps that are not released yet would cost, as the ledger would pay for them."""
        from privet.flow import PartsPlan

        found, ledger = self._found, session.opened_ledger()
        if not isinstance(found, PartsPlan):
            return priced(found, ledger)
        for plan in found.plans.values():  # each account is there, and knows the schema
            priced(plan, ledger)
        if ledger is not None:
            found.refuse_what_does_not_fit(ledger)
        return found if found.total is not None else None

    def run(self, session: Session) -> FlowRan | PartsRan:
        from privet.flow import PartsPlan, run_parts
        from privet.service.accounts import paying

        ledger, found = session.opened_ledger(), self._found
        store = _store(self.flow, self.store)
        plans = list(found.plans.values()) if isinstance(found, PartsPlan) else [found]
        with ExitStack() as stack:
            for plan in plans:
                if plan.schema is not None:
                    if ledger is None:
                        session.unpaid(plan.schema, f"flow {plan.flow.name}", self.owner_says)
                    stack.enter_context(paying(ledger, plan.schema))
            if isinstance(found, PartsPlan):
                return PartsRan(run_parts(self._flow, self.flow.parent, ledger, store, self.until))
            flow = found.flow  # with the epsilon that was planned
            return FlowRan(flow.run(folder=self.flow.parent, ledger=ledger, store=store, until=self.until))

    @cached_property
    def _found(self) -> FlowPlan | PartsPlan:
        return _planned(self._flow, self.flow, self.store, self.until)

    @cached_property
    def _flow(self) -> Flow:
        return _read(self.flow, self.accuracy, self.guess)


def _read(file: Path, accuracy: float | None, guess: Mapping[str, Any]) -> Flow:
    """The flow in a file, with the goal that was given beside it."""
    from privet.flow import Flow

    flow = Flow.read(file)
    return replace(flow, accuracy=accuracy or flow.accuracy, guess={**flow.guess, **guess})


def _planned(flow: Flow, file: Path, store: Path | None, until: str | None) -> FlowPlan | PartsPlan:
    from privet.flow import plan_parts
    from privet.flow.parts import in_parts

    kept = _store(file, store)
    if in_parts(flow):
        return plan_parts(flow, file.parent, kept, until)
    return flow.plan(folder=file.parent, store=kept, until=until)


def priced(found: FlowPlan, ledger: Ledger | None) -> Plan | None:
    """A flow's plan as the ledger would pay for it; None if nothing is to be paid."""
    from privet.release import Guarantee, public_knowledge
    from privet.service.plans import planned

    if found.total is None or found.schema is None:
        return None
    paid = [step for step in found.steps if step.paid]
    steps = tuple(replace(each, what=f"{step.name}: {each.what}") for step in paid for each in step.buys)
    guarantee = Guarantee(found.total, found.schema.unit, steps, public=public_knowledge(found.schema))
    how = ". ".join(filter(None, (found.why, "; ".join(f"{step.name}: {step.amount}" for step in paid))))
    return planned(f"flow {found.flow.name}", guarantee, found.schema, [found.event()], ledger, how)


@dataclass(frozen=True)
class FlowRan(Result):
    """What a flow gave."""

    found: FlowResult

    @property
    def guarantee(self) -> Any:  # type: ignore[override]
        return self.found.guarantee

    def to_dict(self) -> dict[str, Any]:
        return self.found.to_dict()

    def in_words(self) -> str:
        return self.found.in_words()

    def text(self) -> str:
        return self.found.text()

    def charts(self) -> tuple[Chart, ...]:
        models = [each.model for each in self.found.found.values() if each.model is not None]
        return tuple(chart for model in models for chart in model.pictures())

    def tables(self) -> tuple[Shown, ...]:
        rows = [[s.name, s.do, *self._cost(s.name)] for s in self.found.plan.steps if not s.later]
        return (Shown("The steps of the flow", ["Step", "Does", "Got", "Paid for"], rows),)

    def _cost(self, name: str) -> tuple[str, str]:
        amount = self.found.plan.amount_of(name)
        if amount is None:
            return "nothing", "free"
        return str(amount), "before: used again" if name in self.found.reused else "in this run"

    def model_document(self) -> dict[str, Any] | None:
        """The last model that was learned from rows as the table has them: others need the flow."""
        from privet.model import model_to_dict

        prepared = self.found.plan.flow.prepared()
        usable = [
            each.model
            for name, each in self.found.found.items()
            if each.model is not None and hasattr(each.model, "predict") and name not in prepared
        ]
        return model_to_dict(usable[-1]) if usable else None

    def page(self) -> Page:
        from privet.report import Page

        page = Page(f"Flow: {self.found.plan.flow.name}", "What was released, and with which guarantee.")
        for table in self.tables():
            page.section(table.title).table(table.header, table.rows, table.title)
        for name, each in self.found.found.items():
            each.show_in(page.section(name))
        return page


@dataclass(frozen=True)
class PartsRan(Result):
    """What a flow gave, part by part. Each part has a guarantee of its own, for its own people."""

    found: PartsResult

    def to_dict(self) -> dict[str, Any]:
        return self.found.to_dict()

    def text(self) -> str:
        return self.found.text()
