"""The process that runs a user's function on one block each time, in a child that dies with it.

Run as a script, by ``isolation``, before a row is read: it loads the function once, and then forks a child
for each block. The block goes from the curator straight to the child, through a socket that this process
only passes on, so a child can see its own block and nothing of another: no global that an earlier call left
behind, no memory of the curator. What comes back is a fixed number of floats, never an object to unpickle.

Messages, of 9 bytes each: ``R`` (and a socket): fork, answer with the child's id; ``K`` and an id: kill the
child and all that it started; ``A``: answer, to show that this process lives. The end of the messages is the
end of this process and of all children.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import pickle
import signal
import socket
import struct
import sys
from collections.abc import Callable
from typing import Any

MESSAGE = struct.Struct("!cQ")
LENGTH = struct.Struct("!Q")


def main(descriptor: int) -> None:
    import resource  # not on every system, and this file's messages are read on all

    control = socket.socket(fileno=descriptor)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a crash must not leave a block on the disk
    settings = json.loads(_read(control))
    sys.path[:] = settings["path"]
    try:
        import numpy
        import pyarrow.ipc  # noqa: F401  (loaded once, here, and not in every child)

        if settings["pandas"]:
            import pandas  # noqa: F401
        for module in ("pandas", *settings["modules"]):  # Arrow loads pandas for many things, if it is there
            with contextlib.suppress(Exception):  # one that is missing is the function's own affair
                importlib.import_module(module)
        function = pickle.loads(_read(control))
    except BaseException:
        control.sendall(b"\0")
        return
    control.sendall(b"\1")
    children: set[int] = set()
    while len(message := _exactly(control, MESSAGE.size)) == MESSAGE.size:
        request, number = MESSAGE.unpack(message)
        if request == b"K":
            _end(number)
            children.discard(number)
            continue
        if request == b"A":
            control.sendall(LENGTH.pack(0))
            continue
        _, (data, *_), _, _ = socket.recv_fds(control, 1, 1)
        child = os.fork()
        if child == 0:
            control.close()
            os.setpgid(0, 0)
            _child(data, function, settings["outputs"], settings["pandas"], numpy)
        os.setpgid(child, child)  # by both, so that it is done before either goes on
        os.close(data)
        children.add(child)
        control.sendall(LENGTH.pack(child))
    for child in children:
        _end(child)


def _child(data: int, function: Callable[[Any], Any], outputs: int, as_pandas: bool, numpy: Any) -> None:
    """Run the function on the block and send what it returns, if that is what was declared. Never returns."""
    try:
        import pyarrow as pa

        block = socket.socket(fileno=data)
        with block.makefile("rb") as stream, pa.ipc.open_stream(stream) as reader:
            table = reader.read_all()
        result = numpy.asarray(
            function(table.to_pandas(use_threads=False) if as_pandas else table), dtype=numpy.float64
        )
        if result.size == outputs:
            block.sendall(result.astype("<f8").tobytes())
    finally:  # whatever happened, nothing of it is told, and no handler of the parent's runs here
        os._exit(0)


def _end(child: int) -> None:
    # The child is not reaped before this, so its id cannot have become another process's.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError, ChildProcessError):
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _read(control: socket.socket) -> bytes:
    return _exactly(control, LENGTH.unpack(_exactly(control, LENGTH.size))[0])


def _exactly(control: socket.socket, size: int) -> bytes:
    """That many bytes, or fewer at the end."""
    parts = bytearray()
    while len(parts) < size and (part := control.recv(size - len(parts))):
        parts += part
    return bytes(parts)


if __name__ == "__main__":
    main(int(sys.argv[1]))
