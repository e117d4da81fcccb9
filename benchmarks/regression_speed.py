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
    figures = [
        Figure("functional, logistic, 1M × 30, of one X.T @ X", best_time(lambda: functional.fit(X, labels)) / product, 1.2),
        Figure("functional, ridge, 1M × 30, of one X.T @ X", best_time(lambda: ridge.fit(X, y)) / product, 1.2),
        Figure("  X.T @ X", product, unit="s"),
    ]  # fmt: skip
    if data.available():
        table, schema = data.load("adult")
        some = table.take(pa.array(generator.permutation(table.num_rows)[:39_000])).combine_chunks()
        search = LogisticRegression(schema=schema, method="privgene", steps=STEPS, epsilon=10.0)
        figures.append(Figure("PrivGene, 4,900 steps on 39,000 × 14 (106 encoded)", best_time(lambda: search.fit(some), 1), 15, unit="s"))  # fmt: skip
        newton = LogisticRegression(schema=schema, records=39_000)
        figures.append(Figure("  Newton, the default, on the same table", best_time(lambda: newton.fit(some), 3), unit="s"))  # fmt: skip
    return figures
