"""Signing in and out, users, and tokens for programs."""

from __future__ import annotations

import time
from typing import Any

from fastapi import APIRouter, Request, Response
from sqlalchemy import Row

from privet import __version__
from privet.server.credentials import check_password, same
from privet.server.guests import COOKIE, Asking, Caller, Serving, missing, own_page
from privet.server.problems import Refusal
from privet.server.settings import WORKBENCH
from privet.server.shapes import NewToken, NewUser, SessionShown, SignIn, TokenMade, TokenShown, UserShown
from privet.server.state import Server
from privet.server.store import audit, people
from privet.server.store.moments import iso

__all__ = ["router"]

router = APIRouter(tags=["people"])
DAY = 86_400.0


def _session(server: Server, caller: Caller) -> SessionShown:
    user = UserShown(id=caller.id, name=caller.name, operator=caller.operator, owner=caller.owner)
    return SessionShown(user=user, mode=server.settings.mode, version=__version__)


@router.get("/session")
def show_session(server: Serving, caller: Asking) -> SessionShown:
    """Who is signed in."""
    return _session(server, caller)


@router.post("/session")
def sign_in(
    request: Request, response: Response, server: Serving, caller: Asking, body: SignIn
) -> SessionShown:
    """Sign in with a name and its password, or with the one-time key that the workbench printed."""
    if "origin" in request.headers or "sec-fetch-site" in request.headers:
        own_page(request)
    row = _who(server, body)
    if row is None:
        raise Refusal(401, "That was not right", "The name, the password or the key is wrong.", "Try again.")
    with server.database.write() as connection:
        secret = people.new_session(connection, row.id, server.settings.limits.session_hours)
        audit.note(connection, row.name, "", "signed in")
    start_session(server, response, secret)
    return _session(server, Caller(row.id, row.name, row.operator, row.owner))


def _who(server: Server, body: SignIn) -> Row[Any] | None:
    """Whose key or password this is. Nobody waits for a connection while a password is checked."""
    name = WORKBENCH if body.key is not None else body.name or ""
    server.logins.step("the key" if body.key is not None else name)
    with server.database.read() as connection:
        row = people.named(connection, name)
    if body.key is not None:
        right = _use_key(server, body.key)
    else:
        right = check_password(None if row is None else row.password, body.password or "")
    return row if right else None


def start_session(server: Server, response: Response, secret: str) -> None:
    response.set_cookie(
        COOKIE,
        secret,
        httponly=True,
        samesite="strict",
        secure=server.settings.secure_cookie,
        path="/",
        max_age=int(server.settings.limits.session_hours * 3600),
    )


def _use_key(server: Server, given: str) -> bool:
    """Whether this is the key; it can be used once."""
    with server.key_lock:
        if server.key_left is None or not same(server.key_left, given):
            return False
        server.key_left = None
        return True


@router.delete("/session", status_code=204)
def sign_out(request: Request, server: Serving, caller: Asking) -> Response:
    """End the session."""
    if secret := request.cookies.get(COOKIE):
        with server.database.write() as connection:
            people.end_session(connection, secret)
    response = Response(status_code=204)
    response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
    return response


@router.get("/users")
def show_users(server: Serving, caller: Asking) -> list[UserShown]:
    """Everybody who has an account here."""
    with server.database.read() as connection:
        found = people.all_users(connection)
    return [UserShown(id=u.id, name=u.name, operator=u.operator, owner=u.owner) for u in found]


@router.post("/users", status_code=201)
def make_user(server: Serving, caller: Asking, body: NewUser) -> UserShown:
    """Make a user. An owner may register data; operators are made on the command line alone."""
    with server.database.write() as connection:
        user = people.add_user(connection, body.name, body.password, owner=body.owner)
        audit.note(connection, caller.name, "", "made a user", name=body.name, owner=body.owner)
    return UserShown(id=user, name=body.name, operator=False, owner=body.owner)


@router.get("/tokens")
def show_tokens(server: Serving, caller: Asking) -> list[TokenShown]:
    """Your tokens, without their secrets."""
    with server.database.read() as connection:
        found = people.tokens_of(connection, caller.id)
    return [
        TokenShown(id=t.id, name=t.name, scopes=t.scopes.split(), created=t.created, expires=iso(t.expires))
        for t in found
    ]


@router.post("/tokens", status_code=201)
def make_token(server: Serving, caller: Asking, body: NewToken) -> TokenMade:
    """Make a token for a program. It is shown now, and never again."""
    moment = time.time()
    expires = moment + 30 * DAY if body.expires is None else body.expires.timestamp()
    if not moment < expires <= moment + 366 * DAY:
        raise Refusal(
            422,
            "A token must end",
            "It ends in the future, within 366 days.",
            "Choose a nearer date.",
            "expires",
        )
    scopes = list(dict.fromkeys(body.scopes))
    with server.database.write() as connection:
        token, secret = people.add_token(connection, caller.id, body.name, [*scopes], expires)
        audit.note(connection, caller.name, "", "made a token", token=token, scopes=scopes)
        [row] = [t for t in people.tokens_of(connection, caller.id) if t.id == token]
    return TokenMade(
        id=token, name=body.name, scopes=[*scopes], created=row.created, expires=iso(expires), token=secret
    )


@router.delete("/tokens/{token}", status_code=204)
def revoke_token(server: Serving, caller: Asking, token: str) -> Response:
    """Revoke one of your tokens."""
    if "\0" in token:
        raise missing()
    with server.database.write() as connection:
        if not people.end_token(connection, caller.id, token):
            raise missing()
        audit.note(connection, caller.name, "", "revoked a token", token=token)
    return Response(status_code=204)
