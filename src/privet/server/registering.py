"""What an owner does with a table: store it, say what is public about it, give its people a budget."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

from sqlalchemy import Row

from privet.schema import Schema, Unit, write_schema
from privet.schema.columns import DRAFTED
from privet.schema.file import schema_text
from privet.server.connections import CONNECTED, address_of
from privet.server.genotypes import is_study, open_account
from privet.server.guests import Caller
from privet.server.problems import Refusal
from privet.server.shapes import ColumnShape, DatasetShown, DraftAsked, OpenAsked, SchemaShape, UnitShape
from privet.server.state import Server
from privet.server.store import audit, datasets
from privet.service import Session

__all__ = [
    "changeable",
    "closed",
    "confirm",
    "draft",
    "draft_of",
    "forget_rows",
    "keep_example",
    "keep_schema",
    "open_dataset",
    "shown_dataset",
    "shown_schema",
    "stored",
]


def stored(server: Server, row: Row[Any]) -> Path:
    """Where a dataset's table is: its file, or its address in a database."""
    if row.source is None or row.state == "deleted":
        raise Refusal(409, "There is no table", "No rows are stored for this dataset.", "Upload them first.")
    if row.source == CONNECTED:
        return address_of(server, row)
    return server.folder(row.id) / f"rows{row.source}"


def closed(row: Row[Any]) -> None:
    """Refuse what can only be done before the account is opened."""
    if row.state in ("open", "deleted"):
        raise Refusal(
            409,
            "The dataset is open already",
            "Its people have a budget, and their table and unit stay as they are.",
            "Register another dataset.",
        )


def changeable(server: Server, row: Row[Any]) -> None:
    """Refuse to change what an account was opened for, also where the server was stopped in the middle."""
    closed(row)
    if server.database.ledger.knows(row.id):
        raise Refusal(
            409,
            "The account is open already",
            "The server was stopped while the dataset was opened: its table and schema stay as they are.",
            "Open it again: it goes on from there.",
        )


def draft(server: Server, caller: Caller, row: Row[Any], asked: DraftAsked) -> None:
    """Read the owner's table once, for a schema that they correct and confirm."""
    from privet.service.schemas import DraftSchema

    changeable(server, row)
    case = DraftSchema(
        data=stored(server, row),
        target=asked.target,
        id=asked.unit.id,
        most=asked.unit.most,
        neighbours=asked.unit.neighbours,
        dataset=row.id,
        ignore=tuple(asked.ignore),
    )
    drafted = case.drafted(Session())
    with server.database.write() as connection:
        _keep(connection, row.id, drafted, state="draft")
        audit.note(connection, caller.name, row.study, "drafted a schema", dataset=row.id)


def _keep(connection: Any, dataset: str, schema: Schema, **more: Any) -> None:
    if schema.left_out:
        more["left_out"] = json.dumps([list(each) for each in schema.left_out])
    datasets.change(connection, dataset, schema=json.dumps(schema.to_dict()), **more)


def draft_of(row: Row[Any]) -> Schema:
    found = datasets.schema_of(row)
    if found is None:
        raise Refusal(
            409, "There is no schema", "Nothing is known to be public yet.", "Draft a schema first."
        )
    return found


def keep_schema(server: Server, caller: Caller, row: Row[Any], shape: SchemaShape) -> None:
    """Take the owner's schema: a correction of the draft, or (once open) a new version, which must fit."""
    from privet.service.ledgers import RegisterSchema

    if row.state != "open":
        changeable(server, row)
    schema = _schema(shape, row.id)
    if row.state != "open":
        with server.database.write() as connection:
            _keep(connection, row.id, schema, state="draft", left_out=_left_out(row, shape))
            audit.note(connection, caller.name, row.study, "changed the schema", dataset=row.id)
        return
    schema.require_confirmed()
    version = row.version + 1
    place = server.folder(row.id) / f"schema-{version}.toml"
    write_schema(schema, place)
    case = RegisterSchema(data=stored(server, row), schema=place)
    case.run(Session(ledger=server.database.ledger, analyst=caller.name))
    with server.database.write() as connection:
        _keep(connection, row.id, schema, version=version)
        audit.note(connection, caller.name, row.study, "registered a schema", dataset=row.id, version=version)


def open_dataset(server: Server, caller: Caller, row: Row[Any], asked: OpenAsked) -> None:
    """Register the schema and give the people in the table a budget."""
    from privet.service.ledgers import OpenAccount

    closed(row)
    schema = draft_of(row)
    schema.require_confirmed()
    place = server.folder(row.id) / "schema-1.toml"
    write_schema(schema, place)
    if server.database.ledger.knows(row.id):
        pass  # a server that was stopped just here goes on from here
    elif is_study(server, row):
        open_account(server, caller, row, asked)
    else:
        case = OpenAccount(
            data=stored(server, row),
            schema=place,
            epsilon=asked.epsilon,
            delta=asked.delta,
            each_analyst=asked.per_analyst,
        )
        case.run(Session(ledger=server.database.ledger, analyst=caller.name, scope=row.study))
    with server.database.write() as connection:
        datasets.change(connection, row.id, state="open", version=1)
        about = {"epsilon": asked.epsilon, "delta": asked.delta, "per_analyst": asked.per_analyst}
        audit.note(connection, caller.name, row.study, "opened an account", dataset=row.id, **about)


def forget_rows(server: Server, row: Row[Any]) -> None:
    """Remove the table's file; what was spent on its people stays in the ledger."""
    folder = server.folder(row.id)
    for place in folder.glob("rows*"):
        with place.open("r+b") as file:  # not to be found in a hole of the file system
            file.truncate(0)
            os.fsync(file.fileno())
        place.unlink()
    if row.state in ("empty", "draft"):
        shutil.rmtree(folder, ignore_errors=True)


def _is_out(column: ColumnShape) -> bool:
    return column.kind == "left_out" or column.left_out is not None


def _left_out(row: Row[Any], shape: SchemaShape) -> str:
    """What the owner or the draft left out: name, reason, and the entry that can be taken in again."""
    named = {column.name for column in shape.columns}
    kept = [each for each in json.loads(row.left_out or "[]") if each[0] not in named]
    for column in shape.columns:
        if _is_out(column):
            about = column.model_dump(exclude={"name", "left_out", "confirmed"})
            entry = [] if column.kind == "left_out" else [about]
            kept.append([column.name, (column.left_out or "left out")[:200], *entry])
    return json.dumps(kept)


def _schema(shape: SchemaShape, dataset: str) -> Schema:
    columns: dict[str, Any] = {}
    for column in shape.columns:
        if _is_out(column):
            continue
        entry: dict[str, Any] = {"kind": column.kind, "origin": column.origin}
        if column.kind in ("category", "items"):
            entry |= {"values": column.values, "other": column.other}
            entry |= {"most": column.most, "between": column.between}
        else:
            entry |= {"low": column.low, "high": column.high}
            entry |= {"cuts": column.cuts} if column.cuts else {}
        if column.name in columns:
            raise Refusal(422, "A column is named twice", "Each column has one entry.", "", "columns")
        columns[column.name] = {key: value for key, value in entry.items() if value is not None}
    unit = Unit(shape.unit.neighbours, shape.unit.id, shape.unit.most, shape.unit.keep)
    plain = {"dataset": dataset, "missing": shape.missing, "unit": unit.to_dict(), "columns": columns}
    return Schema.from_dict(plain | ({"target": shape.target} if shape.target else {}))


def shown_schema(row: Row[Any], role: str = "owner", *, text: bool = True) -> SchemaShape:
    """What is public about a table, as whoever has this role sees it.

    To the owner alone: a draft, and what was left out of it, with the reason ("the same in every record").
    Both were read off the data, and nobody has confirmed that they are public.
    """
    schema = datasets.schema_of(row)
    if schema is None or (row.state == "draft" and role != "owner"):
        return SchemaShape(columns=[])
    columns = []
    for column in schema.columns:
        entry = column.to_dict()
        columns.append(ColumnShape(name=column.name, confirmed=column.origin != DRAFTED, **entry))
    left_out = json.loads(row.left_out or "[]") if role == "owner" else []
    for name, reason, *kept in left_out:
        if name not in schema:
            # Bounds of a column that nobody called public are the owner's, and only while they decide.
            entry = kept[0] if kept and row.state == "draft" else {"kind": "left_out"}
            confirmed = entry.get("origin") != DRAFTED
            columns.append(ColumnShape(name=name, left_out=reason, confirmed=confirmed, **entry))
    return SchemaShape(
        columns=columns,
        target=schema.target,
        unit=UnitShape(**schema.unit.to_dict()),
        missing=schema.missing,
        version=row.version,
        text=schema_text(replace(schema, outside=None)) if text else "",
    )


def shown_dataset(server: Server, row: Row[Any], role: str) -> DatasetShown:
    from privet.server.planning import account_of

    shape = shown_schema(row, role, text=False)
    schema = datasets.schema_of(row) if row.state != "draft" or role == "owner" else None
    account = None
    if row.state in ("open", "deleted") and server.database.ledger.knows(row.id):
        account = account_of(server.database.ledger.balance(row.id))
    return DatasetShown(
        id=row.id,
        name=row.name,
        study=row.study,
        role=role,  # type: ignore[arg-type]
        kind="genotypes" if is_study(server, row) else "table",
        state=row.state,
        target=shape.target,
        unit=shape.unit,
        unit_text="" if schema is None else schema.unit.describe(),
        columns=shape.columns,
        unconfirmed=[] if schema is None else list(schema.drafted),
        account=account,
        source=row.source,
        version=row.version,
    )


def keep_example(connection: Any, dataset: str, schema: Schema) -> None:
    """Keep an example's schema, of which two columns are not confirmed."""
    _keep(connection, dataset, replace(schema, dataset=dataset), state="draft", source=".csv")


def confirm(server: Server, caller: Caller, row: Row[Any], columns: list[str]) -> None:
    """The owner's word that these entries are public knowledge."""
    changeable(server, row)
    schema = draft_of(row)
    if columns:
        with server.database.write() as connection:
            _keep(connection, row.id, schema.confirm(*columns))
            audit.note(connection, caller.name, row.study, "confirmed", dataset=row.id, columns=columns)
