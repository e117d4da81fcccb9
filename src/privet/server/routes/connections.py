"""Tables of databases that the operator has connected: by name, never by address."""

from __future__ import annotations

from fastapi import APIRouter, Request
from pydantic import BaseModel

from privet.server.connections import CONNECTED, connections_for, write_link
from privet.server.guests import Asking, Serving, missing, within
from privet.server.registering import shown_dataset
from privet.server.shapes import DatasetShown, ForStudy, Name
from privet.server.store import audit, datasets, studies

__all__ = ["router"]

router = APIRouter(tags=["datasets"])


class ConnectionShown(BaseModel):
    """A connection by its name, and the tables that may be opened through it."""

    name: str
    tables: list[str]


class ConnectedAsked(ForStudy):
    table: Name


@router.get("/connections")
def show_connections(server: Serving, caller: Asking) -> list[ConnectionShown]:
    """The databases that are set up here, for whoever may register tables."""
    found = connections_for(server, caller.name)
    return [ConnectionShown(name=each.name, tables=list(each.tables)) for each in found]


@router.post("/connections/{connection}", status_code=201)
def open_connected(
    request: Request, server: Serving, caller: Asking, connection: str, body: ConnectedAsked
) -> DatasetShown:
    """A dataset whose rows stay in the database: in your study, or in a new one of yours."""
    study = body.study
    if study is not None:
        within(request, caller, study)
    found = {each.name: each for each in connections_for(server, caller.name)}.get(connection)
    if not caller.owner or found is None or body.table not in found.tables:
        raise missing()
    with server.database.write() as database:
        if study is None:
            study = studies.add(database, body.table, False, caller.id)
            audit.note(database, caller.name, study, "began the study", approval=False)
        dataset = datasets.add(database, study, body.table)
        folder = server.folder(dataset)
        folder.mkdir(parents=True, mode=0o700)
        write_link(folder / f"rows{CONNECTED}", connection, body.table)
        datasets.change(database, dataset, source=CONNECTED)
        about = {"through": connection, "table": body.table}
        audit.note(database, caller.name, study, "connected a table", dataset=dataset, **about)
        row = datasets.find(database, dataset)
    assert row is not None
    return shown_dataset(server, row, "owner")
