"""Naive Bayes on arrays of 1,000,000 × 20, in passes over the data, beside scikit-learn's."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
from sklearn.naive_bayes import CategoricalNB, GaussianNB

from benchmarks.figures import Figure, best_time
from privet import NaiveBayes, Schema

ROWS, COLUMNS = 1_000_000, 20


def _extra_memory(work: Any, size: int) -> float:
    """Peak memory beyond the input as a share of it. NumPy and Arrow buffers both count."""
    import pyarrow as pa

    arrow_before = pa.total_allocated_bytes()
    tracemalloc.start()
    work()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    arrow = max(0, pa.default_memory_pool().max_memory() - arrow_before)
    return (peak + arrow) / size


def run() -> list[Figure]:
    generator = np.random.default_rng(0)
    y = generator.integers(0, 2, ROWS)
    figures: list[Figure] = []
    X = generator.normal(size=(ROWS, COLUMNS))
    numbers = Schema.of({**{f"x{j}": (-5.0, 5.0) for j in range(COLUMNS)}, "y": [0, 1]}, target="y")
    one_pass = best_time(lambda: X.sum(), 9)
    for numeric in ("histogram", "gaussian"):
        fit = lambda: NaiveBayes(schema=numbers, numeric=numeric).fit(X, y)  # noqa: B023, E731
        fit()
        passes = best_time(fit, 7) / one_pass
        figures.append(Figure(f"fit 1M × 20 numbers ({numeric}), in passes", passes, 10))
        figures.append(Figure(f"  extra memory ({numeric}), of the input", _extra_memory(fit, X.nbytes), 0.2))
    figures.append(Figure("  scikit-learn GaussianNB, in passes",
                          best_time(lambda: GaussianNB().fit(X, y), 3) / one_pass))  # fmt: skip
    nominal = Schema.of({**{f"x{j}": list(range(5)) for j in range(COLUMNS)}, "y": [0, 1]}, target="y")
    for kind in (np.int64, np.int8):
        codes = generator.integers(0, 5, (ROWS, COLUMNS)).astype(kind)
        name = np.dtype(kind).name
        one_pass = best_time(lambda: codes.sum(), 9)  # noqa: B023
        fit = lambda: NaiveBayes(schema=nominal).fit(codes, y)  # noqa: B023, E731
        fit()
        figures.append(
            Figure(f"fit 1M × 20 nominal ({name} codes), in passes", best_time(fit, 7) / one_pass, 10)
        )
        if kind is np.int64:
            figures.append(
                Figure("  extra memory (nominal), of the input", _extra_memory(fit, codes.nbytes), 0.2)
            )
        figures.append(Figure(f"  scikit-learn CategoricalNB ({name}), in passes",
                              best_time(lambda: CategoricalNB().fit(codes, y), 3) / one_pass))  # noqa: B023 # fmt: skip
    return figures
