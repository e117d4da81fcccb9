"""How many variants are significant: a private count, so that k need not be guessed.

One subject's genotypes can make *all* variants cross the threshold, so the count itself has no useful
sensitivity. Distance scores have. Sort them: s₁ ≥ s₂ ≥ …; exactly i variants are significant iff sᵢ ≥ 1 and
sᵢ₊₁ ≤ 0. The candidate i gets the score

    q(i) = −max(1 − sᵢ, sᵢ₊₁, 0)        (s₀ = +∞, s_{m+1} = −∞)

**Sensitivity 1.** Every distance score moves by at most 1, so every order statistic sᵢ does (if at least i
scores are ≥ x, at least i are ≥ x − 1 on a neighbour); a maximum of functions that move by at most 1 does,
too. ∎

q is 0 for the true count and falls by one for each record that would have to change to make i right.
Permute-and-flip chooses i. So the answer is the count of a study that differs in few records.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.budget import Ledger
from privet.errors import ParameterError
from privet.release import Guarantee
from privet.selection.distances import Test, distance_scores
from privet.selection.gwas.study import Study, tables_of
from privet.selection.gwas.top_snps import refuse
from privet.selection.scores import Distance
from privet.stats import Judgement

__all__ = ["SignificantCount", "count_scores", "count_significant"]


@dataclass(frozen=True)
class SignificantCount:
    """The released count, and how far (in changed records) the study may be from one that has it."""

    count: int
    records: float
    tau: float
    guarantee: Guarantee

    def to_dict(self) -> dict[str, Any]:
        return {
            "count": self.count,
            "records": self.records,
            "tau": self.tau,
            "guarantee": self.guarantee.to_dict(),
        }


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


def count_significant(
    study: Study,
    *,
    tau: float = 1e-5,
    test: Test = "genotypic",
    epsilon: float = 1.0,
    delta: float = 0.0,
    most: int = 1000,
    ledger: Ledger | None = None,
    random_state: Any = None,
) -> SignificantCount:
    """How many variants have p < τ, up to ``most``; (ε, δ)-private for one subject's genotypes."""
    if isinstance(most, bool) or not isinstance(most, int) or most < 1:
        raise ParameterError("most must be a whole number of at least 1.")
    refuse(study, 1, Distance(test, tau), "permute_and_flip", delta)
    most = min(most, len(study.variant_places))
    curator = study.curator(epsilon, delta, ledger, random_state, f"gwas count-significant ({test})")

    def judge(answers: list[NDArray[Any]]) -> Judgement:
        distances = distance_scores(tables_of(answers[0]), test, tau)
        return Judgement(count_scores(distances, most), 1, unit="records to change")

    with curator:
        [count], _ = curator.select(
            [study.question],
            judge,
            k=1,
            how="permute_and_flip",
            share=Fraction(1),
            what=f"how many variants have p < {tau:g} ({test} test)",
        )
    return SignificantCount(int(count), curator.guarantee.steps[-1].error, tau, curator.guarantee)
