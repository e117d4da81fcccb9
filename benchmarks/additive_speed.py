"""How long additive models and trees take, in passes: a pass is numpy.sum of the same array."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from benchmarks.figures import Figure

RECORDS, NUMBERS = 1_000_000, 20


def run() -> list[Figure]:
    from privet.learning.classify import AdditiveModel, DecisionTree
    from privet.schema import Schema

    draw = np.random.default_rng(0)
    X = draw.random((RECORDS, NUMBERS))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + 0.2 * draw.standard_normal(RECORDS) > 0.8).astype(int)
    columns = {f"x{place}": (0.0, 1.0) for place in range(NUMBERS)}
    schema = Schema.of({**columns, "y": [0, 1]}, target="y")
    figures = []
    for title, model, goal in (
        ("additive model", AdditiveModel(epsilon=1.0, schema=schema), 30.0),
        ("decision tree, depth 6", DecisionTree(epsilon=1.0, schema=schema, depth=6, bins=16), 20.0),
    ):
        model.fit(X[:1000], y[:1000])  # compiled
        passes = []
        for _ in range(3):
            start = perf_counter()
            X.sum()
            one = perf_counter() - start
            start = perf_counter()
            model.fit(X, y)
            passes.append((perf_counter() - start) / one)
        figures.append(Figure(f"{title}, {RECORDS} × {NUMBERS}: passes", min(passes), goal, unit=""))
    return figures
