"""Perturbation: beside its matrix product, as a filter in a pipe, and beside River.

Times are processor time, so that what else the machine does matters little; ratios are of runs that take turns.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.figures import Figure
from privet.perturbation import Geometric
from privet.perturbation.affine import haar_rotation
from privet.schema import Schema, write_schema

ROWS, COLUMNS = 1_000_000, 10
SCHEMA = Schema.of({f"x{j}": (-5.0, 5.0) for j in range(COLUMNS)})


def run() -> list[Figure]:
    generator = np.random.default_rng(0)
    X = generator.uniform(-5, 5, (ROWS, COLUMNS))
    model = Geometric(schema=SCHEMA, candidates=1).fit(X)
    turn = haar_rotation(COLUMNS, generator)
    alone, ours = _by_turns(
        [lambda: (X @ turn, generator.standard_normal(X.shape)), lambda: model.transform(X)], 7
    )
    figures = [Figure("geometric, 1M × 10, beside matrix product and normal draws alone", ours / alone, 2)]
    figures += _beside_river(model, X[:3000])
    with tempfile.TemporaryDirectory() as folder:
        write_schema(SCHEMA, Path(folder) / "s.toml")
        figures += _filter(Path(folder), X)
    return figures


def _by_turns(works: list[Callable[[], object]], rounds: int) -> list[float]:
    """The least processor time of each work, which take turns."""
    times: list[list[float]] = [[] for _ in works]
    for _ in range(rounds):
        for work, taken in zip(works, times, strict=True):
            start = time.process_time()
            work()
            taken.append(time.process_time() - start)
    return [min(taken) for taken in times]


def _beside_river(model: Geometric, X: np.ndarray) -> list[Figure]:
    try:
        from river import preprocessing
    except ImportError:
        return []
    records = [dict(zip(SCHEMA.names, row, strict=True)) for row in X.tolist()]
    scaler = preprocessing.StandardScaler()
    for record in records:
        scaler.learn_one(record)
    works = [(lambda step=step: [step.transform_one(x) for x in records]) for step in (scaler, model)]
    theirs, ours = _by_turns(works, 25)  # type: ignore[arg-type]
    return [Figure("transform_one, beside River's StandardScaler", ours / theirs, 3)]


def command(*words: str) -> list[str]:
    """The filter in a process of its own."""
    start = [sys.executable, "-m", "privet.cli", "perturb", "geometric", "-s", "s.toml", "--candidates", "1"]
    return [*start, *words]


def _filter(folder: Path, X: np.ndarray) -> list[Figure]:
    rows = {"some.csv": 1_000, "more.csv": 201_000, "many.csv": 1_001_000}
    for name, number in rows.items():
        with (folder / name).open("w") as file:
            file.write(",".join(SCHEMA.names) + "\n")
            np.savetxt(file, X[np.arange(number) % len(X)], fmt="%.6f", delimiter=",")
    figures = []
    for words, large, goal, what in (
        ((), "many.csv", 100_000, "in batches"),
        (("--row-by-row",), "more.csv", 20_000, "row by row"),
    ):
        # What the program takes to start is not the filter's speed: two inputs, and what lies between them.
        taken = min(
            _processor(folder, large, words) - _processor(folder, "some.csv", words) for _ in range(3)
        )
        rate = (rows[large] - rows["some.csv"]) / taken
        figures.append(
            Figure(f"privet perturb in a pipe, 10 columns, {what}", rate, goal, at_least=True, unit="rows/s")
        )
    return figures


def _processor(folder: Path, name: str, words: tuple[str, ...]) -> float:
    """Seconds of processor time that the filter takes for a file."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with (folder / name).open("rb") as source:
        subprocess.run(
            command(*words),
            stdin=source,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            check=True,
        )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
