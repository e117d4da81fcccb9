"""Accuracy of naive Bayes at honest epsilons: 10-fold cross-validation, five times, beside non-private ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks import data
from benchmarks.figures import Figure
from privet import NaiveBayes, Schema

REPEATS, FOLDS = 5, 10
FLOOR = {"mushroom": 0.90, "nursery": 0.87, "adult": 0.815}


def accuracy(table: pa.Table, schema: Schema, repeats: int = REPEATS, **parameters: Any) -> float:
    """Mean accuracy over all folds. The sets are public, so exact scores are fine here."""
    generator = np.random.default_rng(0)
    y = np.asarray(table["class"].to_pylist(), dtype=str)
    scores = []
    for _ in range(repeats):
        fold = generator.permutation(len(y)) % FOLDS
        for k in range(FOLDS):
            train = table.filter(pa.array(fold != k))
            test = table.filter(pa.array(fold == k))
            model = NaiveBayes(schema=schema, **parameters).fit(train)
            scores.append(np.mean(model.predict(test.drop_columns(["class"])).astype(str) == y[fold == k]))
    return float(np.mean(scores))


def run() -> list[Figure]:
    if not data.available():
        print("  the real tables are not here: nothing to measure")
        return []
    figures = []
    for name in ("mushroom", "nursery", "votes", "adult"):
        table, schema = data.load(name)
        plain = accuracy(table, schema, 1, epsilon=1_000_000, smoothing=1.0)
        same = accuracy(table, schema, 1, epsilon=1_000_000)
        one, tenth = (accuracy(table, schema, epsilon=e) for e in (1.0, 0.1))
        figures += [
            Figure(f"{name}: non-private (Laplace estimator 1)", plain, unit=""),
            Figure(f"{name}: non-private (our smoothing)", same, unit=""),
            Figure(f"{name}: lost at ε = 1, percentage points", 100 * (plain - one), 1.0, unit=""),
            Figure(f"{name}: accuracy at ε = 0.1", tenth, FLOOR.get(name), at_least=True, unit=""),
        ]
    return figures
