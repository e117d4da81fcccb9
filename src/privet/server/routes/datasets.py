"""Datasets: rows stream in, the owner says what is public, and opens an account."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from sqlalchemy import Row
from starlette.concurrency import run_in_threadpool

from privet.server import genotypes, registering
from privet.server.alone import alone
from privet.server.guests import Asking, Caller, Serving, missing, within
from privet.server.problems import Refusal
from privet.server.shapes import (
    ConfirmAsked,
    DatasetShown,
    DraftAsked,
    ExampleShown,
    ForStudy,
    GenotypesShown,
    LimitAsked,
    NewDataset,
    OpenAsked,
    PublicTable,
    SchemaShape,
    VariantsShown,
)
from privet.server.state import Server
from privet.server.store import audit, datasets, studies
from privet.server.uploads import check_upload, ending_of, receive
from privet.service import Session
from privet.service.examples import EXAMPLES, write_example, write_study
from privet.service.public_tables import keep_public

__all__ = ["router"]

router = APIRouter(tags=["datasets"])


def _row(server: Server, dataset: str) -> Row[Any]:
    with server.database.read() as connection:
        row = datasets.find(connection, dataset)
    if row is None:
        raise missing()
    return row


def _shown(server: Server, caller: Caller, dataset: str) -> DatasetShown:
    row = _row(server, dataset)
    with server.database.read() as connection:
        role = studies.role_of(connection, row.study, caller.id)
    return registering.shown_dataset(server, row, role or "")


@router.get("/examples")
def show_examples(server: Serving, caller: Asking) -> list[ExampleShown]:
    """Tables of generated people to begin with."""
    return [ExampleShown(name=e.name, title=e.title, line=e.line, target=e.target) for e in EXAMPLES]


@router.post("/examples/{name}", status_code=201)
def take_example(
    request: Request, server: Serving, caller: Asking, name: str, body: ForStudy | None = None
) -> DatasetShown:
    """Make a dataset of an example: in your study, or in a new one of yours."""
    example = next((one for one in EXAMPLES if one.name == name), None)
    if example is None:
        raise missing()
    study = None if body is None else body.study
    if study is not None:
        within(request, caller, study)
    elif not caller.owner:
        raise missing()
    with server.database.write() as connection:
        if study is None:
            study = studies.add(connection, name, False, caller.id)
            audit.note(connection, caller.name, study, "began the study", approval=False)
        dataset = datasets.add(connection, study, name)
        audit.note(connection, caller.name, study, "took an example", dataset=dataset)
    folder = server.folder(dataset)
    folder.mkdir(parents=True, mode=0o700)
    if example.ending == ".bed":
        write_study(folder / genotypes.STUDY_FILE)
        with server.database.write() as connection:
            datasets.change(connection, dataset, source=".bed")
        genotypes.draft(server, caller, _row(server, dataset))
        return _shown(server, caller, dataset)
    schema = write_example(name, folder / "rows.csv")
    with server.database.write() as connection:
        registering.keep_example(connection, dataset, schema)
    return _shown(server, caller, dataset)


@router.get("/datasets")
def show_datasets(server: Serving, caller: Asking) -> list[DatasetShown]:
    """The datasets of your studies."""
    with server.database.read() as connection:
        roles = {s.id: s.role for s in studies.all_of(connection, caller.id) if s.role != "contributor"}
        found = datasets.in_studies(connection, list(roles))
    return [registering.shown_dataset(server, row, roles[row.study]) for row in found]


@router.post("/datasets", status_code=201)
def make_dataset(request: Request, server: Serving, caller: Asking, body: NewDataset) -> DatasetShown:
    """A dataset without rows, in one of your studies."""
    within(request, caller, body.study)
    with server.database.write() as connection:
        dataset = datasets.add(connection, body.study, body.name)
        audit.note(connection, caller.name, body.study, "made a dataset", dataset=dataset)
    return _shown(server, caller, dataset)


@router.get("/datasets/{dataset}")
def show_dataset(server: Serving, caller: Asking, dataset: str) -> DatasetShown:
    """One dataset: what is public about it, and its account."""
    return _shown(server, caller, dataset)


@router.put(
    "/datasets/{dataset}/rows",
    openapi_extra={"requestBody": {"content": {"application/octet-stream": {"schema": {"type": "string"}}}}},
)
async def store_rows(
    request: Request,
    server: Serving,
    caller: Asking,
    dataset: str,
    filename: Annotated[str, Query(max_length=500)],
) -> DatasetShown:
    """Store the table: its bytes as they are. Of the file's name only the ending counts."""
    row = await run_in_threadpool(_row, server, dataset)
    registering.closed(row)
    ending = ending_of(filename)
    place = await receive(server, ending, request)
    return await run_in_threadpool(_stored, server, caller, row, place, ending)


def _stored(server: Server, caller: Caller, row: Row[Any], place: Any, ending: str) -> DatasetShown:
    check_upload(place, ending, server.settings.limits)
    try:
        with alone(server, row.id):
            _keep(server, caller, row, place, ending)
    finally:
        place.unlink(missing_ok=True)  # of one that came too late, nothing is left
    return _shown(server, caller, row.id)


def _keep(server: Server, caller: Caller, row: Row[Any], place: Path, ending: str) -> None:
    if ending in genotypes.PARTS:
        genotypes.keep_part(server, caller, row, place, ending)
        return
    with server.database.write() as connection:
        now = datasets.find(connection, row.id, lock=True)
        assert now is not None
        registering.changeable(server, now)
        registering.forget_rows(server, now)
        folder = server.folder(row.id)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        place.replace(folder / f"rows{ending}")
        datasets.change(connection, row.id, state="empty", source=ending, schema=None, left_out=None)
        audit.note(connection, caller.name, row.study, "stored a table", dataset=row.id)


@router.put(
    "/datasets/{dataset}/public",
    openapi_extra={"requestBody": {"content": {"application/octet-stream": {"schema": {"type": "string"}}}}},
)
async def add_public_table(
    request: Request,
    server: Serving,
    caller: Asking,
    dataset: str,
    filename: Annotated[str, Query(max_length=500)],
) -> PublicTable:
    """Put a table of public rows beside a dataset with the same columns. The owner's word is recorded."""
    row = await run_in_threadpool(_row, server, dataset)
    if row.state != "open" or genotypes.is_study(server, row):
        raise Refusal(
            409, "This dataset takes no public table", "It is not open, or no table.", "Open it first."
        )
    ending = ending_of(filename)
    place = await receive(server, ending, request)
    try:
        return await run_in_threadpool(_put_beside, server, caller, row, place, filename)
    finally:
        place.unlink(missing_ok=True)


def _put_beside(server: Server, caller: Caller, row: Row[Any], place: Path, filename: str) -> PublicTable:
    ending = ending_of(filename)
    check_upload(place, ending, server.settings.limits)
    schema = datasets.schema_of(row)
    assert schema is not None
    name = keep_public(server.folder(row.id), place, filename[: -len(ending)], ending, schema)
    with server.database.write() as connection:
        audit.note(connection, caller.name, row.study, "added a public table", dataset=row.id, table=name)
    return PublicTable(name=name)


@router.delete("/datasets/{dataset}/rows")
def remove_rows(server: Serving, caller: Asking, dataset: str) -> DatasetShown:
    """Delete the rows. The ledger stays, and so does what was released."""
    known = server.database.ledger.knows(dataset)
    with alone(server, dataset), server.database.write() as connection:
        row = datasets.find(connection, dataset, lock=True)
        assert row is not None
        registering.forget_rows(server, row)
        state = "deleted" if known or row.state in ("open", "deleted") else "empty"
        more = {} if state == "deleted" else {"schema": None, "left_out": None}
        datasets.change(connection, dataset, state=state, source=None, **more)
        audit.note(connection, caller.name, row.study, "deleted the rows", dataset=dataset)
    return _shown(server, caller, dataset)


@router.post("/datasets/{dataset}/draft")
def draft_schema(server: Serving, caller: Asking, dataset: str, body: DraftAsked) -> SchemaShape:
    """Draft a schema from the table, for its owner to correct and confirm."""
    with alone(server, dataset):
        row = _row(server, dataset)
        if genotypes.is_study(server, row):
            genotypes.draft(server, caller, row)
        else:
            registering.draft(server, caller, row, body)
    return registering.shown_schema(_row(server, dataset))


@router.get("/datasets/{dataset}/schema")
def show_schema(request: Request, server: Serving, caller: Asking, dataset: str) -> SchemaShape:
    """What is public about the table. A draft, which was read off the data, is shown to its owner alone."""
    row = _row(server, dataset)
    with server.database.read() as connection:
        role = studies.role_of(connection, row.study, caller.id)
    return registering.shown_schema(row, role or "")


@router.put("/datasets/{dataset}/schema")
def change_schema(server: Serving, caller: Asking, dataset: str, body: SchemaShape) -> SchemaShape:
    """Take the owner's schema: before the dataset is opened, a correction; after that, a new version."""
    with alone(server, dataset):
        row = _row(server, dataset)
        genotypes.refuse_changes(server, row)
        registering.keep_schema(server, caller, row, body)
    return registering.shown_schema(_row(server, dataset))


@router.post("/datasets/{dataset}/schema/confirm")
def confirm_schema(server: Serving, caller: Asking, dataset: str, body: ConfirmAsked) -> SchemaShape:
    """Confirm that these entries are public knowledge: that you would know them without the table."""
    with alone(server, dataset):
        registering.confirm(server, caller, _row(server, dataset), body.columns)
    return registering.shown_schema(_row(server, dataset))


@router.post("/datasets/{dataset}/open")
def open_dataset(server: Serving, caller: Asking, dataset: str, body: OpenAsked) -> DatasetShown:
    """Register the schema and give the people in the table a budget."""
    with alone(server, dataset):
        registering.open_dataset(server, caller, _row(server, dataset), body)
    return _shown(server, caller, dataset)


@router.put("/datasets/{dataset}/limit")
def change_limit(server: Serving, caller: Asking, dataset: str, body: LimitAsked) -> DatasetShown:
    """Raise or lower the limit. One below what is spent already stops all further spending."""
    from privet.service.ledgers import SetLimit

    row = _row(server, dataset)
    case = SetLimit(dataset=dataset, epsilon=body.epsilon, delta=body.delta)
    case.run(Session(ledger=server.database.ledger, analyst=caller.name))
    with server.database.write() as connection:
        audit.note(
            connection, caller.name, row.study, "changed the limit", dataset=dataset, epsilon=body.epsilon
        )
    return _shown(server, caller, dataset)


@router.get("/datasets/{dataset}/genotypes")
def show_genotypes(server: Serving, caller: Asking, dataset: str) -> GenotypesShown:
    """What is public about a study of genotypes, in numbers. Before it is open, for its owner alone."""
    return GenotypesShown(**genotypes.public_lists(server, _public(server, caller, dataset)))


@router.get("/datasets/{dataset}/variants")
def show_variants(
    server: Serving,
    caller: Asking,
    dataset: str,
    first: Annotated[int, Query(ge=0, le=100_000_000)] = 0,
    find: Annotated[str, Query(max_length=80)] = "",
) -> VariantsShown:
    """A page of the list of variants, which is public."""
    return genotypes.variants(server, _public(server, caller, dataset), first, find)


def _public(server: Server, caller: Caller, dataset: str) -> Row[Any]:
    row = _row(server, dataset)
    with server.database.read() as connection:
        role = studies.role_of(connection, row.study, caller.id)
    if not genotypes.is_study(server, row) or (row.state in ("empty", "draft") and role != "owner"):
        raise missing()
    return row
