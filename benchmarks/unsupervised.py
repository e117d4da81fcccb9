"""Synthetic data, clusters and itemsets on public tables: distances, inertia and found sets beside no privacy."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks import data
from benchmarks.figures import Figure, best_time
from privet.learning.associate import FrequentItemsets
from privet.learning.cluster import KMeans
from privet.learning.synthesise import Synthesiser
from privet.schema import Number, Schema
from privet.schema.bins import public_cuts
from privet.stats import Rows
from privet.stats.clusters.points import distances

FOUR = ("age", "education-num", "capital-gain", "hours-per-week")
CLUSTERS = 3
SPLITS = 3


def _codes(table: pa.Table, schema: Schema) -> dict[str, np.ndarray]:
    rows = Rows(table.combine_chunks().to_batches()[0], schema)
    cuts = {c.name: public_cuts(c, 16) if isinstance(c, Number) else () for c in schema.columns}
    return {name: rows.codes(name, cut).astype(int) for name, cut in cuts.items()}


def pair_distance(one: pa.Table, other: pa.Table, schema: Schema) -> float:
    """The mean distance (total variation) of all pairs of columns, numbers in 16 bins."""
    a, b = _codes(one, schema), _codes(other, schema)
    found = []
    for x, y in combinations(schema.names, 2):
        width = max(a[y].max(), b[y].max()) + 1
        cells = (max(a[x].max(), b[x].max()) + 1) * width
        shares = [np.bincount(t[x] * width + t[y], minlength=cells) / len(t[x]) for t in (a, b)]
        found.append(0.5 * np.abs(shares[0] - shares[1]).sum())
    return float(np.mean(found))


def _synthetic() -> list[Figure]:
    table, schema = data.load("adult")
    how: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-6, "schema": schema}
    made = Synthesiser(**how).fit(table).sample(table.num_rows)
    accuracy, area = np.mean([_downstream(table, how, split) for split in range(SPLITS)], axis=0)
    seconds = best_time(lambda: Synthesiser(**how).fit(table), 2)
    return [
        Figure("adult at ε = 1: mean distance of pairs", pair_distance(table, made, schema), 0.036, unit=""),
        Figure("adult: boosted trees learned from made-up records, accuracy on real ones", accuracy, 0.85,
               at_least=True, unit=""),
        Figure("adult: and their AUC", area, 0.9, at_least=True, unit=""),
        Figure("adult: seconds of a fit", seconds, 1.0, unit="s"),
    ]  # fmt: skip


def _downstream(table: pa.Table, how: dict[str, Any], split: int) -> tuple[float, float]:
    """Accuracy and AUC, on real records held out, of boosted trees that saw made-up ones only."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.metrics import roc_auc_score

    schema: Schema = how["schema"]
    order = np.random.default_rng(split).permutation(table.num_rows)
    cut = int(0.8 * len(order))
    made = Synthesiser(**how).fit(table.take(order[:cut])).sample(cut)
    made = made.filter(made[str(schema.target)].is_valid())  # noise draws a few without a class
    learned, seen = (_matrix(each, schema) for each in (made, table.take(order[cut:])))
    kinds = [not isinstance(column, Number) for column in schema.attributes]
    # Small trees: made-up records carry what two or three columns say together, and beyond that noise.
    model = HistGradientBoostingClassifier(
        categorical_features=kinds, max_iter=60, max_leaf_nodes=15, random_state=0
    )
    model.fit(learned[0], learned[1])
    chances = model.predict_proba(seen[0])[:, 1]
    return float(np.mean((chances > 0.5) == seen[1])), float(roc_auc_score(seen[1], chances))


def _matrix(table: pa.Table, schema: Schema) -> tuple[np.ndarray, np.ndarray]:
    """The attributes as numbers and codes, and the class as 0 and 1."""
    rows = Rows(table.combine_chunks().to_batches()[0], schema)
    columns = [
        rows.numbers(c.name) if isinstance(c, Number) else rows.codes(c.name).astype(float)
        for c in schema.attributes
    ]
    return np.stack(columns, axis=1), rows.codes(str(schema.target)).astype(int)


def _inertia(name: str, columns: tuple[str, ...] | int | None, delta: float, goal: float) -> Figure:
    from sklearn.cluster import KMeans as Ordinary

    table, _ = data.load(name)
    chosen = [c for c in table.column_names if c != "class"]
    if isinstance(columns, int):
        chosen = chosen[:columns]
    elif columns is not None:
        chosen = [c for c in chosen if c.replace("_", "-") in columns]
    raw = np.column_stack([np.asarray(table[c], float) for c in chosen])
    low, high = raw.min(axis=0), raw.max(axis=0)
    schema = Schema.of({c: (float(a), float(b)) for c, a, b in zip(chosen, low, high, strict=True)})
    scaled = (raw - low) / (high - low)
    best = Ordinary(CLUSTERS, n_init=3, random_state=0).fit(scaled).inertia_
    ratios = []
    for _ in range(5):
        model = KMeans(epsilon=0.5, delta=delta, schema=schema, clusters=CLUSTERS).fit(raw)
        ratios.append(distances(scaled, model.centres_).min(axis=1).sum() / best)
    return Figure(f"{name}, {len(chosen)} numbers: inertia at ε = 0.5", float(np.mean(ratios)), goal)


def _speed() -> Figure:
    from sklearn.cluster import KMeans as Ordinary

    points = np.random.default_rng(0).random((1_000_000, 10))
    schema = Schema.of({f"x{k}": (0.0, 1.0) for k in range(10)})
    ours = best_time(lambda: KMeans(epsilon=1.0, delta=1e-6, schema=schema, clusters=8).fit(points), 1)
    theirs = best_time(lambda: Ordinary(8, random_state=0).fit(points), 1)
    return Figure("k-means, 1,000,000 × 10: time relative to scikit-learn", ours / theirs, 1.0)


def _itemsets() -> list[Figure]:
    table, whole = data.load("mushroom")
    schema = Schema(whole.columns)
    rows = Rows(table.combine_chunks().to_batches()[0], schema)

    def support(items: Any) -> int:
        held = np.ones(rows.size, bool)
        for name, value in items.items():
            held &= rows.codes(name) == schema[name].labels.index(value)  # type: ignore[union-attr]
        return int(held.sum())

    hundredth = (
        3432  # the exact support of the 100th most frequent set; sets with as many records are as good
    )
    right = []
    for _ in range(5):
        found = FrequentItemsets(epsilon=0.5, schema=schema, most=100).fit(table).itemsets
        right.append(np.mean([support(each.items) >= hundredth for each in found]))
    one_hot = pa.table({f"a{k}": np.random.default_rng(k).integers(0, 2, 100_000) for k in range(100)})
    articles = Schema.of({name: [0, 1] for name in one_hot.column_names})
    seconds = best_time(lambda: FrequentItemsets(epsilon=1.0, schema=articles).fit(one_hot), 1)
    return [
        Figure("mushroom at ε = 0.5: F of the top 100", float(np.mean(right)), 0.95, at_least=True, unit=""),
        Figure("100,000 baskets of 100 articles: seconds", seconds, 5.0, unit="s"),
    ]


def run() -> list[Figure]:
    if not data.available():
        print("  the real tables are not here: nothing to measure")
        return []
    return [
        *_synthetic(),
        _inertia("banana", None, 0.0, 1.02),
        _inertia("skin_segmentation", None, 0.0, 1.05),
        _inertia("adult", FOUR, 0.0, 1.15),
        _inertia("covertype_20k", 10, 1e-6, 1.2),
        _speed(),
        *_itemsets(),
    ]
