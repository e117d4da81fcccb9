"""The thesis's two figures on logistic regression: misclassification against ε, and against the records.

Four fifths of a table are learned from, and the share of wrong predictions on the rest is the figure; over
several such splits, which are the folds of an experiment. Public or generated data: exact errors are looked
at here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks import peers
from privet.errors import ParameterError
from privet.learning.classify import LogisticRegression
from privet.learning.linear import Encoder
from privet.schema import Schema
from reproduction.dpweka.as_published import PublishedFunctional, PublishedPrivGene
from reproduction.grid import WITHOUT_NOISE, folded

__all__ = ["EPSILONS", "FOLDS", "METHODS", "Curve", "Point", "errors", "plot_curves"]

EPSILONS = (0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 10.0)
FOLDS = 5
FLOOR, MAJORITY, PEER = "without privacy", "larger class", "diffprivlib"
PUBLISHED: dict[str, Callable[..., Any]] = {
    "functional, as published": PublishedFunctional,
    "PrivGene, as published": PublishedPrivGene,
}
OURS = ("auto", "newton", "objective", "output", "functional", "privgene")
METHODS = (*OURS, *PUBLISHED, FLOOR, MAJORITY, PEER)

_DIFFPRIVLIB = """
import warnings
from diffprivlib.models import LogisticRegression
warnings.simplefilter("ignore")
model = LogisticRegression(epsilon=float(data["epsilon"]), data_norm=float(data["norm"]), max_iter=1000)
print(json.dumps(model.fit(data["X"], data["y"]).predict(data["test"]).tolist()))
"""


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


@dataclass
class Regression:
    """A method, learned from ``train`` of the records; the same ones for every method.

    Privet's methods are told a rounded number of records, as an owner would (one significant figure).
    """

    schema: Schema
    epsilon: float
    delta: float
    random_state: int
    method: str
    train: int | None = None

    def fit(self, table: pa.Table) -> Regression:
        if self.train is not None:
            table = table.take(np.random.default_rng(0).permutation(table.num_rows)[: self.train])
        self.predict = self._fitted(table.combine_chunks())
        return self

    def _fitted(self, table: pa.Table) -> Callable[[pa.Table], Any]:
        schema, method = self.schema, self.method
        if method in OURS:
            digits = 10 ** (len(str(table.num_rows)) - 1)
            own = LogisticRegression(
                epsilon=self.epsilon,
                delta=self.delta,
                schema=schema,
                records=round(table.num_rows / digits) * digits,
                method=method,  # type: ignore[arg-type]
                random_state=self.random_state,
            )
            return own.fit(table).predict
        if method in PUBLISHED:
            return PUBLISHED[method](epsilon=self.epsilon, schema=schema).fit(table).predict
        y = np.asarray(table[schema.nominal_target().name].to_pylist(), dtype=str)
        if method == MAJORITY:
            values, counts = np.unique(y, return_counts=True)
            return lambda records: np.full(records.num_rows, values[np.argmax(counts)])
        encoder = Encoder(schema=schema)
        X = encoder.transform(table)
        if method == PEER:  # a row norm that is read off the data would be no guarantee
            norm = np.sqrt(len(schema.attributes))
            known = {"X": X, "y": y, "norm": norm, "epsilon": self.epsilon}
            return lambda records: peers.diffprivlib(_DIFFPRIVLIB, test=encoder.transform(records), **known)
        from sklearn.linear_model import LogisticRegression as NonPrivate

        model = NonPrivate(max_iter=2000).fit(X, y)
        return lambda records: model.predict(encoder.transform(records))


def errors(
    table: pa.Table,
    schema: Schema,
    method: str,
    epsilon: float = 1.0,
    delta: float = 0.0,
    *,
    seed: int = 0,
    repetitions: int = 2,
    train: int | None = None,
) -> tuple[float, ...]:
    """The share of wrong predictions on the held-out fifth, for each split: five in each repetition.

    >>> from reproduction.dpweka.census import census_like
    >>> errors(*census_like(2000, 12), "newton", 5.0, repetitions=1)[0] < 0.4
    True
    """
    if method not in METHODS:
        raise ParameterError(f"There is no method '{method}'.", f"Choose one of: {', '.join(METHODS)}.")
    makes = {method: (Regression, {"method": method, "train": train})}
    [found] = folded(
        table,
        schema,
        makes,
        [epsilon or WITHOUT_NOISE],
        folds=FOLDS,
        repetitions=repetitions,
        seed=seed,
        delta=delta,
    ).values()
    return tuple(1 - one["accuracy"] for one in found)


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
