"""Plans and runs: priced first, queued, paid for when they start, followed step by step."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Annotated, Any

from fastapi import APIRouter, Header, Request, Response
from fastapi.responses import StreamingResponse
from sqlalchemy import Row
from sqlalchemy.exc import IntegrityError
from starlette.concurrency import run_in_threadpool
from starlette.types import Receive, Scope, Send

from privet.server.flows import asked_for
from privet.server.guests import Asking, Caller, DatasetId, Serving, asking, missing, permitted, within
from privet.server.planning import make_plan, shown_plan
from privet.server.problems import FREE, Refusal
from privet.server.shapes import NewPlan, NewRun, PlanShown, RunShown
from privet.server.state import Server
from privet.server.store import audit, datasets, runs, studies
from privet.server.store.moments import now

__all__ = ["open_row", "queue", "router"]

router = APIRouter(tags=["runs"])
Key = Annotated[str | None, Header(alias="Idempotency-Key", max_length=255)]


def open_row(request: Request, server: Server, caller: Caller, dataset: str) -> Row[Any]:
    """A dataset that can be measured, if the caller may; beside it, ``approval`` and their ``role``."""
    with server.database.read() as connection:
        row = datasets.find_for(connection, dataset, caller.id)
    permitted(request, None if row is None else row.role)
    assert row is not None
    if row.state != "open":
        raise Refusal(
            409,
            "The dataset is not open",
            "It has no budget, or its rows were deleted.",
            "Its owner can open it.",
        )
    return row


@router.post("/plans", status_code=201, response_model=PlanShown)
def plan(request: Request, server: Serving, caller: Asking, body: NewPlan) -> Response:
    """Price a run, from public knowledge alone. Free."""
    server.plans.step(caller.id)
    row = open_row(request, server, caller, body.dataset)
    asked = asked_for(
        use_case=body.use_case,
        dataset=row.id,
        version=row.version,
        algorithm=body.algorithm,
        release=body.release,
        other=body.other,
        parameters=body.parameters,
        practice=body.practice,
    )
    made = make_plan(server, caller, asked, row)
    # It is a checked PlanShown already: as text, it is not looked through again.
    return Response(made.model_dump_json(by_alias=True), 201, media_type="application/json")


@router.get("/plans/{plan}")
def show_plan(request: Request, server: Serving, caller: Asking, plan: str) -> PlanShown:
    """A plan as it was priced when it was made: for whoever made it, and for the owner who approves it."""
    with server.database.read() as connection:
        row = runs.find_plan(connection, plan)
        study = None if row is None else datasets.study_of(connection, row.dataset)
    role = within(request, caller, study)
    if row is None or (row.user != caller.id and (row.practice or role != "owner")):
        raise missing()
    return shown_plan(row)


@router.post("/runs", status_code=202)
def start(request: Request, server: Serving, caller: Asking, body: NewRun, key: Key = None) -> RunShown:
    """Queue a plan. The same Idempotency-Key gives the same run: a request that is sent twice spends once."""
    with server.database.read() as connection:
        row = runs.find_plan(connection, body.plan)
        study = None if row is None else datasets.study_of(connection, row.dataset)
    role = within(request, caller, study)
    assert row is not None
    if row.user != caller.id:
        raise missing()
    if not key or not key.strip() or not key.isprintable():
        raise Refusal(
            400,
            "An Idempotency-Key is needed",
            "Without one, a request that is sent twice would spend twice.",
            "Send a header Idempotency-Key with a random text of your own.",
        )
    with server.database.read() as connection:
        known = runs.by_key(connection, caller.id, key)
    if known is None:
        known = queue(server, caller, row, key, role)
    if known.plan != body.plan:
        raise Refusal(
            422, "This key was used already", "It belongs to the run of another plan.", "Draw a new key."
        )
    server.awake.set()
    return shown_run(known, role)


def queue(server: Server, caller: Caller, plan: Row[Any], key: str, role: str) -> Row[Any]:
    """A run of a plan, queued or waiting for the owner's word; the one of this key if there is one."""
    with server.database.read() as connection:
        table = datasets.find(connection, plan.dataset)
        assert table is not None
        study = studies.find(connection, table.study)
        assert study is not None
        if table.state != "open" or table.version != plan.version:
            raise Refusal(
                409,
                "The price is out of date",
                "What is public about this table was changed after the price was worked out.",
                "Ask for the price again, and decide once more.",
            )
        if runs.waiting(connection, caller.id) >= server.settings.limits.waiting_runs:
            raise Refusal(
                429, "Too many runs are waiting", "Some of yours must end first.", "Wait, or cancel some."
            )
    ask = study.approval and role != "owner" and not plan.practice
    try:
        with server.database.write() as connection:
            run = runs.add_run(connection, plan, caller.id, key, "approval" if ask else "queued")
            audit.note(
                connection,
                caller.name,
                table.study,
                "asked for a run",
                run=run,
                plan=plan.hash,
                practice=plan.practice,
            )
    except IntegrityError:  # the same key at the same moment: the other one was first
        pass
    with server.database.read() as connection:
        found = runs.by_key(connection, caller.id, key)
    assert found is not None
    return found


def shown_run(row: Row[Any], role: str | None) -> RunShown:
    asked, price = json.loads(row.document), json.loads(row.price)["price"]["text"]
    if row.practice or row.state in ("refused", "cancelled"):
        cost = FREE
    elif row.state in ("running", "released", "lost"):
        cost = f"{price} was spent." if row.reservation is not None else FREE
    else:
        cost = f"It will cost {price}. Nothing is spent yet."
    problem = row.problem
    if problem and role == "owner" and row.state in ("lost", "refused") and row.detail:
        problem = f"{problem} (For the owner: {row.detail}.)"
    return RunShown(
        id=row.id,
        plan=row.plan,
        dataset=row.dataset,
        use_case=asked["use_case"],
        algorithm=asked["algorithm"],
        who=row.who,
        practice=row.practice,
        state=row.state,
        step=row.step,
        cost=cost,
        release=row.release if row.state == "released" else None,
        problem=problem if row.state in ("lost", "refused") else None,
        created=row.created,
        finished=row.finished,
    )


@router.get("/runs")
def show_runs(server: Serving, caller: Asking, dataset: DatasetId = None) -> list[RunShown]:
    """The runs in your studies: first those that have not ended, then the latest."""
    with server.database.read() as connection:
        roles = {s.id: s.role for s in studies.all_of(connection, caller.id) if s.role != "contributor"}
        rows = {d.id: roles[d.study] for d in datasets.in_studies(connection, list(roles))}
        chosen = [name for name in rows if dataset in (None, name)]
        owned = [name for name in chosen if rows[name] == "owner"]
        found = runs.all_runs(connection, chosen, caller.id, owned)
    return [shown_run(row, rows[row.dataset]) for row in found]


def _visible(row: Row[Any], caller: Caller, role: str | None) -> bool:
    """Practice is one's own; what is paid for concerns everybody who may see the account."""
    return not row.practice or row.user == caller.id or role == "owner"


def _found(server: Server, caller: Caller, run: str) -> tuple[Row[Any], str | None]:
    with server.database.read() as connection:
        row = runs.find(connection, run)
        assert row is not None
        study = datasets.study_of(connection, row.dataset)
        role = None if study is None else studies.role_of(connection, study, caller.id)
    if not _visible(row, caller, role):
        raise missing()
    return row, role


@router.get("/runs/{run}")
def show_run(server: Serving, caller: Asking, run: str) -> RunShown:
    """One run: its state and its step."""
    return shown_run(*_found(server, caller, run))


@router.post("/runs/{run}/cancel")
def cancel(server: Serving, caller: Asking, run: str) -> RunShown:
    """Cancel a run that has not started. One that runs is paid for, and goes on."""
    row, role = _found(server, caller, run)
    if row.user != caller.id and role != "owner":
        raise missing()
    _decide(server, caller, row, ("priced", "approval", "queued"), "cancelled", "cancelled a run")
    return shown_run(*_found(server, caller, run))


@router.post("/runs/{run}/approve")
def approve(server: Serving, caller: Asking, run: str) -> RunShown:
    """Let a run of an analyst go ahead, as the study's owner."""
    row, _ = _found(server, caller, run)
    _decide(server, caller, row, ("approval",), "queued", "approved a run")
    server.awake.set()
    return shown_run(*_found(server, caller, run))


@router.post("/runs/{run}/refuse")
def refuse(server: Serving, caller: Asking, run: str) -> RunShown:
    """Refuse a run of an analyst, as the study's owner. It costs nothing."""
    row, _ = _found(server, caller, run)
    _decide(server, caller, row, ("approval",), "refused", "refused a run")
    return shown_run(*_found(server, caller, run))


def _decide(
    server: Server, caller: Caller, row: Row[Any], before: tuple[str, ...], after: str, what: str
) -> None:
    values: dict[str, Any] = {"state": after, "step": "waiting" if after == "queued" else "done"}
    if after != "queued":
        values["finished"] = now()
    if after == "refused":
        values["problem"] = "The owner of the data refused this run. Nothing was spent."
    with server.database.write() as connection:
        if not runs.change(connection, row.id, before, **values):
            raise Refusal(409, "It is too late for that", f"The run is {row.state}.", "Look at its state.")
        audit.note(
            connection, caller.name, datasets.study_of(connection, row.dataset) or "", what, run=row.id
        )


@router.get("/runs/{run}/events", response_class=StreamingResponse)
async def follow(request: Request, server: Serving, caller: Asking, run: str) -> StreamingResponse:
    """Server-sent events: the state and the step whenever they change, until the run has ended."""

    def look() -> RunShown:
        asking(request)  # whoever is signed out or taken out of the study sees no more
        return shown_run(*_found(server, caller, run))

    await run_in_threadpool(look)

    async def events() -> AsyncIterator[str]:
        last, quiet = None, 0
        while not server.stopping.is_set() and not await request.is_disconnected():
            try:
                shown = await run_in_threadpool(look)
            except Refusal:
                return
            if (shown.state, shown.step) != last:
                last, quiet = (shown.state, shown.step), 0
                yield f"event: state\ndata: {json.dumps({'state': shown.state, 'step': shown.step})}\n\n"
            if shown.state in runs.ENDED:
                return
            quiet += 1
            if quiet % 60 == 0:
                yield ": still here\n\n"
            await asyncio.sleep(0.25)

    server.streams.begin(caller.id)
    return _Followed(events(), lambda: server.streams.end(caller.id))


class _Followed(StreamingResponse):
    """Events, and what is to be done once nobody follows them any more, however that comes."""

    def __init__(self, events: AsyncIterator[str], ended: Callable[[], None]) -> None:
        super().__init__(events, media_type="text/event-stream", headers={"Cache-Control": "no-store"})
        self._ended = ended

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._ended()
