"""Forecasts: how good a model would be at each ε, on made-up people. Nothing is read or spent."""

from __future__ import annotations

import asyncio
import json
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel, Field, FiniteFloat, StringConstraints
from sqlalchemy import Row

from privet.schema import read_schema
from privet.server.cases import Asked
from privet.server.genotypes import STUDY_FILE, require_kind
from privet.server.guests import Asking, Caller, Serving
from privet.server.planning import schema_file
from privet.server.problems import Refusal
from privet.server.routes.runs import open_row
from privet.server.shapes import Id, Sent
from privet.server.state import Server
from privet.server.store import runs
from privet.service import Session
from privet.service.document import RunDocument
from privet.service.forecasting import ForecastMade, ForecastRun, foretold_from_look, people_of

__all__ = ["router"]

router = APIRouter(tags=["runs"])
SECONDS = 2.0
_KEPT = 200
_answers: OrderedDict[str, dict[str, Any]] = OrderedDict()
_one_at_a_time = threading.Lock()


class Guesses(Sent):
    """What the user guesses about a table that nobody has looked into."""

    records: Annotated[int, Field(ge=10, le=10_000_000_000)] | None = None
    class_shares: Annotated[dict[str, FiniteFloat], Field(max_length=1000, default_factory=dict)]
    attainable: Annotated[FiniteFloat, Field(gt=0, le=1)] | None = None


class ForecastAsked(Sent):
    dataset: Id
    use_case: Annotated[str, StringConstraints(max_length=80)] = "fit"
    algorithm: Annotated[str, StringConstraints(max_length=80)] | None = None
    parameters: Annotated[dict[str, Any], Field(default_factory=dict)]
    guesses: Annotated[Guesses, Field(default_factory=Guesses)]


class PointShown(BaseModel):
    """What is expected at one ε; the shares are of what the algorithm attains without privacy."""

    epsilon: float
    low: float
    middle: float
    high: float
    share: float
    share_low: float
    share_high: float


class ForecastShown(BaseModel):
    points: list[PointShown]
    measure: str
    guess: dict[str, Any]
    attainable: float
    floor: float
    words: str
    rests_on: list[str]
    tested: str
    chart: dict[str, Any]


@router.post("/forecasts")
async def forecast(request: Request, server: Serving, caller: Asking, body: ForecastAsked) -> ForecastShown:
    """Forecast how good a model would be at each ε, from the public schema and your guesses. Free."""
    key, compute = await run_in_threadpool(_asked, request, server, caller, body)
    if key not in _answers:
        await _turn(request)
        try:
            await run_in_threadpool(_compute, key, compute)
        finally:
            _one_at_a_time.release()
    found = _answers[key]
    return ForecastShown(
        points=[PointShown(middle=p["value"], **p) for p in found["points"]],
        **{name: found[name] for name in ForecastShown.model_fields if name != "points"},
    )


async def _turn(request: Request) -> None:
    """Wait for a turn: it computes for a while, so not for everybody at once, nor for whoever has gone on.

    Somebody who tries one setting after the other asks for many forecasts and waits for the last.
    """
    while not _one_at_a_time.acquire(blocking=False):
        if await request.is_disconnected():
            raise _gone()
        await asyncio.sleep(0.05)
    if await request.is_disconnected():
        _one_at_a_time.release()
        raise _gone()


def _gone() -> Refusal:
    return Refusal(503, "Nobody waits for this any more", "The connection was closed.", "Ask again.")


def _compute(key: str, compute: Callable[[], dict[str, Any]]) -> None:
    if key not in _answers:
        _answers[key] = compute()
        while len(_answers) > _KEPT:
            _answers.popitem(last=False)


def _asked(
    request: Request, server: Server, caller: Caller, body: ForecastAsked
) -> tuple[str, Callable[[], dict[str, Any]]]:
    """What names a forecast, and what computes it."""
    server.plans.step(caller.id)
    row = open_row(request, server, caller, body.dataset)
    own = {name: value for name, value in body.parameters.items() if name != "epsilon"}
    asked = Asked(body.use_case, row.id, row.version, body.algorithm, None, own, True)
    require_kind(server, row, asked)
    if asked.use_case == "gwas top-snps":  # whose epsilon has no default; all of them are tried
        return _of_scan(server, row, replace(asked, parameters=own | {"epsilon": 1.0}).values())
    values = asked.values()
    if "algorithm" not in values:
        raise Refusal(422, "This has no forecast", "Only what learns has a forecast.", "", "use_case")
    guesses = {f"share:{name}": share for name, share in body.guesses.class_shares.items()}
    for name in ("records", "attainable"):
        if (value := getattr(body.guesses, name)) is not None:
            guesses[name] = value
    place = schema_file(server, row.id, row.version)
    case = ForecastRun(
        algorithm=values["algorithm"],
        data=place,
        schema=place,
        parameters=values.get("parameters", {}),
        guess=guesses,
        seconds=SECONDS,
    )
    # All that it follows from, and who asks: the same table opened twice is foretold once, and nobody learns
    # from a quick answer what others have asked for.
    public, paid = read_schema(place).to_dict() | {"dataset": None}, _paid_for(server, row.id)
    drawn_from = None if paid is None else paid.id
    about = [caller.id, public, drawn_from, values["algorithm"], case.parameters, guesses]
    key = json.dumps(about, default=str)

    def computed() -> dict[str, Any]:
        result = case.run(Session()) if paid is None else _foretold(case, paid, server.settings.home)
        return result.to_dict() | {"words": result.text()}

    return key, computed


def _paid_for(server: Server, dataset: str) -> Row[Any] | None:
    """What was paid for and says more than the schema: a synthesiser, else a first look; the newest."""
    with server.database.read() as connection:
        synthesiser = runs.newest(connection, dataset, family="synthesise", has_model=True)
        return synthesiser or runs.newest(connection, dataset, use_case="describe")


def _foretold(case: ForecastRun, paid: Row[Any], home: Path) -> ForecastMade:
    """The forecast on people drawn from a release, which is free; on made-up ones, if it does not fit."""
    with tempfile.TemporaryDirectory(dir=home) as folder:
        people = Path(folder) / "people.parquet"
        if paid.model is None:
            looks = json.loads(paid.answer)["figures"]["looks"]
            bins = RunDocument.read_dict(json.loads(paid.document)).parameters.get("bins")
            return foretold_from_look(case, looks, bins, people, Session())
        kept = Path(folder) / "model.json"
        kept.write_text(paid.model, encoding="utf-8")
        return replace(case, released=people_of(kept, case.data, people)).run(Session())


def _of_scan(
    server: Server, row: Row[Any], values: dict[str, Any]
) -> tuple[str, Callable[[], dict[str, Any]]]:
    """What a scan of genotypes would find, from the public lists of the study."""
    from privet.service.gwas.taking_in import foretold

    settings = {name: value for name, value in values.items() if name != "epsilon"}
    lists = server.folder(row.id) / STUDY_FILE
    return json.dumps(
        [row.id, settings], sort_keys=True
    ), lambda: foretold(lists, settings) | {"words": "", "tested": ""}
