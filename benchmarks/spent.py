"""CPU time of this process and of all that it started: asked for while they live.

Waiting for children is not enough: what Spark forks its Python workers from ignores their end, and then their
time is in nobody's count. So it is read where the system keeps it. A process that has ended is in the count of
the one that waited for it; orphans stay in the family, since this process adopts them.
"""

from __future__ import annotations

import ctypes
import os
from dataclasses import dataclass
from pathlib import Path

__all__ = ["adopt_orphans", "cpu_seconds", "peak_megabytes"]

_SUBREAPER = 36  # Linux's number of this option


@dataclass(frozen=True)
class _Process:
    parent: int
    name: str
    cpu: float


def adopt_orphans() -> None:
    """Whoever loses the process that started it becomes a child of this one."""
    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)


def cpu_seconds(*more: int) -> float:
    """CPU seconds of this process, of those that are named besides, and of all that they started.

    >>> before = cpu_seconds()
    >>> _ = sum(range(3_000_000))
    >>> cpu_seconds() > before
    True
    """
    return sum(each.cpu for each in _family({os.getpid(), *more}).values())


def peak_megabytes() -> float:
    """The most that was resident in this process, and in the JVMs that it started."""
    family = _family({os.getpid()})
    counted = [pid for pid, each in family.items() if pid == os.getpid() or each.name == "java"]
    return sum(map(_peak, counted)) / 1024


def _family(roots: set[int]) -> dict[int, _Process]:
    known = {int(path.name): _process(path) for path in Path("/proc").glob("[0-9]*")}
    alive = {pid: each for pid, each in known.items() if each is not None}
    found, size = set(roots), 0
    while len(found) > size:
        size = len(found)
        found |= {pid for pid, each in alive.items() if each.parent in found}
    return {pid: alive[pid] for pid in found if pid in alive}


def _process(path: Path) -> _Process | None:
    try:
        head, _, tail = (path / "stat").read_text().rpartition(")")
    except OSError:  # it has ended meanwhile
        return None
    cells = tail.split()
    return _Process(
        int(cells[1]), head.partition("(")[2], sum(map(int, cells[11:15])) / os.sysconf("SC_CLK_TCK")
    )


def _peak(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
