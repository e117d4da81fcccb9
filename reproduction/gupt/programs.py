"""GUPT's three programs on made-up records: a mean, k-means and logistic regression, on blocks of a table.

Blocks are cut here as ``isolation.blocks`` cuts them, and aggregated by the same mechanisms; the programs run
in this process, since they are trusted and closed cells would only cost time.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from privet.budget import Pure
from privet.learning.block_choice import by_aged, by_theory
from privet.mechanisms.weighted_mean import WeightedMean
from privet.randomness import seeded

RECORDS = 20_000
AGED = 2_000
EPSILONS = (0.5, 2.0, 8.0)
RUNS = 5
CLUSTERS = 3
WAYS = ("100 blocks", "blocks by theory", "blocks by aged records", "loose ranges", "resampled")
GRID = 1 << 20


@dataclass(frozen=True)
class Program:
    """What is run on a block, within which ranges, and how its aggregate is scored (smaller is better)."""

    name: str
    run: Callable[[Any], Any]
    low: Any
    high: Any
    score: Callable[[Any], float]


@cache
def tables() -> dict[str, Any]:
    """Ages; points around three centres; and two numbers that decide a class."""
    draw = np.random.default_rng(12)
    many = RECORDS + AGED
    centres = np.array([[-2.0, -1.0], [0.0, 2.0], [2.5, -1.5]])
    points = centres[draw.integers(0, CLUSTERS, many)] + draw.normal(0, 0.5, (many, 2))
    features = draw.normal(0, 1, (many, 2))
    classes = draw.random(many) < 1 / (1 + np.exp(-(features @ [1.5, -1.0])))
    return {
        "mean": np.clip(draw.gamma(6, 6.5, many), 0, 120)[:, None],
        "k-means": np.clip(points, -5, 5),
        "logistic regression": np.column_stack([np.clip(features, -4, 4), classes]),
    }


def _centres(block: Any) -> Any:
    from sklearn.cluster import KMeans

    found = KMeans(CLUSTERS, n_init=1, random_state=0).fit(block).cluster_centers_
    return found[np.argsort(found[:, 0])].ravel()  # one order, so that means of centres are centres


def _coefficients(block: Any) -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression().fit(block[:, :2], block[:, 2]).coef_[0]


def _variance(centres: Any) -> float:
    """The mean squared distance to the nearest centre, of the exact one."""
    points = tables()["k-means"][AGED:]

    def within(found: Any) -> float:
        return float(((points[:, None] - found.reshape(-1, 2)) ** 2).sum(axis=2).min(axis=1).mean())

    return within(np.asarray(centres)) / within(_exact("k-means"))


def _errors(coefficients: Any) -> float:
    table = tables()["logistic regression"][AGED:]
    return float(((table[:, :2] @ coefficients > 0) != table[:, 2]).mean())


def _off(mean: Any) -> float:
    return abs(float(mean[0]) - float(tables()["mean"][AGED:].mean()))


PROGRAMS = {
    "mean": Program("mean", lambda block: block.mean(axis=0), [0.0], [120.0], _off),
    "k-means": Program("k-means", _centres, [-5.0] * 6, [5.0] * 6, _variance),
    "logistic regression": Program("logistic regression", _coefficients, [-5.0] * 2, [5.0] * 2, _errors),
}


@cache
def _exact(name: str) -> Any:
    return np.asarray(PROGRAMS[name].run(tables()[name][AGED:]))


def _outputs(program: Program, table: Any, blocks: int, draw: Any) -> Any:
    """Where in its range each output lies, for each block: the middle, where the program fails."""
    places, low, high = draw.integers(0, blocks, len(table)), np.array(program.low), np.array(program.high)
    rows = []
    for block in range(blocks):
        try:
            found = np.asarray(program.run(table[places == block]))
        except ValueError:
            found = (low + high) / 2
        rows.append((np.clip(found, low, high) - low) / (high - low))
    return np.array(rows)


def _blocks(program: Program, way: str, epsilon: float, aged: Any) -> tuple[int, tuple[Fraction, ...]]:
    if way == "100 blocks":
        return 100, ()
    if way != "blocks by aged records":
        return by_theory(RECORDS), ()
    draw = np.random.default_rng(5)

    def outputs(number: int, size: int) -> Any:
        return _outputs(program, draw.permutation(aged)[: number * size], number, draw)

    chosen = by_aged(outputs, len(aged), RECORDS, epsilon, None)
    return chosen.blocks, chosen.weights


def measured(name: str, way: str, epsilon: float) -> dict[str, float]:
    """The mean score over the runs, its standard error, and the number of blocks."""
    program, table = PROGRAMS[name], tables()[name]
    blocks, weights = _blocks(program, way, epsilon, table[:AGED])
    copies = 4 if way == "resampled" else 1
    mean = WeightedMean(
        Pure(Fraction(str(epsilon))),
        blocks,
        GRID,
        weights or (Fraction(1, len(program.low)),) * len(program.low),
        copies,
        way == "loose ranges",
    )
    low, high = np.array(program.low), np.array(program.high)
    scores = []
    for run in range(RUNS):
        draw = np.random.default_rng(run)
        rows = np.concatenate([_outputs(program, table[AGED:], blocks, draw) for _ in range(copies)])
        value, _ = mean.released(np.rint(rows * GRID).astype(np.int64), seeded(run))
        scores.append(program.score(low + (high - low) * value))
    return {
        "score": float(np.mean(scores)),
        "error": float(np.std(scores) / math.sqrt(RUNS)),
        "blocks": blocks,
    }


def exact(name: str) -> float:
    """The score without privacy."""
    return PROGRAMS[name].score(_exact(name))
