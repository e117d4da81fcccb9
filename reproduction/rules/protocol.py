"""What the experiments on rules share: stratified folds, scores with their deviations, parts of a schema.

The sets are public, so exact scores are fine here. Folds are WEKA's kind: every class is spread evenly.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from privet.schema import Schema

__all__ = ["Score", "Split", "accuracy", "cut", "labels", "score", "splits"]


@dataclass(frozen=True)
class Score:
    """The mean of some runs, and how far they spread.

    >>> print(score([0.9, 1.0]))
    0.950 ± 0.071
    """

    mean: float
    deviation: float
    runs: int

    @property
    def standard_error(self) -> float:
        """Of the mean. Folds of one table overlap, so this is a little too small."""
        return self.deviation / self.runs**0.5

    def __str__(self) -> str:
        return f"{self.mean:.3f} ± {self.deviation:.3f}"


def score(values: Sequence[float]) -> Score:
    """Mean and standard deviation of values; the deviation of a single one is 0."""
    spread = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
    return Score(float(np.mean(values)), spread, len(values))


@dataclass(frozen=True)
class Split:
    """One fold of one repeat: what is learned from, and what is predicted."""

    fold: int
    train: pa.Table
    test: pa.Table


def labels(table: pa.Table, target: str) -> NDArray[Any]:
    """The classes as text."""
    return np.asarray(table[target].to_pylist(), dtype=str)


def splits(table: pa.Table, target: str, folds: int, seed: int) -> Iterator[Split]:
    """The folds of one repeat; records of one class are dealt out in turn.

    >>> table = pa.table({"x": range(6), "y": list("aabbbb")})
    >>> [labels(split.test, "y").tolist() for split in splits(table, "y", 2, seed=0)]
    [['a', 'b', 'b'], ['a', 'b', 'b']]
    """
    classes = labels(table, target)
    order = np.lexsort((np.random.default_rng(seed).random(len(classes)), classes))
    place = np.empty(len(classes), np.int64)
    place[order] = np.arange(len(classes)) % folds
    for fold in range(folds):
        yield Split(fold, table.filter(pa.array(place != fold)), table.filter(pa.array(place == fold)))


def accuracy(model: Any, table: pa.Table, target: str) -> float:
    """The part of the records whose class the model tells."""
    told = np.asarray(model.predict(table.drop_columns([target]))).astype(str)
    return float(np.mean(told == labels(table, target)))


def cut(schema: Schema, columns: Sequence[str]) -> Schema:
    """The schema of some attributes, in its own order, and the target.

    >>> schema = Schema.of({"x": (0, 1), "z": (0, 1), "y": ["a", "b"]}, target="y")
    >>> cut(schema, ["z"]).names
    ('z', 'y')
    """
    from dataclasses import replace

    return replace(
        schema, columns=tuple(c for c in schema.columns if c.name in columns or c.name == schema.target)
    )
