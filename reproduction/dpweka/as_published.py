"""The two logistic regressions of the DPWeka thesis, as printed. GUARANTEE: NONE.

Kept apart from ``privet.learning`` so that nobody picks one by accident: they are here to reproduce the
thesis's two figures and to be put to the audit. Both take a table, encode it without an intercept (0/1 for
every value of a category, numbers scaled to [−1, 1]), and want two classes.

**Functional mechanism** (chapter V.D and appendix E). The approximate loss of a record is printed as
(log 2)·(x·w)² + (½ − y)(x·w) + ⅛, each coefficient gets Laplace noise of scale (d²/4 + d)/ε for d *encoded*
columns, the ridge is four of its deviations, directions without positive curvature are cut away, and ε = 0
means no noise. (The appendix also turns the sign of the second term, which would learn the opposite of the
class; the formula in the text is used here.)

*What is wrong.* The constants are swapped: log(1 + e^z) ≈ log 2 + z/2 + z²/8. The noise is right for ⅛, but
the coefficients are made with log 2 = 5.5·⅛. A record of d numbers at the ends of their bounds moves them by
(log 2)·d² + d/2, up to 2.8 times the printed sensitivity. One-hot tables hide it: of a block of 40 columns a
record fills one, and a sensitivity that is far too large for the width still covers that. The classifier is
not worse for the mistake: log 2 for ⅛ shrinks all weights alike, and the matrix stands out of its noise 5.5
times better than it should.

**PrivGene** (appendix F). From a random start, 0.125·n·ε steps choose among w ± σ·eⱼ with weights
exp(ε_s·q/(4σ)), ε_s = ε/steps, and σ shrinks by a factor after each.

*What is wrong.* Not the weights: relative to q(w), one record moves the score of a candidate by at most σ, an
exchange by 2σ, and the exponential mechanism's own factor of 2 makes 4σ. For exchanged records the choice
spends at most the ε_s that it names (``choice_loss`` computes it). But the number of steps is read off the
data, and if records may be added or removed, or left out for want of a class, it is itself a secret: with n·ε
= 8 the first step is made and with less none, and a move that leads out of the box of random starts tells
which.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from privet.curator.tables import as_source, read_rows
from privet.errors import DataError, ParameterError
from privet.release import Guarantee
from privet.schema import Schema
from privet.stats import Rows
from privet.stats.linear.encoding import Encoding
from reproduction.dpweka.as_published_search import Search

__all__ = [
    "Encoded",
    "PublishedFunctional",
    "PublishedObjective",
    "PublishedPrivGene",
    "choice_loss",
    "exact_objective",
    "minimise",
    "noisy_objective",
    "search",
]

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]

_TOGETHER = 1024  # steps for which noise is drawn at once


@dataclass(frozen=True)
class Encoded:
    """Records as the thesis encodes them, without an intercept.

    ``cells`` says for each category which column holds the 1 (the one after the last, if the value is
    missing), ``numbers`` the scaled numbers, ``places`` their columns.
    """

    width: int
    places: NDArray[np.int64]
    cells: NDArray[np.int64]
    numbers: Matrix
    y: NDArray[np.int8]

    @classmethod
    def of(cls, table: Any, schema: Schema) -> Encoded:
        """A table with its class. Records without a class are left out."""
        target = schema.nominal_target()
        if target.size != 2:
            raise DataError("The published methods tell two classes apart.", "Give a class with two values.")
        source = as_source(table, schema=schema)
        rows = [Rows(batch, schema, unknown="missing") for batch in source.batches(list(schema.names))]
        labels = [part.codes(target.name).astype(np.int8) for part in rows]
        y = np.concatenate([np.zeros(0, np.int8), *labels])
        return cls(*_layers(Encoding.of(schema), rows), y).take(np.flatnonzero(y < 2))

    @classmethod
    def unlabelled(cls, table: Any, schema: Schema) -> Encoded:
        """A table to predict for."""
        layers = _layers(Encoding.of(schema), list(read_rows(table, schema)))
        return cls(*layers, np.zeros(len(layers[2]), np.int8))

    def take(self, places: NDArray[np.intp]) -> Encoded:
        return replace(self, cells=self.cells[places], numbers=self.numbers[places], y=self.y[places])

    def dense(self) -> Matrix:
        X = np.zeros((len(self.y), self.width + 1))
        X[np.arange(len(X))[:, None], self.cells] = 1.0
        X[:, self.places] = self.numbers
        return X[:, :-1]

    def margins(self, weights: Vector) -> Vector:
        return np.asarray(
            self.numbers @ weights[self.places] + np.append(weights, 0.0)[self.cells].sum(axis=1)
        )


def _layers(encoding: Encoding, rows: list[Rows]) -> tuple[int, NDArray[np.int64], NDArray[np.int64], Matrix]:
    width = encoding.width - 1
    nominal = [block for block in encoding.blocks if block.nominal]
    places = np.array([block.start - 1 for block in encoding.blocks if not block.nominal], np.int64)
    cells, numbers = [np.zeros((0, len(nominal)), np.int64)], [np.zeros((0, len(places)))]
    for part in rows:
        parts = list(encoding.parts(part))
        known = [
            np.where(codes < block.width, block.start - 1 + codes.astype(np.int64), width)
            for block, codes in parts
            if block.nominal
        ]
        scaled = [z for block, z in parts if not block.nominal]
        cells.append(np.array(known, np.int64).reshape(len(nominal), part.size).T)
        numbers.append(np.array(scaled, float).reshape(len(places), part.size).T)
    return (
        width,
        places,
        np.ascontiguousarray(np.concatenate(cells)),
        np.ascontiguousarray(np.concatenate(numbers)),
    )


def exact_objective(X: Matrix, y: NDArray[np.int8]) -> tuple[Matrix, Vector]:
    """The matrix and the vector of the printed approximate loss."""
    return np.log(2) * (X.T @ X), (0.5 - y) @ X


def noisy_objective(
    exact: tuple[Matrix, Vector], epsilon: float, generator: np.random.Generator
) -> tuple[Matrix, Vector]:
    """Laplace noise of scale (d²/4 + d)/ε on each coefficient; with ε = 0, as printed, none."""
    matrix, vector = exact
    d = len(vector)
    scale = (d * d / 4 + d) / epsilon if epsilon > 0 else 0.0
    # A coefficient belongs to w_i·w_j: off the diagonal it stands in two places of the matrix, by halves.
    upper = np.triu(generator.laplace(0, scale, (d, d)))
    return matrix + (upper + upper.T) / 2, vector + generator.laplace(0, scale, d)


def minimise(objective: tuple[Matrix, Vector], epsilon: float) -> Vector:
    """The printed repair, and its minimum: a ridge of four deviations, no direction without curvature."""
    matrix, vector = objective
    d = len(vector)
    ridge = 4 * np.sqrt(2) * (d * d / 4 + d) / epsilon if epsilon > 0 else 1e-9
    values, vectors = np.linalg.eigh(matrix + ridge * np.eye(d))
    kept = values > 1e-12
    return np.asarray(-vectors[:, kept] @ (vectors[:, kept].T @ vector / values[kept]) / 2)


def search(
    data: Encoded,
    epsilon: float,
    generator: np.random.Generator,
    *,
    sigma: float = 0.2,
    resize: float = 1.0,
) -> Vector:
    """PrivGene: random weights, then 0.125·n·ε choices of one weight to move by ±σ."""
    weights = generator.uniform(-1, 1, data.width)
    steps = int(0.125 * len(data.y) * epsilon)
    if not steps:
        return weights
    walk = Search(data.y, data.cells, data.numbers, data.places, data.width)
    for done in range(0, steps, _TOGETHER):
        # Gumbel noise and the largest: the same as weights exp(ε_s·q/Δ), without their overflow.
        noise = generator.gumbel(size=(min(_TOGETHER, steps - done), 2 * data.width))
        sigma = walk.follow(weights, data.margins(weights), noise, epsilon / steps / 4, sigma, resize)
    return weights


def choice_loss(first: Vector, second: Vector, epsilon: float, sigma: float) -> float:
    """How much ε one choice really spends between two lists of scores: the largest log ratio, exactly.

    >>> choice_loss(np.array([0.0, 0.0]), np.array([0.5, -0.5]), epsilon=1.0, sigma=0.5) <= 1.0
    True
    """
    logs = [scores * epsilon / (4 * sigma) for scores in (first, second)]
    one, other = (log - np.logaddexp.reduce(log) for log in logs)
    return float(np.abs(one - other).max())


class PublishedObjective:
    """The noisy coefficients as a function of a table, for the audit: what the printed proof calls private.

    They are rounded to three decimals, so that an audit judges the constants and not the low bits of floating
    noise. ``constant`` is what stands before (x·w)²: log 2 as printed, ⅛ where the proof needs it.
    """

    def __init__(self, epsilon: float, schema: Schema, constant: float = float(np.log(2))) -> None:
        self.epsilon = epsilon
        self.schema = schema
        self.constant = constant
        self.__name__ = f"the noisy objective with {constant:.3f}"
        self._generator = np.random.default_rng()
        self._upper = np.triu_indices(Encoding.of(schema).width - 1)
        self._exact: dict[int, tuple[Any, tuple[Matrix, Vector]]] = {}

    def __call__(self, table: Any) -> Vector:
        if id(table) not in self._exact:  # an audit asks thousands of times about the same few tables
            data = Encoded.of(table, self.schema)
            matrix, vector = exact_objective(data.dense(), data.y)
            self._exact[id(table)] = table, (matrix * self.constant / np.log(2), vector)
        matrix, vector = noisy_objective(self._exact[id(table)][1], self.epsilon, self._generator)
        twice = (
            np.where(np.eye(len(vector)), 1, 2) * matrix
        )  # off the diagonal a coefficient stands by halves
        return np.round(np.concatenate([twice[np.triu_indices(len(vector))], vector]), 3)


class _AsPublished(ClassifierMixin, BaseEstimator):
    """What both have in common: the table, prediction, and a guarantee that says NONE."""

    epsilon: float
    schema: Schema

    def _weights(self, data: Encoded, generator: np.random.Generator) -> Vector:
        raise NotImplementedError

    def fit(self, X: Any, y: Any = None) -> Any:
        """Learn from a table that holds its class."""
        if not self.epsilon >= 0:
            raise ParameterError("epsilon must not be negative.")
        data = Encoded.of(X, self.schema)
        self.classes_ = np.array(self.schema.nominal_target().labels)
        self.coef_ = self._weights(data, np.random.default_rng())[None, :]
        reason = f"{type(self).__name__} is a published method with known faults, kept for comparison."
        self.guarantee_ = Guarantee.none([reason], self.schema.unit)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        margins = Encoded.unlabelled(X, self.schema).margins(self.coef_[0])
        return np.asarray(self.classes_[(margins > 0).astype(int)])


class PublishedFunctional(_AsPublished):
    """The functional mechanism as DPWeka prints it. Guarantee: none."""

    def __init__(self, *, epsilon: float = 1.0, schema: Any = None) -> None:
        self.epsilon = epsilon
        self.schema = schema

    def _weights(self, data: Encoded, generator: np.random.Generator) -> Vector:
        noisy = noisy_objective(exact_objective(data.dense(), data.y), self.epsilon, generator)
        return minimise(noisy, self.epsilon)


class PublishedPrivGene(_AsPublished):
    """PrivGene as DPWeka prints it. Guarantee: none."""

    def __init__(
        self, *, epsilon: float = 1.0, schema: Any = None, sigma: float = 0.2, resize: float = 1.0
    ) -> None:
        self.epsilon = epsilon
        self.schema = schema
        self.sigma = sigma
        self.resize = resize

    def _weights(self, data: Encoded, generator: np.random.Generator) -> Vector:
        return search(data, self.epsilon, generator, sigma=self.sigma, resize=self.resize)
