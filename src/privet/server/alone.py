"""One at a time: what an owner does with a dataset before and while it is opened.

An account is opened for the very table that was compared with its schema. A table or a schema that changed in
the middle of that would be another one. The lock is the operating system's, on a file of the server's folder,
which all of its processes share: it ends with whoever holds it.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from privet.server.problems import Refusal
from privet.server.state import Server

__all__ = ["alone"]

#: Seconds that a request waits for another about the same dataset.
PATIENCE = 10.0


@contextmanager
def alone(server: Server, dataset: str) -> Iterator[None]:
    """Be the only one who changes this dataset; refused if somebody else takes long."""
    folder = server.settings.home / "locks"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle = os.open(folder / dataset, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        end = time.monotonic() + PATIENCE
        while not _held(handle):
            if time.monotonic() > end:
                raise Refusal(
                    409,
                    "Somebody is at work on this dataset",
                    "It is being opened or changed by another request.",
                    "Wait until that is done, and look at it again.",
                )
            time.sleep(0.05)
        yield
    finally:
        os.close(handle)


def _held(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
