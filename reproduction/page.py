"""A page of docs/experiments: the cells that it is made of, and how it is written from their results."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import data
from benchmarks.figures import Figure
from reproduction.store import Store

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "experiments"
Results = Mapping[str, Any]


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

    def measure(self, end: float | None = None) -> None:
        """Measure what is missing, until the time (of ``time.monotonic``) is over."""
        if self.tables and not data.available():
            print("  the public tables are not here: only stored results can be used")
            return
        known = self.store.read()
        for cell in self.cells():
            if cell.key not in known:
                if end is not None and time.monotonic() > end:
                    return
                self.store.put(cell.key, cell.work())
                print(f"  {cell.key}", flush=True)

    def render(self, folder: Path = FOLDER) -> list[Figure]:
        """Write the page if there is enough; it says itself what else is missing."""
        known = self.store.read()
        missing = [cell.key for cell in self.cells() if cell.needed and cell.key not in known]
        if missing:
            print(f"  {self.name} is not written yet. Results missing: {len(missing)}, first {missing[0]}")
            return []
        return self.write(known, folder)
