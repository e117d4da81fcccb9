"""Bytes as a hostile client or a careless proxy sends them, to a real server on a real socket."""

from __future__ import annotations

import re
import socket
from contextlib import suppress
from urllib.parse import urlsplit

import pytest

SECOND = b"GET /api/v1/oidc HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


def sent(url: str, raw: bytes, *, going_away: bool = False) -> bytes:
    """All that comes back until the server closes the connection."""
    address, found = urlsplit(url), b""
    with (
        socket.create_connection((address.hostname, address.port), timeout=600) as connection,
        suppress(ConnectionResetError),
    ):
        connection.sendall(raw)
        if going_away:
            connection.shutdown(socket.SHUT_WR)
        while part := connection.recv(65_536):
            found += part
    return found


def answers(found: bytes) -> list[int]:
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d{3}) ", found)]


@pytest.mark.parametrize(
    "lines",
    [
        [b"Content-Length: 2", b"Transfer-Encoding: chunked"],
        [b"Transfer-Encoding: chunked", b"Content-Length: 45"],
        [b"Content-Length: 2", b"Content-Length: 60"],
        [b"Content-Length: +2"],
        [b"Content-Length: 2, 60"],
        [b"Content-Length : 2"],
        [b"Transfer-Encoding: xchunked"],
        [b"Transfer-Encoding: chunked, identity"],
        [b"Transfer-Encoding : chunked"],
        [b"X: y\r\n Transfer-Encoding: chunked", b"Content-Length : 2"],
    ],
)
def test_a_request_whose_end_is_not_clear_is_refused_and_hides_no_other(live, lines: list[bytes]):
    """Else a proxy takes the hidden one for a part of the first, and its answer for another's."""
    head = b"POST /api/v1/session HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    found = sent(live.url, head + b"".join(line + b"\r\n" for line in lines) + b"\r\n0\r\n\r\n" + SECOND)
    assert answers(found) == [400]


LAST = b"Host: localhost\r\nConnection: close\r\n"
ELSEWHERE = b"Host: evil.example\r\nConnection: close\r\n"


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        (b"GET /api/v1/oidc HTTP/1.1\r\n" + LAST + b"Host: evil.example\r\n\r\n", 400),
        (b"GET /api/v1/oidc HTTP/1.1\r\n\r\n", 400),
        (b"GET http://evil.example/api/v1/oidc HTTP/1.1\r\n" + ELSEWHERE + b"\r\n", 421),
        (b"GET /api/v1/oidc HTTP/1.1\r\n" + LAST + b"X: a\x00b\r\n\r\n", 400),
        (b"GET /api/v1/session HTTP/1.1\r\n" + LAST + b"X-Original-URL: /api/v1/oidc\r\n\r\n", 401),
        (b"GET /api/v1/oidc\r\n\r\n", 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400),  # TLS to where there is none
    ],
)
def test_odd_requests_get_a_plain_answer(live, raw: bytes, status: int):
    assert answers(sent(live.url, raw)) == [status]


def test_a_header_without_end_is_not_kept_in_memory(live):
    raw = b"GET /api/v1/oidc HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 10_000_000
    assert answers(sent(live.url, raw)) in ([400], [])  # a client that is still sending may hear no more


def test_a_socket_of_the_web_is_no_way_past_the_gates(live):
    upgrade = b"Connection: Upgrade, close\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n"
    for host, status in ((b"localhost", 401), (b"evil.example", 421)):
        raw = b"GET /api/v1/runs HTTP/1.1\r\nHost: " + host + b"\r\nSec-WebSocket-Key: AAAA\r\n" + upgrade
        assert answers(sent(live.url, raw)) == [status]


def test_who_sends_half_and_goes_away_leaves_nothing(live):
    owner = live.house.owner
    before = owner.get("/studies")
    head = b"POST /api/v1/studies HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + live.owner.encode()
    raw = head + b'\r\nContent-Type: application/json\r\nContent-Length: 400\r\n\r\n{"name": "half"}'
    sent(live.url, raw, going_away=True)
    assert owner.get("/studies") == before
