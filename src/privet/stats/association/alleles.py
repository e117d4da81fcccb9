"""The allelic and the Cochran–Armitage trend test of genotypes, and how far one record moves them.

Genotypes 0, 1, 2 count copies of an allele. With a = Σ over cases, b = Σ over controls, W = a + b, q = Σ of
squares over both, U = S·a − R·b:

    allelic  χ² = 2N·U² / (R·S·W·(2N − W))        trend  χ² = N·U² / (R·S·(N·q − W²))

and 0 where the denominator is 0 (all genotypes equal). Both are convex in the table
(``privet.stats.association.distances``).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from privet.stats.association.base import Association, Tables, require_groups

__all__ = [
    "Allelic",
    "GenotypeAssociation",
    "Trend",
    "allelic_chi_square",
    "allelic_sensitivity",
    "trend_chi_square",
    "trend_sensitivity",
]

#: Up to this many records the exact sensitivity of the trend test is found within seconds.
MOST_RECORDS = 6000
# Far more than the error of the float arithmetic below, far less than anyone would notice.
_MARGIN = Fraction(1, 10**9)


def _sums(tables: Tables) -> tuple[NDArray[np.float64], ...]:
    counts = np.asarray(tables, np.float64)
    sizes, alleles = counts.sum(axis=2), counts @ np.array([0.0, 1.0, 2.0])
    cases, controls = sizes[:, 0], sizes[:, 1]
    return cases, controls, controls * alleles[:, 0] - cases * alleles[:, 1], alleles.sum(axis=1)


def _ratio(above: NDArray[np.float64], below: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)


def allelic_chi_square(tables: Tables) -> NDArray[np.float64]:
    """χ² of the 2 × 2 table of alleles of each table of genotypes (tables × (cases, controls) × 3).

    >>> allelic_chi_square(np.array([[[10, 0, 0], [0, 0, 10]]]))
    array([40.])
    """
    cases, controls, u, weight = _sums(tables)
    total = cases + controls
    return _ratio(2 * total * u * u, cases * controls * weight * (2 * total - weight))


def trend_chi_square(tables: Tables) -> NDArray[np.float64]:
    """The Cochran–Armitage trend test: N times the squared correlation of allele count and group.

    >>> trend_chi_square(np.array([[[10, 0, 0], [0, 0, 10]]]))
    array([20.])
    """
    cases, controls, u, weight = _sums(tables)
    total = cases + controls
    squares = np.asarray(tables, np.float64).sum(axis=1) @ np.array([0.0, 1.0, 4.0])
    return _ratio(total * u * u, cases * controls * (total * squares - weight * weight))


@lru_cache(maxsize=64)
def allelic_sensitivity(sizes: tuple[int, ...]) -> Fraction:
    """The exact largest change of the allelic χ² when one record's genotype changes.

    *Proof.* For b fixed, f(a) is convex, and one case moves a by at most 2. Differences of a convex
    function over steps of one length grow with a, and over a longer step from the same end they are larger,
    so the largest rise is f(2R) − f(2R − 2) and the largest fall f(0) − f(2), for some b from 0 to 2S. By
    exchanging the alleles (a → 2R − a, b → 2S − b) the two are equal, and the same holds for controls. So
    2(N + 1) differences are all there is to look at, which is done. ∎

    >>> round(float(allelic_sensitivity((150, 150))), 3)
    7.947
    """
    cases, controls = require_groups(sizes)
    worst = 0.0
    for own, other in ((cases, controls), (controls, cases)):
        b = np.arange(2 * other + 1, dtype=np.float64)
        top, below = (_allelic(float(a), b, own, other) for a in (2 * own, 2 * own - 2))
        worst = max(worst, float(np.abs(top - below).max()))
    return Fraction(worst) * (1 + _MARGIN)


def _allelic(a: float, b: NDArray[np.float64], cases: int, controls: int) -> NDArray[np.float64]:
    total, weight = cases + controls, a + b
    u = controls * a - cases * b
    return _ratio(2 * total * u * u, cases * controls * weight * (2 * total - weight))


@lru_cache(maxsize=64)
def trend_sensitivity(sizes: tuple[int, ...]) -> Fraction:
    """The largest change of the trend χ² when one record's genotype changes: exact, or nearly so.

    *The bound* is 4·N²/(RS), for groups of any size. Let y be 1 for a case and 0 for a control, and ŷ(w)
    the least-squares line of y on the genotype w, with slope ρ = U/V, V = N·q − W². The statistic is f =
    c·U²/V, c = N/(RS); U is linear in the table, V concave, and f convex. By its tangent at the table
    after a change, f rises by at most the derivative there: c·(2ρ·dU − ρ²·dV). For a record of group y
    that moves from w to w′ this is N²/(RS)·((y − ŷ(w))² − (y − ŷ(w′))²): the difference of two squared
    residuals. (Where all genotypes are equal f is 0, which the tangent allows, too.) With p₀, p₁, p₂ the
    shares of the genotypes and σ² = p₀p₁ + p₁p₂ + 4p₀p₂ their variance, the line is a weighted sum of the
    mean of y in each genotype, which lies in [0, 1]. At w = 2 the weights are −p₀p₁/σ², 2p₀p₁/σ² and the
    rest, at w = 1 all are at least 0, and w = 0 is like w = 2. Weights sum to 1, and the negative one is
    at least −1, so ŷ lies in [−1, 2], a residual in [−2, 2], and its square is at most 4. A fall is the
    rise of the change undone. ∎ It is approached as groups grow.

    *The search*, for small groups. The statistic depends on (a, b, q) alone. A case that changes from w
    to w′ moves (a, q) by (w′ − w, w′² − w²). For given a and b, f before and after are c·U²/V and
    c·U′²/V′ with V, V′ linear in q and of the same slope; the derivative of their difference vanishes
    where |U|·V′ = |U′|·V: at one q. So over the q that occur the difference is largest or smallest at an
    end of their range or next to that q. The search looks at these four for every a, b and change:
    complete, in a time that grows with R·S. ∎

    >>> [round(float(trend_sensitivity((size, size))), 3) for size in (20, 1000, 100_000)]
    [12.773, 15.92, 16.0]
    """
    cases, controls = require_groups(sizes)
    if (total := cases + controls) > MOST_RECORDS:
        return Fraction(4 * total * total, cases * controls)
    from privet.stats.association.trend_kernels import largest_change

    worst = max(largest_change(cases, controls), largest_change(controls, cases))
    return Fraction(worst) * (1 + _MARGIN)


class GenotypeAssociation(Association):
    """A χ² that counts alleles, of records that stay within their class."""

    unit: ClassVar[str] = "units of χ²"
    needs: ClassVar = "class"
    genotypes: ClassVar[bool] = True
    ordered: ClassVar[bool] = True


@dataclass(frozen=True)
class Allelic(GenotypeAssociation):
    """The allelic χ² of genotypes."""

    what: ClassVar[str] = "allelic"

    def evaluate(self, tables: Tables) -> NDArray[np.float64]:
        return allelic_chi_square(tables)

    def sensitivity(self, sizes: tuple[int, ...], values: int) -> Fraction:
        return allelic_sensitivity(sizes)


@dataclass(frozen=True)
class Trend(GenotypeAssociation):
    """The Cochran–Armitage trend χ² of genotypes."""

    what: ClassVar[str] = "trend"

    def evaluate(self, tables: Tables) -> NDArray[np.float64]:
        return trend_chi_square(tables)

    def sensitivity(self, sizes: tuple[int, ...], values: int) -> Fraction:
        return trend_sensitivity(sizes)
