"""Signing in elsewhere, where the operator has set an OpenID provider."""

from __future__ import annotations

import json
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse
from pydantic import BaseModel

from privet.server.access import PREFIX
from privet.server.credentials import same
from privet.server.guests import Asking, Serving, missing
from privet.server.openid import Visitor, arrive, depart
from privet.server.problems import Refusal
from privet.server.routes.people import start_session
from privet.server.settings import OpenId
from privet.server.state import Server
from privet.server.store import audit, people

__all__ = ["router"]

router = APIRouter(tags=["people"])
JOURNEY = "privet_journey"
Text = Annotated[str, Query(max_length=4000)]


class ProviderShown(BaseModel):
    """Where people can sign in besides; null if nowhere."""

    name: str | None


def _provider(server: Server) -> OpenId:
    if server.settings.openid is None:
        raise missing()
    return server.settings.openid


@router.get("/oidc")
def show_provider(server: Serving, caller: Asking) -> ProviderShown:
    """The OpenID provider of this server, for a button; null if there is none."""
    found = server.settings.openid
    return ProviderShown(name=None if found is None else found.name)


@router.get("/oidc/login", response_class=RedirectResponse, status_code=302)
def leave(server: Serving, caller: Asking) -> RedirectResponse:
    """Go to the provider."""
    provider = _provider(server)
    journey = depart(provider, provider.back(PREFIX))
    answer = RedirectResponse(journey.address, 302)
    kept = json.dumps({"state": journey.state, "nonce": journey.nonce, "verifier": journey.verifier})
    answer.set_cookie(
        JOURNEY,
        kept.encode().hex(),
        httponly=True,
        samesite="lax",  # the provider's page leads back here
        secure=server.settings.secure_cookie,
        path=f"{PREFIX}/oidc",
        max_age=600,
    )
    return answer


@router.get("/oidc/callback", response_class=RedirectResponse, status_code=302)
def come_back(
    request: Request, server: Serving, caller: Asking, code: Text = "", state: Text = ""
) -> RedirectResponse:
    """Come back from the provider, signed in."""
    provider = _provider(server)
    server.logins.step("openid")
    try:
        journey = json.loads(bytes.fromhex(request.cookies.get(JOURNEY, "")))
        known, nonce, verifier = str(journey["state"]), str(journey["nonce"]), str(journey["verifier"])
    except (ValueError, KeyError, TypeError):
        raise Refusal(
            401, "The sign-in did not begin here", "No sign-in was begun.", "Sign in again."
        ) from None
    if not state or not same(known, state):
        raise Refusal(
            401, "The sign-in did not begin here", "The state is a different one.", "Sign in again."
        )
    visitor = arrive(provider, provider.back(PREFIX), code, nonce, verifier)
    try:
        secret = _welcome(server, visitor)
    except Refusal:  # the same person, or the same name, came in at the same moment: now they are known
        secret = _welcome(server, visitor)
    answer = RedirectResponse("/", 302)
    answer.delete_cookie(JOURNEY, path=f"{PREFIX}/oidc")
    start_session(server, answer, secret)
    return answer


def _welcome(server: Server, visitor: Visitor) -> str:
    """A session for the visitor; who is new gets an account that is in no study and owns nothing."""
    with server.database.write() as connection:
        row = people.from_outside(connection, visitor.identity)
        if row is None:
            name, number = visitor.name or "visitor", 1
            while people.named(connection, name) is not None:  # a name is never taken over
                number += 1
                name = f"{visitor.name} {number}"
            people.add_user(connection, name, None, outside=visitor.identity)
            audit.note(connection, name, "", "came from the provider")
            row = people.from_outside(connection, visitor.identity)
        assert row is not None
        audit.note(connection, row.name, "", "signed in")
        return people.new_session(connection, row.id, server.settings.limits.session_hours)
