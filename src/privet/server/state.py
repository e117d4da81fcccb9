"""What one server process holds: its settings, its database, and what counts in memory."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter, defaultdict, deque
from dataclasses import dataclass, field
from pathlib import Path

from privet.server.database import Database
from privet.server.prepared import Preparing
from privet.server.problems import Refusal
from privet.server.settings import Settings

__all__ = ["Pace", "Server", "Streams"]


class Pace:
    """How often somebody may do something in a minute: per process, by a clock that never jumps."""

    def __init__(self, per_minute: int) -> None:
        self.per_minute = per_minute
        self._seen: dict[str, deque[float]] = defaultdict(deque)
        self._lock = threading.Lock()

    def step(self, who: str) -> None:
        moment = time.monotonic()
        with self._lock:
            if len(self._seen) > 10_000:  # forget those who have been quiet
                quiet = [name for name, times in self._seen.items() if not times or times[-1] < moment - 60]
                for name in quiet:
                    del self._seen[name]
            times = self._seen[who]
            while times and times[0] < moment - 60:
                times.popleft()
            if len(times) >= self.per_minute:
                raise Refusal(429, "Too often", "You did this too often in a minute.", "Wait a minute.")
            times.append(moment)


class Streams:
    """How many answers to one person go on at the same time: each asks the database again and again."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._open: Counter[str] = Counter()
        self._lock = threading.Lock()

    @property
    def open(self) -> int:
        """How many go on."""
        return self._open.total()

    def begin(self, who: str) -> None:
        with self._lock:
            if self._open[who] >= self.most:
                raise Refusal(429, "Too many at once", "You follow too many runs.", "Close some pages.")
            self._open[who] += 1

    def end(self, who: str) -> None:
        with self._lock:
            self._open[who] -= 1
            if not self._open[who]:
                del self._open[who]


@dataclass
class Server:
    """One server process."""

    settings: Settings
    database: Database = field(init=False)

    def __post_init__(self) -> None:
        self.settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.database = Database(self.settings)
        self.logins = Pace(self.settings.limits.logins_per_minute)
        self.plans = Pace(self.settings.limits.plans_per_minute)
        self.streams = Streams(self.settings.limits.followed_runs)
        self.preparing = Preparing()
        self.one_submission = asyncio.Semaphore(1)  # a large one is held in memory while it is looked at
        self.key_left = self.settings.key
        self.key_lock = threading.Lock()
        self.awake = threading.Event()  # set when there may be something to run
        self.stopping = threading.Event()

    def folder(self, dataset: str) -> Path:
        """Where a dataset's table and schemas are stored."""
        return self.settings.home / "datasets" / dataset
