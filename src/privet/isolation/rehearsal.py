"""A function tried on made-up records, in a cell like those of the blocks, before a row is read.

It shows whether the function can be loaded at all, fails, or returns what was declared. It also shows which
modules the function loads while it runs: these cannot be found once a cell is closed, so they are loaded
beforehand, and the rehearsal is repeated until nothing is missing. Only installed modules are.

What comes back is a text of anybody's making, but made by a closed cell that has never seen a record.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import re
import socket
import sys
from typing import Any

from privet.isolation.lane import Work, copy, end, read_all

__all__ = ["rehearse"]

_LARGEST = 1 << 20
_ROUNDS = 20
_NAME = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")


def rehearse(work: Work, block: bytes) -> str | None:
    """What went wrong with the made-up block; None if nothing did."""
    tried: set[str] = set()
    for _ in range(_ROUNDS):
        error, wanted = _once(work, block)
        # A cell that is not closed finds modules itself, and what it wants may not be public.
        fresh = wanted - tried if work.closed else set()
        tried |= fresh
        for name in sorted(fresh):
            with contextlib.suppress(BaseException):  # one that is missing is the function's own affair
                importlib.import_module(name)
        if not fresh:
            break
    return error


def _once(work: Work, block: bytes) -> tuple[str | None, set[str]]:
    def tried(content: bytes) -> bytes:
        noted = _Noted()
        sys.meta_path.insert(0, noted)
        error = None
        try:
            work.answer(content)
        except BaseException as raised:
            error = f"{type(raised).__name__}: {raised}"[:500]
        return json.dumps({"error": error, "wanted": sorted(noted.names)}).encode()

    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            child = copy(theirs.fileno(), tried, unseen=False)
        ours.sendall(block)
        ours.shutdown(socket.SHUT_WR)
        answer = read_all(ours.fileno(), _LARGEST)
        end(child)
    try:
        found = json.loads(answer)
        names = {name for name in found["wanted"] if _NAME.fullmatch(name)}
        return (None if found["error"] is None else str(found["error"])), names
    except (ValueError, LookupError, TypeError):
        return "it ended without an answer (too much memory or time, or a crash)", set()


class _Noted:
    """Notes which modules are looked for, and finds none."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        self.names.add(name)
