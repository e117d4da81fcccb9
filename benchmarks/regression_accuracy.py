"""Error of logistic regression at honest epsilons, over 50 random 80/20 splits, beside diffprivlib's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from sklearn.linear_model import LogisticRegression as NonPrivate

from benchmarks import data, peers
from benchmarks.figures import Figure
from privet import Encoder, LogisticRegression, Schema

RUNS = 50
DELTA = 1e-6
# ε, δ, and the goal for the error on adult. None of the runs knows more than a rounded number of records.
ADULT: tuple[tuple[float, float, float | None], ...] = (
    (0.1, 0.0, 0.239), (0.4, 0.0, 0.175), (0.4, DELTA, 0.170),
    (1.0, 0.0, None), (1.0, DELTA, None), (3.0, 0.0, None),
)  # fmt: skip
PEER_EPSILONS = (0.1, 0.5, 1.0, 3.0)
METHODS = ("functional", "privgene")

_DIFFPRIVLIB = """
import warnings
import numpy as np
from diffprivlib.models import LogisticRegression
warnings.simplefilter("ignore")
X, y = data["X"], data["y"]
result = {}
for epsilon in (0.1, 0.5, 1.0, 3.0):
    errors = []
    for seed in range(10):
        order = np.random.default_rng(seed).permutation(len(y))
        train, test = order[: len(y) * 4 // 5], order[len(y) * 4 // 5 :]
        model = LogisticRegression(epsilon=epsilon, data_norm=float(data["norm"]), max_iter=1000)
        errors.append(float((model.fit(X[train], y[train]).predict(X[test]) != y[test]).mean()))
    result[str(epsilon)] = sum(errors) / len(errors)
print(json.dumps(result))
"""


def error(table: pa.Table, schema: Schema, runs: int = RUNS, **parameters: Any) -> float:
    """Mean error on the held-out fifth. The sets are public, so exact scores are fine here."""
    y = np.asarray(table["class"].to_pylist(), dtype=str)
    errors = []
    for seed in range(runs):
        order = np.random.default_rng(seed).permutation(len(y))
        train, test = order[: len(y) * 4 // 5], order[len(y) * 4 // 5 :]
        model = LogisticRegression(schema=schema, **parameters).fit(table.take(train))
        predicted = model.predict(table.take(test).drop_columns(["class"])).astype(str)
        errors.append(np.mean(predicted != y[test]))
    return float(np.mean(errors))


def floor(table: pa.Table, schema: Schema, runs: int = 5) -> float:
    """scikit-learn's error on the same encoding, without privacy."""
    X = Encoder(schema=schema).transform(table)
    y = np.asarray(table["class"].to_pylist(), dtype=str)
    errors = []
    for seed in range(runs):
        order = np.random.default_rng(seed).permutation(len(y))
        train, test = order[: len(y) * 4 // 5], order[len(y) * 4 // 5 :]
        errors.append(1 - NonPrivate(max_iter=2000).fit(X[train], y[train]).score(X[test], y[test]))
    return float(np.mean(errors))


def run() -> list[Figure]:
    if not data.available():
        print("  the real tables are not here: nothing to measure")
        return []
    figures: list[Figure] = []
    for name in ("adult", "bank_marketing"):
        table, schema = data.load(name)
        least = floor(table, schema)
        figures.append(Figure(f"{name}: error without privacy", least, unit=""))
        for epsilon, delta, goal in ADULT:
            goal = None if name != "adult" else least + 0.02 if epsilon == 1.0 else goal
            figures.append(
                Figure(
                    f"{name}: error at ε = {epsilon:g}{', δ = 1e-6' if delta else ''}",
                    error(table, schema, epsilon=epsilon, delta=delta, records=40_000),
                    goal,
                    unit="",
                )
            )
        figures.append(
            Figure(
                f"{name}: error at ε = 1, records not declared", error(table, schema, epsilon=1.0), unit=""
            )
        )
        figures += [
            Figure(
                f"{name}: error at ε = {epsilon:g}, method {method}",
                error(table, schema, 10, epsilon=epsilon, method=method, records=40_000),
                unit="",
            )
            for epsilon in (0.4, 1.0)
            for method in METHODS
        ]
        figures += _beside_diffprivlib(name, table, schema)
    return figures


def _beside_diffprivlib(name: str, table: pa.Table, schema: Schema) -> list[Figure]:
    X = Encoder(schema=schema).transform(table)
    labels = np.asarray(table["class"].to_pylist(), dtype=str)
    y = (labels == str(schema.nominal_target().labels[1])).astype(int)
    # The norm that the schema gives: a data norm read off the data would be no guarantee.
    theirs = peers.diffprivlib(_DIFFPRIVLIB, X=X, y=y, norm=np.sqrt(len(schema.attributes)))
    return [
        Figure(
            f"{name}: error at ε = {epsilon:g}, of diffprivlib's ({theirs[str(epsilon)]:.3f})",
            error(table, schema, 20, epsilon=epsilon, records=40_000) / theirs[str(epsilon)],
            1.0,
        )
        for epsilon in PEER_EPSILONS
    ]
