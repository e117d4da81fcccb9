"""Studies and who has which role in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, select, update

from privet.server.credentials import new_id
from privet.server.problems import Refusal
from privet.server.store.moments import now
from privet.server.tables import members, studies, users

__all__ = ["add", "all_of", "find", "members_of", "remove_member", "role_of", "set_member", "with_role"]


def add(connection: Connection, name: str, approval: bool, owner: str) -> str:
    study = new_id()
    connection.execute(insert(studies).values(id=study, name=name, approval=approval, created=now()))
    connection.execute(insert(members).values(study=study, user=owner, role="owner"))
    return study


def role_of(connection: Connection, study: str, user: str) -> str | None:
    found = select(members.c.role).where(members.c.study == study, members.c.user == user)
    role: str | None = connection.execute(found).scalar()
    return role


def with_role(connection: Connection, user: str, roles: Sequence[str]) -> list[str]:
    """The studies in which somebody has one of these roles."""
    found = select(members.c.study).where(members.c.user == user, members.c.role.in_(roles))
    return list(connection.execute(found).scalars())


def all_of(connection: Connection, user: str) -> list[Row[Any]]:
    joined = studies.join(members, members.c.study == studies.c.id)
    found = select(studies, members.c.role).select_from(joined).where(members.c.user == user)
    return list(connection.execute(found.order_by(studies.c.created, studies.c.id)))


def find(connection: Connection, study: str) -> Row[Any] | None:
    return connection.execute(select(studies).where(studies.c.id == study)).first()


def members_of(connection: Connection, study: str) -> list[Row[Any]]:
    joined = members.join(users, users.c.id == members.c.user)
    found = select(users.c.name, members.c.role).select_from(joined).where(members.c.study == study)
    return list(connection.execute(found.order_by(users.c.name)))


def set_member(connection: Connection, study: str, user: str, role: str) -> None:
    _one_at_a_time(connection, study)
    _keep_an_owner(connection, study, user, role)
    done = connection.execute(
        update(members).where(members.c.study == study, members.c.user == user).values(role=role)
    )
    if not done.rowcount:
        connection.execute(insert(members).values(study=study, user=user, role=role))


def remove_member(connection: Connection, study: str, user: str) -> bool:
    _one_at_a_time(connection, study)
    _keep_an_owner(connection, study, user, None)
    done = connection.execute(delete(members).where(members.c.study == study, members.c.user == user))
    return bool(done.rowcount)


def _one_at_a_time(connection: Connection, study: str) -> None:
    """Hold the study until this is done: two owners who take each other out must not both succeed."""
    connection.execute(select(studies.c.id).where(studies.c.id == study).with_for_update())


def _keep_an_owner(connection: Connection, study: str, user: str, role: str | None) -> None:
    """A study without an owner could never be approved for, stopped or closed."""
    count = select(func.count()).select_from(members)
    others = count.where(members.c.study == study, members.c.role == "owner", members.c.user != user)
    if role != "owner" and not connection.execute(others).scalar():
        raise Refusal(409, "A study needs an owner", "This is its last one.", "Name another owner first.")
