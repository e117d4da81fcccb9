"""How many variants are significant: a private count, so that k need not be guessed.

Permute-and-flip chooses it by the scores of ``stats.association.significant_count``, whose sensitivity is
proved there.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privet.budget import Ledger
from privet.curator import CountSignificant
from privet.curator.study import Study
from privet.errors import ParameterError
from privet.release import Guarantee
from privet.selection.gwas.top_snps import refuse
from privet.stats.association import Distance
from privet.stats.association.distances import Test

__all__ = ["SignificantCount", "count_significant"]


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
    distance = Distance(test, tau)
    refuse(study, 1, distance, "permute_and_flip", delta)
    most = min(most, len(study.variant_places))
    curator = study.curator(epsilon, delta, ledger, random_state, f"gwas count-significant ({test})")

    what = f"how many variants have p < {tau:g} ({test} test)"
    with curator:
        count = curator.ask(CountSignificant(distance, study.candidates, most, what), Fraction(1))
    return SignificantCount(count.value, count.step.error, tau, curator.guarantee)
