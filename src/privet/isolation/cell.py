"""A user's function, run on one block at a time in a process of its own: the curator's side of ``zygote``."""

from __future__ import annotations

import dis
import io
import json
import os
import pickle
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from pathlib import Path
from types import CodeType, TracebackType
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from privet.errors import ParameterError
from privet.isolation.zygote import LENGTH, MESSAGE

__all__ = ["Isolated"]

# The function's modules are loaded once, before any data: this is a limit on that, and public.
LOADING_SECONDS = 120.0


class Isolated:
    """Runs a function on blocks; each run sees its block only. Use as a context manager.

    A run that fails, exits, takes longer than ``timeout`` seconds or does not return ``outputs`` numbers
    gives nothing, and says nothing about why. What the function prints is thrown away.

    >>> with Isolated(lambda table: [table.num_rows], outputs=1, timeout=30, as_pandas=False) as isolated:
    ...     isolated.run([pa.table({"age": [40, 50, 60]})])
    [array([3.])]
    """

    def __init__(
        self, function: Callable[[Any], Any], outputs: int, timeout: float, as_pandas: bool = True
    ) -> None:
        self._code = _pickled(function)
        self._modules = sorted(_imported(function))
        self._outputs = outputs
        self._timeout = timeout
        self._as_pandas = as_pandas
        self._lock = threading.Lock()

    def __enter__(self) -> Isolated:
        if not hasattr(os, "fork"):
            raise ParameterError(
                "Functions can be run on private blocks only where processes can be forked.",
                "Use Linux or macOS.",
            )
        self._control, theirs = socket.socketpair()
        script = str(Path(__file__).with_name("zygote.py"))
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", script, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                # Many children share the cores: threads in each would only be in each other's way.
                env=os.environ
                | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"},
            )
        settings = {
            "path": sys.path,
            "modules": self._modules,
            "outputs": self._outputs,
            "pandas": self._as_pandas,
        }
        self._control.settimeout(LOADING_SECONDS)
        try:
            for part in (json.dumps(settings).encode(), self._code):
                self._control.sendall(LENGTH.pack(len(part)) + part)
            loaded = self._control.recv(1) == b"\1"
        except OSError:
            loaded = False
        if not loaded:
            self.__exit__(None, None, None)
            raise ParameterError(
                "The function, or pandas, could not be loaded in a separate process. No data was read.",
                "Define the function in a module that can be imported, or import what it needs inside it; "
                "pip install 'privet[pandas]'  if it is to be given data frames.",
            )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._control.close()  # the end of the messages: the other side ends its children and itself
        try:
            self._process.wait(5.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def run(self, blocks: Sequence[pa.Table]) -> list[NDArray[np.float64] | None]:
        """What the function returns for each block; nothing where it failed.

        A function can end the process that makes the children. Then no block may suffer but its own, or one
        record would change more than one block: those that got no answer are run again, each by itself.
        """
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            results = list(pool.map(self._one, blocks))
        if self._answers():
            return results
        return [
            self._alone(block) if result is None else result
            for block, result in zip(blocks, results, strict=True)
        ]

    def _answers(self) -> bool:
        """Whether the maker lives. It is asked, since a dying process may still look alive from here."""
        try:
            with self._lock:
                self._control.sendall(MESSAGE.pack(b"A", 0))
                return len(self._control.recv(LENGTH.size, socket.MSG_WAITALL)) == LENGTH.size
        except OSError:
            return False

    def _alone(self, block: pa.Table) -> NDArray[np.float64] | None:
        with copy(self) as fresh:
            return fresh._one(block)

    def _one(self, block: pa.Table) -> NDArray[np.float64] | None:
        ours, theirs = socket.socketpair()
        result = None
        try:
            with ours:
                child = self._fork(theirs)
                try:
                    result = self._exchange(ours, block)
                finally:
                    with self._lock:
                        self._control.sendall(MESSAGE.pack(b"K", child))
        except (OSError, struct.error):  # too late, or the other side is gone
            pass
        return result

    def _fork(self, theirs: socket.socket) -> int:
        """A new child that holds this socket: its id."""
        with self._lock, theirs:
            self._control.sendall(MESSAGE.pack(b"R", 0))
            socket.send_fds(self._control, [b"+"], [theirs.fileno()])
            child: int = LENGTH.unpack(self._control.recv(LENGTH.size, socket.MSG_WAITALL))[0]
            return child

    def _exchange(self, ours: socket.socket, block: pa.Table) -> NDArray[np.float64] | None:
        sink = io.BytesIO()
        with pa.ipc.new_stream(sink, block.schema) as writer:
            writer.write_table(block)
        deadline = time.monotonic() + self._timeout
        ours.settimeout(self._timeout)
        ours.sendall(sink.getbuffer())
        ours.shutdown(socket.SHUT_WR)
        answer = b""
        while len(answer) < 8 * self._outputs:
            ours.settimeout(max(deadline - time.monotonic(), 1e-3))
            if not (part := ours.recv(8 * self._outputs - len(answer))):
                return None
            answer += part
        return np.frombuffer(answer, dtype="<f8").astype(np.float64)


def _pickled(function: Callable[[Any], Any]) -> bytes:
    from joblib import wrap_non_picklable_objects  # a lambda or a notebook's function travels as its code

    try:
        return pickle.dumps(wrap_non_picklable_objects(function))
    except Exception:
        raise ParameterError(
            "The function cannot be sent to another process.",
            "Let it hold plain values only: no open files, connections or locks.",
        ) from None


def _imported(function: Any) -> set[str]:
    """The modules that a function's code imports when it runs, to be loaded once and not for each block."""
    code = function if isinstance(function, CodeType) else getattr(function, "__code__", None)
    if code is None:
        return set()
    names = {step.argval for step in dis.get_instructions(code) if step.opname == "IMPORT_NAME"}
    return names.union(*(_imported(part) for part in code.co_consts if isinstance(part, CodeType)))
