"""Blocks one after the other, each in a copy of this process that is closed and then runs the function.

A lane is a process that has loaded what the function needs and has never seen a record. For each block it is
handed a socket, copies itself, and forgets the socket: the block goes from the curator straight to the copy.
So every copy starts from a memory that tells how many blocks were before it in this lane, which is public,
and nothing about them: what they held, whether they failed, how long they took, which numbers their processes
had.

A lane keeps to one processor, whose number a process can always read. Blocks are dealt to lanes by their
place.

Messages, of one byte each: ``R`` (and a socket): copy yourself, answer ``+``; ``K``: the block is over, end
what is left of it; ``A``: answer ``+``, to show that the lane lives. The end of the messages is the end of
the lane.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from privet.isolation.closing import DATA, Closing
from privet.isolation.kernel import PROCESSOR, fork_unseen
from privet.isolation.parcel import unpack

__all__ = ["Work", "copy", "end", "read_all", "serve"]


@dataclass(frozen=True)
class Work:
    """What a copy does: the packed function, and how its answer must look."""

    parcel: bytes
    outputs: int
    as_pandas: bool
    closing: Closing
    closed: bool  # whether a filter is in force, so that a copy can make no process and none need be ended

    def answer(self, content: bytes) -> bytes:
        """Close this process, load the function and run it on the block."""
        self.closing.close()
        table = _table(content, self.as_pandas)
        return b"" if table is None else self.encoded(unpack(self.parcel)(table))

    def encoded(self, result: Any) -> bytes:
        import numpy

        numbers = numpy.asarray(result, dtype=numpy.float64)
        if numbers.size != self.outputs:
            raise ValueError(f"it returned {numbers.size} numbers, and {self.outputs} are declared")
        encoded: bytes = numbers.astype("<f8").tobytes()
        return encoded


def serve(control: socket.socket, place: int, work: Work) -> None:
    """Do this lane's blocks. Never returns."""
    try:
        if hasattr(os, "sched_setaffinity"):
            processors = sorted(os.sched_getaffinity(0))
            os.sched_setaffinity(0, {processors[place % len(processors)]})
        if work.closed:
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel clears copies away
        child = None
        while True:
            message, descriptors, _, _ = socket.recv_fds(control, 1, 1)
            if message == b"R":
                child = copy(descriptors[0], work.answer, unseen=work.closed)
                os.close(descriptors[0])
                control.sendall(b"+")
            elif message == b"K":
                end(child)
                child = None
            elif message == b"A":
                control.sendall(b"+")
            else:
                end(child)
                break
    finally:
        os._exit(0)


def copy(data: int, answer: Callable[[bytes], bytes], *, unseen: bool) -> int | None:
    """Copy this process; the copy reads from the socket to its end, writes its answer there, and ends.

    The copy's number, unless it is to be ``unseen``.
    """
    child = None
    if unseen and PROCESSOR is not None:
        copied = fork_unseen(PROCESSOR)
    else:
        child = os.fork()
        copied = child == 0
    if not copied:
        if child is not None:
            with contextlib.suppress(OSError):
                os.setpgid(child, child)  # by both, so that it is done before either goes on
        return child
    try:
        if not unseen:
            os.setpgid(0, 0)
        Closing.keep_only(data)
        if "random" in sys.modules:
            sys.modules["random"].seed()
        left = memoryview(answer(read_all(DATA)))
        while left:
            left = left[os.write(DATA, left) :]
    finally:  # whatever happened, nothing of it gets out, and no handler of the lane's runs here
        os._exit(0)


def end(child: int | None) -> None:
    """End a copy and all that it started. It is not reaped before, so its number is still its own."""
    if child is not None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError, ChildProcessError):
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def read_all(descriptor: int, most: int | None = None) -> bytes:
    """All there is to read, or the first so many bytes."""
    parts = bytearray()
    while (most is None or len(parts) < most) and (part := os.read(descriptor, 1 << 20)):
        parts += part
    return bytes(parts)


def _table(content: bytes, as_pandas: bool) -> Any:
    """The block; None if it has no record."""
    import pyarrow as pa

    options = pa.ipc.IpcReadOptions(use_threads=False)
    with pa.ipc.open_stream(pa.py_buffer(content), options=options) as reader:
        table = reader.read_all()
    if not table.num_rows:
        return None
    return table.to_pandas(use_threads=False) if as_pandas else table
