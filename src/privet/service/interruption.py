"""Interruptions of a stream, which wait until the rows that are being written are out."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["between_writes"]


@contextmanager
def between_writes(work: Any) -> Iterator[None]:
    """Let an interruption of a filter wait for the end of what it is writing; a second one does not wait."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    waiting: list[int] = []

    def interrupt(number: int, frame: Any) -> None:
        if not work.busy or waiting:  # asked twice: the reader of our output does not read
            raise KeyboardInterrupt
        waiting.append(number)

    before = {number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM)}
    work.pending = waiting
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
