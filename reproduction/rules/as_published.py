"""The thesis's own private methods, as printed, to repeat its figures. **They keep no promise: use none.**

``perturb`` is Algorithm 4.1: Laplace noise on numbers, its scale read off the data, ε for *each* number of a
record, categories and classes in the clear. ``OneRule`` and ``Bayes`` are Algorithms 4.3 and 4.4: noise on
every count, with ε divided by *classes × values of all attributes* (one record is in a single cell of each
attribute, so this divides far too often). Which values there are is read off the data, and the
noise comes from NumPy. Where the thesis is silent: a number is taken by its distinct values, a missing value
is a value for 1R and is skipped by naive Bayes, and a value that training did not show gets the class that is
most frequent (1R) or says nothing (naive Bayes).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from privet.schema import Number, Schema
from reproduction.rules.protocol import labels

__all__ = ["Bayes", "OneRule", "perturb", "ranges"]

Table = NDArray[np.float64]


def ranges(table: pa.Table, schema: Schema) -> dict[str, float]:
    """The largest minus the smallest value of each numeric attribute: equation (4.1), read off the data."""
    found = {}
    for column in schema.attributes:
        if isinstance(column, Number):
            values = _numbers(table, column.name)
            found[column.name] = float(np.nanmax(values) - np.nanmin(values))
    return found


def perturb(
    table: pa.Table, sensitivity: Mapping[str, float], epsilon: float, generator: np.random.Generator
) -> pa.Table:
    """Algorithm 4.1 on the columns that ``sensitivity`` names. There is no guarantee.

    >>> table = pa.table({"x": [0.0, 2.0], "y": ["a", "b"]})
    >>> noisy = perturb(table, {"x": 2.0}, 1e9, np.random.default_rng(0))
    >>> noisy["x"].to_numpy().round(3).tolist(), noisy["y"].to_pylist()
    ([0.0, 2.0], ['a', 'b'])
    """
    for name, reach in sensitivity.items():
        values = _numbers(table, name)
        noisy = values + generator.laplace(0.0, reach / epsilon, len(values))
        column = pa.array(noisy, mask=np.isnan(noisy))
        table = table.set_column(table.column_names.index(name), name, column)
    return table


def _numbers(table: pa.Table, name: str) -> Table:
    return table[name].cast(pa.float64()).to_numpy(zero_copy_only=False)


@dataclass(frozen=True)
class _Counts:
    """The noisy counts of every value of every attribute within each class."""

    classes: NDArray[Any]
    values: Mapping[str, Mapping[Any, int]]
    counts: Mapping[str, Table]
    totals: Table


def _count(table: pa.Table, schema: Schema, epsilon: float | None, generator: np.random.Generator) -> _Counts:
    target = schema.nominal_target().name
    classes, codes = np.unique(labels(table, target), return_inverse=True)
    values: dict[str, dict[Any, int]] = {}
    counts: dict[str, Table] = {}
    for column in schema.attributes:
        encoded = table[column.name].combine_chunks().dictionary_encode(null_encoding="encode")
        values[column.name] = {value: row for row, value in enumerate(encoded.dictionary.to_pylist())}
        cells = encoded.indices.to_numpy() * len(classes) + codes
        size = len(values[column.name]) * len(classes)
        counts[column.name] = np.bincount(cells, minlength=size).astype(float).reshape(-1, len(classes))
    totals = np.bincount(codes, minlength=len(classes)).astype(float)
    if epsilon is not None:
        scale = len(classes) * sum(map(len, values.values())) / epsilon
        counts = {name: exact + generator.laplace(0, scale, exact.shape) for name, exact in counts.items()}
        totals = totals + generator.laplace(0, scale, totals.shape)
    return _Counts(classes, values, counts, totals)


class _Counting:
    """Both methods count alike; ``epsilon`` None is without noise."""

    def __init__(self, schema: Schema, epsilon: float | None, seed: int) -> None:
        self._schema, self._epsilon, self._generator = schema, epsilon, np.random.default_rng(seed)

    def fit(self, table: pa.Table) -> Any:
        self._counted = _count(table, self._schema, self._epsilon, self._generator)
        return self

    def _rows(self, table: pa.Table, name: str) -> NDArray[np.int64]:
        known = self._counted.values[name]
        return np.array([known.get(value, -1) for value in table[name].to_pylist()], np.int64)


class OneRule(_Counting):
    """Algorithm 4.3: the attribute whose rules have the smallest noisy error. There is no guarantee."""

    def predict(self, table: pa.Table) -> NDArray[Any]:
        counted = self._counted
        errors = {n: float((c.sum(axis=1) - c.max(axis=1)).sum()) for n, c in counted.counts.items()}
        best = min(errors, key=errors.__getitem__)
        frequent = int(counted.totals.argmax())
        told = np.append(counted.counts[best].argmax(axis=1), frequent)  # the last row: a value never seen
        return np.asarray(counted.classes[told[self._rows(table, best)]])


class Bayes(_Counting):
    """Algorithm 4.4, with WEKA's Laplace estimator; negative counts are 0. There is no guarantee."""

    def predict(self, table: pa.Table) -> NDArray[Any]:
        counted = self._counted
        scores = np.log(np.maximum(counted.totals, 0) + 1.0)[None, :].repeat(table.num_rows, axis=0)
        for name, noisy in counted.counts.items():
            kept = np.maximum(noisy, 0) + 1.0
            logs = np.log(kept / kept.sum(axis=0))
            missing = counted.values[name].get(None)
            if missing is not None:
                logs[missing] = 0.0
            scores += np.vstack([logs, np.zeros(len(counted.classes))])[self._rows(table, name)]
        return np.asarray(counted.classes[scores.argmax(axis=1)])
