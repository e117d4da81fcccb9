"""Regression by noisy sums, private choices and exact minima, beside the bare linear algebra and scikit-learn's own.

Ratios are of CPU time on one thread, so that they mean the same on a busy machine.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

import numpy as np
import pyarrow as pa
from sklearn.linear_model import LogisticRegression as NonPrivate
from threadpoolctl import threadpool_limits

from benchmarks import data
from benchmarks.figures import Figure
from privet import Encoder, LogisticRegression, Ridge, Schema

ROWS, COLUMNS = 1_000_000, 30
DENSE_ROWS = 200_000
STEPS = 4_900


def run() -> list[Figure]:
    with threadpool_limits(1):
        figures = [*_functional(), *_objective("200,000 × 30", *_dense())]
        if not data.available():
            return figures
        table, schema = data.load("adult")
        order = np.random.default_rng(0).permutation(table.num_rows)[:39_000]
        some = table.take(pa.array(order)).combine_chunks()
        return [*figures, *_objective("adult", some, schema), *_search(some, schema)]


def _functional() -> list[Figure]:
    generator = np.random.default_rng(0)
    X = generator.normal(size=(ROWS, COLUMNS))
    y = X @ generator.normal(size=COLUMNS) / 4
    names = {f"x{j}": (-5.0, 5.0) for j in range(COLUMNS)}
    product = _cpu(lambda: X.T @ X, 7)
    ridge = Ridge(schema=Schema.of({**names, "y": (-20.0, 20.0)}, target="y"))
    functional = LogisticRegression(schema=Schema.of({**names, "y": [0, 1]}, target="y"), method="functional")
    labels = (y > 0).astype(int)
    return [
        Figure("functional, logistic, 1M × 30, of one X.T @ X", _cpu(lambda: functional.fit(X, labels), 7) / product, 1.2),
        Figure("functional, ridge, 1M × 30, of one X.T @ X", _cpu(lambda: ridge.fit(X, y), 7) / product, 1.2),
        Figure("  X.T @ X", product, unit="s"),
    ]  # fmt: skip


def _dense() -> tuple[pa.Table, Schema]:
    generator = np.random.default_rng(0)
    X = generator.normal(size=(DENSE_ROWS, COLUMNS))
    y = (X @ generator.normal(size=COLUMNS) / 2 + generator.logistic(size=DENSE_ROWS) > 0).astype(int)
    columns = {f"x{j}": (-5.0, 5.0) for j in range(COLUMNS)}
    return pa.table({**{name: X[:, j] for j, name in enumerate(columns)}, "class": y}), Schema.of(
        {**columns, "class": [0, 1]}, target="class"
    )


def _objective(name: str, table: pa.Table, schema: Schema) -> list[Figure]:
    """The whole fit from the raw table, beside scikit-learn's on the encoded one to the same gradient."""
    weight = 1000.0  # asked for and used: the same problem for both
    model = LogisticRegression(schema=schema, method="objective", regularisation=weight)
    ours = _cpu(lambda: model.fit(table))
    X, y = Encoder(schema=schema, intercept=True).transform(table), np.asarray(table["class"].to_pylist())
    # Ours stops where the slope of the summed loss has a norm of λ·2^-20; scikit-learn's loss is a mean.
    tolerance = weight * 2.0**-20 / len(y)
    figures = []
    for solver, goal in (("lbfgs", 1.5), ("newton-cholesky", None)):
        theirs = NonPrivate(C=1 / weight, tol=tolerance, max_iter=10_000, fit_intercept=False, solver=solver)
        ratio = ours / _cpu(lambda fit=theirs: fit.fit(X, y))
        figures.append(Figure(f"objective, {name}, of scikit-learn's {solver}", ratio, goal))
    return [*figures, Figure(f"  objective, {name}", ours, unit="s")]


def _search(table: pa.Table, schema: Schema) -> list[Figure]:
    search = LogisticRegression(schema=schema, method="privgene", steps=STEPS, epsilon=10.0)
    newton = LogisticRegression(schema=schema, records=table.num_rows, method="newton")
    return [
        Figure("PrivGene, 4,900 steps on 39,000 × 14 (106 encoded)", _cpu(lambda: search.fit(table), 1), 15, unit="s"),
        Figure("  Newton, same table", _cpu(lambda: newton.fit(table)), unit="s"),
    ]  # fmt: skip


def _cpu(work: Callable[[], object], repeats: int = 3) -> float:
    """Seconds of CPU of the fastest of several runs, after one that compiles and warms up."""
    times = []
    for _ in range(repeats + 1):
        gc.collect()
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times[1:])
