"""What every request passes first: the host's name, the size of its body, and headers that browsers obey."""

from __future__ import annotations

import re

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from privet.server.access import PREFIX
from privet.server.problems import problem
from privet.server.settings import Settings

__all__ = ["CONTENT_POLICY", "Gates"]

CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
)
#: A report is a page of its own, to be saved: its style is inside it, and nothing else is loaded or run.
REPORT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; base-uri 'none'; "
    "form-action 'none'; sandbox"
)
#: Here the route itself reads the body, once it knows who asks, and with a limit of its own.
_READ_LATER = re.compile(
    rf"{PREFIX}/(?:datasets/[^/]+/(?:rows|public)|studies/[^/]+/submissions/[^/]+/[^/]+)\Z"
)
_HEADERS = {
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
    b"permissions-policy": b"camera=(), geolocation=(), microphone=()",
}


class Gates:
    """The outermost layer of the application."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self.hosts = {host.lower() for host in settings.hosts}
        self.body_bytes = settings.limits.body_bytes
        self.secure = settings.secure_cookie

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = self._headers(scope, message["headers"])
            await send(message)

        if _two_lengths(scope):
            unclear = problem(
                400,
                "The request has two lengths",
                "Where it ends is not clear.",
                headers={"Connection": "close"},  # and so is where the next one begins
            )
            await unclear(scope, receive, guarded)
            return
        if not self._known_host(scope):
            refused = problem(
                421,
                "This server is not known by that name",
                "The name in the request is not one that the operator has allowed.",
                "Use the address that the operator gave you.",
            )
            await refused(scope, receive, guarded)
            return
        if not _READ_LATER.match(scope["path"]):
            body = await self._body(receive)
            if body is None:
                large = problem(
                    413, "The request is too large", f"At most {self.body_bytes:,} bytes are taken."
                )
                await large(scope, receive, guarded)
                return
            receive = _again(body, receive)
        await self.app(scope, receive, guarded)

    def _known_host(self, scope: Scope) -> bool:
        named = [value for name, value in scope["headers"] if name == b"host"]
        if len(named) != 1:
            return False
        host = named[0].decode("latin-1").lower()
        if not host.endswith("]"):
            before, colon, port = host.rpartition(":")
            if colon and port.isdecimal():
                host = before
        return host in self.hosts

    async def _body(self, receive: Receive) -> list[Message] | None:
        """The whole body, if it is not too large; a caller who goes away leaves what there is."""
        found: list[Message] = []
        size = 0
        while True:
            message = await receive()
            found.append(message)
            if message["type"] != "http.request":
                return found
            size += len(message.get("body", b""))
            if size > self.body_bytes:
                return None
            if not message.get("more_body", False):
                return found

    def _headers(self, scope: Scope, given: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        there = {name.lower() for name, _ in given}
        more = dict(_HEADERS)
        report = scope["path"].startswith(f"{PREFIX}/releases/") and scope["path"].endswith("/report")
        more[b"content-security-policy"] = (REPORT_POLICY if report else CONTENT_POLICY).encode()
        if scope["path"].startswith("/api/"):
            more[b"cache-control"] = b"no-store"
        if self.secure:
            more[b"strict-transport-security"] = b"max-age=31536000"
        return [*given, *((name, value) for name, value in more.items() if name not in there)]


def _two_lengths(scope: Scope) -> bool:
    """Whether a proxy before this server may take another part of the connection for the request than it."""
    names = [name for name, _ in scope["headers"]]
    return b"transfer-encoding" in names and b"content-length" in names


def _again(body: list[Message], receive: Receive) -> Receive:
    """Hand the messages out again, then whatever else comes (such as that the caller has gone)."""
    left = list(body)

    async def next_one() -> Message:
        if left:
            return left.pop(0)
        return await receive()

    return next_one
