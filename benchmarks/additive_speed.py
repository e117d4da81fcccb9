"""How long additive models, trees and k-means take. A pass is numpy.sum of the same array; all is processor time."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time

import numpy as np

from benchmarks.figures import Figure

RECORDS, NUMBERS, CLUSTERED, CLUSTERS = 1_000_000, 20, 10, 8


def _seconds(work: Callable[[], object], repeats: int = 3) -> float:
    """Processor time of all threads, of the run that was disturbed least."""
    times = []
    for _ in range(repeats):
        start = process_time()
        work()
        times.append(process_time() - start)
    return min(times)


def run() -> list[Figure]:
    return [*_classifiers(), _k_means()]


def _classifiers() -> list[Figure]:
    from privet.learning.classify import AdditiveModel, DecisionTree
    from privet.schema import Schema

    draw = np.random.default_rng(0)
    X = draw.random((RECORDS, NUMBERS))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + 0.2 * draw.standard_normal(RECORDS) > 0.8).astype(int)
    columns = {f"x{place}": (0.0, 1.0) for place in range(NUMBERS)}
    schema = Schema.of({**columns, "y": [0, 1]}, target="y")
    one = _seconds(X.sum)
    figures = []
    for title, model, goal in (
        ("additive model", AdditiveModel(epsilon=1.0, schema=schema), 30.0),
        ("decision tree, depth 6", DecisionTree(epsilon=1.0, schema=schema, depth=6, bins=16), 20.0),
    ):
        model.fit(X[:1000], y[:1000])  # compiled
        passes = _seconds(lambda model=model: model.fit(X, y)) / one
        figures.append(Figure(f"{title}, {RECORDS} × {NUMBERS}: passes", passes, goal, unit=""))
    return figures


def _k_means() -> Figure:
    """Beside one run of scikit-learn's, on clusters that lie apart, where that is quickest."""
    from sklearn.cluster import KMeans as Ordinary

    from privet.learning.cluster import KMeans
    from privet.schema import Schema

    draw = np.random.default_rng(0)
    middles = draw.random((CLUSTERS, CLUSTERED))
    own = draw.integers(0, CLUSTERS, RECORDS)
    X = (middles[own] + 0.08 * draw.standard_normal((RECORDS, CLUSTERED))).clip(0, 1)
    schema = Schema.of({f"x{place}": (0.0, 1.0) for place in range(CLUSTERED)})
    model = KMeans(epsilon=1.0, schema=schema, clusters=CLUSTERS)
    model.fit(X[:1000])  # compiled
    other = _seconds(lambda: Ordinary(CLUSTERS, n_init=1, random_state=0).fit(X))
    ratio = _seconds(lambda: model.fit(X)) / other
    return Figure(f"k-means, {RECORDS} × {CLUSTERED}: time of scikit-learn's", ratio, 1.0)
