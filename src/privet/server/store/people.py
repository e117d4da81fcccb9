"""Users, their sessions and their tokens. Secrets are kept as digests only."""

from __future__ import annotations

import time
from typing import Any

from sqlalchemy import Connection, Row, bindparam, delete, func, insert, select
from sqlalchemy.exc import IntegrityError

from privet.server.credentials import digest, drawn, hash_password, new_id
from privet.server.problems import Refusal
from privet.server.store.moments import now
from privet.server.tables import sessions, tokens, users

__all__ = [
    "add_token",
    "add_user",
    "all_users",
    "end_session",
    "end_token",
    "from_outside",
    "named",
    "new_session",
    "tokens_of",
    "user_of_session",
    "user_of_token",
]


def add_user(
    connection: Connection,
    name: str,
    password: str | None,
    *,
    operator: bool = False,
    owner: bool = False,
    outside: str | None = None,
) -> str:
    """A new user; a password, or who they are at an OpenID provider."""
    hashed = None if password is None else hash_password(password)
    taken = Refusal(409, "The name is taken", "There is a user of this name.", "Choose another.", "name")
    if named(connection, name) is not None:
        raise taken
    user = new_id()
    values = {"id": user, "name": name, "password": hashed, "operator": operator, "owner": owner}
    try:
        connection.execute(insert(users).values(**values, outside=outside, created=now()))
    except IntegrityError:  # somebody else took it at the same moment
        raise taken from None
    return user


def named(connection: Connection, name: str) -> Row[Any] | None:
    return connection.execute(select(users).where(users.c.name == name)).first()


def from_outside(connection: Connection, identity: str) -> Row[Any] | None:
    """Whoever an OpenID provider says it is."""
    return connection.execute(select(users).where(users.c.outside == identity)).first()


def all_users(connection: Connection) -> list[Row[Any]]:
    return list(connection.execute(select(users).order_by(users.c.name)))


def new_session(connection: Connection, user: str, hours: float) -> str:
    """Begin a session; gives its secret, which goes into the cookie and is kept nowhere."""
    connection.execute(delete(sessions).where(sessions.c.expires < time.time()))
    secret = drawn()
    connection.execute(
        insert(sessions).values(
            digest=digest(secret), user=user, created=now(), expires=time.time() + hours * 3600
        )
    )
    return secret


#: Made once: one of them is asked with every request.
_OF_SESSION = (
    select(users)
    .select_from(users.join(sessions, sessions.c.user == users.c.id))
    .where(sessions.c.digest == bindparam("secret"), sessions.c.expires > bindparam("moment"))
)
_OF_TOKEN = (
    select(users, tokens.c.scopes)
    .select_from(users.join(tokens, tokens.c.user == users.c.id))
    .where(tokens.c.digest == bindparam("secret"), tokens.c.expires > bindparam("moment"))
)


def user_of_session(connection: Connection, secret: str) -> Row[Any] | None:
    return connection.execute(_OF_SESSION, {"secret": digest(secret), "moment": time.time()}).first()


def end_session(connection: Connection, secret: str) -> None:
    connection.execute(delete(sessions).where(sessions.c.digest == digest(secret)))


def add_token(
    connection: Connection, user: str, name: str, scopes: list[str], expires: float
) -> tuple[str, str]:
    """A new token: its id and its secret, which is shown once."""
    count = connection.execute(select(func.count()).select_from(tokens).where(tokens.c.user == user)).scalar()
    if (count or 0) >= 100:
        raise Refusal(409, "You have too many tokens", "At most 100 are kept.", "Revoke some.")
    token, secret = new_id(), f"privet_{drawn()}"
    connection.execute(
        insert(tokens).values(
            id=token,
            digest=digest(secret),
            user=user,
            name=name,
            scopes=" ".join(scopes),
            created=now(),
            expires=expires,
        )
    )
    return token, secret


def user_of_token(connection: Connection, secret: str) -> Row[Any] | None:
    return connection.execute(_OF_TOKEN, {"secret": digest(secret), "moment": time.time()}).first()


def tokens_of(connection: Connection, user: str) -> list[Row[Any]]:
    return list(connection.execute(select(tokens).where(tokens.c.user == user).order_by(tokens.c.created)))


def end_token(connection: Connection, user: str, token: str) -> bool:
    done = connection.execute(delete(tokens).where(tokens.c.user == user, tokens.c.id == token))
    return bool(done.rowcount)
