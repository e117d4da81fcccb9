"""Flows: the kinds of steps, and a flow as it is being made. It is planned and run like everything else.

What a page draws is decided here: the kinds of edges, which of them may be drawn, and what each step costs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fastapi import APIRouter, Request
from sqlalchemy import Row

from privet.errors import PrivetError
from privet.registry import algorithm
from privet.schema import Schema, read_schema
from privet.server.cases import trimmed
from privet.server.flows import kinds, parts_in, plain_document, settings_schema
from privet.server.guests import Asking, DatasetId, Serving, missing
from privet.server.planning import schema_file
from privet.server.routes.algorithms import reason_against, schema_for
from privet.server.routes.runs import open_row
from privet.server.shapes import (
    AmountShown,
    FlowAsked,
    FlowEdgeShown,
    FlowKinds,
    FlowKindShown,
    FlowLink,
    FlowLooked,
    FlowPartPriced,
    FlowPartShown,
    FlowRead,
    FlowStepShown,
    FlowText,
    amount,
)
from privet.server.state import Server
from privet.server.store import datasets
from privet.server.store.flows import KeptSteps
from privet.service.flow_tables import (
    FlowLook,
    StepKind,
    beginning,
    head_schemas,
    look,
    look_at_parts,
    portable,
    without_places,
)
from privet.service.public_tables import public_tables

__all__ = ["router"]

router = APIRouter(tags=["flows"])


@router.get("/flows/kinds")
def show_kinds(server: Serving, caller: Asking, dataset: DatasetId = None) -> FlowKinds:
    """The kinds of steps with their settings as JSON Schema; for a dataset, why one cannot be used on it."""
    schema = schema_for(server, caller, dataset)
    head, part = head_schemas()
    row = None if schema is None else _row(server, dataset or "")
    return FlowKinds(
        head=trimmed(head, set(head["properties"])),
        part=part,
        kinds=[_kind(kind, schema) for kind in kinds().values()],
        beginning=None if schema is None else beginning(schema),
        public=[] if row is None else list(public_tables(server.folder(row.id))),
        parts=[] if row is None or schema is None else _parts(server, row, schema),
    )


def _row(server: Server, dataset: str) -> Row[Any]:
    with server.database.read() as connection:
        row = datasets.find(connection, dataset)
    if row is None:
        raise missing()
    return row


def _parts(server: Server, row: Row[Any], schema: Schema) -> list[FlowPartShown]:
    """The open datasets of the same study, this one first, and why one cannot be a part."""
    with server.database.read() as connection:
        found = [each for each in datasets.in_studies(connection, [row.study]) if each.state == "open"]
    return [
        FlowPartShown(dataset=each.id, name=each.name, reason=_against(schema, datasets.schema_of(each)))
        for each in sorted(found, key=lambda each: each.id != row.id)
    ]


def _against(schema: Schema, other: Schema | None) -> str | None:
    if other is None or set(other.names) != set(schema.names) or other.target != schema.target:
        return "it has other columns"
    return None if other.unit.neighbours == "add_remove" else "its unit is one that is replaced"


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
    row = open_row(request, server, caller, body.dataset)
    document = without_places(body.text)
    schema = read_schema(schema_file(server, row.id, row.version))
    known = {part.dataset for part in _parts(server, row, schema)}
    for entry in document["steps"].values():  # parts that are not here: this table alone is the source
        if isinstance(entry.get("data"), list) and not known.issuperset(entry["data"]):
            entry.pop("data")
            entry.pop("people", None)
    return FlowRead(flow=plain_document(document))


@router.post("/flows/check")
def check(request: Request, server: Serving, caller: Asking, body: FlowAsked) -> FlowLooked:
    """Look at a flow that is being made: what is wrong, what may be connected, what each step costs. Free."""
    server.plans.step(caller.id)
    row = open_row(request, server, caller, body.dataset)
    schema = read_schema(schema_file(server, row.id, row.version))  # as its run will read it
    kept = KeptSteps(server.database, row.id, row.version)
    document = plain_document(body.flow)
    found = look(document, schema, kept, body.until, public_tables(server.folder(row.id)))
    whole = found.flow is not None
    listed = parts_in(document)
    names, parts = [open_row(request, server, caller, each) for each in listed], None
    if found.plan is not None and listed:
        found, parts = _in_parts(server, document, names, found, body.until)
    return FlowLooked(
        steps=_steps(found, kept),
        edges=[
            FlowEdgeShown(**vars(edge), incremental=bool(listed) and edge.kind == "private rows")
            for edge in found.draft.edges
        ],
        links=[FlowLink(**vars(link)) for link in found.draft.links],
        total=None if found.plan is None else amount(found.total),
        problem=found.problem.message if found.problem else "",
        advice=found.problem.advice if found.problem else "",
        text=portable(found.flow, datasets.slug(row.name)).text() if found.flow and whole else "",
        svg=found.flow.svg() if found.flow else "",
        parts=[]
        if parts is None
        else [
            FlowPartPriced(dataset=each.id, name=each.name, total=_priced(parts.plans[each.id].total))
            for each in names
        ],
        composition="" if parts is None else parts.stated(),
    )


def _priced(total: Any) -> AmountShown | None:
    return None if total is None else amount(total)


def _in_parts(
    server: Server, document: dict[str, Any], rows: list[Row[Any]], found: FlowLook, until: str | None
) -> tuple[FlowLook, Any]:
    """What the flow costs on every part; or the flow with what is wrong about its parts."""
    about = {}
    for row in rows:
        schema = read_schema(schema_file(server, row.id, row.version))
        kept = KeptSteps(server.database, row.id, row.version)
        about[row.id] = schema, kept, public_tables(server.folder(row.id))
    try:
        return found, look_at_parts(document, about, until)
    except PrivetError as error:
        return replace(found, plan=None, problem=error), None


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
                share="" if plan is None or plan.share is None else f"{100 * float(plan.share):.3g} %",
                later=plan is not None and plan.later,
                free="" if plan is None else plan.free,
                release=kept.release(plan.identity) if plan is not None and plan.identity else None,
                buys=[] if plan is None else plan.in_words(),
                problem=said[0] if said else step.problem,
                advice=said[1] if said else step.advice,
                setting=(words[2] if len(words) > 2 else "") if said else step.setting,
            )
        )
    return shown
