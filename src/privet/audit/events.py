"""Events that tell two neighbours apart: learned on one half of the runs, to be tested on the other.

Outputs are rows of numbers, one row a run. A *score* turns a row into one number; the event is that the score
is at least (or at most) a threshold. Scores that are tried:

* every released number by itself (threshold events);
* which of its few distinct values, or which bin, a number has (histogram events);
* the sum over numbers of the log-likelihood ratio of their histograms: near the best there is where noise
  is independent from number to number;
* a linear discriminant, which sees differences and other combinations: two draws of the same noise cancel;
* the whole row as one symbol, where few rows occur: private choices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.audit.confidence import epsilon_from_counts

__all__ = ["Event", "learn_event"]

Outputs = NDArray[np.float64]
Score = Callable[[Outputs], NDArray[np.float64]]

BINS = 24
FEW = 200


@dataclass(frozen=True)
class Event:
    """"The score is at least the threshold" (or below it), and on which of the two tables it is likelier."""

    score: Score
    threshold: float
    above: bool
    likelier_on_first: bool
    description: str

    def to_dict(self) -> dict[str, Any]:
        """The event as plain data: with it, a report can be tested again on fresh runs."""
        kind = type(self.score).__name__
        return {
            "description": self.description,
            "threshold": self.threshold,
            "above": self.above,
            "likelier_on_first": self.likelier_on_first,
            "score": {"kind": kind} | self.score.to_dict(),  # type: ignore[attr-defined]
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Event:
        parameters = dict(data["score"])
        score = _KINDS[parameters.pop("kind")].from_dict(parameters)
        return cls(score, data["threshold"], data["above"], data["likelier_on_first"], data["description"])

    def hits(self, outputs: Outputs) -> int:
        scores = self.score(outputs)
        return int(np.count_nonzero(scores >= self.threshold if self.above else scores < self.threshold))

    def bound(self, first: Outputs, second: Outputs, *, confidence: float, delta: float) -> float:
        """The lower bound on ε that these runs give, which must not be those it was learned on."""
        likely, rare = (first, second) if self.likelier_on_first else (second, first)
        return float(
            epsilon_from_counts(
                self.hits(likely), len(likely), self.hits(rare), len(rare), confidence=confidence, delta=delta
            )
        )


def learn_event(first: Outputs, second: Outputs, *, confidence: float, delta: float = 0.0) -> Event:
    """The event with the best bound on these runs (a guess: the bound itself must come from others)."""
    best: tuple[float, Event] | None = None
    # The scores are learned on one part and their thresholds on all, so that a score that has merely
    # memorised its part is not preferred.
    half = len(first) // 2
    for name, score in _scores(first[:half], second[:half]):
        for value, event in _thresholds(name, score, first, second, confidence, delta):
            if best is None or value > best[0]:
                best = (value, event)
    assert best is not None
    return best[1]


def _thresholds(
    name: str, score: Score, first: Outputs, second: Outputs, confidence: float, delta: float
) -> Iterator[tuple[float, Event]]:
    """The best threshold in each direction."""
    ones, others = np.sort(score(first)), np.sort(score(second))
    pooled = np.unique(np.concatenate([ones, others]))
    if len(pooled) > 400:
        pooled = np.unique(np.quantile(pooled, np.linspace(0, 1, 400)))
    below = np.searchsorted(ones, pooled, side="left").astype(float)
    other_below = np.searchsorted(others, pooled, side="left").astype(float)
    for above in (True, False):
        hits, other_hits = (
            (len(ones) - below, len(others) - other_below) if above else (below, other_below)
        )
        for on_first in (True, False):
            a, n, b, m = (hits, len(ones), other_hits, len(others))
            if not on_first:
                a, n, b, m = b, m, a, n
            bounds = epsilon_from_counts(a, n, b, m, confidence=confidence, delta=delta)
            place = int(np.argmax(bounds))
            sign = "at least" if above else "below"
            text = f"{name} is {sign} {pooled[place]:.6g}"
            yield float(bounds[place]), Event(score, float(pooled[place]), above, on_first, text)


def _scores(first: Outputs, second: Outputs) -> Iterator[tuple[str, Score]]:
    width = first.shape[1]
    for j in range(width):
        yield f"released number {j}", _Coordinate(j)
    if len(first) < 4:
        return
    ratios = _LikelihoodRatio.learn(first, second)
    yield "the sum of the numbers' log-likelihood ratios", ratios
    if width <= 64:
        for j in range(width):
            yield f"the histogram of released number {j}", ratios.only(j)
    if 1 < width <= 512:
        yield "a linear combination of the released numbers", _Linear.learn(first, second)
    rows = _Rows.learn(first, second)
    if rows is not None:
        yield "the whole released row", rows


@dataclass(frozen=True)
class _Coordinate:
    place: int

    def to_dict(self) -> dict[str, Any]:
        return {"place": self.place}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> _Coordinate:
        return cls(data["place"])

    def __call__(self, outputs: Outputs) -> NDArray[np.float64]:
        return outputs[:, self.place]


@dataclass(frozen=True)
class _LikelihoodRatio:
    """Σ_j log(P̂(bin of number j | first) / P̂(… | second)), each number in its own bins."""

    edges: tuple[NDArray[np.float64], ...]
    logs: tuple[NDArray[np.float64], ...]
    places: tuple[int, ...]

    @classmethod
    def learn(cls, first: Outputs, second: Outputs) -> _LikelihoodRatio:
        edges, logs = [], []
        for j in range(first.shape[1]):
            pooled = np.concatenate([first[:, j], second[:, j]])
            values = np.unique(pooled)
            if len(values) > BINS:
                values = np.unique(np.quantile(pooled, np.linspace(0, 1, BINS + 1)[1:-1]))
                cuts = values
            else:  # one bin for each distinct value
                cuts = (values[1:] + values[:-1]) / 2
            ones = np.bincount(np.searchsorted(cuts, first[:, j], side="right"), minlength=len(cuts) + 1)
            others = np.bincount(np.searchsorted(cuts, second[:, j], side="right"), minlength=len(cuts) + 1)
            edges.append(cuts)
            logs.append(np.log((ones + 0.5) / (others + 0.5)))
        return cls(tuple(edges), tuple(logs), tuple(range(first.shape[1])))

    def to_dict(self) -> dict[str, Any]:
        return {
            "edges": [edges.tolist() for edges in self.edges],
            "logs": [logs.tolist() for logs in self.logs],
            "places": list(self.places),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> _LikelihoodRatio:
        edges, logs = (tuple(np.array(part, float) for part in data[key]) for key in ("edges", "logs"))
        return cls(edges, logs, tuple(data["places"]))

    def only(self, place: int) -> _LikelihoodRatio:
        return _LikelihoodRatio(self.edges, self.logs, (place,))

    def __call__(self, outputs: Outputs) -> NDArray[np.float64]:
        total = np.zeros(len(outputs))
        for j in self.places:
            total += self.logs[j][np.searchsorted(self.edges[j], outputs[:, j], side="right")]
        return total


@dataclass(frozen=True)
class _Linear:
    """Fisher's linear discriminant with a whisper of shrinkage, so that exact cancellations stand out."""

    weights: NDArray[np.float64]

    @classmethod
    def learn(cls, first: Outputs, second: Outputs) -> _Linear:
        scale = np.concatenate([first, second]).std(axis=0)
        scale = np.where(scale > 0, scale, 1.0)
        ones, others = first / scale, second / scale
        spread = np.cov(ones, rowvar=False) + np.cov(others, rowvar=False)
        spread = np.atleast_2d(spread) + 1e-9 * np.eye(first.shape[1])
        return cls(np.linalg.solve(spread, ones.mean(axis=0) - others.mean(axis=0)) / scale)

    def to_dict(self) -> dict[str, Any]:
        return {"weights": self.weights.tolist()}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> _Linear:
        return cls(np.array(data["weights"], float))

    def __call__(self, outputs: Outputs) -> NDArray[np.float64]:
        return outputs @ self.weights


@dataclass(frozen=True)
class _Rows:
    """The log-likelihood ratio of the whole row as one symbol."""

    ratios: dict[bytes, float]

    @classmethod
    def learn(cls, first: Outputs, second: Outputs) -> _Rows | None:
        counts: dict[bytes, list[float]] = {}
        for side, outputs in enumerate((first, second)):
            rows, numbers = np.unique(outputs, axis=0, return_counts=True)
            if len(rows) > FEW:
                return None
            for row, number in zip(rows, numbers, strict=True):
                counts.setdefault(row.tobytes(), [0.5, 0.5])[side] += float(number)
        return cls({row: float(np.log(a / b)) for row, (a, b) in counts.items()})

    def to_dict(self) -> dict[str, Any]:
        return {"ratios": {row.hex(): value for row, value in self.ratios.items()}}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> _Rows:
        return cls({bytes.fromhex(row): value for row, value in data["ratios"].items()})

    def __call__(self, outputs: Outputs) -> NDArray[np.float64]:
        rows = np.ascontiguousarray(outputs)
        unique, inverse = np.unique(rows, axis=0, return_inverse=True)
        values: Any = [self.ratios.get(row.tobytes(), 0.0) for row in unique]
        return np.asarray(values)[inverse.ravel()]


_KINDS: dict[str, Any] = {cls.__name__: cls for cls in (_Coordinate, _LikelihoodRatio, _Linear, _Rows)}
