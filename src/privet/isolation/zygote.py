"""The process that all lanes are copies of: it loads what the function needs, and never the function itself.

Started by ``cell`` before a row is read, in an empty environment. It loads installed modules, tries what a
cell that it closes can still do, and rehearses the function on made-up records in such a cell. Then it
answers, in JSON: whether it has ``loaded``, what it found ``open``, and which ``error`` the rehearsal ended
in. For each socket that it is handed after that it copies itself into a lane.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import signal
import socket
import struct
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from privet.isolation.closing import Closing  # it cannot be imported on every system

__all__ = ["LENGTH", "exactly", "main"]

LENGTH = struct.Struct("!Q")


def main(descriptor: int) -> None:
    from privet.isolation.closing import DOORS, Closing
    from privet.isolation.lane import Work, serve
    from privet.isolation.rehearsal import rehearse

    control = socket.socket(fileno=descriptor)
    settings, parcel, block = json.loads(_read(control)), _read(control), _read(control)
    sys.path[:] = settings["path"]
    try:
        _load(settings["modules"], settings["pandas"])
        limits = settings["memory"], settings["seconds"]
        closing = Closing(*limits, filtered=settings["filtered"])
        if (left_open := _left_open(closing)) is None:  # on this system, closing a cell breaks it
            closing = Closing(*limits, filtered=False)
            left_open = list(DOORS)
        closed = not {"files", "network", "processes"} & set(left_open)
        work = Work(parcel, settings["outputs"], settings["pandas"], closing, closed)
        error = rehearse(work, block) if block else None
    except BaseException:
        reply: dict[str, object] = {"loaded": False}
    else:
        if error is not None and not closed:
            error = "the reason is not shown, since the function could have read it elsewhere"
        reply = {"loaded": True, "open": left_open, "error": error}
    answer = json.dumps(reply).encode()
    control.sendall(LENGTH.pack(len(answer)) + answer)
    gc.collect()
    gc.freeze()  # copies share what is loaded, as long as nobody looks through it for garbage
    lanes: list[int] = []
    while True:
        message, descriptors, _, _ = socket.recv_fds(control, 1, 1)
        if not message:
            break
        lane = os.fork()
        if lane == 0:
            control.close()
            serve(socket.socket(fileno=descriptors[0]), settings["first"] + len(lanes), work)
        os.close(descriptors[0])
        lanes.append(lane)
    for lane in lanes:
        with contextlib.suppress(ProcessLookupError, ChildProcessError):
            os.kill(lane, signal.SIGKILL)
            os.waitpid(lane, 0)


def _load(modules: list[str], as_pandas: bool) -> None:
    import pyarrow as pa
    import pyarrow.ipc

    if as_pandas:
        import pandas  # noqa: F401
    for module in ("pandas", "numpy", *modules):  # Arrow loads pandas for many things, if it is there
        with contextlib.suppress(Exception):  # one that is missing is the function's own affair
            importlib.import_module(module)
    pa.set_cpu_count(1)
    if as_pandas:  # much is loaded when it is first done
        words = pa.array(["a"]).dictionary_encode()
        pa.table({"number": [1.0], "word": words}).to_pandas(use_threads=False)


def _left_open(closing: Closing) -> list[str] | None:
    """What a cell that was closed here can still do, found by Privet's code; None if it gave no answer."""
    from privet.isolation.closing import found_open
    from privet.isolation.lane import copy, end, read_all

    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            child = copy(
                theirs.fileno(), lambda _: json.dumps(found_open(closing.close())).encode(), unseen=False
            )
        ours.shutdown(socket.SHUT_WR)
        answer = read_all(ours.fileno())
        end(child)
    found: list[str] | None = json.loads(answer) if answer else None
    return found


def _read(control: socket.socket) -> bytes:
    return exactly(control, LENGTH.unpack(exactly(control, LENGTH.size))[0])


def exactly(control: socket.socket, size: int) -> bytes:
    """That many bytes, or fewer at the end."""
    parts = bytearray()
    while len(parts) < size and (part := control.recv(min(size - len(parts), 1 << 20))):
        parts += part
    return bytes(parts)
