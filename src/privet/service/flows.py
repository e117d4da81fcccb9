"""Flows: shown, planned and run from their text files."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from privet.parameters import Alias, Argument, File
from privet.service.case import Result, UseCase
from privet.service.common import Force, OwnerSays
from privet.service.session import Session

if TYPE_CHECKING:
    from privet.flow import Flow, FlowPlan, FlowResult
    from privet.report import Chart
    from privet.service.plans import Plan

__all__ = ["PlanFlow", "RunFlow", "ShowFlow"]

FlowFile = Annotated[Path, File(), Argument(), "The flow's text file."]
StoreFolder = Annotated[
    Path | None,
    "The folder that keeps what was released, to be used again; None for FLOW.releases beside the file.",
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
            edges = [f"{e.kind} of '{e.source}'" for e in graph.edges if e.target == step.name]
            takes = f"  <-  {', '.join(edges)}" if edges else ""
            lines.append(f"  {'*' if step.name in priced else ' '} {step.name} ({step.do}){takes}")
        lines.append("Steps with a * measure private rows and are paid for.")
        return "\n".join([*lines, *([f"The picture was written to {self.place}."] if self.place else [])])


@dataclass(frozen=True, kw_only=True)
class PlanFlow(UseCase):
    """Say what a flow would cost: what each of its steps gets, and what that buys. Nothing is spent."""

    flow: FlowFile
    store: StoreFolder = None

    def run(self, session: Session) -> PlannedFlow:
        from privet.flow import Flow

        plan = Flow.read(self.flow).plan(folder=self.flow.parent, store=_store(self.flow, self.store))
        return PlannedFlow(plan)


@dataclass(frozen=True)
class PlannedFlow(Result):
    """What a flow would cost."""

    plan: FlowPlan

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
    store: StoreFolder = None
    owner_says: OwnerSays = None

    def plan(self, session: Session) -> Plan | None:
        """What the steps that are not released yet would cost, as the ledger would pay for them."""
        from privet.release import Guarantee
        from privet.service.plans import planned

        found, ledger = self._found, session.opened_ledger()
        if found.total is None or found.schema is None:
            return None
        paid = [step for step in found.steps if not step.free]
        steps = tuple(each for step in paid for each in step.buys)
        guarantee = Guarantee(found.total, found.schema.unit, steps)
        how = "; ".join(f"{step.name}: {step.amount}" for step in paid)
        return planned(f"flow {found.flow.name}", guarantee, found.schema, [found.event()], ledger, how)

    def run(self, session: Session) -> FlowRan:
        from privet.service.accounts import paying

        ledger, plan = session.opened_ledger(), self._found
        if plan.schema is None:
            return FlowRan(self._ran(ledger))
        if ledger is None:
            session.unpaid(plan.schema, f"flow {plan.flow.name}", self.owner_says)
        with paying(ledger, plan.schema):
            return FlowRan(self._ran(ledger))

    def _ran(self, ledger: Any) -> FlowResult:
        store = _store(self.flow, self.store)
        return self._flow.run(folder=self.flow.parent, ledger=ledger, store=store)

    @cached_property
    def _flow(self) -> Flow:
        from privet.flow import Flow

        return Flow.read(self.flow)

    @cached_property
    def _found(self) -> FlowPlan:
        return self._flow.plan(folder=self.flow.parent, store=_store(self.flow, self.store))


@dataclass(frozen=True)
class FlowRan(Result):
    """What a flow gave."""

    found: FlowResult

    @property
    def guarantee(self) -> Any:  # type: ignore[override]
        return self.found.guarantee

    def to_dict(self) -> dict[str, Any]:
        return self.found.to_dict()

    def text(self) -> str:
        return self.found.text()

    def charts(self) -> tuple[Chart, ...]:
        models = [each.model for each in self.found.found.values() if each.model is not None]
        return tuple(chart for model in models for chart in model.pictures())
