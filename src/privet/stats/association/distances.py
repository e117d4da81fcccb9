"""Exact distance scores: how many records must change for a table's significance to flip.

A study has R cases and S controls, which are public. One attribute gives a table r = (r₀, r₁, r₂) of the
cases and s of the controls. A *change* gives one record another value and leaves it in its group; the
distance of two tables is the least number of changes between them, ½Σ|rᵢ − r′ᵢ| + ½Σ|sᵢ − s′ᵢ|. A table is
*significant* if its test statistic is at least the value t that the test exceeds with probability τ by
chance. With d ≥ 1 the distance to the nearest table of the other kind,

    score = +d if the table is significant, and 1 − d if not.

**Sensitivity 1.** Neighbours (``replace`` within a group) have tables T, T′ at distance at most 1 for every
attribute. If both are significant, d differs by at most 1, since the distance to a fixed set does. If only
T is, then d(T) = 1 and d(T′) = 1, and the scores are 1 and 0. Which tables are significant is decided
without rounding (``distance_kernels``), so this holds on the computer as it does on paper. The tests check
it on all pairs.

**Three tests**, each a convex function f of (r, s), where m = r + s, and w = 0, 1, 2 counts alleles:

* genotypic (Pearson's χ², 2 degrees of freedom; 1 for two rows): χ² = N²/(RS)·(Σ rᵢ²/mᵢ − R²/N); r²/m is
  convex;
* allelic (χ² of alleles, 1 degree): 2N·U²/(RS·W(2N − W)) with U = S·Σwr − R·Σws, W = Σwm;
* trend (Cochran–Armitage, 1 degree): N·U²/(RS·V), V = N·Σw²m − W².

U is linear, and W(2N − W) and V are concave and not negative, so U²/V is convex. Where V = 0 all records are
equal; the statistic is then 0, and such an attribute is never significant.

**Towards significance** f must rise. For a changes among cases and b among controls the tables within reach
fill a polytope, and a convex function is largest at one of its corners: all changes lead to one row, from
one of the other two until it is empty and then from the third. That makes 6 · 6 pairs of paths. Along a
pair, with a + b = k, the table is a piecewise linear function of a, and f, convex on each piece, is largest
at an end of one: a ∈ {0, k}, or a row is just empty. All these tables are whole, so the largest f over
*all* tables within k changes is found by looking at 12 of them (a = 0 or k) and at those few in which a row
is just empty; k by bisection.

**Towards insignificance** f must fall, and the least value of a convex function over whole tables can lie
anywhere. A greedy descent gives some number k of changes that suffices. Then *all* tables within k − 1
changes are searched, except those that a tangent plane of f rules out: f(x) ≥ f(x₁) + ∇f(x₁)·(x − x₁) for
every x, so where the right side is at least T, x is significant. (x₁ is the last significant table of the
descent. Pruning is done in floats, with a margin a million times their error.)

Johnson and Shmatikov (2013) proposed such scores; theirs and later ones approximate the distance, and with an
approximate distance the sensitivity is not 1.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privet.errors import DataError, ParameterError

__all__ = ["MOST_RECORDS", "Test", "critical_value", "distance_scores", "largest_statistic", "threshold"]

Test = Literal["genotypic", "allelic", "trend"]

#: Above this, whole numbers of the exact comparison would not fit in 64 bits.
MOST_RECORDS = 50_000
# Fewer tables than this are not worth a thread.
_CHUNK = 8192


def critical_value(test: Test, tau: float, rows: int = 3) -> float:
    """The statistic that is reached by chance with probability τ.

    >>> round(critical_value("genotypic", 1e-5), 3), round(critical_value("trend", 0.05), 3)
    (23.026, 3.841)
    """
    from scipy.stats import chi2

    if not (isinstance(tau, int | float) and 0 < tau < 1):
        raise ParameterError("The threshold tau is a p-value: it lies between 0 and 1.", "5e-8 is usual.")
    return float(chi2.isf(tau, rows - 1 if test == "genotypic" else 1))


def largest_statistic(test: Test, cases: int, controls: int) -> float:
    """The largest value that the test can have with groups of these sizes: all cases unlike all controls."""
    return float(2 if test == "allelic" else 1) * (cases + controls)


def distance_scores(tables: ArrayLike, test: Test = "genotypic", tau: float = 1e-5) -> NDArray[np.int64]:
    """The exact score of each table: tables × (cases, controls) × 2 or 3 rows. Private: for the curator.

    >>> distance_scores([[[50, 50, 50], [50, 50, 50]], [[100, 40, 10], [30, 60, 60]]])
    array([-32,  30])
    """
    counts = np.ascontiguousarray(tables, np.int64)
    if counts.ndim != 3 or counts.shape[1] != 2 or counts.shape[2] not in (2, 3):
        raise ParameterError("Distance scores need tables of two groups and two or three values.")
    rows = counts.shape[2]
    if rows == 2 and test != "genotypic":
        raise ParameterError(f"The {test} test needs genotypes: three values.", "Use the genotypic one.")
    if not len(counts):
        return np.empty(0, np.int64)
    sizes = counts.sum(axis=2)
    if (counts < 0).any() or (sizes != sizes[0]).any():
        raise DataError("The tables of one study must all hold the same cases and the same controls.")
    cases, controls = map(int, sizes[0])
    limit, mantissa, shift = threshold(test, tau, rows, cases, controls)
    if rows == 2:
        counts = np.concatenate([counts, np.zeros((len(counts), 2, 1), np.int64)], axis=2)
    return _in_threads(_code(test), counts, rows, cases, controls, limit, mantissa, shift)


def threshold(test: Test, tau: float, rows: int, cases: int, controls: int) -> tuple[float, int, int]:
    """T as a double, and as mantissa / 2^shift; refuses what no study of this size can answer."""
    critical, total = critical_value(test, tau, rows), cases + controls
    if cases == 0 or controls == 0:
        raise DataError("One of the two groups is empty.", "An association needs cases and controls.")
    if total > MOST_RECORDS:
        raise ParameterError(
            f"Exact distances are computed for up to {MOST_RECORDS:,} records.", "Use the score chi2."
        )
    if critical > largest_statistic(test, cases, controls):
        raise ParameterError(
            f"With groups of {cases} and {controls} records no table is significant at tau = {tau:g}.",
            "Give a larger tau.",
        )
    match test:
        case "genotypic":
            limit = cases * cases / total + critical * cases * controls / total**2
        case "allelic":
            limit = critical * cases * controls / (2 * total)
        case _:
            limit = critical * cases * controls / total
    mantissa, exponent = np.frexp(limit)
    # 2^-60 is far below the last digit of any T that a statistic can reach; a smaller T is rounded to it.
    shift = int(min(53 - exponent, 60))
    whole = int(np.ceil(np.ldexp(mantissa, int(exponent) + shift))) if shift >= 0 else 0
    assert shift >= 0
    return whole / 2**shift, whole, shift


def _code(test: Test) -> int:
    from privet.stats.association import distance_kernels as kernels

    return {"genotypic": kernels.GENOTYPIC, "allelic": kernels.ALLELIC, "trend": kernels.TREND}[test]


def _in_threads(test: int, counts: NDArray[np.int64], *how: Any) -> NDArray[np.int64]:
    from privet.stats.association import distance_kernels

    compiled: Any = distance_kernels.distance_scores
    scores = np.empty(len(counts), np.int64)
    starts = range(0, len(counts), _CHUNK)

    def work(start: int) -> None:
        part = slice(start, start + _CHUNK)
        compiled(test, counts[part], *how, scores[part])

    work(0)
    with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
        list(pool.map(work, starts[1:]))
    return scores
