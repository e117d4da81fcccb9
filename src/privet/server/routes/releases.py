"""Releases: what was paid for, to be read, downloaded and used elsewhere. Reading them again is free."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Response
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse
from sqlalchemy import Row

from privet.server.guests import Asking, Caller, DatasetId, Serving, missing
from privet.server.shapes import ReleaseInFull, ReleaseShown
from privet.server.state import Server
from privet.server.store import datasets, runs, studies
from privet.service.document import RunDocument
from privet.service.exchanging import FORMATS, exported
from privet.service.exporting import command_of, notebook_of, script_of

__all__ = ["router"]

router = APIRouter(tags=["releases"])


@router.get("/releases")
def show_releases(server: Serving, caller: Asking, dataset: DatasetId = None) -> list[ReleaseShown]:
    """The catalogue: what was released in your studies, the latest first; practice is your own."""
    with server.database.read() as connection:
        roles = studies.with_role(connection, caller.id, ("owner", "analyst"))
        chosen = [d.id for d in datasets.in_studies(connection, roles) if dataset in (None, d.id)]
        found = runs.all_releases(connection, chosen, caller.id)
    keys = set(ReleaseShown.model_fields)
    return [ReleaseShown(**{key: value for key, value in each.items() if key in keys}) for each in found]


def _found(server: Server, caller: Caller, release: str) -> Row[Any]:
    with server.database.read() as connection:
        row = runs.find_release(connection, release)
        run = None if row is None else runs.find(connection, row.run)
    if row is None or run is None or (row.practice and run.user != caller.id):
        raise missing()
    return row


@router.get("/releases/{release}")
def show_release(server: Serving, caller: Asking, release: str) -> ReleaseInFull:
    """One release: figures, words, charts, and the guarantee line by line."""
    return ReleaseInFull(**runs.answer_of(_found(server, caller, release)))


@router.get("/releases/{release}/model")
def download_model(server: Serving, caller: Asking, release: str) -> JSONResponse:
    """The model's file: plain JSON, with its guarantee and a digest."""
    row = _found(server, caller, release)
    if row.model is None:
        raise missing()
    return Response(  # type: ignore[return-value]
        row.model, media_type="application/json", headers=_as_file("model.json")
    )


@router.get("/releases/{release}/report", response_class=HTMLResponse)
def download_report(server: Serving, caller: Asking, release: str) -> HTMLResponse:
    """The report as one HTML page."""
    return HTMLResponse(_found(server, caller, release).report, headers=_as_file("report.html"))


@router.get("/releases/{release}/export", response_class=PlainTextResponse)
def export(
    server: Serving,
    caller: Asking,
    release: str,
    form: Annotated[Literal["python", "notebook", "cli", "onnx", "pmml"], Query(alias="as")] = "python",
) -> Response:
    """The run as a script, a notebook or a command, made from its document; its model as ONNX or PMML."""
    if form in FORMATS:
        return _exported_model(_found(server, caller, release), form)
    document = RunDocument.read_dict(json.loads(_found(server, caller, release).document))
    make = {"python": script_of, "notebook": notebook_of, "cli": command_of}[form]
    name = {"python": "run.py", "notebook": "run.ipynb", "cli": "run.sh"}[form]
    return PlainTextResponse(make(document), headers=_as_file(name))


def _exported_model(row: Row[Any], form: str) -> Response:
    if row.model is None:
        raise missing()
    kind = {"onnx": "application/octet-stream", "pmml": "application/xml"}[form]
    return Response(exported(json.loads(row.model), form), media_type=kind, headers=_as_file(f"model.{form}"))


def _as_file(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}"'}
