"""Homer's attack on the user's own study: who can be recognised in what is released?

Homer et al. (2008) tell whether a person with known genotypes is among the cases from the cases' allele
frequencies alone: the sum over variants of |y − reference| − |y − cases|, with y the person's own frequency
(0, ½ or 1), is larger for those who are in. Exact frequencies of many variants give nearly everybody away.
The attack here is run by the owner of the data, on the owner's machine: members are the cases, strangers
one half of the controls, and the other half is the reference that an attacker would have. Its results are
exact and not for release.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.compiled import njit
from privet.curator.public import public_answers
from privet.curator.study import Study
from privet.errors import DataError, ParameterError
from privet.selection.gwas.top_snps import top_snps
from privet.stats.association.candidates import genotype_tables
from privet.stats.genotypes.tables import GenotypeTables

__all__ = ["Homer", "homer"]


@dataclass(frozen=True)
class Homer:
    """How well members are told from strangers: areas under the ROC curve (½ is a coin)."""

    variants: int
    exact_area: float
    exact_found: float
    k: int
    epsilon: float
    private_area: float
    private_found: float
    releases: int

    def to_dict(self) -> dict[str, Any]:
        return dict(vars(self))


def homer(
    study: Study, *, k: int = 10, epsilon: float = 1.0, releases: int = 20, random_state: Any = None
) -> Homer:
    """Attack the exact frequencies of all variants, and ``releases`` of Privet's (k odds ratios at ε).

    ``…_found`` is the share of members found when 5 in 100 strangers are wrongly taken for members.
    """
    if releases < 1:
        raise ParameterError("At least one release must be attacked.", "Give releases=20, say.")
    draw = np.random.default_rng(random_state)
    phenotype_controls = np.flatnonzero(study.groups[1])
    if len(phenotype_controls) < 4:
        raise DataError("The attack needs at least four controls.", "Half of them are its reference.")
    order = draw.permutation(phenotype_controls)
    strangers, reference = order[: len(order) // 2], order[len(order) // 2 :]
    members = np.flatnonzero(study.groups[0])
    split = np.zeros_like(study.groups)
    split[0, members] = True
    split[1, reference] = True
    question = GenotypeTables(split, study.source.variant_count, study.passed.variants)
    [counts] = public_answers(study.source, study.schema, [question])
    tables = genotype_tables(counts)
    pool, outside = (tables[:, group] @ np.array([0, 1, 2]) / (2 * split[group].sum()) for group in (0, 1))
    exact = _attack(study, study.variant_places, pool, outside)
    areas, found = [], []
    names = {name: place for place, name in enumerate(study.source.variant_names)}
    rows = {place: row for row, place in enumerate(study.variant_places.tolist())}
    for _ in range(releases):
        release = top_snps(study, k, epsilon=epsilon, score="odds_ratio", tau=0.05, random_state=random_state)
        places = np.array([names[snp.name] for snp in release.snps])
        inside = outside[[rows[place] for place in places.tolist()]]
        # The attacker undoes nothing: the released odds ratio and the reference give the cases' frequency.
        odds = np.array([snp.odds_ratio.value for snp in release.snps if snp.odds_ratio is not None])
        base = np.clip(inside, 0.01, 0.99)
        frequency = odds * base / (1 - base + odds * base)
        area, share = _told_apart(_attack(study, places, frequency, inside), members, strangers)
        areas.append(area)
        found.append(share)
    area, share = _told_apart(exact, members, strangers)
    return Homer(
        len(study.variant_places),
        area,
        share,
        k,
        epsilon,
        float(np.mean(areas)),
        float(np.mean(found)),
        releases,
    )


def _attack(
    study: Study, places: NDArray[np.int64], pool: NDArray[np.float64], reference: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Homer's statistic of every subject, over these variants of the file."""
    gains = np.zeros((study.source.variant_count, 4))
    own = np.array([1.0, 0.0, 0.5, 0.0])  # by PLINK's two bits; the second means missing and says nothing
    gains[places] = np.abs(own - reference[:, None]) - np.abs(own - pool[:, None])
    gains[:, 1] = 0.0
    total = np.zeros(len(study.source.subjects))
    for block in study.source.blocks():
        _sum(block.data, gains[block.start : block.start + len(block.data)], total)
    return total


@njit
def _sum(
    data: NDArray[np.uint8], gains: NDArray[np.float64], total: NDArray[np.float64]
) -> None:  # pragma: no cover
    for row in range(data.shape[0]):
        for subject in range(total.size):
            total[subject] += gains[row, (data[row, subject // 4] >> (2 * (subject % 4))) & 3]


def _told_apart(
    score: NDArray[np.float64], members: NDArray[np.int64], strangers: NDArray[np.int64]
) -> tuple[float, float]:
    inside, outside = score[members], np.sort(score[strangers])
    below = np.searchsorted(outside, inside, "left")
    ties = np.searchsorted(outside, inside, "right") - below
    area = float((below + ties / 2).mean() / len(outside))
    limit = outside[min(len(outside) - 1, int(np.ceil(0.95 * len(outside))) - 1)]
    return area, float((inside > limit).mean())
