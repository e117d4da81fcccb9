"""Who is asking, and whether they may: a session's cookie or a token, checked against the table of access.

Who somebody is never comes from a header that they could have written themselves. Requests with a cookie that
change something must come from a page of this server (Origin, or what the browser says in Sec-Fetch-Site).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import urlsplit

from fastapi import Depends, Query, Request

from privet.server.access import ACCESS, PREFIX, Rule
from privet.server.problems import Refusal
from privet.server.state import Server
from privet.server.store import datasets, experiments, people, runs, studies

__all__ = [
    "COOKIE",
    "Asking",
    "Caller",
    "DatasetId",
    "Serving",
    "asking",
    "own_page",
    "permitted",
    "serving",
    "within",
]

COOKIE = "privet_session"
_SAFE = ("GET", "HEAD", "OPTIONS")
_ID = re.compile(r"[A-Za-z0-9_-]{1,80}\Z")


@dataclass(frozen=True)
class Caller:
    """A signed-in person. ``scopes`` are those of their token; None for a person at a browser."""

    id: str
    name: str
    operator: bool
    owner: bool
    scopes: frozenset[str] | None = None


def serving(request: Request) -> Server:
    server: Server = request.app.state.server
    return server


async def _serving(request: Request) -> Server:
    return serving(request)  # at once: a function that may wait would be sent to another thread


Serving = Annotated[Server, Depends(_serving)]
DatasetId = Annotated[str | None, Query(max_length=80, pattern=r"^[A-Za-z0-9_-]+$")]


def rule_of(request: Request) -> Rule:
    path = str(request.scope["route"].path)
    return ACCESS[request.method, path.removeprefix(PREFIX)]


def asking(request: Request) -> Caller:
    """The caller, if the table lets them use this route; nobody in particular where anybody may."""
    server, rule = serving(request), rule_of(request)
    if rule.who == "anybody":
        if request.method not in _SAFE and COOKIE in request.cookies:
            own_page(request)
        return Caller("", "", False, False, frozenset())
    caller = _caller(server, request)
    if caller.scopes is not None and (rule.scope is None or rule.scope not in caller.scopes):
        needed = "a person at a browser" if rule.scope is None else f"the scope '{rule.scope}'"
        raise Refusal(403, "The token does not allow this", f"This needs {needed}.", "Use another token.")
    if not _allowed(server, rule, caller):
        raise Refusal(403, "You may not do this", "Your account does not allow it.", "Ask the operator.")
    if rule.who == "role" and (study := _study_of(server, request)) is not None:
        within(request, caller, study)
    return caller


Asking = Annotated[Caller, Depends(asking)]


def within(request: Request, caller: Caller, study: str | None) -> str:
    """The caller's role in a study, if it allows this route. To strangers the study does not exist."""
    role = None
    if study is not None:
        with serving(request).database.read() as connection:
            role = studies.role_of(connection, study, caller.id)
    return permitted(request, role)


def permitted(request: Request, role: str | None) -> str:
    """This role, if it allows this route."""
    rule = rule_of(request)
    if role is None:
        raise missing()
    if role not in rule.roles:
        able = " or ".join(sorted(rule.roles))
        raise Refusal(
            403, "Your role does not allow this", f"This is for the study's {able}.", "Ask its owner."
        )
    return role


def missing() -> Refusal:
    return Refusal(404, "There is no such thing", "It does not exist, or not for you.", "Check the address.")


def _allowed(server: Server, rule: Rule, caller: Caller) -> bool:
    if rule.who == "owner":
        return caller.owner
    if rule.who == "owner or operator":
        return caller.owner or caller.operator
    if rule.who == "overseer":
        if caller.operator:
            return True
        with server.database.read() as connection:
            return bool(studies.with_role(connection, caller.id, ("owner", "auditor")))
    return True


def _study_of(server: Server, request: Request) -> str | None:
    """The study that the address is about; None if the body says that: then the route asks ``within``."""
    kinds: dict[str, Any] = {
        "study": lambda connection, name: name,
        "dataset": datasets.study_of,
        "plan": runs.study_of_plan,
        "run": runs.study_of_run,
        "release": runs.study_of_release,
        "experiment": experiments.study_of,
    }
    for kind, finder in kinds.items():
        if kind in request.path_params:
            name = str(request.path_params[kind])
            if not _ID.match(name):
                raise missing()
            with server.database.read() as connection:
                found: str | None = finder(connection, name)
            if found is None:
                raise missing()
            return found
    return None


def _caller(server: Server, request: Request) -> Caller:
    authorization = request.headers.get("authorization")
    if authorization is not None:
        scheme, _, secret = authorization.partition(" ")
        with server.database.read() as connection:
            row = people.user_of_token(connection, secret.strip()) if scheme.lower() == "bearer" else None
        if row is None:
            raise Refusal(
                401, "The token is not valid", "It is unknown, revoked or expired.", "Make a new one."
            )
        return Caller(row.id, row.name, row.operator, row.owner, frozenset(row.scopes.split()))
    if cookie := request.cookies.get(COOKIE):
        with server.database.read() as connection:
            row = people.user_of_session(connection, cookie)
        if row is not None:
            if request.method not in _SAFE:
                own_page(request)
            return Caller(row.id, row.name, row.operator, row.owner)
    raise Refusal(401, "Nobody is signed in", "Your session has ended, or never began.", "Sign in.")


def own_page(request: Request) -> None:
    """Refuse a request that another site's page has made with this browser's cookie."""
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    same = origin is not None and urlsplit(origin).netloc == request.headers.get("host")
    if (
        (origin is not None and not same)
        or site not in (None, "same-origin", "none")
        or (origin is None and site is None)
    ):
        raise Refusal(
            403,
            "The request did not come from a page of this server",
            "Another site may have made it in your name.",
            "Open the workbench itself; programs use a token.",
        )
