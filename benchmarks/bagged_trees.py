"""Whether bags of trees beat one tree, or the additive model with pairs, on tables whose attributes interact.

A bag either shares out the budget (every tree learns from all records with ε/T) or the records (every tree learns
from a T-th of them with all of ε: the parts are disjoint, so the dearest one is what all cost together).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks import data
from benchmarks.figures import Figure

TABLES, EPSILONS, TREES, SPLITS = ("nursery", "covertype_20k"), (1.0, 3.0), (3, 9), 3


def _bagged(parts: list[pa.Table], test: pa.Table, **parameters: Any) -> tuple[Any, Any]:
    from privet.learning.classify import DecisionTree

    models = [DecisionTree(**parameters).fit(part) for part in parts]
    return models[0].classes_, np.mean([model.predict_proba(test) for model in models], axis=0)


def run() -> list[Figure]:
    from privet.learning.classify import AdditiveModel

    if not data.available():
        print("  the real tables are not here: nothing to measure")
        return []
    figures = []
    for name in TABLES:
        table, schema = data.load(name)
        for epsilon in EPSILONS:
            found: dict[str, list[float]] = {}
            for split in range(SPLITS):
                order = np.random.default_rng(100 + split).permutation(table.num_rows)
                cut = table.num_rows * 4 // 5
                train, test = table.take(order[:cut]), table.take(order[cut:])
                actual = np.array(test["class"].to_pylist(), dtype=str)
                ways = {"one tree": _bagged([train], test, schema=schema, epsilon=epsilon)}
                for trees in TREES:
                    shares = [train.take(part) for part in np.array_split(np.arange(cut), trees)]
                    budgets = {"schema": schema, "epsilon": epsilon / trees}
                    ways[f"{trees} trees of ε/{trees}"] = _bagged([train] * trees, test, **budgets)
                    records = f"{trees} trees of a {trees}th of the records"
                    ways[records] = _bagged(shares, test, schema=schema, epsilon=epsilon)
                model = AdditiveModel(schema=schema, epsilon=epsilon).fit(train)
                ways["additive model with pairs"] = model.classes_, model.predict_proba(test)
                for way, (classes, proba) in ways.items():
                    right = np.mean(classes.astype(str)[proba.argmax(axis=1)] == actual)
                    found.setdefault(way, []).append(float(right))
            figures += [
                Figure(f"{name}, ε = {epsilon:g}: {way}", float(np.mean(values)), unit="")
                for way, values in found.items()
            ]
    return figures
