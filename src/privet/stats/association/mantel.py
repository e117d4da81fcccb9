"""The trend test within strata (Mantel's extension): association that a declared stratum does not explain.

Strata h, such as populations, are public. With R_h cases and S_h controls among N_h subjects, a_h the alleles
of the cases, W_h those of all and q_h their squares:

    χ² = U²/V,  U = Σ (a_h − R_h·W_h/N_h),  V = Σ κ_h·(N_h·q_h − W_h²),  κ_h = R_h·S_h/(N_h²·(N_h − 1))

and 0 where V is 0 (Mantel 1963; Mantel and Haenszel's test for genotypes). Each subject is compared with its
own stratum only. A stratum without cases or without controls tells nothing.

**Tables** have a row of cases and one of controls for each stratum in turn.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from privet.errors import DataError
from privet.stats.association.alleles import GenotypeAssociation, trend_sensitivity
from privet.stats.association.base import Tables

__all__ = ["MantelTrend", "mantel_chi_square", "mantel_sensitivity"]


def mantel_chi_square(tables: Tables) -> NDArray[np.float64]:
    """The stratified trend χ² of each table: tables × (cases, controls of each stratum) × 3 genotypes.

    >>> one = np.array([[[10, 0, 0], [0, 0, 10]]])
    >>> mantel_chi_square(one), mantel_chi_square(np.concatenate([one, one], axis=1))
    (array([19.]), array([38.]))
    """
    counts = np.asarray(tables, np.float64).reshape(len(tables), -1, 2, 3)
    copies = np.array([0.0, 1.0, 2.0])
    sizes = counts.sum(axis=3)
    cases, controls = sizes[:, :, 0], sizes[:, :, 1]
    total = cases + controls
    alleles = counts @ copies
    weight = alleles.sum(axis=2)
    squares = counts.sum(axis=2) @ copies**2
    with np.errstate(divide="ignore", invalid="ignore"):
        surplus = np.nan_to_num(alleles[:, :, 0] - cases * weight / total)
        factor = np.nan_to_num(cases * controls / (total**2 * (total - 1)), posinf=0.0)
    u, v = surplus.sum(axis=1), (factor * (total * squares - weight**2)).sum(axis=1)
    # V is at least the smallest κ_h where genotypes differ in a stratum that counts, else rounding of 0.
    smallest = factor[factor > 0].min(initial=1.0)
    return np.divide(u * u, v, out=np.zeros_like(u), where=v > smallest / 2)


def mantel_sensitivity(sizes: tuple[int, ...]) -> Fraction:
    """A bound of the change of the stratified trend χ² when one subject's genotypes change.

    With π_h = R_h/N_h and λ_h = R_h·S_h/(N_h·(N_h − 1)) it is the largest of 4/λ·(c_h + λ_h/λ) over
    strata, with λ the smallest λ_h and c_h = max(π_h, 1 − π_h).

    *Proof.* U is linear in the table and V concave, so f = U²/V is convex, and by its tangent at the
    table after a change f rises by at most 2ρ·dU − ρ²·dV, with ρ = U/V. (Where V is 0, f is 0, which the
    tangent allows.) For a record of group y (1 or 0) in stratum h that moves from w to w′, with μ the
    stratum's mean genotype, dU = (y − π_h)·(w′ − w) and dV = λ_h·((w′ − μ)² − (w − μ)²). With t = ρ·λ_h
    and d = w′ − w this makes

        t·d·(2(y − π_h) − t·(w + w′ − 2μ)) / λ_h  ≤  4·|t|·(c_h + |t|) / λ_h,

    since |d| ≤ 2 and |w + w′ − 2μ| ≤ 2 if |d| = 2; if |d| = 1, then |w + w′ − 2μ| ≤ 3, and the left side
    is at most |t|·(2c_h + 3|t|)/λ_h, which is less. Now ρ = Σ V_k·ρ_k / Σ V_k with ρ_k = U_k/V_k over the
    strata k that have differing genotypes, so |ρ| ≤ max |ρ_k|. And ρ_k·λ_k is the slope of the least-
    squares line of y on the genotype in stratum k; as a weighted mean of differences of means of y, each
    at most 1, over differences of genotypes, each at least 1, it lies in [−1, 1]. So |ρ| ≤ 1/λ, and |t| ≤
    λ_h/λ. A fall is the rise of the change undone. ∎ It is approached by large strata (the tests have
    such a study). A single stratum has (N − 1)/N times the trend χ², and its smaller sensitivity.

    >>> float(mantel_sensitivity((100, 100))) < float(mantel_sensitivity((50, 50, 50, 50))) < 24
    True
    """
    strata = [(r, s) for r, s in zip(sizes[::2], sizes[1::2], strict=True) if r and s]
    if not strata:
        raise DataError(
            "No stratum has both cases and controls.", "Cases and controls must be compared within strata."
        )
    if len(strata) == 1:
        return trend_sensitivity(strata[0])
    shares = [Fraction(r * s, (r + s) * (r + s - 1)) for r, s in strata]
    least = min(shares)
    return max(
        4 / least * (Fraction(max(r, s), r + s) + share / least)
        for (r, s), share in zip(strata, shares, strict=True)
    )


@dataclass(frozen=True)
class MantelTrend(GenotypeAssociation):
    """The stratified trend χ²: a sensitivity of about 24 for balanced strata."""

    what: ClassVar[str] = "stratified trend"

    def evaluate(self, tables: Tables) -> NDArray[np.float64]:
        return mantel_chi_square(tables)

    def sensitivity(self, sizes: tuple[int, ...], values: int) -> Fraction:
        return mantel_sensitivity(sizes)
