"""The points of the thesis's two figures on regression, of a learning curve, and of diffprivlib beside them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial

import pyarrow as pa

from benchmarks import data
from privet import Schema
from reproduction.dpweka.census import CENSUS_SHAPES, census_like
from reproduction.dpweka.regression import EPSILONS, FLOOR, FOLDS, MAJORITY, OURS, PEER, Point, errors
from reproduction.page import Cell, Results

DELTA = 1e-6
RUNS = 50
TOGETHER = 2 * FOLDS  # splits in one result
REAL = ("adult", "bank_marketing")
PEER_EPSILONS = tuple(sorted({*EPSILONS, 0.5, 1.0, 3.0}))
TRAIN = (500, 1_000, 2_000, 5_000, 10_000, 20_000, 39_073)
FUNCTIONAL = "functional, as published"
PRIVGENE = "PrivGene, as published"
FEWER = 20  # splits where the goals ask for no figure
FEWEST = 5  # of a table that is ten times as large


@dataclass(frozen=True)
class Wish:
    """A point to be measured: which, and over how many splits (five at least)."""

    data: str
    method: str
    epsilon: float
    delta: float = 0.0
    train: int | None = None
    runs: int = RUNS

    @property
    def key(self) -> str:
        size = "all" if self.train is None else f"{self.train} records"
        return f"{self.data}/{size}/{self.method}/{self.epsilon:g}/{self.delta:g}"

    def cells(self) -> Iterator[Cell]:
        """Some splits at a time."""
        for first in range(0, self.runs, TOGETHER):
            yield Cell(f"{self.key}/{first:02}", partial(self._errors, first))

    def point(self, found: Results) -> Point | None:
        """What is known so far; it may rest on fewer splits than are wanted."""
        keys = (f"{self.key}/{first:02}" for first in range(0, RUNS, TOGETHER))
        known = tuple(error for key in keys for error in found.get(key, ()))
        return Point(self.data, self.method, self.epsilon, self.delta, self.train, known) if known else None

    def _errors(self, first: int) -> list[float]:
        new = errors(
            *load(self.data),
            self.method,
            self.epsilon,
            self.delta,
            seed=first // TOGETHER,
            repetitions=min(TOGETHER, self.runs - first) // FOLDS,
            train=self.train,
        )
        return [round(error, 6) for error in new]


@cache
def load(name: str) -> tuple[pa.Table, Schema]:
    return data.load(name) if name in REAL else census_like(*CENSUS_SHAPES[name])


def wishes() -> Iterator[Wish]:
    """All points, the most wanted first."""
    for name in REAL:
        yield Wish(name, FLOOR, 0.0)
        yield Wish(name, MAJORITY, 0.0)
        for epsilon in PEER_EPSILONS:
            yield Wish(name, "auto", epsilon)
            yield Wish(name, "auto", epsilon, DELTA)
        for epsilon in PEER_EPSILONS:
            yield Wish(name, PEER, epsilon)
    for name in REAL:
        for epsilon in EPSILONS:
            yield from (Wish(name, method, epsilon) for method in (FUNCTIONAL, PRIVGENE))
    for name in REAL:
        for epsilon in EPSILONS:
            yield from (Wish(name, m, epsilon, delta) for m in OURS[1:] for delta in (0.0, DELTA))
    for name, (records, *_) in CENSUS_SHAPES.items():
        runs = FEWER if records < 100_000 else FEWEST
        yield Wish(name, FLOOR, 0.0, runs=FEWEST)
        yield Wish(name, MAJORITY, 0.0, runs=FEWEST)
        for epsilon in EPSILONS:
            yield from (Wish(name, m, epsilon, runs=runs) for m in (*OURS, FUNCTIONAL))
    for train in TRAIN:
        yield from (Wish("adult", m, 1.0, train=train, runs=FEWER) for m in (*OURS, FUNCTIONAL, PRIVGENE))
        yield Wish("adult", FLOOR, 0.0, train=train, runs=FEWER)
    for name, (records, *_) in CENSUS_SHAPES.items():
        for epsilon in EPSILONS:
            yield Wish(name, PRIVGENE, epsilon, runs=FEWER if records < 100_000 else FEWEST)


def cells() -> Iterator[Cell]:
    for wish in wishes():
        yield from wish.cells()
