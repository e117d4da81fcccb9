"""A process becomes a closed cell: it keeps its memory and one descriptor, and can reach nothing else.

What is closed has four names. ``files``: nothing can be opened, looked up or made. ``network``: there are no
sockets. ``processes``: none can be made, found, signalled or traced, memory cannot be shared, and the
process's own number is hidden. ``clock``: no time can be read. The first three are the work of ``filter``,
the last of ``clock``. Limits of memory, processor time and output hold besides, on every system that has
them.

Whether it worked is not believed but tried: ``found_open`` lists what a closed cell can still do.
"""

from __future__ import annotations

import contextlib
import math
import os
import resource
import signal
import socket
import time
from collections.abc import Callable
from pathlib import Path

from privet.isolation.clock import Clock
from privet.isolation.filter import install, program
from privet.isolation.kernel import PROCESSOR, prctl

__all__ = ["DATA", "DOORS", "Closing", "found_open"]

#: What is closed.
DOORS = ("files", "network", "processes", "clock")

#: The descriptor through which a cell answers; 0, 1 and 2 are the null device.
DATA = 3
_PARENT_DEATH_SIGNAL = 1


class Closing:
    """What is needed to close copies of this process, prepared once."""

    def __init__(self, memory: int, seconds: float, *, filtered: bool = True) -> None:
        self._memory = memory
        self._seconds = math.ceil(seconds)
        self._filter = program(PROCESSOR) if PROCESSOR is not None and filtered else None
        self._clock = Clock(PROCESSOR) if PROCESSOR is not None and filtered else None

    @staticmethod
    def keep_only(data: int) -> None:
        """Close every descriptor but the null device and this one, which becomes ``DATA``."""
        if data != DATA:
            os.dup2(data, DATA)
        os.closerange(DATA + 1, min(resource.getrlimit(resource.RLIMIT_NOFILE)[0], 1 << 20))

    def close(self) -> bool:
        """Close this process, as far as the system can. Whether the clock was taken from it."""
        for kind, most in self._limits():
            with contextlib.suppress(ValueError, OSError):
                resource.setrlimit(kind, (most, most))
        if PROCESSOR is not None:
            prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL)
        stopped = False
        if self._clock is not None:
            with contextlib.suppress(OSError):
                self._clock.stop()
                stopped = True
        if self._filter is not None:
            with contextlib.suppress(OSError):
                install(self._filter)
        return stopped

    def _limits(self) -> list[tuple[int, int]]:
        limits = [
            (resource.RLIMIT_CORE, 0),  # a crash must not leave a block on the disk
            (resource.RLIMIT_FSIZE, 0),
            (resource.RLIMIT_CPU, self._seconds),
        ]
        if self._filter is not None:  # where files can be opened, a function may need some
            limits.append((resource.RLIMIT_NOFILE, DATA + 1))
        with contextlib.suppress(OSError):
            pages = int(Path("/proc/self/statm").read_text().split()[0])
            limits.append((resource.RLIMIT_AS, pages * resource.getpagesize() + self._memory))
        return limits


def found_open(stopped: bool) -> list[str]:
    """What this process, closed before, can still do: a list of the four names."""
    attempts: dict[str, list[Callable[[], object]]] = {
        "files": [lambda: os.open("/", os.O_RDONLY), lambda: os.stat("/"), lambda: os.listdir("/")],
        "network": [socket.socket, lambda: socket.socket(socket.AF_UNIX), socket.socketpair],
        "processes": [lambda: os.kill(0, 0), lambda: _require(os.getppid() != 0), lambda: os.getpgid(0)],
        "clock": [lambda: _require(not stopped), lambda: _require(_time_passes()), lambda: time.sleep(0.001)],
    }
    os.closerange(0, DATA)  # or the limit on descriptors could hide what is open
    found = []
    for name, ways in attempts.items():
        for way in ways:
            with contextlib.suppress(OSError):
                way()
                found.append(name)
                break
    return found


def _require(possible: bool) -> None:
    if not possible:
        raise OSError


def _time_passes() -> bool:
    clocks = (time.CLOCK_REALTIME, time.CLOCK_MONOTONIC, time.CLOCK_PROCESS_CPUTIME_ID)
    before = [time.clock_gettime(clock) for clock in clocks]
    for _ in range(100_000):
        pass
    return before != [time.clock_gettime(clock) for clock in clocks]
