"""How many attributes are significant: scores for a private count, so that k need not be guessed.

One record can make *all* attributes cross the threshold, so the count itself has no useful sensitivity.
Distance scores have. Sort them: s₁ ≥ s₂ ≥ …; exactly i attributes are significant iff sᵢ ≥ 1 and sᵢ₊₁ ≤ 0.
The candidate i gets the score

    q(i) = −max(1 − sᵢ, sᵢ₊₁, 0)        (s₀ = +∞, s_{m+1} = −∞)

**Sensitivity 1.** Every distance score moves by at most 1, so every order statistic sᵢ does (if at least i
scores are ≥ x, at least i are ≥ x − 1 on a neighbour); a maximum of functions that move by at most 1 does,
too. ∎

q is 0 for the true count and falls by one for each record that would have to change to make i right. So what
a private choice by q gives is the count of a table that differs in few records.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from privet.schema import Unit
from privet.stats.association.base import Tables
from privet.stats.association.distance import Distance
from privet.stats.judgement import Judgement

__all__ = ["count_scores", "judge_count"]

REHEARSED = 1000  # so far behind in a rehearsal's scores that no noise makes up for it


def count_scores(distances: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """q(0), …, q(most).

    >>> count_scores(np.array([5, 2, -3, -9]), 4).tolist()
    [-5, -2, 0, -4, -10]
    """
    falling = -np.sort(-distances)[: most + 1]
    far = np.iinfo(np.int64).max // 4
    above = np.concatenate([[far], falling])[: most + 1]
    below = np.concatenate([falling, [-far]])[: most + 1]
    scores: NDArray[np.int64] = -np.maximum(np.maximum(1 - above, below), 0)
    return scores


def judge_count(association: Distance, groups: Sequence[Tables], most: int, unit: Unit) -> Judgement:
    """How well each count from 0 to ``most`` fits these tables; a rehearsal's are empty, and say one."""
    if not any(int(tables.sum()) for tables in groups):
        return Judgement(-np.abs(np.arange(most + 1) - 1) * REHEARSED, unit.most, unit="records to change")
    distances = association.judge(groups, unit).scores
    return Judgement(count_scores(distances, most), unit.most, unit="records to change")
