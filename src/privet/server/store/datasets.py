"""Datasets: who they belong to, in which state they are, and what is public about them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, bindparam, insert, select, update

from privet.schema import Schema
from privet.server.credentials import new_id
from privet.server.store.moments import now
from privet.server.tables import datasets, members, studies

__all__ = ["add", "change", "find", "find_for", "in_studies", "schema_of", "slug", "study_of"]


#: Made once: it is asked with every plan.
_FOR_USER = (
    select(datasets, studies.c.approval, members.c.role)
    .select_from(
        datasets.join(studies, studies.c.id == datasets.c.study).outerjoin(
            members, (members.c.study == studies.c.id) & (members.c.user == bindparam("user"))
        )
    )
    .where(datasets.c.id == bindparam("dataset"))
)


def slug(name: str) -> str:
    """A name that is safe in a path, a URL and a command.

    >>> slug("../<b>Clinic 7</b>"), slug("§")
    ('b-clinic-7-b', 'table')
    """
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40] or "table"


def add(connection: Connection, study: str, name: str) -> str:
    dataset = new_id(slug(name))
    connection.execute(
        insert(datasets).values(id=dataset, study=study, name=name, state="empty", version=0, created=now())
    )
    return dataset


def find(connection: Connection, dataset: str, *, lock: bool = False) -> Row[Any] | None:
    found = select(datasets).where(datasets.c.id == dataset)
    return connection.execute(found.with_for_update() if lock else found).first()


def find_for(connection: Connection, dataset: str, user: str) -> Row[Any] | None:
    """A dataset, with its study's ``approval`` and the user's ``role`` there; None if they have none."""
    return connection.execute(_FOR_USER, {"dataset": dataset, "user": user}).first()


def study_of(connection: Connection, dataset: str) -> str | None:
    study: str | None = connection.execute(select(datasets.c.study).where(datasets.c.id == dataset)).scalar()
    return study


def in_studies(connection: Connection, studies: Sequence[str]) -> list[Row[Any]]:
    found = select(datasets).where(datasets.c.study.in_(studies))
    return list(connection.execute(found.order_by(datasets.c.created, datasets.c.id)))


def change(connection: Connection, dataset: str, **values: Any) -> None:
    connection.execute(update(datasets).where(datasets.c.id == dataset).values(**values))


def schema_of(row: Row[Any]) -> Schema | None:
    return None if row.schema is None else Schema.from_dict(json.loads(row.schema))
