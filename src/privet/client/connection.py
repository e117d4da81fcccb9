"""Requests to a server: with the token, over TLS or to this machine, repeated only where that is safe.

A GET may be repeated. What spends carries an ``Idempotency-Key`` that is drawn once for a run and kept over
all repetitions, so a request whose answer was lost spends once. Nothing else is ever sent twice.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from privet.client.problems import error_of
from privet.errors import MissingExtra, ParameterError, ServerError

__all__ = ["Connection"]

PREFIX = "/api/v1"
TRIES = 4
_HERE = ("localhost", "127.0.0.1", "::1")


class Connection:
    """One server, asked with one token."""

    def __init__(self, url: str, token: str, *, transport: Any = None, timeout: float = 60.0) -> None:
        try:
            import httpx
        except ImportError:
            raise MissingExtra.of("client", "The client of a server") from None
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ParameterError(
                "This is not the address of a server.", "It looks like  https://privet.example"
            )
        if parts.scheme == "http" and parts.hostname not in _HERE:
            raise ParameterError(
                "The token would travel unencrypted.", "Use https, or http only to this machine."
            )
        if parts.username or parts.password:
            raise ParameterError("An address holds no user and no password.", "Give a token.")
        if not token or not token.isascii() or not token.isprintable():
            raise ParameterError("This is not a token.", "Make one on the server, and give it as it is.")
        self._httpx = httpx
        self.url = f"{parts.scheme}://{parts.netloc}"
        self._http = httpx.Client(
            base_url=self.url,
            headers={"Authorization": f"Bearer {token}", "Accept": "application/json"},
            timeout=timeout,
            transport=transport,
            follow_redirects=False,  # a token is for the one server
        )

    def get(self, path: str, **query: Any) -> Any:
        given = {name: value for name, value in query.items() if value is not None}
        return self._asked("GET", path, repeat=True, params=given).json()

    def text(self, path: str, **query: Any) -> str:
        """The answer as it stands, such as a model's file."""
        return str(self._asked("GET", path, repeat=True, params=query).text)

    def post(self, path: str, body: Any = None, *, key: str | None = None) -> Any:
        headers = {} if key is None else {"Idempotency-Key": key}
        answer = self._asked("POST", path, repeat=key is not None, json=body, headers=headers)
        return answer.json() if answer.content else None

    def put(self, path: str, body: Any) -> Any:
        """Let something stand: the same again does nothing, so it may be repeated."""
        return self._asked("PUT", path, repeat=True, json=body).json()

    def events(self, path: str) -> Iterator[dict[str, Any]]:
        """Server-sent events, until the server ends them. Ends early if the connection breaks."""
        try:
            with self._http.stream("GET", PREFIX + path, timeout=None) as answer:
                if answer.status_code != 200:
                    return
                for line in answer.iter_lines():
                    if line.startswith("data:"):
                        yield json.loads(line[5:])
        except (self._httpx.HTTPError, ValueError):
            return

    def _asked(self, method: str, path: str, *, repeat: bool, **more: Any) -> Any:
        for tried in range(1, TRIES + 1):
            try:
                answer = self._http.request(method, PREFIX + path, **more)
            except self._httpx.HTTPError as error:
                if repeat and tried < TRIES:
                    time.sleep(0.1 * 2**tried)
                    continue
                unsure = "" if method == "GET" else " Whether it took the request is not known."
                raise ServerError(
                    f"The server at {self.url} does not answer ({type(error).__name__}).{unsure}",
                    "Check the address and that the server runs; your runs are listed there.",
                ) from None
            if answer.status_code in (502, 503, 504) and repeat and tried < TRIES:
                time.sleep(0.1 * 2**tried)
                continue
            if answer.status_code >= 300:
                raise error_of(answer.status_code, _json(answer))
            return answer
        raise AssertionError("unreachable")

    def close(self) -> None:
        self._http.close()


def _json(answer: Any) -> Any:
    try:
        return answer.json()
    except ValueError:
        return None
