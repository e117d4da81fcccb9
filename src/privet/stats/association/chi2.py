"""Pearson's χ² of an attribute and the class, for tables of any size, and how far one record moves it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from privet.stats.association.base import Association, Tables, require_groups

__all__ = ["Chi2", "chi_square", "chi_square_sensitivity"]


def chi_square(tables: Tables) -> NDArray[np.float64]:
    """Pearson's χ² of each table (tables × classes × values); empty rows and columns count nothing.

    >>> chi_square(np.array([[[10, 20], [20, 10]]])).round(3)
    array([6.667])
    """
    counts = np.asarray(tables, np.float64)
    rows, columns = counts.sum(axis=1), counts.sum(axis=2)
    total = columns.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        # N·(Σ nᵢⱼ²/(mᵢ·cⱼ) − 1), summed as Σ (n − e)²/e: no difference of large numbers
        expected = columns[:, :, None] * rows[:, None, :] / total[:, None, None]
        terms = np.where(expected > 0, (counts - expected) ** 2 / expected, 0.0)
    value: NDArray[np.float64] = np.nan_to_num(terms).sum(axis=(1, 2))
    return value


def chi_square_sensitivity(sizes: tuple[int, ...]) -> Fraction:
    """The most by which χ² changes when one record takes another value and stays in its class.

    For two classes of R and S records it is N²/(RS)·(1 − 1/(max(R, S) + 1)), and attained.

    *Proof.* Let class j have c_j records in all, row i the counts xᵢ = (xᵢⱼ)ⱼ with sum mᵢ, and
    φ(x) = Σⱼ xⱼ²/c_j / Σⱼ xⱼ (φ(0) = 0). Then χ² = N·(Σᵢ φ(xᵢ) − 1). φ is convex (a quadratic form over a
    linear one), so D(x) = φ(x + eⱼ) − φ(x) grows with xⱼ.

    * D ≤ 1/c_j: the limit of D as xⱼ → ∞.
    * D ≥ −(1 − 1/c_j)/(c + 1), with c the smallest other class: by monotony let xⱼ = 0. Then
      D = (1/c_j − Q)/(m + 1) with Q = Σ_l (x_l/m)·(x_l/c_l), for m ≥ 1, and x_l ≤ min(c_l, m) gives Q ≤
      min(1, m/c). For m ≥ c, D ≥ −(1 − 1/c_j)/(m + 1); for m < c, (m/c − 1/c_j)/(m + 1) grows with m. Both
      are worst at m = c.

    A record of class j leaves one row and enters another: one row changes by −D(x), one by D(y), so χ²
    changes by at most N·(1/c_j + (1 − 1/c_j)/(c + 1)) = N·(c_j + c)/(c_j·(c + 1)). The largest over j is
    returned. For two classes it is attained with c_j the smaller one: all of class c in the row that is
    left, all others of c_j in the one that is entered. ∎

    >>> chi_square_sensitivity((150, 150))
    Fraction(600, 151)
    """
    sizes = require_groups(sizes)
    total = sum(sizes)
    worst = Fraction(0)
    for place, size in enumerate(sizes):
        other = min(sizes[:place] + sizes[place + 1 :])
        worst = max(worst, Fraction(total * (size + other), size * (other + 1)))
    return worst


@dataclass(frozen=True)
class Chi2(Association):
    """Pearson's χ²: sensitivity of about 4 for two equal classes, whatever their size."""

    what: ClassVar[str] = "chi2"
    unit: ClassVar[str] = "units of χ²"
    needs: ClassVar = "class"

    def evaluate(self, tables: Tables) -> NDArray[np.float64]:
        return chi_square(tables)

    def sensitivity(self, sizes: tuple[int, ...], values: int) -> Fraction:
        return chi_square_sensitivity(sizes)
