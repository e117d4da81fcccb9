"""The thesis's two figures, a learning curve, and diffprivlib beside them; written to docs/experiments/regression.md.

    python -m benchmarks.regression_figures --minutes 14     measures what is missing, for that long at most
    python -m benchmarks regression_figures                  the quick form: 5 splits of adult, nothing
    written

Every point (data, method, ε) is kept in out/regression/ as soon as it is known, so a run that was stopped
goes on.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa

from benchmarks import data, peers
from benchmarks.figures import Figure
from privet import Encoder, Schema
from privet.experiments.regression import EPSILONS, FLOOR, MAJORITY, OURS, Point, errors
from privet.experiments.regression_census import CENSUS_SHAPES, census_like

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "out" / "regression"
DELTA = 1e-6
RUNS = 50
REAL = ("adult", "bank_marketing")
PEER = "diffprivlib"
PEER_EPSILONS = (0.1, 0.4, 0.5, 1.0, 3.0)
TRAIN = (500, 1_000, 2_000, 5_000, 10_000, 20_000, 39_073)
FUNCTIONAL = "functional, as published"
PRIVGENE = "PrivGene, as published"
# The published search makes 0.125·n·ε steps: at ε = 10 a run takes minutes.
FEWER = 20  # splits where the goals ask for no figure
PRIVGENE_RUNS = {0.1: 10, 0.2: 10, 0.4: 10, 0.8: 5, 1.6: 3, 3.2: 2, 10.0: 1}

_DIFFPRIVLIB = """
import warnings
from diffprivlib.models import LogisticRegression
warnings.simplefilter("ignore")
X, y = data["X"], data["y"]
errors = []
for seed in data["seeds"]:
    order = np.random.default_rng(int(seed)).permutation(len(y))
    train, test = order[: len(y) * 4 // 5], order[len(y) * 4 // 5 :]
    model = LogisticRegression(epsilon=float(data["epsilon"]), data_norm=float(data["norm"]), max_iter=1000)
    errors.append(float((model.fit(X[train], y[train]).predict(X[test]) != y[test]).mean()))
print(json.dumps(errors))
"""


@dataclass(frozen=True)
class Wish:
    """A point to be measured: which, and over how many splits."""

    data: str
    method: str
    epsilon: float
    delta: float = 0.0
    train: int | None = None
    runs: int = RUNS

    @property
    def path(self) -> Path:
        size = "" if self.train is None else f"-n{self.train}"
        words = f"{self.data}-{self.method}-{self.epsilon:g}-{self.delta:g}{size}"
        return FOLDER / (words.replace(" ", "_").replace(",", "") + ".json")

    def found(self) -> Point | None:
        """What is known so far; it may rest on fewer splits than are wanted."""
        return Point.from_dict(json.loads(self.path.read_text())) if self.path.exists() else None

    @property
    def done(self) -> int:
        point = self.found()
        return 0 if point is None else len(point.errors)

    def measure_more(self) -> Point:
        """Some further splits, kept at once."""
        table, schema = load(self.data)
        before = self.found()
        so_far = () if before is None else before.errors
        step = {PRIVGENE: 1, FLOOR: 2}.get(self.method, 10)
        seeds = range(len(so_far), min(len(so_far) + step, self.runs))
        if self.method == PEER:
            new = beside(table, schema, self.epsilon, seeds)
        else:
            new = errors(table, schema, self.method, self.epsilon, self.delta, seeds=seeds, train=self.train)
        size = table.num_rows * 4 // 5 if self.train is None else self.train
        point = Point(self.data, self.method, self.epsilon, self.delta, size, so_far + new)
        FOLDER.mkdir(parents=True, exist_ok=True)
        partial = self.path.with_suffix(".partial")
        partial.write_text(json.dumps(point.to_dict()))
        partial.replace(self.path)
        return point


@cache
def load(name: str) -> tuple[pa.Table, Schema]:
    return data.load(name) if name in REAL else census_like(*CENSUS_SHAPES[name])


def beside(table: pa.Table, schema: Schema, epsilon: float, seeds: range) -> tuple[float, ...]:
    """diffprivlib on the same encoding and the same splits, with the row norm that the schema gives.

    A norm read off the data would be no guarantee.
    """
    X = Encoder(schema=schema).transform(table)
    labels = np.asarray(table[schema.nominal_target().name].to_pylist(), dtype=str)
    y = (labels == str(schema.nominal_target().labels[1])).astype(int)
    norm = np.sqrt(len(schema.attributes))
    return tuple(peers.diffprivlib(_DIFFPRIVLIB, X=X, y=y, norm=norm, epsilon=epsilon, seeds=np.array(seeds)))


def wishes() -> Iterator[Wish]:
    """All points, the most wanted first."""
    for name in REAL:
        yield Wish(name, FLOOR, 0.0, runs=10)
        yield Wish(name, MAJORITY, 0.0, runs=10)
        for epsilon in sorted({*EPSILONS, *PEER_EPSILONS}):
            yield Wish(name, "newton", epsilon)
            yield Wish(name, "newton", epsilon, DELTA)
        for epsilon in PEER_EPSILONS:
            yield Wish(name, PEER, epsilon)
    for name in REAL:
        for epsilon in (0.1, 0.2, 0.4):
            yield Wish(name, PRIVGENE, epsilon, runs=PRIVGENE_RUNS[epsilon])
        for epsilon in EPSILONS:
            yield from (Wish(name, method, epsilon, runs=FEWER) for method in (FUNCTIONAL, "objective"))
    for name, (records, *_) in CENSUS_SHAPES.items():
        yield Wish(name, FLOOR, 0.0, runs=3)
        yield Wish(name, MAJORITY, 0.0, runs=3)
        runs = FEWER if records < 100_000 else 3
        for epsilon in EPSILONS:
            yield from (Wish(name, m, epsilon, runs=runs) for m in (*OURS[:-1], FUNCTIONAL))
    for train in TRAIN:
        yield from (Wish("adult", m, 1.0, train=train, runs=FEWER) for m in (*OURS, FUNCTIONAL))
        yield Wish("adult", FLOOR, 0.0, train=train, runs=10)
    for name in REAL:
        for epsilon in EPSILONS:
            yield Wish(name, "functional", epsilon, runs=FEWER)
            yield Wish(name, "functional", epsilon, DELTA, runs=FEWER)
            yield Wish(name, "privgene", epsilon, runs=FEWER)
    for name, (records, *_) in CENSUS_SHAPES.items():
        for epsilon in EPSILONS:
            yield Wish(name, "privgene", epsilon, runs=FEWER if records < 100_000 else 3)
        for epsilon in (0.1, 0.4) if records < 100_000 else (0.1,):
            yield Wish(name, PRIVGENE, epsilon, runs=3 if records < 100_000 else 1)
    for epsilon in (0.8, 1.6, 3.2, 10.0):
        for name in REAL:
            yield Wish(name, PRIVGENE, epsilon, runs=PRIVGENE_RUNS[epsilon])


def measure(minutes: float, only: str = "") -> None:
    """Measure what is missing until the time is over. Several processes may work side by side."""
    FOLDER.mkdir(parents=True, exist_ok=True)  # for the locks
    end = time.monotonic() + 60 * minutes
    for wish in wishes():
        if only not in f"{wish.data} {wish.method}" or wish.done >= wish.runs:
            continue
        with (FOLDER / f"{wish.path.stem}.lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:  # another process is at it
                continue
            while wish.done < wish.runs:
                if time.monotonic() > end:
                    return
                point = wish.measure_more()
        print(f"{wish.path.stem}: {point.mean:.4f} ± {point.standard_error:.4f}", flush=True)


def run() -> list[Figure]:
    """The quick form."""
    if not data.available():
        print("  the real tables are not here: nothing to measure")
        return []
    return [
        Figure(
            f"adult: error at ε = {epsilon:g}, {method}",
            float(np.mean(errors(*load("adult"), method, epsilon, seeds=range(5)))),
            unit="",
        )
        for method in ("newton", "functional", FUNCTIONAL)
        for epsilon in (0.1, 1.0, 10.0)
    ]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=14.0)
    parser.add_argument("--only", default="", help="points whose data and method contain this text")
    chosen = parser.parse_args()
    measure(chosen.minutes, chosen.only)
    from benchmarks.regression_page import write

    write(ROOT / "docs" / "experiments")
