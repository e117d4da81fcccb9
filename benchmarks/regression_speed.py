"""Regression by noisy sums and private choices, beside the bare linear algebra and scikit-learn's own."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from benchmarks import data
from benchmarks.figures import Figure, best_time
from privet import LogisticRegression, Ridge, Schema

ROWS, COLUMNS = 1_000_000, 30
STEPS = 4_900


def run() -> list[Figure]:
    generator = np.random.default_rng(0)
    X = generator.normal(size=(ROWS, COLUMNS))
    y = X @ generator.normal(size=COLUMNS) / 4
    names = {f"x{j}": (-5.0, 5.0) for j in range(COLUMNS)}
    product = best_time(lambda: X.T @ X, 7)
    ridge = Ridge(schema=Schema.of({**names, "y": (-20.0, 20.0)}, target="y"))
    ridge.fit(X, y)
    functional = LogisticRegression(schema=Schema.of({**names, "y": [0, 1]}, target="y"), method="functional")
    labels = (y > 0).astype(int)
    functional.fit(X, labels)
    logistic = best_time(lambda: functional.fit(X, labels)) / product
    linear = best_time(lambda: ridge.fit(X, y)) / product
    figures = [
        Figure("functional, logistic, 1M × 30, of one X.T @ X", logistic, 1.2),
        Figure("functional, ridge, 1M × 30, of one X.T @ X", linear, 1.2),
        Figure("  X.T @ X", product, unit="s"),
    ]
    if data.available():
        table, schema = data.load("adult")
        some = table.take(pa.array(generator.permutation(table.num_rows)[:39_000])).combine_chunks()
        search = LogisticRegression(schema=schema, method="privgene", steps=STEPS, epsilon=10.0)
        newton = LogisticRegression(schema=schema, records=39_000)
        seconds = best_time(lambda: search.fit(some), 1)
        figures += [
            Figure("PrivGene, 4,900 steps on 39,000 × 14 (106 encoded)", seconds, 15, unit="s"),
            Figure("  Newton, the default, same table", best_time(lambda: newton.fit(some), 3), unit="s"),
        ]
    return figures
