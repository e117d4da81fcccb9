"""A user's function, run on one block at a time in a closed cell: the curator's side of ``zygote`` and "
"``lane``."""

from __future__ import annotations

import io
import json
import os
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from privet.errors import ParameterError
from privet.isolation.installed import installed_path
from privet.isolation.parcel import Parcel, pack
from privet.isolation.zygote import LENGTH, exactly

__all__ = ["Isolated", "Job", "Result", "encoded", "left_open"]

# The function's modules are loaded once, before any data: this is a limit on that, and public.
LOADING_SECONDS = 120.0
#: Bytes that a block's process may use for its work.
MEMORY = 2 << 30

_NOT_CLOSED = {
    "files": "the file system",
    "network": "the network",
    "processes": "other processes",
    "clock": "the clock, by which a block can see how long others took",
}

#: Some records, or these as ``encoded`` gives them.
Block: TypeAlias = "pa.Table | bytes"
#: What the function returned for a block; None if it failed.
Result = NDArray[np.float64] | None


@dataclass(frozen=True)
class Job:
    """A packed function, how its answer must look, and made-up records to try it on first: a value."""

    parcel: Parcel
    outputs: int
    timeout: float
    as_pandas: bool
    rehearsal: bytes


class Isolated:
    """Runs a function on blocks; each run sees its block only. Use as a context manager.

    A run that fails, exits, uses more than ``timeout`` seconds of a processor or 2 GB of memory, or does not
    return ``outputs`` numbers gives None, and says nothing about why. What the function prints is thrown
    away. ``rehearsal``, a table of made-up records, is tried first.

    With ``isolation="full"`` a system that cannot close a cell is refused.

    >>> with Isolated(lambda table: [table.num_rows], outputs=1, timeout=30, as_pandas=False) as isolated:
    ...     isolated.run([pa.table({"age": [40, 50, 60]})])
    [array([3.])]
    """

    #: Whether cells are closed where they can be. False for tests: this is what they show to be unsafe.
    closes = True

    def __init__(
        self,
        function: Callable[[Any], Any],
        outputs: int,
        timeout: float,
        as_pandas: bool = True,
        *,
        isolation: Literal["full", "available"] = "full",
        rehearsal: pa.Table | None = None,
    ) -> None:
        tried = b"" if rehearsal is None else bytes(encoded(rehearsal))
        self.job = Job(pack(function), outputs, timeout, as_pandas, tried)
        self._isolation = isolation
        self._only: int | None = None
        self.open: tuple[str, ...] = ()

    @classmethod
    def of(cls, job: Job, lane: int) -> Isolated:
        """Cells in one lane, of this number: for a worker, beside which others work."""
        made = cls.__new__(cls)
        made.job, made._isolation, made._only, made.open = job, "full", lane, ()
        return made

    def __enter__(self) -> Isolated:
        _require_fork()
        self._control, theirs = socket.socketpair()
        self._lanes: list[socket.socket] = []
        package = str(Path(__file__).resolve().parents[2])
        start = (
            f"import sys; sys.path[:] = {[*installed_path(), package]!r}; "
            f"from privet.isolation.zygote import main; main({theirs.fileno()})"
        )
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", start],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=_environment(),
                cwd="/",
            )
        try:
            self._require(self._settled())
            # Before a row is read, so that nothing about them can depend on one.
            for _ in range(_lanes() if self._only is None else 1):
                self._lane()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def _settled(self) -> dict[str, Any]:
        """What the other side has to say when it has loaded everything and rehearsed."""
        settings = {
            "path": installed_path(),
            "modules": self.job.parcel.modules,
            "outputs": self.job.outputs,
            "pandas": self.job.as_pandas,
            "seconds": self.job.timeout,
            "memory": MEMORY,
            "filtered": self.closes,
            "first": self._only or 0,
        }
        self._control.settimeout(LOADING_SECONDS + 20 * self.job.timeout)
        try:
            for part in (json.dumps(settings).encode(), self.job.parcel.content, self.job.rehearsal):
                self._control.sendall(LENGTH.pack(len(part)) + part)
            size = LENGTH.unpack(exactly(self._control, LENGTH.size))[0]
            reply: dict[str, Any] = json.loads(exactly(self._control, size))
            return reply
        except (OSError, ValueError, struct.error):  # the other side is gone
            return {"loaded": False}

    def _require(self, reply: dict[str, Any]) -> None:
        if not reply["loaded"]:
            raise ParameterError(
                "What the function needs, or pandas, could not be loaded in a separate process. No data was "
                "read.",
                "Install what it imports as packages;  pip install 'privet[pandas]'  if it is to be given "
                "data frames.",
            )
        self.open = tuple(reply["open"])
        if self.open and self._isolation == "full":
            raise ParameterError(
                f"A function cannot be shut off from {_words(self.open)} on this system, so it could read "
                "the table elsewhere. No data was read.",
                "Use Linux 5.0 or later on x86-64 (or 6.12 on ARM) where seccomp is allowed; or, for a "
                "function that you have read and trust, isolation='available', and the guarantee says what "
                "was left open.",
            )
        if reply["error"] is not None:
            raise ParameterError(
                f"The function failed on made-up records that fit the schema: {reply['error']}. No data was "
                "read.",
                "A function is run without files, network, threads, other processes and clock, on what it "
                "imports from installed packages. Make it work on records made up at random, or change how "
                "many there are with rehearsal=.",
            )

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for end in (*self._lanes, self._control):  # the end of the messages: the other side ends itself
            end.close()
        try:
            self._process.wait(5.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def run(self, blocks: Sequence[Block]) -> list[Result]:
        """What the function returns for each block; None if it failed. It is not called on an empty block.

        Where cells cannot be closed, a function can end the process that runs blocks. Then no block may
        suffer but its own, or one record would change more than one block: those that got no answer are run
        again, each by itself.
        """
        count = len(self._lanes)
        results: list[Result] = [None] * len(blocks)
        with ThreadPoolExecutor(count) as pool:
            dealt = [range(place, len(blocks), count) for place in range(count)]
            alive = list(
                pool.map(lambda lane, mine: self._in_lane(lane, mine, blocks, results), self._lanes, dealt)
            )
        for mine, lives in zip(dealt, alive, strict=True):
            for place in mine if not lives else ():
                if results[place] is None:
                    with copy(self) as fresh:
                        results[place] = fresh._one(fresh._lanes[0], blocks[place])
        return results

    def _lane(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            socket.send_fds(self._control, [b"L"], [theirs.fileno()])
        ours.settimeout(LOADING_SECONDS)  # a function that is not shut off can stop its lane
        self._lanes.append(ours)

    def _in_lane(self, lane: socket.socket, mine: range, blocks: Sequence[Block], results: list[Any]) -> bool:
        """Run a lane's blocks one after the other. Whether the lane lives to the end."""
        for place in mine:
            results[place] = self._one(lane, blocks[place])
        try:  # it is asked, since a dying process may still look alive from here
            lane.sendall(b"A")
            return lane.recv(1) == b"+"
        except OSError:
            return False

    def _one(self, lane: socket.socket, block: Block) -> Result:
        ours, theirs = socket.socketpair()
        try:
            with ours:
                with theirs:
                    socket.send_fds(lane, [b"R"], [theirs.fileno()])
                    if lane.recv(1) != b"+":
                        return None
                try:
                    return self._exchange(ours, block)
                finally:
                    lane.sendall(b"K")
        except OSError:  # too late, or the other side is gone
            return None

    def _exchange(self, ours: socket.socket, block: Block) -> Result:
        # A closed cell cannot wait for anything and is ended by its limit of processor time, which does not
        # depend on other blocks as the time on a clock does; that is only for a machine that stands still.
        wall = self.job.timeout if self.open else 5 * self.job.timeout + 5
        deadline = time.monotonic() + wall
        ours.settimeout(wall)
        ours.sendall(block if isinstance(block, bytes) else encoded(block))
        ours.shutdown(socket.SHUT_WR)
        answer, size = b"", 8 * self.job.outputs
        while len(answer) <= size:
            ours.settimeout(max(deadline - time.monotonic(), 1e-3))
            if not (part := ours.recv(size + 1 - len(answer))):
                break
            answer += part
        return np.frombuffer(answer, dtype="<f8").astype(np.float64) if len(answer) == size else None


@cache
def left_open() -> str:
    """What a function cannot be shut off from on this system, in words. Tried once, with no user's function.

    >>> left_open()  # on Linux, where a process may give up its rights
    ''
    """
    with Isolated(len, 1, 10.0, as_pandas=False, isolation="available") as isolated:
        return _words(isolated.open)


def _words(names: Sequence[str]) -> str:
    return ", ".join(_NOT_CLOSED[name] for name in names)


def _lanes() -> int:
    """How many blocks run at a time: as many as there are processors, and memory for twice as much."""
    known = hasattr(os, "sched_getaffinity")
    processors = len(os.sched_getaffinity(0)) if known else os.cpu_count() or 1
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return max(1, min(processors, memory // (2 * MEMORY)))


def _environment() -> dict[str, str]:
    """Only what a library may need to be found: what else is in the environment is nobody's business."""
    kept = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
    # A closed cell can make no threads: libraries that would are told not to.
    single = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return {name: os.environ[name] for name in kept if name in os.environ} | single


def encoded(block: pa.Table) -> memoryview:
    """The block's own cells and nothing else, as a stream.

    A slice of a table shares memory with the rest of it, and Arrow sends more of that than the slice: the
    bits that say which cells are missing come as they lie there, those of others' records included.
    """
    block = pa.table([_alone(column) for column in block.columns], schema=block.schema)
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, block.schema) as writer:
        writer.write_table(block)
    return sink.getbuffer()


def _alone(column: Any) -> pa.Array:
    """A copy of a column's cells, in memory that holds nothing else."""
    whole = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
    missing = np.array(whole.is_null().to_numpy(zero_copy_only=False))
    if pa.types.is_dictionary(whole.type):
        codes = np.array(whole.indices.fill_null(0).to_numpy())
        return pa.DictionaryArray.from_arrays(pa.array(codes, mask=missing), whole.dictionary)
    if pa.types.is_floating(whole.type) or pa.types.is_integer(whole.type):
        values = np.array(whole.fill_null(0).to_numpy())
        return pa.array(values, whole.type, mask=missing)
    return pa.array(whole.to_pylist(), whole.type)


def _require_fork() -> None:
    if not hasattr(os, "fork"):
        raise ParameterError(
            "Functions can be run on private blocks only where processes can be forked.",
            "Use Linux or macOS.",
        )
