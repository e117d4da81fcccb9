"""Additive models and trees on public tables: five splits, against today's other classifiers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from sklearn.metrics import roc_auc_score

from benchmarks import data
from benchmarks.figures import Figure

SPLITS = 5
DELTA = 1e-6
# Accuracy (and area under the curve) to reach at ε = 1 with δ = 10⁻⁶.
GOALS: dict[str, tuple[float, float | None]] = {
    "adult": (0.856, 0.910),
    "bank_marketing": (0.903, 0.910),
    "nursery": (0.95, None),
    "covertype_20k": (0.72, None),
    "mushroom": (0.995, None),
}


def scores(make: Any, name: str, splits: int = SPLITS, **parameters: Any) -> tuple[float, float]:
    """Mean accuracy and area under the curve (NaN for more than two classes) on held-out fifths."""
    table, schema = data.load(name)
    y = np.asarray(table["class"].to_pylist(), dtype=str)
    accuracy, area = [], []
    for split in range(splits):
        order = np.random.default_rng(100 + split).permutation(len(y))
        cut = len(y) * 4 // 5
        model = make(schema=schema, **parameters).fit(table.take(pa.array(order[:cut])))
        proba = model.predict_proba(table.take(pa.array(order[cut:])).drop_columns(["class"]))
        told, actual = model.classes_.astype(str), y[order[cut:]]
        accuracy.append(float(np.mean(told[proba.argmax(axis=1)] == actual)))
        area.append(roc_auc_score(actual == told[1], proba[:, 1]) if len(told) == 2 else np.nan)
    return float(np.mean(accuracy)), float(np.mean(area))


def run() -> list[Figure]:
    from privet.learning.classify import AdditiveModel, DecisionTree, LogisticRegression, NaiveBayes

    if not data.available():
        print("  the real tables are not here: nothing to measure")
        return []
    figures = []
    for name, (goal, area_goal) in GOALS.items():
        for epsilon in (1.0, 3.0):
            accuracy, area = scores(AdditiveModel, name, epsilon=epsilon, delta=DELTA)
            first = epsilon == 1
            figures.append(
                Figure(f"additive model, {name}: ε = {epsilon:g}, δ = 1e-6", accuracy,
                       goal if first else None, at_least=True, unit="")
            )  # fmt: skip
            if area_goal is not None:
                figures.append(
                    Figure(f"additive model, {name}: area under the curve, ε = {epsilon:g}", area,
                           area_goal if first else None, at_least=True, unit="")
                )  # fmt: skip
            others: dict[str, Any] = {
                "additive model, pure ε": AdditiveModel,
                "decision tree": DecisionTree,
                "naive Bayes": NaiveBayes,
            }
            if name != "covertype_20k":  # minutes for a fit there
                others["logistic regression"] = LogisticRegression
            for kind, make in others.items():
                accuracy, _ = scores(make, name, 2, epsilon=epsilon)
                figures.append(Figure(f"{kind}, {name}: ε = {epsilon:g}", accuracy, unit=""))
    return figures
