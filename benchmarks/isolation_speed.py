"""What a closed cell costs for each block, beside a plain fork and beside the function alone."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from benchmarks.figures import Figure, best_time
from privet.isolation.cell import Isolated

BLOCKS = 100


class PlainFork(Isolated):
    closes = False


def mean(table: pa.Table) -> float:
    return float(table["x"].to_numpy().mean())


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
    ]
