"""The p-value of Pearson's test, and how far one record moves it: the published figure is too small."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from privet.stats.association.base import Association, Tables, require_groups
from privet.stats.association.chi2 import chi_square, chi_square_sensitivity

__all__ = ["PValue", "p_value_sensitivity"]

#: Up to this many tables (of one group's rows) are searched for the exact maximum: groups of about 90.
MOST_TABLES = 20_000_000
_MARGIN = 1e-9


@lru_cache(maxsize=64)
def p_value_sensitivity(sizes: tuple[int, ...], values: int) -> Fraction:
    """The most by which the p-value changes when one record takes another value and stays in its class.

    *Exact* for tables of three values and two classes that are small enough to be searched in full.

    *A bound* for all others: p = 1 − F(χ²) with F the χ² distribution of (values − 1)·(classes − 1) degrees
    of freedom, and χ² moves by at most Δ, so p moves by at most max over x of F(x + Δ) − F(x). With one or
    two degrees the density falls, and that is F(Δ) (for two: 1 − e^(−Δ/2)); with more, the density rises to
    one peak and falls, so the maximum is where f(x) = f(x + Δ), which has one root below the peak.

    Fienberg et al. (2011) print e^(−2/3) ≈ 0.513 for R = S; but cases (9, 1, 0), controls (9, 0, 1) have χ²
    = 2 and p = 1/e, and moving the one case gives equal groups and p = 1: a change of 0.632, whatever R = S
    is.

    >>> [round(float(p_value_sensitivity((size, size), 3)), 4) for size in (10, 5000)]
    [0.6321, 0.8646]
    """
    from scipy.optimize import brentq
    from scipy.stats import chi2

    sizes = require_groups(sizes)
    if values == 3 and len(sizes) == 2 and sizes[0] ** 2 * sizes[1] ** 2 / 4 <= MOST_TABLES:
        from privet.stats.association.trend_kernels import largest_p_change

        exact = max(largest_p_change(*sizes), largest_p_change(sizes[1], sizes[0]))
        return Fraction(exact * (1 + _MARGIN))
    step = float(chi_square_sensitivity(sizes)) * (1 + _MARGIN)
    degrees = max(values - 1, 1) * (len(sizes) - 1)
    place = 0.0
    if degrees > 2:
        law = chi2(degrees)
        place = float(brentq(lambda x: law.pdf(x + step) - law.pdf(x), 0.0, degrees - 2.0))
    change = float(chi2.cdf(place + step, degrees) - chi2.cdf(place, degrees))
    return Fraction(min(1.0, math.nextafter(change * (1 + _MARGIN), 2.0)))


@dataclass(frozen=True)
class PValue(Association):
    """1 − p: the p-value itself is noisy here. Prefer ``Distance``, which tells small p-values apart."""

    what: ClassVar[str] = "p_value"
    unit: ClassVar[str] = "units of 1 − p"
    needs: ClassVar = "class"

    def evaluate(self, tables: Tables) -> NDArray[np.float64]:
        from scipy.stats import chi2

        degrees = max(tables.shape[2] - 1, 1) * (tables.shape[1] - 1)
        value: NDArray[np.float64] = chi2.cdf(chi_square(tables), degrees)
        return value

    def sensitivity(self, sizes: tuple[int, ...], values: int) -> Fraction:
        return p_value_sensitivity(sizes, values)
