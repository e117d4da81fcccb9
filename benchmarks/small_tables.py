"""Small tables and small budgets: how far models are from the largest class, or the mean, on held-out tables.

The limits below which a model predicts the largest class (or the mean) were chosen on the other half of the
tables: ``python -m benchmarks small_tables --half chosen`` measures those.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.contest import CLASSIFIERS, REGRESSIONS, cells, explained, halves
from benchmarks.data import available
from benchmarks.figures import Figure
from benchmarks.forecast import tables
from privet.mechanisms import PermuteAndFlip
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
    return [*_choices(names), *_classes(names), *_numbers(names)]


def _choices(names: list[str]) -> Iterator[Figure]:
    """What the choice of the largest class loses of accuracy at ε = 0.1, by its exact chances: no noise.

    With two classes no private way that treats them alike loses less than the whole of ε does: with g records
    more in one class, taking g away makes a tie, so it errs with at least half of exp(−ε·g).
    """
    for size in (100, 200):
        for part, what in ((Fraction(1), "all of ε"), (Fraction(9, 10), "nine tenths of ε")):
            chooses = PermuteAndFlip(part / 10, Fraction(1), monotonic=True)
            lost = [np.mean([_lost(chooses, name, size, split) for split in range(40)]) for name in names]
            mean = float(np.mean(lost))
            yield Figure(f"largest class, {size} records, {what} = 0.1: lost", mean, 0.01, unit="")


def _lost(chooses: PermuteAndFlip, name: str, size: int, split: int) -> float:
    y = np.random.default_rng([split, size]).permutation(_codes(name))
    cut, number = min(size, int(0.7 * len(y))), int(y.max()) + 1
    counts, shares = (np.bincount(each, minlength=number) for each in (y[:cut], y[cut:]))
    right = shares / max(shares.sum(), 1)
    return float(right[counts.argmax()] - chooses.probabilities(counts) @ right)


@cache
def _codes(name: str) -> Any:
    table, schema = tables()[name]
    labels = [str(label) for label in schema.nominal_target().labels]
    values = np.array(table[str(schema.target)].to_pylist(), dtype=str)
    return np.concatenate([np.full(int((values == label).sum()), k) for k, label in enumerate(labels)])


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
