"""The thesis's two figures on logistic regression: misclassification against ε, and against the records.

A table is split 80/20 at random, a model is fitted on the larger part, and its share of wrong predictions on
the smaller one is the figure; over several splits. Public or generated data: exact errors are looked at here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from privet.errors import ParameterError
from privet.learning.classify import LogisticRegression
from privet.learning.linear import Encoder
from privet.schema import Schema
from reproduction.dpweka.as_published import PublishedFunctional, PublishedPrivGene

__all__ = ["EPSILONS", "METHODS", "Curve", "Point", "errors", "plot_curves", "split"]

EPSILONS = (0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 10.0)
FLOOR, MAJORITY = "without privacy", "larger class"
PUBLISHED = {"functional, as published": PublishedFunctional, "PrivGene, as published": PublishedPrivGene}
OURS = ("auto", "newton", "objective", "output", "functional", "privgene")
METHODS = (*OURS, *PUBLISHED, FLOOR, MAJORITY)

Places = NDArray[np.intp]


@dataclass(frozen=True)
class Point:
    """The errors of one method at one budget on one table, one for each split; ``train`` None is four fifths."""

    data: str
    method: str
    epsilon: float
    delta: float
    train: int | None
    errors: tuple[float, ...]

    @property
    def mean(self) -> float:
        return float(np.mean(self.errors))

    @property
    def standard_error(self) -> float:
        """Of the mean. Splits overlap, so it is a little too small for what a fresh table would give."""
        return float(np.std(self.errors, ddof=1) / np.sqrt(len(self.errors))) if len(self.errors) > 1 else 0.0


@dataclass(frozen=True)
class Curve:
    """Points of one method, in order."""

    name: str
    points: tuple[Point, ...]


def split(records: int, seed: int, train: int | None = None) -> tuple[Places, Places]:
    """A random four fifths (or ``train`` records of them) and the rest; the same for every method.

    >>> [len(part) for part in split(10, 0)]
    [8, 2]
    """
    order = np.random.default_rng(seed).permutation(records)
    most = records * 4 // 5
    return order[: most if train is None else min(train, most)], order[most:]


def errors(
    table: pa.Table,
    schema: Schema,
    method: str,
    epsilon: float = 1.0,
    delta: float = 0.0,
    *,
    seeds: Sequence[int] = range(50),
    train: int | None = None,
) -> tuple[float, ...]:
    """The share of wrong predictions on the held-out fifth, for each split.

    Privet's methods are told a rounded number of records, as an owner would (one significant figure).

    >>> from reproduction.dpweka.census import census_like
    >>> errors(*census_like(2000, 12), "newton", 5.0, seeds=[0])[0] < 0.4
    True
    """
    if method not in METHODS:
        raise ParameterError(f"There is no method '{method}'.", f"Choose one of: {', '.join(METHODS)}.")
    name = schema.nominal_target().name
    truth = np.asarray(table[name].to_pylist(), dtype=str)
    found = []
    for seed in seeds:
        training, test = split(table.num_rows, seed, train)
        model = _fitted(table.take(training).combine_chunks(), schema, method, epsilon, delta)
        predicted = model(table.take(test).drop_columns([name]).combine_chunks())
        found.append(float(np.mean(np.asarray(predicted, dtype=str) != truth[test])))
    return tuple(found)


def _fitted(table: pa.Table, schema: Schema, method: str, epsilon: float, delta: float) -> Any:
    if method in OURS:
        digits = 10 ** (len(str(table.num_rows)) - 1)
        about = round(table.num_rows / digits) * digits
        choice: Any = method
        model = LogisticRegression(epsilon=epsilon, delta=delta, schema=schema, records=about, method=choice)
        return model.fit(table).predict
    if method in PUBLISHED:
        return PUBLISHED[method](epsilon=epsilon, schema=schema).fit(table).predict
    y = np.asarray(table[schema.nominal_target().name].to_pylist(), dtype=str)
    if method == MAJORITY:
        values, counts = np.unique(y, return_counts=True)
        return lambda records: np.full(records.num_rows, values[np.argmax(counts)])
    from sklearn.linear_model import LogisticRegression as NonPrivate

    encoder = Encoder(schema=schema)
    model = NonPrivate(max_iter=2000).fit(encoder.transform(table), y)
    return lambda records: model.predict(encoder.transform(records))


def plot_curves(
    curves: Sequence[Curve], *, over: str = "epsilon", references: dict[str, float] | None = None
) -> Any:
    """Mean errors with a band of two standard errors. ``over`` is "epsilon" or "train"."""
    from privet.report import lines

    places = sorted({getattr(point, over) for curve in curves for point in curve.points})
    series, bands = {}, {}
    for curve in curves:
        at = {getattr(point, over): point for point in curve.points}
        means = [at[x].mean if x in at else float("nan") for x in places]
        wide = [2 * at[x].standard_error if x in at else float("nan") for x in places]
        series[curve.name] = means
        bands[curve.name] = (
            [mean - half for mean, half in zip(means, wide, strict=True)],
            [mean + half for mean, half in zip(means, wide, strict=True)],
        )
    xlabel = {"epsilon": "ε", "train": "records to learn from"}[over]
    return lines(
        places,
        series,
        xlabel=xlabel,
        ylabel="misclassification",
        bands=bands,
        references=references,
        log_x=True,
    )
