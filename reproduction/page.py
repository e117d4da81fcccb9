"""A page of docs/experiments: the cells that it is made of, and how it is written from their results."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import data
from benchmarks.figures import Figure
from privet.experiment.workers import workers
from reproduction.markdown import wrapped
from reproduction.store import Store

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "experiments"
Results = Mapping[str, Any]
#: A cell of a page takes seconds or more: each goes to a worker by itself.
SLOW = 1.0


@dataclass(frozen=True)
class Cell:
    """One thing to measure; ``work`` gives plain data for JSON.

    A page can be written without the cells that are not ``needed``.
    """

    key: str
    work: Callable[[], Any]
    needed: bool = True


@dataclass(frozen=True)
class Page:
    """``cells`` come in the order of measuring; ``write`` writes the page into a folder, from all results."""

    paper: str
    name: str
    title: str
    cells: Callable[[], Iterable[Cell]]
    write: Callable[[Results, Path], list[Figure]]
    tables: bool = True  # measuring needs the public tables beside the repository

    @property
    def store(self) -> Store:
        return Store(self.paper, self.name)

    def status(self) -> str:
        """How much of it has been measured."""
        known, cells = self.store.read(), [cell.key for cell in self.cells()]
        return f"{sum(key in known for key in cells)} of {len(cells)} results"

    def measure(self, end: float | None = None, processes: int = 1) -> None:
        """Measure what is missing, until the time (of ``time.monotonic``) is over: as an experiment does."""
        if self.tables and not data.available():
            print("  the public tables are not here: only stored results can be used")
            return
        known = self.store.read()
        left = _Left({cell.key: cell for cell in self.cells() if cell.key not in known})
        with _spread(left, processes) as done:
            for key, result in done(end):
                self.store.put(key, result)
                print(f"  {key}", flush=True)

    def render(self, folder: Path = FOLDER) -> list[Figure]:
        """Write the page if there is enough; it says itself what else is missing."""
        known = self.store.read()
        missing = [cell.key for cell in self.cells() if cell.needed and cell.key not in known]
        if missing:
            print(f"  {self.name} is not written yet. Results missing: {len(missing)}, first {missing[0]}")
            return []
        found = self.write(known, folder)
        written = folder / f"{self.name}.md"
        written.write_text(wrapped(written.read_text(encoding="utf-8")), encoding="utf-8")
        return found


@dataclass(frozen=True)
class _Left:
    """Does cells by their keys: workers are copies of this program, and have the cells already."""

    cells: Mapping[str, Cell]

    def __call__(self, key: str) -> tuple[str, Any]:
        return key, self.cells[key].work()


Done = Callable[[float | None], Iterator[tuple[str, Any]]]


@contextmanager
def _spread(left: _Left, processes: int) -> Iterator[Done]:
    """The results of all cells, here one after the other or by an experiment's workers as they are done.

    A program with threads of its own is not copied, and does them here.
    """
    if processes <= 1 or len(left.cells) <= 1 or threading.active_count() > 1:
        yield lambda end: (left(key) for key in left.cells if end is None or time.monotonic() <= end)
        return
    with workers(left, processes, SLOW) as spread:

        def done(end: float | None) -> Iterator[tuple[str, Any]]:
            for batch in spread(list(left.cells)):
                yield from batch
                if end is not None and time.monotonic() > end:
                    return

        yield done
