"""What a closed cell costs for each block, beside a plain fork and beside the function alone."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pyarrow as pa

from benchmarks.figures import Figure, best_time
from privet.isolation.cell import Isolated

BLOCKS = 100
_UNITS = 2_000
_START = """
import tempfile
from pathlib import Path
import numpy as np, pyarrow as pa
from pyarrow import parquet
from benchmarks.spent import adopt_orphans, cpu_seconds
from privet.learning.map_reduce import MapReduce
from privet.schema import Schema
from privet.sources import ArrowSource, ParquetSource
from privet.sources.parts import PartedSource
adopt_orphans()
path = Path(tempfile.mkdtemp()) / "t.parquet"
parquet.write_table(pa.table({"x": np.arange(UNITS) % 97.0}), path, row_group_size=100)
"""
# What is done once for a fit does not count, nor does what starts at the first.
_MEASURE = """
def spent(units):
    before = cpu_seconds()
    schema = Schema.of({"x": (0.0, 100.0)})
    MapReduce(lambda one: one["x"][0].as_py(), 0, 100, units=units, tables="arrow", schema=schema).fit(source)
    return cpu_seconds() - before
spent(UNITS // 10)
print("SPENT", (spent(UNITS) - spent(UNITS // 10)) / (UNITS - UNITS // 10))
path.unlink()
"""
_ENGINES = {
    "in memory": "source = ArrowSource(parquet.read_table(path))",
    "on two processes": """
from privet.sources.processes import Processes
source = PartedSource(ParquetSource(path), Processes(2), 2)""",
    "on Spark": """
from privet.sources.spark import SparkMap
source = PartedSource(ParquetSource(path), SparkMap(), 2)""",
}


class PlainFork(Isolated):
    closes = False


def mean(table: pa.Table) -> float:
    return float(table["x"].to_numpy().mean())


def _each_record(source: str) -> float:
    """CPU milliseconds for each record, of all processes."""
    code = f"UNITS = {_UNITS}" + _START + source + _MEASURE
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return 1000 * float(done.stdout.rpartition("SPENT")[2])


def run() -> list[Figure]:
    blocks = [pa.table({"x": np.arange(100.0)})] * BLOCKS
    alone = best_time(lambda: [mean(block) for block in blocks])
    times = {}
    for kind in (PlainFork, Isolated):
        with kind(mean, 1, 30.0, as_pandas=False, isolation="available") as isolated:
            times[kind] = best_time(lambda isolated=isolated: isolated.run(blocks))
    return [
        Figure(
            "a block of sample-and-aggregate in a closed cell, beside a plain fork",
            times[Isolated] / times[PlainFork],
        ),
        Figure("  beside the mean of 100 numbers, called", times[Isolated] / alone),
        Figure("  by itself", 1000 * times[Isolated] / BLOCKS, unit="ms"),
        *(
            Figure(f"a record of map and reduce, {name}: CPU time", _each_record(source), unit="ms")
            for name, source in _ENGINES.items()
        ),
    ]
