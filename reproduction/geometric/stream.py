"""A stream of five gigabytes through the filter, and its memory on the way."""

from __future__ import annotations

import platform
import resource
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.figures import Figure
from benchmarks.perturbation_speed import SCHEMA, command
from privet.report import lines, save_svg
from privet.schema import write_schema
from reproduction.page import Cell, Page, Results

SIZE = 5.0  # gigabytes
BLOCKS, ROWS = 16, 20_000
POINTS = 100


@dataclass(frozen=True)
class Flow:
    """What was sent, how much memory the filter held on the way, and what it cost."""

    gigabytes: list[float]
    megabytes: list[float]
    rows: int
    seconds: float
    processor: float


def _measured() -> dict[str, Any]:
    if platform.system() != "Linux":
        raise RuntimeError("How much memory a running process holds is read from Linux's /proc.")
    with tempfile.TemporaryDirectory() as folder:
        write_schema(SCHEMA, Path(folder) / "s.toml")
        return asdict(_flowed(Path(folder), SIZE))


def cells() -> Iterator[Cell]:
    yield Cell(f"{SIZE:g} GB", _measured)


def _flowed(folder: Path, size: float) -> Flow:
    """Send rows of ten uniform columns until there are so many gigabytes; the blocks come in random order."""
    generator = np.random.default_rng(0)
    blocks = [
        "".join(",".join(f"{v:.6f}" for v in row) + "\n" for row in part).encode()
        for part in generator.uniform(-5, 5, (BLOCKS, ROWS, len(SCHEMA.names))).tolist()
    ]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start, sent, rows = time.perf_counter(), 0.0, 0
    gigabytes: list[float] = []
    megabytes: list[float] = []
    with subprocess.Popen(
        command("--key", "key.json"),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
    ) as process:
        assert process.stdin is not None
        process.stdin.write((",".join(SCHEMA.names) + "\n").encode())
        while sent < size:
            block = blocks[int(generator.integers(BLOCKS))]
            process.stdin.write(block)
            sent, rows = sent + len(block) / 1e9, rows + ROWS
            if sent >= size * (len(gigabytes) + 1) / POINTS:
                gigabytes.append(round(sent, 3))
                megabytes.append(_resident(process.pid))
        process.stdin.close()
    assert process.returncode == 0
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Flow(gigabytes, megabytes, rows, time.perf_counter() - start, processor)


def _resident(process: int) -> float:
    text = Path(f"/proc/{process}/status").read_text()
    return int(text.split("VmRSS:")[1].split()[0]) / 1024


def write(results: Results, folder: Path) -> list[Figure]:
    flow = Flow(**results[f"{SIZE:g} GB"])
    picture = folder / "perturbation-stream.svg"
    save_svg(
        lines(flow.gigabytes, {"memory of the filter": flow.megabytes}, xlabel="gigabytes read", ylabel="MB"),
        picture,
    )
    tenth, most = flow.megabytes[len(flow.megabytes) // 10], max(flow.megabytes)
    text = f"""\
# A long stream in constant memory

Written by `python -m reproduction perturbation-stream`; do not edit.

A generator writes rows of ten uniform numbers (seed 0) into `privet perturb geometric --key key.json`, whose output
goes nowhere. The memory that the filter holds is read {POINTS} times on the way.

| what | measured |
|---|---|
| stream | {SIZE:g} GB, {flow.rows:,} rows |
| resident memory after a tenth of it | {tenth:.0f} MB |
| largest resident memory | {most:.0f} MB ({most / tenth:.3f} × that after a tenth) |
| processor time of the filter | {flow.processor:.0f} s: {flow.rows / flow.processor:,.0f} rows a second |
| time by the clock, on a shared machine with two cores | {flow.seconds:.0f} s: {flow.rows / flow.seconds:,.0f} rows a second |

![Memory of the filter over what it has read]({picture.name})

Most of the memory is Python, NumPy and Arrow themselves; the filter holds a megabyte of rows at a time, and what
it needs for those. Neither grows with the stream.
"""
    (folder / "perturbation-stream.md").write_text(text, encoding="utf-8")
    speed = flow.rows / flow.processor
    return [
        Figure(f"memory of the filter on a stream of {SIZE:g} GB", most, 400, unit="MB"),
        Figure("  beside a tenth of that stream", most / tenth, 1.05),
        Figure("  rows a second of processor time", speed, 100_000, at_least=True, unit=""),
    ]


PAGES = (
    Page(
        "geometric",
        "perturbation-stream",
        "A long stream in constant memory",
        cells,
        write,
        tables=False,
    ),
)
