"""Small tables and small budgets: how far models are from the largest class, or the mean, on held-out tables.

The limits below which a model predicts the largest class (or the mean) were chosen on the other half of the
tables: ``python -m benchmarks small_tables --half chosen`` measures those.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from benchmarks.contest import CLASSIFIERS, REGRESSIONS, cells, explained, halves
from benchmarks.data import available
from benchmarks.figures import Figure
from benchmarks.forecast import tables
from privet.schema import Number, Schema

SIZES, SPLITS = (100, 200, 10**6), 8
EPSILONS = {100: (0.1, 1.0), 200: (0.1, 1.0), 10**6: (0.1,)}
REGRESSED = (1000, 3000)
BELOW = 0.02


def run(half: int = 1) -> list[Figure]:
    if not available():
        print("  the real tables are not here: nothing to measure")
        return []
    names = halves()[half]
    return [*_classes(names), *_numbers(names)]


def _classes(names: list[str]) -> Iterator[Figure]:
    """The mean over tables, and how many of them are clearly below; a uniform guess counts if it is less."""
    for size in SIZES:
        for epsilon in EPSILONS[size]:
            gains: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
            for each in cells(names, (size,), (epsilon,), SPLITS, CLASSIFIERS):
                least = min(each["majority"], 1 / each["classes"])
                gains[each["algorithm"]][each["table"]].append(each["accuracy"] - each["majority"])
                gains[f"{each['algorithm']} (uniform)"][each["table"]].append(each["accuracy"] - least)
            what = f"{size if size < 10**6 else 'up to 12,000'} records, ε = {epsilon:g}"
            for kind in CLASSIFIERS:
                means = [float(np.mean(values)) for values in gains[kind].values()]
                guess = [float(np.mean(values)) for values in gains[f"{kind} (uniform)"].values()]
                mean = float(np.mean(means))
                yield Figure(f"{kind}, {what}: beyond the largest class", mean, -0.01, at_least=True, unit="")
                below = sum(one < -BELOW for one in means)
                yield Figure(f"{kind}, {what}: tables 2 points below it, of {len(means)}", below, unit="")
                worse = sum(one < -0.01 for one in guess)
                yield Figure(f"{kind}, {what}: and below a uniform guess, too", worse, 0, unit="")


def _numbers(names: list[str]) -> Iterator[Figure]:
    """The share of the variance that regressions explain at ε = 0.1: two targets for each large table."""
    found: dict[tuple[str, int], list[float]] = defaultdict(list)
    for name in names:
        table, schema = tables()[name]
        targets = [column.name for column in schema.attributes if isinstance(column, Number)][:2]
        for target in targets:
            asked = Schema(schema.columns, target=target)
            for size in REGRESSED:
                if table.num_rows >= 1.3 * size:
                    for kind in REGRESSIONS:
                        scores = [_explained(kind, asked, table, size, split) for split in range(SPLITS)]
                        found[kind, size].append(float(np.mean(scores)))
    for (kind, size), values in sorted(found.items()):
        what = f"{kind}, {size} records, ε = 0.1: variance explained"
        yield Figure(f"{what}, median of {len(values)}", float(np.median(values)), -0.01, True, unit="")
        yield Figure(f"{what}, least", min(values), unit="")


def _explained(kind: str, schema: Schema, table: pa.Table, size: int, split: int) -> float:
    order = np.random.default_rng([split, size]).permutation(table.num_rows)
    return explained(kind, schema, table.take(order[:size]), table.take(order[size:][:3000]), 0.1, split)


def main(options: list[str]) -> int:
    """``--half chosen`` or ``--half reported``."""
    from benchmarks.figures import print_figures

    print_figures(run({"chosen": 0, "reported": 1}[options[1]]))
    return 0
