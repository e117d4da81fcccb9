"""Compiled loops of the exact distance scores. ``distances`` states what they compute and proves it.

A table is two rows of three counts: cases r and controls s. Its test statistic reaches its critical value iff
num · 2^shift ≥ mantissa · den, where num and den are whole numbers made from the table (``fraction``) and
mantissa / 2^shift is the double T. The comparison is made in floats where that is safe, and in 128 bits where
the two sides agree to 14 digits: there is no table on which it errs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.compiled import njit

__all__ = ["ALLELIC", "GENOTYPIC", "TREND", "distance_scores"]

GENOTYPIC, ALLELIC, TREND = 0, 1, 2

# Relative distance within which floats do not decide: ten times what two conversions and a product can err.
CLOSE = 1e-14
# What pruning leaves to be decided exactly: far more than the float error of a sum of a few terms.
SLACK = 1e-9

# (destination, first source, second source): the ways in which a group can be driven to one corner. The first
# two are all there are in a table of two rows, whose third is empty.
PATHS = np.array([[0, 1, 2], [1, 0, 2], [0, 2, 1], [1, 2, 0], [2, 0, 1], [2, 1, 0]], np.int64)


@njit(inline="always")
def fraction(
    test: int, r0: int, r1: int, r2: int, s0: int, s1: int, s2: int, cases: int, controls: int
) -> Any:  # pragma: no cover
    """The statistic as num / den, up to the constants that are in T; den = 0 where every record is equal."""
    if test == GENOTYPIC:  # Σ rᵢ²/mᵢ, an empty row counting as 0/1
        m0, m1, m2 = max(r0 + s0, 1), max(r1 + s1, 1), max(r2 + s2, 1)
        return r0 * r0 * (m1 * m2) + m0 * (r1 * r1 * m2 + r2 * r2 * m1), m0 * m1 * m2
    a, b = r1 + 2 * r2, s1 + 2 * s2
    u = controls * a - cases * b
    if test == ALLELIC:
        return u * u, (a + b) * (2 * (cases + controls) - a - b)
    return u * u, (cases + controls) * (r1 + s1 + 4 * (r2 + s2)) - (a + b) * (a + b)


@njit
def _wide_at_least(num: int, shift: int, mantissa: int, den: int) -> Any:  # pragma: no cover
    """num · 2^shift ≥ mantissa · den in 128 bits (num < 2^63, den < 2^48, mantissa ≤ 2^53, shift ≤ 60)."""
    low = np.uint64(0xFFFFFFFF)
    width = np.uint64(32)
    a, b = np.uint64(mantissa), np.uint64(den)
    a0, a1, b0, b1 = a & low, a >> width, b & low, b >> width
    middle = a1 * b0 + ((a0 * b0) >> width)
    cross = a0 * b1 + (middle & low)
    high = a1 * b1 + (middle >> width) + (cross >> width)
    rest = (cross << width) | ((a0 * b0) & low)
    n = np.uint64(num)
    left_high = np.uint64(0) if shift == 0 else n >> np.uint64(64 - shift)
    left_rest = n << np.uint64(shift)
    return left_high > high or (left_high == high and left_rest >= rest)


@njit(inline="always")
def significant(num: int, den: int, threshold: float, mantissa: int, shift: int) -> bool:  # pragma: no cover
    if den == 0:
        return False
    left, right = float(num), threshold * float(den)
    if abs(left - right) > CLOSE * right:
        return left > right
    return _wide_at_least(num, shift, mantissa, den)


@njit(inline="always")
def _walk(row: NDArray[np.int64], path: int, steps: int, new: NDArray[np.int64]) -> None:  # pragma: no cover
    """new = the row after this many changes along a path; fewer where its sources run dry."""
    i, j, l = PATHS[path, 0], PATHS[path, 1], PATHS[path, 2]  # noqa: E741
    first = min(steps, row[j])
    second = min(steps - first, row[l])
    new[j], new[l], new[i] = row[j] - first, row[l] - second, row[i] + first + second


@njit
def _reachable(
    test: int,
    k: int,
    r: NDArray[np.int64],
    s: NDArray[np.int64],
    paths: int,
    cases: int,
    controls: int,
    threshold: float,
    mantissa: int,
    shift: int,
    new: NDArray[np.int64],
    own: NDArray[np.int64],
) -> bool:  # pragma: no cover
    """Whether some table within k changes is significant: only corners need to be looked at."""
    # All changes in one group ...
    for path in range(paths):
        _walk(r, path, k, new)
        num, den = fraction(test, new[0], new[1], new[2], s[0], s[1], s[2], cases, controls)
        if significant(num, den, threshold, mantissa, shift):
            return True
        _walk(s, path, k, own)
        num, den = fraction(test, r[0], r[1], r[2], own[0], own[1], own[2], cases, controls)
        if significant(num, den, threshold, mantissa, shift):
            return True
    # ... or as many in one group as empty a row of it (or two), and the others in the other group.
    for group in range(2):
        mine, theirs = (r, s) if group == 0 else (s, r)
        for path in range(paths):
            source, second = mine[PATHS[path, 1]], mine[PATHS[path, 2]]
            if source == 0 or source >= k:  # from an empty row this is another path; too many is no corner
                continue
            for both in range(2):
                steps = source + both * second
                if steps >= k or (both == 1 and second == 0):
                    break
                _walk(mine, path, steps, new)
                for other in range(paths):
                    _walk(theirs, other, k - steps, own)
                    if group == 0:
                        num, den = fraction(
                            test, new[0], new[1], new[2], own[0], own[1], own[2], cases, controls
                        )
                    else:
                        num, den = fraction(
                            test, own[0], own[1], own[2], new[0], new[1], new[2], cases, controls
                        )
                    if significant(num, den, threshold, mantissa, shift):
                        return True
    return False


@njit
def _gradient(
    test: int,
    r: NDArray[np.int64],
    s: NDArray[np.int64],
    cases: int,
    controls: int,
    slopes: NDArray[np.float64],
) -> float:  # pragma: no cover
    """The statistic at a table, and by how much one more record in each cell raises it (a subgradient)."""
    total = cases + controls
    if test == GENOTYPIC:
        value = 0.0
        for row in range(3):
            m = r[row] + s[row]
            p = r[row] / m if m > 0 else cases / total
            value += r[row] * p
            slopes[0, row], slopes[1, row] = p * (2 - p), -p * p
        return value
    num, den = fraction(test, r[0], r[1], r[2], s[0], s[1], s[2], cases, controls)
    ratio = (controls * (r[1] + 2 * r[2]) - cases * (s[1] + 2 * s[2])) / den
    weight = r[1] + 2 * r[2] + s[1] + 2 * s[2]
    for row in range(3):
        bend = row * 2.0 * (total - weight) if test == ALLELIC else total * row * row - 2.0 * weight * row
        slopes[0, row] = 2 * ratio * controls * row - ratio * ratio * bend
        slopes[1, row] = -2 * ratio * cases * row - ratio * ratio * bend
    return num / den


@njit
def _descend(
    test: int,
    r: NDArray[np.int64],
    s: NDArray[np.int64],
    rows: int,
    cases: int,
    controls: int,
    threshold: float,
    mantissa: int,
    shift: int,
) -> int:  # pragma: no cover
    """Change the table (in place) by the best single record until one more would end its significance.

    Returns the number of changes that ends it, or a number that surely does where the descent gets stuck.
    """
    steps = 0
    num, den = fraction(test, r[0], r[1], r[2], s[0], s[1], s[2], cases, controls)
    value = num / den
    while True:
        best, where, source, destination = value, -1, 0, 0
        for group in range(2):
            row = r if group == 0 else s
            for j in range(rows):
                if row[j] == 0:
                    continue
                for i in range(rows):
                    if i == j:
                        continue
                    row[j] -= 1
                    row[i] += 1
                    num, den = fraction(test, r[0], r[1], r[2], s[0], s[1], s[2], cases, controls)
                    over = significant(num, den, threshold, mantissa, shift)
                    row[j] += 1
                    row[i] -= 1
                    if not over:
                        return steps + 1
                    if num / den < best:
                        best, where, source, destination = num / den, group, j, i
        if where < 0:  # stuck: moving everything to the largest row gives a statistic of 0
            fullest = max(r[0] + s[0], r[1] + s[1], r[2] + s[2])
            return steps + cases + controls - fullest
        row = r if where == 0 else s
        row[source] -= 1
        row[destination] += 1
        value = best
        steps += 1


@njit
def _to_insignificance(
    test: int,
    r: NDArray[np.int64],
    s: NDArray[np.int64],
    rows: int,
    cases: int,
    controls: int,
    threshold: float,
    mantissa: int,
    shift: int,
    point: NDArray[np.int64],
    slopes: NDArray[np.float64],
) -> int:  # pragma: no cover
    """The fewest changes of a significant table after which it is not: a descent, then a complete search."""
    point[0, :] = r
    point[1, :] = s
    k = _descend(test, point[0], point[1], rows, cases, controls, threshold, mantissa, shift)
    if k == 1:
        return 1
    base = _gradient(test, point[0], point[1], cases, controls, slopes)
    for row in range(3):
        base += slopes[0, row] * (r[row] - point[0, row]) + slopes[1, row] * (s[row] - point[1, row])
    limit = threshold + SLACK * max(1.0, threshold)
    low, high = min(slopes[1, 0], slopes[1, 1]), max(slopes[1, 0], slopes[1, 1])
    if rows == 3:
        low, high = min(low, slopes[1, 2]), max(high, slopes[1, 2])
    drop = high - low
    for d0 in range(-min(k - 1, r[0]), k):
        for d1 in range(max(-min(k - 1, r[1]), -(k - 1) - d0), min(k - 1, k - 1 - d0) + 1):
            d2 = -d0 - d1
            if r[2] + d2 < 0 or (rows == 2 and d2 != 0):
                continue
            a = max(abs(d0), abs(d1), abs(d2))
            if a >= k:
                continue
            ours = base + slopes[0, 0] * d0 + slopes[0, 1] * d1 + slopes[0, 2] * d2
            if ours - (k - 1 - a) * drop >= limit:
                continue
            left = k - 1 - a
            for c0 in range(-min(left, s[0]), left + 1):
                for c1 in range(max(-min(left, s[1]), -left - c0), min(left, left - c0) + 1):
                    c2 = -c0 - c1
                    if s[2] + c2 < 0 or (rows == 2 and c2 != 0):
                        continue
                    b = max(abs(c0), abs(c1), abs(c2))
                    if a + b >= k:
                        continue
                    if ours + slopes[1, 0] * c0 + slopes[1, 1] * c1 + slopes[1, 2] * c2 >= limit:
                        continue
                    num, den = fraction(
                        test,
                        r[0] + d0,
                        r[1] + d1,
                        r[2] + d2,
                        s[0] + c0,
                        s[1] + c1,
                        s[2] + c2,
                        cases,
                        controls,
                    )
                    if not significant(num, den, threshold, mantissa, shift):
                        k = a + b
    return k


@njit
def distance_scores(
    test: int,
    tables: NDArray[np.int64],
    rows: int,
    cases: int,
    controls: int,
    threshold: float,
    mantissa: int,
    shift: int,
    scores: NDArray[np.int64],
) -> None:  # pragma: no cover
    """scores[i] = +distance for a significant table [cases, controls] × 3, else 1 − distance."""
    paths = 6 if rows == 3 else 2
    new, own = np.empty(3, np.int64), np.empty(3, np.int64)
    point, slopes = np.empty((2, 3), np.int64), np.empty((2, 3))
    guess = 1
    for place in range(scores.size):
        r, s = tables[place, 0], tables[place, 1]
        num, den = fraction(test, r[0], r[1], r[2], s[0], s[1], s[2], cases, controls)
        if significant(num, den, threshold, mantissa, shift):
            scores[place] = _to_insignificance(
                test, r, s, rows, cases, controls, threshold, mantissa, shift, point, slopes
            )
            continue
        # Tables are much alike, so the search starts from the last distance: lo is too few, hi is enough.
        lo, hi, step = 0, cases + controls, 1
        k = min(max(guess, 1), hi)
        while hi - lo > 1:
            if _reachable(test, k, r, s, paths, cases, controls, threshold, mantissa, shift, new, own):
                hi = k
                k = max(lo + 1, hi - step) if lo == 0 else (lo + hi) // 2
            else:
                lo = k
                k = min(hi - 1, lo + step) if hi == cases + controls else (lo + hi) // 2
            step *= 2
        guess = hi
        scores[place] = 1 - hi
