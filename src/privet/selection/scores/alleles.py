"""The allelic and the Cochran–Armitage trend test of genotypes, and how far one record moves them.

Genotypes 0, 1, 2 count copies of an allele. With a = Σ over cases, b = Σ over controls, W = a + b, q = Σ of
squares over both, U = S·a − R·b:

    allelic  χ² = 2N·U² / (R·S·W·(2N − W))        trend  χ² = N·U² / (R·S·(N·q − W²))

and 0 where the denominator is 0 (all genotypes equal). Both are convex in the table
(``privet.selection.distances``).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from privet.errors import ParameterError
from privet.selection.scores.base import Score, Tables, require_groups

__all__ = [
    "Allelic",
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
    """The exact largest change of the trend χ² when one record's genotype changes, by search.

    *What is searched.* The statistic depends on (a, b, q) alone. A case that changes from w to w′ moves (a,
    q) by (w′ − w, w′² − w²). For given a and b, f before and after are c·U²/V and c·U′²/V′ with V, V′
    linear in q and of the same slope; the derivative of their difference vanishes where |U|·V′ = |U′|·V: at
    one q. So over the q that occur the difference is largest or smallest at an end of their range or next
    to that q. The search looks at these four for every a, b and change: complete, in a time that grows with
    R·S. ∎

    >>> round(float(trend_sensitivity((20, 20))), 3)
    12.773
    """
    cases, controls = require_groups(sizes)
    if cases + controls > MOST_RECORDS:
        raise ParameterError(
            f"The sensitivity of the trend χ² is computed for up to {MOST_RECORDS:,} records.",
            "Use the score distance with the trend test, whose sensitivity is 1, or chi2.",
        )
    from privet.selection.trend_kernels import largest_change

    worst = max(largest_change(cases, controls), largest_change(controls, cases))
    return Fraction(worst) * (1 + _MARGIN)


@dataclass(frozen=True)
class Allelic(Score):
    """The allelic χ² of genotypes."""

    what: ClassVar[str] = "allelic"
    unit: ClassVar[str] = "units of χ²"
    needs: ClassVar = "class"
    genotypes: ClassVar[bool] = True
    ordered: ClassVar[bool] = True

    def evaluate(self, tables: Tables) -> NDArray[np.float64]:
        return allelic_chi_square(tables)

    def sensitivity(self, sizes: tuple[int, ...], values: int) -> Fraction:
        return allelic_sensitivity(sizes)


@dataclass(frozen=True)
class Trend(Score):
    """The Cochran–Armitage trend χ² of genotypes."""

    what: ClassVar[str] = "trend"
    unit: ClassVar[str] = "units of χ²"
    needs: ClassVar = "class"
    genotypes: ClassVar[bool] = True
    ordered: ClassVar[bool] = True

    def evaluate(self, tables: Tables) -> NDArray[np.float64]:
        return trend_chi_square(tables)

    def sensitivity(self, sizes: tuple[int, ...], values: int) -> Fraction:
        return trend_sensitivity(sizes)
