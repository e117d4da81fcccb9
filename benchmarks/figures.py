"""How a benchmark measures and how it says what it found."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """One measured figure beside its goal; ``at_least`` says which side of the goal is good."""

    what: str
    value: float
    goal: float | None = None
    at_least: bool = False
    unit: str = "×"

    @property
    def reached(self) -> bool | None:
        if self.goal is None:
            return None
        return self.value >= self.goal if self.at_least else self.value <= self.goal


def print_figures(figures: list[Figure]) -> None:
    for figure in figures:
        goal = ""
        if figure.goal is not None:
            sign = "≥" if figure.at_least else "≤"
            goal = f"goal {sign} {figure.goal:g}: {'reached' if figure.reached else 'MISSED'}"
        print(f"  {figure.what:<72} {figure.value:>9.3f} {figure.unit:<3} {goal}", flush=True)


def best_time(work: Callable[[], object], repeats: int = 5) -> float:
    """Seconds of the fastest of several runs: the one least disturbed by others."""
    times = []
    for _ in range(repeats):
        gc.collect()
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)
