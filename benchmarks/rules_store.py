"""Results as they come: one JSON line each, so that a long experiment can stop and go on later."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

FOLDER = Path(tempfile.gettempdir()) / "privet-rules"


class Store:
    """Keyed results of one experiment in a file; several processes may append to it."""

    def __init__(self, name: str, minutes: float | None = None) -> None:
        FOLDER.mkdir(exist_ok=True)
        self._path = FOLDER / f"{name}.jsonl"
        self._end = None if minutes is None else time.monotonic() + 60 * minutes
        self.results: dict[str, Any] = {}
        if self._path.exists():
            for line in self._path.read_text().splitlines():
                key, value = json.loads(line)
                self.results[key] = value

    def get(self, key: str, work: Callable[[], Any]) -> Any | None:
        """The stored result, or a new one; nothing where the time is over."""
        if key not in self.results:
            if self._end is not None and time.monotonic() > self._end:
                return None
            self.results[key] = json.loads(json.dumps(work()))
            with self._path.open("a") as file:
                file.write(json.dumps([key, self.results[key]]) + "\n")
            print(f"  {self._path.stem}: {key}", flush=True)
        return self.results[key]
