"""Scores: how a run's released numbers become the one number that an event compares with a threshold.

* ``Coordinate``: a released number by itself (threshold events).
* ``LikelihoodRatio``: which bin, or which of few values, each number has: for one number a histogram event;
  summed over all of them near the best there is where noise is independent from number to number.
* ``Linear``: a discriminant, which sees differences and other combinations: noise drawn twice cancels.
* ``LowestBit``: how fine the last bit of a float is. Noise added in floating point reaches other floats from
  one table than from its neighbour (Mironov 2012).
* ``WholeRow``: the row as one symbol, where few rows occur: private choices.

A score is learned on runs of its own and is plain data, so that a report can be tested again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from privet.audit.outputs import Matrix

__all__ = ["Score", "candidates", "score_from_dict"]

BINS = 24
FEW = 200  # distinct rows that are still told apart one by one
WIDE = 64  # released numbers that are still looked at one by one
HUGE = 1e100  # beyond this a number stands for something else (absent, infinite)
NO_BIT = 2000.0


class Score(Protocol):
    """One number for each run."""

    def __call__(self, outputs: Matrix) -> NDArray[np.float64]: ...

    def to_dict(self) -> dict[str, Any]: ...


def candidates(first: Matrix, second: Matrix, names: tuple[str, ...]) -> Iterator[tuple[str, Score]]:
    """Scores worth trying, each with words for it, learned on these runs."""
    width = first.shape[1]
    ratios = LikelihoodRatio.learn(first, second)
    # With very many numbers, only those whose histograms differ most are tried by themselves.
    order = np.argsort([-np.abs(logs).max(initial=0) for logs in ratios.logs])[:WIDE]
    for j in map(int, order):
        yield names[j], Coordinate(j)
        yield f"the likelihood ratio of {names[j]}", ratios.only(j)
        if not (_whole(first[:, j]) and _whole(second[:, j])):
            yield f"the lowest bit of {names[j]}", LowestBit(j)
    if width > 1:
        yield "the sum of the numbers' log-likelihood ratios", ratios
        if width <= 512 and len(first) >= 4:
            yield "a linear combination of the released numbers", Linear.learn(first, second)
        rows = WholeRow.learn(first, second)
        if rows is not None:
            yield "the likelihood ratio of the whole released row", rows


@dataclass(frozen=True)
class Coordinate:
    """One released number."""

    place: int

    def to_dict(self) -> dict[str, Any]:
        return {"kind": "coordinate", "place": self.place}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Coordinate:
        return cls(data["place"])

    def __call__(self, outputs: Matrix) -> NDArray[np.float64]:
        return outputs[:, self.place]


@dataclass(frozen=True)
class LowestBit:
    """The exponent of the lowest bit that is set in a released float.

    >>> LowestBit(0)(np.array([[6.0], [0.75], [0.0]])).tolist()
    [1.0, -2.0, 2000.0]
    """

    place: int

    def to_dict(self) -> dict[str, Any]:
        return {"kind": "lowest_bit", "place": self.place}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> LowestBit:
        return cls(data["place"])

    def __call__(self, outputs: Matrix) -> NDArray[np.float64]:
        fractions, exponents = np.frexp(outputs[:, self.place])
        digits = (fractions * 2.0**53).astype(np.int64)
        lowest = (digits & -digits).astype(float)
        with np.errstate(divide="ignore"):
            return np.where(digits == 0, NO_BIT, exponents - 53 + np.log2(lowest))


@dataclass(frozen=True)
class LikelihoodRatio:
    """Σ_j log(P̂(bin of number j | first) / P̂(… | second)), each number in its own bins."""

    edges: tuple[NDArray[np.float64], ...]
    logs: tuple[NDArray[np.float64], ...]
    places: tuple[int, ...]

    @classmethod
    def learn(cls, first: Matrix, second: Matrix) -> LikelihoodRatio:
        edges, logs = [], []
        for j in range(first.shape[1]):
            cuts = _cuts(np.concatenate([first[:, j], second[:, j]]))
            ones, others = (
                np.bincount(np.searchsorted(cuts, side[:, j], side="right"), minlength=len(cuts) + 1)
                for side in (first, second)
            )
            edges.append(cuts)
            logs.append(np.log((ones + 0.5) / (others + 0.5)))
        return cls(tuple(edges), tuple(logs), tuple(range(first.shape[1])))

    def only(self, place: int) -> LikelihoodRatio:
        return LikelihoodRatio((self.edges[place],), (self.logs[place],), (place,))

    def to_dict(self) -> dict[str, Any]:
        return {
            "kind": "likelihood_ratio",
            "edges": [edges.tolist() for edges in self.edges],
            "logs": [logs.tolist() for logs in self.logs],
            "places": list(self.places),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> LikelihoodRatio:
        edges, logs = (tuple(np.array(part, float) for part in data[key]) for key in ("edges", "logs"))
        return cls(edges, logs, tuple(data["places"]))

    def __call__(self, outputs: Matrix) -> NDArray[np.float64]:
        total = np.zeros(len(outputs))
        for place, edges, logs in zip(self.places, self.edges, self.logs, strict=True):
            total += logs[np.searchsorted(edges, outputs[:, place], side="right")]
        return total


@dataclass(frozen=True)
class Linear:
    """Fisher's linear discriminant with a whisper of shrinkage, so that exact cancellations stand out."""

    weights: NDArray[np.float64]

    @classmethod
    def learn(cls, first: Matrix, second: Matrix) -> Linear:
        pooled = np.concatenate([first, second])
        usable = np.abs(pooled).max(axis=0, initial=0) < HUGE
        scale = np.where(usable, np.where(usable, pooled, 0).std(axis=0), 1.0)
        scale = np.where(scale > 0, scale, 1.0)
        ones, others = (np.where(usable, side, 0) / scale for side in (first, second))
        spread = np.atleast_2d(np.cov(ones, rowvar=False) + np.cov(others, rowvar=False))
        spread = spread + 1e-9 * np.eye(first.shape[1])
        return cls(np.linalg.solve(spread, ones.mean(axis=0) - others.mean(axis=0)) / scale * usable)

    def to_dict(self) -> dict[str, Any]:
        return {"kind": "linear", "weights": self.weights.tolist()}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Linear:
        return cls(np.array(data["weights"], float))

    def __call__(self, outputs: Matrix) -> NDArray[np.float64]:
        used = np.flatnonzero(self.weights)
        # A number that was there in all runs of the learning may be absent in one of the test.
        return np.clip(outputs[:, used], -HUGE, HUGE) @ self.weights[used]


@dataclass(frozen=True)
class WholeRow:
    """The log-likelihood ratio of the whole row as one symbol; 0 for a row never seen."""

    ratios: dict[bytes, float]

    @classmethod
    def learn(cls, first: Matrix, second: Matrix) -> WholeRow | None:
        counts: dict[bytes, list[float]] = {}
        for side, outputs in enumerate((first, second)):
            for row in map(np.ndarray.tobytes, np.ascontiguousarray(outputs)):
                counts.setdefault(row, [0.5, 0.5])[side] += 1
                if len(counts) > FEW:
                    return None
        return cls({row: float(np.log(a / b)) for row, (a, b) in counts.items()})

    def to_dict(self) -> dict[str, Any]:
        return {"kind": "whole_row", "ratios": {row.hex(): value for row, value in self.ratios.items()}}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> WholeRow:
        return cls({bytes.fromhex(row): value for row, value in data["ratios"].items()})

    def __call__(self, outputs: Matrix) -> NDArray[np.float64]:
        rows = map(np.ndarray.tobytes, np.ascontiguousarray(outputs))
        return np.fromiter((self.ratios.get(row, 0.0) for row in rows), float, len(outputs))


_KINDS: dict[str, Any] = {
    "coordinate": Coordinate,
    "likelihood_ratio": LikelihoodRatio,
    "linear": Linear,
    "lowest_bit": LowestBit,
    "whole_row": WholeRow,
}


def score_from_dict(data: dict[str, Any]) -> Score:
    """A score from its entry in a report."""
    score: Score = _KINDS[data["kind"]].from_dict(data)
    return score


def _cuts(pooled: NDArray[np.float64]) -> NDArray[np.float64]:
    """Where bins meet: one bin for each value where there are few, else equally full bins."""
    values = np.unique(pooled)
    if len(values) > BINS:
        return np.unique(np.quantile(pooled, np.linspace(0, 1, BINS + 1)[1:-1]))
    return values[1:]


def _whole(values: NDArray[np.float64]) -> bool:
    return bool((values == np.rint(values)).all())
