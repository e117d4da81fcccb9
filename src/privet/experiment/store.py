"""What was measured, kept in a file that is only added to: a line for each cell, with the system at once.

A program that is killed at any moment leaves whole lines, and perhaps half a last one, which is taken away
when the file is opened again: its cell had not been kept, and is done again. A cell of private data is noted
as begun before a record is read. If it was begun and not kept, nobody can know whether its result was seen,
so it is paid for again; the plan says so.

What the system has, no end of the program can lose. Against a machine that loses its power, the file is
brought to the disk: before a private cell begins and when it is done, and about every second otherwise, so
that at most a second of free cells is done again.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from privet.errors import ParameterError

__all__ = ["Store"]

SYNC_SECONDS = 1.0
_HELD: set[int] = set()


def _let_go() -> None:
    """A worker is a copy of this program: it must not hold the file for one that was killed."""
    for file in _HELD:
        os.close(file)
    _HELD.clear()


os.register_at_fork(after_in_child=_let_go)


class Store:
    """The results in a file, by the identity of their cells; without a file they are kept in memory.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = Store(Path(folder) / "results.jsonl")
    ...     with store.held():
    ...         store.add({"cell": "a", "figures": {"accuracy": 0.9}})
    ...     _ = store.path.open("a").write('{"cell": "b", "fig')
    ...     sorted(Store(store.path).results())
    ['a']
    """

    def __init__(self, path: str | Path | None) -> None:
        self.path = None if path is None else Path(path)
        self._file: int | None = None
        self._synced = 0.0
        #: What is in memory alone; or in a file that is held, which nobody else adds to.
        self._memory: list[dict[str, Any]] = []

    def lines(self) -> list[dict[str, Any]]:
        """Every whole line, in the order in which they were written."""
        if self.path is None or self._file is not None:
            return list(self._memory)
        if not self.path.exists():
            return []
        return _lines(self.path.read_bytes(), self.path.name)

    def results(self) -> dict[str, dict[str, Any]]:
        """The results by cell."""
        return {line["cell"]: line for line in self.lines() if "figures" in line}

    def begun(self) -> set[str]:
        """Cells that were begun and have no result."""
        lines = self.lines()
        return {each["cell"] for each in lines} - {each["cell"] for each in lines if "figures" in each}

    def add(self, *lines: dict[str, Any], soon: bool = False) -> None:
        """Add lines. They are on the disk when this returns or, if that suffices, within about a second."""
        texts = [json.dumps(line, ensure_ascii=False) for line in lines]
        if self.path is None:
            self._memory += map(json.loads, texts)
            return
        assert self._file is not None, "the store is not held"
        self._memory += lines
        left = "".join(f"{text}\n" for text in texts).encode()
        while left:
            left = left[os.write(self._file, left) :]
        if not soon or time.monotonic() - self._synced > SYNC_SECONDS:
            os.fsync(self._file)
            self._synced = time.monotonic()

    @contextmanager
    def held(self) -> Iterator[Store]:
        """Hold the file: the system lets go of it when the program ends, however it ends."""
        if self.path is None:
            yield self
            return
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(self.path, os.O_CREAT | os.O_RDWR | os.O_APPEND | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise ParameterError(
                f"{self.path.name} cannot be written: {error.strerror}.", "Name another file for the results."
            ) from None
        _HELD.add(self._file)
        try:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise ParameterError(
                    f"An experiment is writing to {self.path.name} already.", "Wait for it to end."
                ) from None
            held = self.path.read_bytes()
            os.ftruncate(self._file, held.rfind(b"\n") + 1)
            self._synced = time.monotonic()
            self._memory = _lines(held, self.path.name)
            yield self
        finally:
            _HELD.discard(self._file)
            os.fsync(self._file)
            os.close(self._file)
            self._file, self._memory = None, []


def _lines(held: bytes, name: str) -> list[dict[str, Any]]:
    """The whole lines of a file."""
    *whole, _ = held.split(b"\n")  # behind the last line's end there is nothing, or half
    found = []
    for number, line in enumerate(whole, 1):
        try:
            entry = json.loads(line)
            if not (isinstance(entry, dict) and isinstance(entry.get("cell"), str)):
                raise ValueError
        except ValueError:
            raise ParameterError(
                f"Line {number} of {name} is damaged.",
                "Take the line away: its cell is measured again (and paid for again if it is private).",
            ) from None
        found.append(entry)
    return found
