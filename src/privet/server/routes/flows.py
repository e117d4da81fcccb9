"""Flows: the kinds of steps, and a flow as it is being made. It is planned and run like everything else.

What a page draws is decided here: the kinds of edges, which of them may be drawn, and what each step costs.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request

from privet.registry import algorithm
from privet.schema import Schema, read_schema
from privet.server.cases import trimmed
from privet.server.flows import kinds, plain_document, settings_schema
from privet.server.guests import Asking, Serving
from privet.server.planning import schema_file
from privet.server.routes.algorithms import reason_against, schema_for
from privet.server.routes.runs import open_row
from privet.server.shapes import (
    FlowAsked,
    FlowEdgeShown,
    FlowKinds,
    FlowKindShown,
    FlowLink,
    FlowLooked,
    FlowRead,
    FlowStepShown,
    FlowText,
    amount,
)
from privet.server.store import datasets
from privet.server.store.flows import KeptSteps
from privet.service.flow_tables import (
    FlowLook,
    StepKind,
    beginning,
    head_schemas,
    look,
    portable,
    without_places,
)

__all__ = ["router"]

router = APIRouter(tags=["flows"])
DatasetId = Annotated[str | None, Query(max_length=80, pattern=r"^[A-Za-z0-9_-]+$")]


@router.get("/flows/kinds")
def show_kinds(server: Serving, caller: Asking, dataset: DatasetId = None) -> FlowKinds:
    """The kinds of steps with their settings as JSON Schema; for a dataset, why one cannot be used on it."""
    schema = schema_for(server, caller, dataset)
    head, part = head_schemas()
    return FlowKinds(
        head=trimmed(head, set(head["properties"])),
        part=part,
        kinds=[_kind(kind, schema) for kind in kinds().values()],
        beginning=None if schema is None else beginning(schema),
    )


def _kind(kind: StepKind, schema: Schema | None) -> FlowKindShown:
    return FlowKindShown(
        do=kind.do,
        title=kind.title,
        line=kind.line,
        family=kind.family,
        takes=[list(each) for each in kind.takes],
        gives=kind.gives,
        measures=kind.measures,
        many=kind.many,
        parts=list(kind.parts),
        reason=None if kind.family == "flow" else reason_against(algorithm(kind.do), schema),
        json_schema=settings_schema(kind),
    )


@router.post("/flows/read")
def read(request: Request, server: Serving, caller: Asking, body: FlowText) -> FlowRead:
    """The flow in a text file, as a document without the places of files: every source is this dataset."""
    open_row(request, server, caller, body.dataset)
    return FlowRead(flow=plain_document(without_places(body.text)))


@router.post("/flows/check")
def check(request: Request, server: Serving, caller: Asking, body: FlowAsked) -> FlowLooked:
    """Look at a flow that is being made: what is wrong, what may be connected, what each step costs. Free."""
    server.plans.step(caller.id)
    row = open_row(request, server, caller, body.dataset)
    schema = read_schema(schema_file(server, row.id, row.version))  # as its run will read it
    kept = KeptSteps(server.database, row.id, row.version)
    found = look(plain_document(body.flow), schema, kept, body.until)
    whole = found.flow is not None
    return FlowLooked(
        steps=_steps(found, kept),
        edges=[FlowEdgeShown(**vars(edge)) for edge in found.draft.edges],
        links=[FlowLink(**vars(link)) for link in found.draft.links],
        total=None if found.plan is None else amount(found.total),
        problem=found.problem.message if found.problem else "",
        advice=found.problem.advice if found.problem else "",
        text=portable(found.flow, datasets.slug(row.name)).text() if found.flow and whole else "",
        svg=found.flow.svg() if found.flow else "",
    )


def _steps(found: FlowLook, kept: KeptSteps) -> list[FlowStepShown]:
    planned = {} if found.plan is None else {step.name: step for step in found.plan.steps}
    # An error of the plan says at which step, and at which of its settings.
    words = found.problem.parameter.split(".", 2) if found.problem else []
    shown = []
    for step in found.draft.steps:
        plan: Any = planned.get(step.name)
        mine = found.problem is not None and words[:2] == ["steps", step.name]
        said = (found.problem.message, found.problem.advice) if found.problem and mine else None
        part = None if plan is None else plan.amount
        shown.append(
            FlowStepShown(
                name=step.name,
                do=step.do,
                gives=step.gives,
                measures=step.measures,
                x=step.place[0],
                y=step.place[1],
                amount=None if part is None else amount(part),
                share="" if plan is None or plan.share is None else f"{float(plan.share):.1%}",
                later=plan is not None and plan.later,
                free="" if plan is None else plan.free,
                release=kept.release(plan.identity) if plan is not None and plan.identity else None,
                buys=[] if plan is None else [each.sentence() for each in plan.buys],
                problem=said[0] if said else step.problem,
                advice=said[1] if said else step.advice,
                setting=(words[2] if len(words) > 2 else "") if said else step.setting,
            )
        )
    return shown
