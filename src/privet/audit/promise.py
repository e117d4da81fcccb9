"""What a computed ratio promises: the bound that a test would show on a pair, told from few runs.

Where the log-likelihood ratio L of a run's answers is computed (``curator.loss``), the probability of L ≥ t
on the other table needs no runs there: P(L ≥ t | second) = E[e^{−L}; L ≥ t | first]. So a dozen runs say how
rare an event is that happens once in thousands, and pairs can be compared by what a test would show on each:
by the most that they can tell apart, and by how often they do.

It chooses pairs, and judges nothing: a ratio is computed from the noise that answers should have.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privet.audit.confidence import quick_epsilon_from_counts

__all__ = ["promised"]

Ratios = NDArray[np.float64]


def promised(
    ratios: tuple[NDArray[np.float64], NDArray[np.float64]],
    runs: int,
    *,
    confidence: float,
    delta: float = 0.0,
) -> float:
    """The bound to be expected of ``runs`` runs on each table, with these ratios first on the one, then the other.

    A ratio of ±4 in every other run shows more of ε = 4 than one of ±2 in all:

    >>> often, seldom = np.full(20, 2.0), np.repeat([4.0, 0.0], 10)
    >>> [round(promised((each, -each), 1_000, confidence=0.99999), 1) for each in (often, seldom)]
    [1.6, 2.5]
    """
    best = 0.0
    for likely in (ratios[0], -ratios[1]):
        ordered = np.sort(likely)[::-1]
        tried = np.arange(1, len(ordered) + 1)
        shares = tried / len(ordered)
        # Below 0 an event would be likelier on the other table: the ratio says so, and no share exceeds 1.
        rare = np.minimum(np.cumsum(np.exp(-np.maximum(ordered, 0.0))) / len(ordered), shares)
        found = quick_epsilon_from_counts(
            shares * runs, runs, rare * runs, runs, confidence=confidence, delta=delta
        )
        best = max(best, float(found.max(initial=0.0)))
    return best
