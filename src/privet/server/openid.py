"""Signing in with an OpenID provider: the code flow with PKCE, and an ID token that is checked throughout.

The provider's addresses come from the operator's configuration and from the provider, never from a caller.
What a person brings back counts only with the state that this server drew for their browser.
"""

from __future__ import annotations

import base64
import hashlib
import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import httpx

from privet.server.credentials import drawn
from privet.server.problems import Refusal
from privet.server.settings import OpenId

__all__ = ["Departure", "Visitor", "arrive", "depart"]

_SECONDS = 10.0
_LEEWAY = 60
ALGORITHMS = ["RS256", "ES256", "PS256"]


@dataclass(frozen=True)
class Departure:
    """Where a browser is sent, and the secrets that it must bring back (kept in a cookie of its own)."""

    address: str
    state: str
    nonce: str
    verifier: str


@dataclass(frozen=True)
class Visitor:
    """Who the provider says it is: an identity that never changes, and a name to show."""

    identity: str
    name: str


def _described(provider: OpenId) -> dict[str, Any]:
    """The provider's own description of itself."""
    place = provider.issuer.rstrip("/") + "/.well-known/openid-configuration"
    try:
        answer = httpx.get(place, timeout=_SECONDS)
        answer.raise_for_status()
        found: dict[str, Any] = answer.json()
    except (httpx.HTTPError, ValueError):
        raise _away() from None
    if found.get("issuer") != provider.issuer:
        raise _away()
    return found


def _away() -> Refusal:
    return Refusal(502, "The provider does not answer", "Nobody can sign in there now.", "Try again later.")


def _wrong() -> Refusal:
    return Refusal(401, "That was not right", "The provider's answer cannot be trusted.", "Sign in again.")


def depart(provider: OpenId, back: str) -> Departure:
    """Send somebody to the provider; ``back`` is the address of this server that they return to."""
    found = _described(provider)
    state, nonce, verifier = drawn(), drawn(), drawn()
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    query = urlencode(
        {
            "response_type": "code",
            "client_id": provider.client,
            "redirect_uri": back,
            "scope": "openid profile",
            "state": state,
            "nonce": nonce,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
    )
    return Departure(f"{found['authorization_endpoint']}?{query}", state, nonce, verifier)


def arrive(provider: OpenId, back: str, code: str, nonce: str, verifier: str) -> Visitor:
    """Exchange the code for an ID token, and check its signature, issuer, audience, time and nonce."""
    from joserfc import jwt
    from joserfc.errors import JoseError
    from joserfc.jwk import KeySet

    found = _described(provider)
    form = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": back,
        "client_id": provider.client,
        "code_verifier": verifier,
    }
    try:
        with httpx.Client(timeout=_SECONDS) as client:
            answer = client.post(found["token_endpoint"], data=form, auth=(provider.client, provider.secret))
            if answer.status_code != 200:
                raise _wrong()
            token = answer.json()["id_token"]
            keys = KeySet.import_key_set(client.get(found["jwks_uri"]).json())
    except httpx.HTTPError:
        raise _away() from None
    except (JoseError, KeyError, TypeError, ValueError):
        raise _wrong() from None
    required = jwt.JWTClaimsRegistry(
        now=int(time.time()),
        leeway=_LEEWAY,
        iss={"essential": True, "value": provider.issuer},
        aud={"essential": True, "value": provider.client},
        sub={"essential": True},
        exp={"essential": True},
        nonce={"essential": True, "value": nonce},
    )
    try:
        claims = jwt.decode(token, keys, ALGORITHMS).claims
        required.validate(claims)
    except (JoseError, ValueError, TypeError, KeyError):
        raise _wrong() from None
    if not isinstance(claims["sub"], str):  # not every version of the library looks
        raise _wrong()
    name = str(claims.get("preferred_username") or claims.get("name") or claims["sub"])
    # Without blanks at its ends, which nobody would see: "ann " is not to be taken for ann.
    shown = " ".join("".join(c for c in name if c.isprintable()).split())[:150]
    return Visitor(f"{provider.issuer} {claims['sub']}", shown)
