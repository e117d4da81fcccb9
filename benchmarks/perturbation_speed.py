"""Perturbation: beside its matrix product, in constant memory on a stream, and beside River."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.figures import Figure, best_time
from privet.perturbation import Geometric
from privet.perturbation.affine import haar_rotation
from privet.schema import Schema, write_schema

ROWS, COLUMNS = 1_000_000, 10
SCHEMA = Schema.of({f"x{j}": (-5.0, 5.0) for j in range(COLUMNS)})
# The stream whose memory is watched, in GB; smaller for a quick look.
STREAM = float(os.environ.get("PRIVET_STREAM_GB", "5"))


def run() -> list[Figure]:
    generator = np.random.default_rng(0)
    X = generator.uniform(-5, 5, (ROWS, COLUMNS))
    model = Geometric(schema=SCHEMA, candidates=1).fit(X)
    turn = haar_rotation(COLUMNS, generator)
    alone = best_time(lambda: (X @ turn, generator.standard_normal(X.shape)))
    ours = best_time(lambda: model.transform(X))
    figures = [Figure("geometric, 1M × 10, beside matrix product and normal draws alone", ours / alone, 2)]
    figures += _beside_river(model, X[:3000])
    with tempfile.TemporaryDirectory() as folder:
        write_schema(SCHEMA, Path(folder) / "s.toml")
        figures += _filter(Path(folder), X[:200_000])
        figures += _memory(Path(folder), X[:10_000])
    return figures


def _beside_river(model: Geometric, X: np.ndarray) -> list[Figure]:
    try:
        from river import preprocessing
    except ImportError:
        return []
    records = [dict(zip(SCHEMA.names, row, strict=True)) for row in X.tolist()]
    scaler = preprocessing.StandardScaler()
    for record in records:
        scaler.learn_one(record)
    theirs = best_time(lambda: [scaler.transform_one(record) for record in records], 9)
    ours = best_time(lambda: [model.transform_one(record) for record in records], 9)
    return [Figure("transform_one, beside River's StandardScaler", ours / theirs, 3)]


def _command(*words: str) -> list[str]:
    return [
        sys.executable,
        "-m",
        "privet.cli",
        "perturb",
        "geometric",
        "-s",
        "s.toml",
        "--candidates",
        "1",
        *words,
    ]


def _filter(folder: Path, X: np.ndarray) -> list[Figure]:
    with (folder / "in.csv").open("w") as file:
        file.write(",".join(SCHEMA.names) + "\n")
        np.savetxt(file, X, fmt="%.6f", delimiter=",")
    with (folder / "few.csv").open("w") as file:
        file.write(",".join(SCHEMA.names) + "\n" + ",".join(["1.5"] * COLUMNS) + "\n")
    figures = []
    for words, goal, what in (((), 100_000, "in batches"), (("--row-by-row",), 20_000, "row by row")):

        def seconds(name: str, words: tuple[str, ...] = words) -> float:
            def work() -> None:
                with (folder / name).open("rb") as source, (folder / "out.csv").open("wb") as sink:
                    subprocess.run(_command(*words), stdin=source, stdout=sink, stderr=subprocess.DEVNULL,
                                   cwd=folder, check=True)  # fmt: skip

            return best_time(work, 3)

        start = seconds("few.csv")  # what the program takes to start is not the filter's speed
        rate = len(X) / (seconds("in.csv") - start)
        figures.append(
            Figure(f"privet perturb in a pipe, 10 columns, {what}", rate, goal, at_least=True, unit="rows/s")
        )
    return figures


def _memory(folder: Path, X: np.ndarray) -> list[Figure]:
    """The most memory that the filter has needed after a tenth of the stream, and after all of it."""
    block = "".join(",".join(f"{value:.6f}" for value in row) + "\n" for row in X).encode()
    peaks = []
    for size in (STREAM / 10, STREAM):
        # A process of its own, because the largest of all children is what the system tells.
        program = (
            "import resource, subprocess, sys\n"
            "quiet = {'stdout': subprocess.DEVNULL, 'stderr': subprocess.DEVNULL}\n"
            f"child = subprocess.Popen({_command()!r}, stdin=sys.stdin, **quiet)\n"
            "code = child.wait()\n"
            "print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n"
        )
        start = time.perf_counter()
        command = [sys.executable, "-c", program]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder)
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write((",".join(SCHEMA.names) + "\n").encode())
        for _ in range(int(size * 1e9 / len(block)) + 1):
            process.stdin.write(block)
        process.stdin.close()
        code, peak = map(int, process.stdout.read().split())
        process.wait()
        assert code == 0
        peaks.append(peak / 1024 / (1024 if sys.platform == "darwin" else 1))
        print(f"    {size:g} GB in {time.perf_counter() - start:.0f} s, {peaks[-1]:.0f} MB", flush=True)
    return [
        Figure(f"memory of the filter on a stream of {STREAM:g} GB", peaks[1], 400, unit="MB"),
        Figure("  beside a tenth of that stream", peaks[1] / peaks[0], 1.15),
    ]
