"""Signing in with an OpenID provider: a small real one, which tells the truth or lies as a test wants."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from joserfc import jwt
from joserfc.jwk import RSAKey

from privet.server.settings import OpenId
from tests.server.house import Caller, House, house


def new_key() -> Any:
    return RSAKey.generate_key(2048, {"kid": "one", "use": "sig"})


class Provider:
    """An OpenID provider on loopback. ``lie`` changes the claims of the tokens that it signs."""

    def __init__(self) -> None:
        self.key = new_key()
        self.signing = self.key
        self.codes: dict[str, dict[str, str]] = {}
        self.lie: dict[str, Any] = {}
        self.who = "ann"
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.issuer = f"http://127.0.0.1:{self.http.server_address[1]}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def token(self, claims: dict[str, Any]) -> str:
        """The claims, signed as a provider should: unless ``signing`` is another one's key."""
        return jwt.encode({"alg": "RS256", "kid": "one"}, claims, self.signing)

    def _handler(provider: Provider) -> type[BaseHTTPRequestHandler]:
        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: Any) -> None: ...

            def answer(self, status: int, body: Any) -> None:
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.end_headers()
                self.wfile.write(json.dumps(body).encode())

            def do_GET(self) -> None:
                place = urlsplit(self.path)
                if place.path.endswith("openid-configuration"):
                    at = provider.issuer
                    doors = {
                        "authorization_endpoint": "authorize",
                        "token_endpoint": "token",
                        "jwks_uri": "keys",
                    }
                    doors = {name: f"{at}/{door}" for name, door in doors.items()}
                    self.answer(200, {"issuer": at} | doors)
                elif place.path == "/keys":
                    self.answer(200, {"keys": [provider.key.as_dict(private=False)]})
                else:  # the person agrees
                    asked = {name: values[0] for name, values in parse_qs(place.query).items()}
                    code = secrets.token_urlsafe(8)
                    provider.codes[code] = asked
                    self.send_response(302)
                    back = f"{asked['redirect_uri']}?code={code}&state={asked['state']}"
                    self.send_header("Location", back)
                    self.end_headers()

            def do_POST(self) -> None:
                size = int(self.headers["Content-Length"])
                form = {name: values[0] for name, values in parse_qs(self.rfile.read(size).decode()).items()}
                asked = provider.codes.pop(form.get("code", ""), None)
                proof = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
                challenge = base64.urlsafe_b64encode(proof).rstrip(b"=").decode()
                basic = base64.b64encode(b"privet:the secret").decode()
                right = asked is not None and asked["code_challenge"] == challenge
                if not right or self.headers.get("Authorization") != f"Basic {basic}":
                    self.answer(400, {"error": "invalid_grant"})
                    return
                assert asked is not None
                claims = {
                    "iss": provider.issuer,
                    "aud": "privet",
                    "sub": f"sub-{provider.who}",
                    "preferred_username": provider.who,
                    "nonce": asked["nonce"],
                    "iat": int(time.time()),
                    "exp": int(time.time()) + 300,
                } | provider.lie
                self.answer(200, {"id_token": provider.token(claims)})

        return Handler


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    found = Provider()
    yield found
    found.http.shutdown()
    found.http.server_close()


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory, provider: Provider) -> Iterator[House]:
    given = OpenId(provider.issuer, "privet", "the secret", "http://localhost", "the clinic")
    with house(tmp_path_factory.mktemp("openid"), openid=given, workers=0) as found:
        yield found


def journey(found: House) -> Any:
    """From the button to the provider and back: the answer to the return, and its cookies."""
    found.client.cookies.clear()
    left = found.client.get("/api/v1/oidc/login", follow_redirects=False)
    assert left.status_code == 302
    agreed = httpx.get(left.headers["location"])
    back = urlsplit(agreed.headers["location"])
    return found.client.get(f"{back.path}?{back.query}", follow_redirects=False)


def test_whoever_the_provider_knows_is_signed_in_and_owns_nothing(signed: House, provider: Provider):
    assert signed.nobody.get("/oidc") == {"name": "the clinic"}
    provider.who, provider.lie = "ann", {}
    back = journey(signed)
    assert (back.status_code, back.headers["location"]) == (302, "/")
    ann = Caller(signed.client, "ann", cookie=back.cookies["privet_session"])
    user = ann.get("/session")["user"]
    assert (user["name"], user["owner"], user["operator"]) == ("ann", False, False)
    again = Caller(signed.client, "ann", cookie=journey(signed).cookies["privet_session"])
    assert again.get("/session")["user"]["id"] == user["id"]
    assert ann.get("/studies") == []
    # Who calls themselves as somebody here is somebody else.
    provider.who = "owner"
    taken = Caller(signed.client, "x", cookie=journey(signed).cookies["privet_session"])
    assert taken.get("/session")["user"]["name"] == "owner 2"


@pytest.mark.parametrize(
    "lie",
    [
        {"nonce": "another"},
        {"aud": "another client"},
        {"iss": "http://evil.example"},
        {"exp": 1_000_000_000},
        {"sub": None},
        {"sub": ["ann"]},
        {"nbf": 10_000_000_000},
    ],
)
def test_a_token_that_is_not_meant_for_this_server_is_refused(
    signed: House, provider: Provider, lie: dict[str, Any]
):
    provider.who, provider.lie = "eve", lie
    answer = journey(signed)
    assert answer.status_code == 401
    assert "privet_session" not in answer.cookies


def test_a_token_that_somebody_else_signed_is_refused(signed: House, provider: Provider):
    provider.lie = {}
    provider.signing = new_key()
    assert journey(signed).status_code == 401
    provider.signing = provider.key


@pytest.mark.parametrize("how", ["unsigned", "with the public key as a secret", "no token"])
def test_a_token_with_a_signature_that_anybody_can_make_is_refused(
    signed: House, provider: Provider, how: str, monkeypatch: pytest.MonkeyPatch
):
    provider.lie = {}
    public = provider.key.as_pem(private=False)

    def token(claims: dict[str, Any]) -> Any:
        if how == "no token":
            return {"alg": "RS256"}
        head = {"alg": "none" if how == "unsigned" else "HS256", "kid": "one"}
        text = b".".join(
            base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=") for part in (head, claims)
        )
        made = b"" if how == "unsigned" else hmac.digest(public, text, "sha256")
        return b".".join((text, base64.urlsafe_b64encode(made).rstrip(b"="))).decode()

    monkeypatch.setattr(provider, "token", token)
    assert journey(signed).status_code == 401


def test_only_whoever_set_out_from_here_comes_back(signed: House, provider: Provider):
    provider.who, provider.lie = "ann", {}
    signed.client.cookies.clear()
    left = signed.client.get("/api/v1/oidc/login", follow_redirects=False)
    back = urlsplit(httpx.get(left.headers["location"]).headers["location"])
    signed.client.cookies.clear()  # another browser
    assert signed.client.get(f"{back.path}?{back.query}", follow_redirects=False).status_code == 401
    signed.client.get("/api/v1/oidc/login", follow_redirects=False)
    assert signed.client.get(f"{back.path}?{back.query}", follow_redirects=False).status_code == 401
    assert signed.client.get("/api/v1/oidc/callback?code=x&state=", follow_redirects=False).status_code == 401


def test_without_a_provider_there_is_no_such_door(home: House):
    assert home.nobody.get("/oidc") == {"name": None}
    assert home.client.get("/api/v1/oidc/login", follow_redirects=False).status_code == 404


def test_a_provider_that_is_away_says_so(tmp_path: Path):
    given = OpenId("http://127.0.0.1:1", "privet", "x", "http://localhost")
    with house(tmp_path, openid=given, workers=0) as found:
        assert found.client.get("/api/v1/oidc/login", follow_redirects=False).status_code == 502
