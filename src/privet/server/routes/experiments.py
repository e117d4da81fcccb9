"""Experiments: priced as a whole, their free cells done in a process of its own, private ones as runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import PlainTextResponse
from sqlalchemy import Row

from privet.families import FAMILIES
from privet.registry import algorithms_with
from privet.server.cases import head_schema
from privet.server.credentials import new_id
from privet.server.experiment_shapes import (
    AlgorithmChoice,
    ExperimentInFull,
    ExperimentParts,
    ExperimentShown,
    MeasureAsked,
    NewExperiment,
    PresetShown,
    PriceShown,
    TableShown,
)
from privet.server.experimenter import folder_of
from privet.server.experimenting import (
    asked_cells,
    desk_of,
    laid_out,
    price_of,
    released_of,
    settled_of,
    shown,
    shown_in_full,
)
from privet.server.guests import Asking, Caller, DatasetId, Serving, missing
from privet.server.planning import make_plan
from privet.server.problems import Refusal
from privet.server.routes.algorithms import reason_against
from privet.server.routes.runs import open_row, queue
from privet.server.state import Server
from privet.server.store import audit, datasets, experiments, runs, studies
from privet.service.experimenting import FORMATS, experiment_from, generated_tables, presets

__all__ = ["router"]

router = APIRouter(tags=["experiments"])
OneDataset = Annotated[str, Query(max_length=80, pattern=r"^[A-Za-z0-9_-]+$")]


@router.get("/experiments/parts")
def parts(request: Request, server: Serving, caller: Asking, dataset: OneDataset) -> ExperimentParts:
    """What an experiment about a dataset can be made of, and one to begin with. All of it is public."""
    row = open_row(request, server, caller, dataset)
    schema = datasets.schema_of(row)
    learners = [e for e in algorithms_with("cross-validate") if reason_against(e, schema) is None]
    learners.sort(key=lambda entry: FAMILIES[entry.family].first != entry.name)  # what most begin with
    usable = [*learners, *(e for e in algorithms_with("select") if reason_against(e, schema) is None)]
    tables = _tables(server, row)
    beginning = {
        "name": datasets.slug(row.name),
        "epsilons": [0.1, 0.5, 1.0, 2.0],
        "repetitions": 3,
        "folds": 5,
        "score_epsilon": 0.5,
        "data": {tables[0].name: tables[0].entry},
        "algorithms": {entry.title: {"use": entry.name} for entry in learners[:2]},
    }
    return ExperimentParts(
        tables=tables,
        algorithms=[AlgorithmChoice(name=e.name, title=e.title, line=e.line) for e in usable],
        presets=[PresetShown(**each) for each in presets()],
        document=beginning,
        json_schema=head_schema(),
    )


def _tables(server: Server, row: Row[Any]) -> list[TableShown]:
    with server.database.read() as connection:
        others = [
            each
            for each in datasets.in_studies(connection, [row.study])
            if each.state == "open" and each.id != row.id
        ]
    found = []
    for each in (row, *others):
        slug = datasets.slug(each.name)
        found.append(
            TableShown(
                name=f"made-up {slug}",
                title=f"Made-up people like those of {each.name}",
                line="Drawn from what is public and nothing else: free.",
                private=False,
                entry={"made_up": f"{slug}.schema.toml", "records": 2000},
            )
        )
    for made in generated_tables():
        found.append(TableShown(private=False, **{**made, "name": f"generated {made['name']}"}))
    for each in (row, *others):
        found.append(
            TableShown(
                name=datasets.slug(each.name),
                title=f"{each.name}, for real",
                line="Every figure is paid for, and priced before anything runs.",
                private=True,
                entry={"file": f"{datasets.slug(each.name)}.csv"},
            )
        )
    return found


@router.post("/experiments/price")
def price(request: Request, server: Serving, caller: Asking, body: NewExperiment) -> PriceShown:
    """What an experiment would cost, as a matrix and as a whole, from public knowledge alone. Free."""
    server.plans.step(caller.id)
    row = open_row(request, server, caller, body.dataset)
    laid = laid_out(server, row, server.folder(row.id) / "none", body.document, body.text)
    return _priced_here(server, caller, laid)


def _priced_here(server: Server, caller: Caller, laid: Any) -> PriceShown:
    """A price of an experiment that is not stored: its schemas are laid out for a moment."""
    import tempfile
    from dataclasses import replace

    with tempfile.TemporaryDirectory(prefix="privet-") as folder:
        desk = replace(laid.desk, folder=Path(folder))
        desk.lay_out(laid.texts)
        return price_of(server, caller, desk, laid.tables, [])


@router.get("/experiments")
def show_experiments(server: Serving, caller: Asking, dataset: DatasetId = None) -> list[ExperimentShown]:
    """Your experiments, and as a study's owner those of its analysts; the latest first."""
    with server.database.read() as connection:
        roles = {s.id: s.role for s in studies.all_of(connection, caller.id)}
        able = [study for study, role in roles.items() if role in ("owner", "analyst")]
        of = {d.id: d.study for d in datasets.in_studies(connection, able) if dataset in (None, d.id)}
        owned = [name for name, study in of.items() if roles[study] == "owner"]
        rows = experiments.all_of(connection, list(of), caller.id, owned)
    return [shown(row, experiment_from(json.loads(row.document), None).size) for row in rows]


@router.post("/experiments", status_code=201)
def make(request: Request, server: Serving, caller: Asking, body: NewExperiment) -> ExperimentInFull:
    """Keep an experiment and begin with its free cells. Nothing is spent."""
    server.plans.step(caller.id)
    row = open_row(request, server, caller, body.dataset)
    experiment = new_id(datasets.slug(row.name))
    laid = laid_out(server, row, folder_of(server, experiment), body.document, body.text)
    _priced_here(server, caller, laid)  # what cannot work is refused before anything is kept
    laid.desk.lay_out(laid.texts)
    found = laid.desk.experiment
    with server.database.write() as connection:
        experiments.add(
            connection,
            id=experiment,
            dataset=row.id,
            user=caller.id,
            name=found.name,
            document=json.dumps(found.to_dict()),
            tables=json.dumps(laid.tables),
            state="running" if found.free() is not None else "done",
        )
        audit.note(connection, caller.name, row.study, "made an experiment", experiment=experiment)
    return _in_full(server, caller, experiment)


def _found(server: Server, caller: Caller, experiment: str) -> Row[Any]:
    with server.database.read() as connection:
        row = experiments.find(connection, experiment)
        study = experiments.study_of(connection, experiment)
        role = None if study is None else studies.role_of(connection, study, caller.id)
    if row is None or (row.user != caller.id and role != "owner"):
        raise missing()
    return row


def _in_full(server: Server, caller: Caller, experiment: str) -> ExperimentInFull:
    return shown_in_full(server, caller, _found(server, caller, experiment))


@router.get("/experiments/{experiment}")
def show(server: Serving, caller: Asking, experiment: str) -> ExperimentInFull:
    """An experiment as far as it is: the table with its marks, charts, and who did best."""
    return _in_full(server, caller, experiment)


@router.post("/experiments/{experiment}/pause")
def pause(server: Serving, caller: Asking, experiment: str) -> ExperimentInFull:
    """Stop with the free cells. What is measured is kept."""
    return _change(server, caller, experiment, ("running",), "paused")


@router.post("/experiments/{experiment}/resume")
def resume(server: Serving, caller: Asking, experiment: str) -> ExperimentInFull:
    """Go on with the free cells where they stopped."""
    return _change(server, caller, experiment, ("paused", "failed"), "running")


def _change(
    server: Server, caller: Caller, experiment: str, before: tuple[str, ...], after: str
) -> ExperimentInFull:
    row = _found(server, caller, experiment)
    with server.database.write() as connection:
        if not experiments.change(connection, experiment, before, state=after, problem=None):
            raise Refusal(409, "It is too late for that", f"The experiment is {row.state}.", "Look again.")
    return _in_full(server, caller, experiment)


@router.post("/experiments/{experiment}/measure", status_code=202)
def measure(
    request: Request, server: Serving, caller: Asking, experiment: str, body: MeasureAsked
) -> ExperimentInFull:
    """Queue a run for every private cell that is left, if the budget holds all of them."""
    server.plans.step(caller.id)
    row = _found(server, caller, experiment)
    desk = desk_of(server, row)
    with server.database.read() as connection:
        cells = experiments.runs_of(connection, experiment)
    asked = asked_cells(server, row, desk, settled_of(cells))
    total = price_of(server, caller, desk, json.loads(row.tables), cells)
    if not asked or total.total != body.agreed:
        raise Refusal(
            409,
            "The price is not what it was",
            f"It is {total.total} by now.",
            "Look at the price again: cells may have been asked for, or lost, in the meantime.",
        )
    if refused := [each for each in total.tables if each.state in ("too_much", "empty")]:
        raise Refusal(409, "The budget does not allow it", refused[0].words, "Take fewer cells.")
    with server.database.read() as connection:
        room = server.settings.limits.waiting_runs - runs.waiting(connection, caller.id)
    if len(asked) > room:
        raise Refusal(
            429,
            "Too many cells at once",
            f"{len(asked)} runs would wait, and there is room for {max(0, room)}.",
            "Take fewer repetitions, or wait until others have ended.",
        )
    before = [each.cell for each in cells]
    for key, each in asked:
        table = open_row(request, server, caller, each.dataset)
        role = table.role
        if table.version != each.version:
            raise Refusal(
                409, "The dataset has changed", "Its schema is a different one by now.", "Start again."
            )
        plan = make_plan(server, caller, each, table)
        with server.database.read() as connection:
            kept = runs.find_plan(connection, plan.id)
        assert kept is not None
        # The same press twice is the same key: a cell waits at most once.
        run = queue(server, caller, kept, f"experiment {experiment} {key} {before.count(key)}", role)
        with server.database.write() as connection:
            experiments.add_run(connection, experiment, key, run.id)
    server.awake.set()
    return _in_full(server, caller, experiment)


@router.get("/experiments/{experiment}/file", response_class=PlainTextResponse)
def download(
    server: Serving,
    caller: Asking,
    experiment: str,
    form: Annotated[Literal["toml", "html", "csv", "arff", "tex"], Query(alias="as")] = "toml",
) -> Response:
    """The experiment as the file that ``privet experiment run`` runs, or what it has found so far."""
    row = _found(server, caller, experiment)
    desk = desk_of(server, row)
    name = f"{datasets.slug(row.name)}.{form}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    if form == "toml":
        return PlainTextResponse(desk.experiment.text(), headers=headers)
    with server.database.read() as connection:
        cells = experiments.runs_of(connection, experiment)
    found = desk.written(desk.results(released_of(cells)), form)
    return Response(found, media_type=FORMATS[form], headers=headers)
