"""Events that tell two neighbours apart: learned on some runs, to be tested on others.

The event is that a score (``scores``) of the released numbers is at least, or below, a threshold.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.audit.confidence import epsilon_from_counts, quick_epsilon_from_counts
from privet.audit.outputs import Matrix, Sample
from privet.audit.scores import Score, candidates, score_from_dict

__all__ = ["Distinction", "learn_distinction"]

THRESHOLDS = 400
CAUTION = 5.0


@dataclass(frozen=True)
class Distinction:
    """The score is at least the threshold (or below it); and on which of the two tables that is likelier."""

    places: tuple[str, ...]
    score: Score
    threshold: float
    above: bool
    likelier_on_first: bool
    description: str

    def scores(self, sample: Sample) -> NDArray[np.float64]:
        return self.score(sample.at(self.places))

    def hits(self, sample: Sample) -> int:
        """In how many runs it happened."""
        scores = self.scores(sample)
        return int(np.count_nonzero(scores >= self.threshold if self.above else scores < self.threshold))

    def bound(self, first: Sample, second: Sample, *, confidence: float, delta: float) -> float:
        """The lower bound on ε that these runs give, which must not be those it was learned on."""
        likely, rare = (first, second) if self.likelier_on_first else (second, first)
        counts = (self.hits(likely), len(likely), self.hits(rare), len(rare))
        return float(epsilon_from_counts(*counts, confidence=confidence, delta=delta))

    def to_dict(self) -> dict[str, Any]:
        """The event as plain data: with it, a report can be tested again on fresh runs."""
        return {
            "description": self.description,
            "threshold": self.threshold,
            "above": self.above,
            "likelier_on_first": self.likelier_on_first,
            "places": list(self.places),
            "score": self.score.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Distinction:
        return cls(
            tuple(data["places"]),
            score_from_dict(data["score"]),
            data["threshold"],
            data["above"],
            data["likelier_on_first"],
            data["description"],
        )


def learn_distinction(
    first: Sample, second: Sample, *, confidence: float, delta: float = 0.0
) -> tuple[Distinction, float]:
    """The event that looks best on these runs, and its apparent bound (the real one must come from others).

    Scores are learned on one half of the runs and compared on the other, so that a score that has merely
    memorised its runs is not preferred.
    """
    places = _telling(first, second)
    ones, others = first.at(places), second.at(places)
    half, other_half = len(ones) // 2, len(others) // 2
    # Where nothing ever differs, this event happens always, and its bound is 0.
    best = (
        Distinction(
            places[:1],
            score_from_dict({"kind": "coordinate", "place": 0}),
            -np.finfo(float).max,
            True,
            True,
            "anything",
        ),
        0.0,
    )
    for name, score in candidates(ones[:half], others[:other_half], places):
        found = _thresholds(score(ones[half:]), score(others[other_half:]), confidence, delta)
        for value, threshold, above, on_first in found:
            if value > best[1]:
                text = f"{name} is {'at least' if above else 'below'} {threshold:.6g}"
                best = (Distinction(places, score, threshold, above, on_first, text), value)
    return best


def _telling(first: Sample, second: Sample) -> tuple[str, ...]:
    """The places whose numbers are not the same in all runs on both tables."""
    places = tuple(sorted({*first.places, *second.places}))
    pooled: Matrix = np.concatenate([first.at(places), second.at(places)])
    varied = (pooled != pooled[:1]).any(axis=0)
    return tuple(place for place, varies in zip(places, varied, strict=True) if varies) or places[:1]


def _thresholds(
    ones: NDArray[np.float64], others: NDArray[np.float64], confidence: float, delta: float
) -> Iterator[tuple[float, float, bool, bool]]:
    """(promise, threshold, above, likelier on first) of the best threshold in each direction.

    What an event promises is the bound that the test, which has twice these runs, would give for the same
    shares. Of hundreds of thresholds, the one that looks best is often a rare event that was lucky here, so
    half of the promise is a bound with far wider intervals, which hold for all of the thresholds at once.
    That half alone would miss leaks that are clear but rare, for which its intervals are too wide.
    """
    ones, others = np.sort(ones), np.sort(others)
    pooled = np.unique(np.concatenate([ones, others]))
    if len(pooled) > THRESHOLDS:
        pooled = pooled[np.linspace(0, len(pooled) - 1, THRESHOLDS).astype(int)]
    below, other_below = (np.searchsorted(side, pooled, side="left").astype(float) for side in (ones, others))
    sizes = (len(ones), len(others))
    for above in (True, False):
        hits = (sizes[0] - below, sizes[1] - other_below) if above else (below, other_below)
        for likely, rare in ((0, 1), (1, 0)):
            counts = (2 * hits[likely], 2 * sizes[likely], 2 * hits[rare], 2 * sizes[rare])
            bold, cautious = (
                quick_epsilon_from_counts(*counts, confidence=confidence, delta=delta, caution=caution)
                for caution in (0.0, CAUTION)
            )
            promise = (bold + cautious) / 2
            place = int(np.argmax(promise))
            yield float(promise[place]), float(pooled[place]), above, likely == 0
