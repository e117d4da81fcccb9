"""The thesis's two figures, a learning curve, and diffprivlib beside them; written to docs/experiments/regression.md.

    python -m benchmarks.regression_figures --minutes 14     measures what is missing, for that long at most
    python -m benchmarks regression_figures                  the quick form: 5 splits of adult, nothing
    written

Every point (data, method, ε) is kept in out/regression/ as soon as it is known, and all of them in
docs/experiments/regression.csv when the page is written, so a run that was stopped goes on. Whoever changes a
method deletes its points there, and they are measured again.
"""

from __future__ import annotations

import argparse
import csv
import fcntl
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
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
KEPT = ROOT / "docs" / "experiments" / "regression.csv"
DELTA = 1e-6
RUNS = 50
REAL = ("adult", "bank_marketing")
PEER = "diffprivlib"
PEER_EPSILONS = tuple(sorted({*EPSILONS, 0.5, 1.0, 3.0}))
TRAIN = (500, 1_000, 2_000, 5_000, 10_000, 20_000, 39_073)
FUNCTIONAL = "functional, as published"
PRIVGENE = "PrivGene, as published"
FEWER = 20  # splits where the goals ask for no figure
FEWEST = 5  # of a table that is ten times as large

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
        if self.path.exists():
            return Point.from_dict(json.loads(self.path.read_text()))
        return kept_points().get((self.data, self.method, self.epsilon, self.delta, self.train))

    @property
    def done(self) -> int:
        point = self.found()
        return 0 if point is None else len(point.errors)

    def measure_more(self) -> Point:
        """Some further splits, kept at once."""
        table, schema = load(self.data)
        before = self.found()
        so_far = () if before is None else before.errors
        step = 2 if self.method == FLOOR else 10
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


@cache
def kept_points() -> dict[tuple[str, str, float, float, int | None], Point]:
    """The points of earlier runs, by what they are points of."""
    found = {}
    for row in csv.DictReader(KEPT.read_text().splitlines()) if KEPT.exists() else ():
        asked = int(row["asked"]) if row["asked"] else None
        errors = tuple(map(float, row["errors"].split()))
        epsilon, delta = float(row["epsilon"]), float(row["delta"])
        point = Point(row["data"], row["method"], epsilon, delta, int(row["train"]), errors)
        found[row["data"], row["method"], epsilon, delta, asked] = point
    return found


def keep_points() -> None:
    """Write all points that are known, in the order of the wishes."""
    with KEPT.open("w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["data", "method", "epsilon", "delta", "asked", "train", "errors"])
        for wish in dict.fromkeys(replace(wish, runs=0) for wish in wishes()):
            if (point := wish.found()) is not None:
                texts = " ".join(f"{error:.6f}" for error in point.errors)
                rows.writerow(
                    [wish.data, wish.method, wish.epsilon, wish.delta, wish.train, point.train, texts]
                )


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


def measure(minutes: float, only: Sequence[str] = ()) -> None:
    """Measure what is missing until the time is over. Several processes may work side by side."""
    FOLDER.mkdir(parents=True, exist_ok=True)  # for the locks
    end = time.monotonic() + 60 * minutes
    for wish in wishes():
        if not all(text in wish.path.stem for text in only) or wish.done >= wish.runs:
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
        for method in ("auto", "functional", FUNCTIONAL)
        for epsilon in (0.1, 1.0, 10.0)
    ]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=14.0)
    parser.add_argument("--only", default=(), nargs="+", help="points whose names contain all these texts")
    chosen = parser.parse_args()
    measure(chosen.minutes, chosen.only)
    from benchmarks.regression_page import write

    keep_points()
    write(ROOT / "docs" / "experiments")
