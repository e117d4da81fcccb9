"""What a computed ratio promises: the bound that a test would show on a pair, told from few runs.

Where the log-likelihood ratio L of a run's answers is computed (``curator.loss``), the probability of L ≥ t
on the other table needs no runs there: P(L ≥ t | second) = E[e^{−L}; L ≥ t | first]. So a dozen runs say how
rare an event is that happens once in thousands, and pairs can be compared by what a test would show on each:
by the most that they can tell apart, and by how often they do.

It chooses pairs and events, and judges nothing: a ratio is computed from the noise that answers should have.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privet.audit.confidence import quick_epsilon_from_counts
from privet.audit.distinctions import Distinction
from privet.audit.outputs import RATIO
from privet.audit.scores import Coordinate

__all__ = ["Promise", "promised"]

Ratios = NDArray[np.float64]
ROUNDING = 1e-9


def promised(ratios: tuple[Ratios, Ratios], runs: int, *, confidence: float, delta: float = 0.0) -> Promise:
    """What ``runs`` runs on each table would show, if a few on the first and on the second had these ratios.

    A ratio of ±4 in every other run shows more of ε = 4 than one of ±2 in all:

    >>> often, seldom = np.full(20, 2.0), np.repeat([4.0, 0.0], 10)
    >>> [round(promised((each, -each), 1_000, confidence=0.99999).bound, 1) for each in (often, seldom)]
    [1.6, 2.5]
    """
    best = Promise(0.0, 0.0, True)
    for on_first, likely in ((True, ratios[0]), (False, -ratios[1])):
        ordered = np.sort(likely)[::-1]
        shares = np.arange(1, len(ordered) + 1) / len(ordered)
        # Below 0 an event would be likelier on the other table: the ratio says so, and no share exceeds 1.
        rare = np.minimum(np.cumsum(np.exp(-np.maximum(ordered, 0.0))) / len(ordered), shares)
        bounds = quick_epsilon_from_counts(
            shares * runs, runs, rare * runs, runs, confidence=confidence, delta=delta
        )
        # Of equal ratios all are beyond the threshold, and sums of the same numbers differ in the last digit.
        ends = np.append(ordered[:-1] - ordered[1:] > ROUNDING, True)
        place = int(np.argmax(np.where(ends, bounds, -1.0)))
        if bounds[place] > best.bound:
            best = Promise(float(bounds[place]), float(ordered[place]) - ROUNDING, on_first)
    return best


@dataclass(frozen=True)
class Promise:
    """The bound to be expected, and the event: that the ratio speaks for one table by at least so much."""

    bound: float
    threshold: float
    on_first: bool

    @property
    def event(self) -> Distinction:
        """To be tested on fresh runs."""
        least = self.threshold if self.on_first else -self.threshold
        words = f"{RATIO} is {'at least' if self.on_first else 'below'} {least:.6g}"
        return Distinction((RATIO,), Coordinate(0), least, self.on_first, self.on_first, words)
