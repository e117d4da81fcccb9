"""The compiled loops behind residuals: each record once, in whole numbers. Proofs: ``residuals``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from privet.stats.kernels import FIXED

__all__ = ["add_shape", "add_to_cells", "class_residuals", "number_residuals", "two_class_residuals"]

Whole = NDArray[np.int64]
Entries = NDArray[np.int32]
Groups = NDArray[Any]
Real = NDArray[np.float64]


BLOCK = 2048  # records that stay in the nearest cache


@njit(nogil=True, cache=True)
def add_shape(margins: Real, one: Groups, other: Groups, width: int, table: Real) -> None:  # pragma: no cover
    """margins[i] += table[one[i]·width + other[i]], or table[one[i]] if the width is 0."""
    for k in range(margins.shape[1]):
        if width > 0:
            for i in range(one.size):
                margins[i, k] += table[np.int64(one[i]) * width + other[i], k]
        else:
            for i in range(one.size):
                margins[i, k] += table[one[i], k]


@njit(nogil=True, cache=True)
def two_class_residuals(margins: Real, actual: Groups, limit: int, out: Entries) -> None:  # pragma: no cover
    """What each record adds to its cell: see ``ClassResiduals``. Rows without a class get 0.

    Margins and entries are flat.
    The exponential function is written out (r = x − n·log 2, then its series, then 2^n): as plain arithmetic
    without branches, the compiler takes several records at once. It is right to within a few units of the
    last place, and the bounds hold whatever it gives: t is cut to the limit and h to what is left of it.
    """
    power = np.empty(BLOCK, np.int64)
    series = np.empty(BLOCK)
    two_to = power.view(np.float64)
    most = np.int32(limit)
    for begin in range(0, actual.size, BLOCK):
        size = min(BLOCK, actual.size - begin)
        own, y, told = margins[begin:], actual[begin:], out[2 * begin :]
        for i in range(size):
            margin = own[i] if y[i] == 1 else -own[i]
            margin = margin if margin > -700.0 else -700.0
            margin = margin if margin < 700.0 else 700.0
            n = np.floor(margin * 1.4426950408889634 + 0.5)
            r = margin - n * 0.6931471803691238 - n * 1.9082149292705877e-10
            e = 1.6059043836821613e-10
            e = e * r + 2.08767569878681e-09
            e = e * r + 2.505210838544172e-08
            e = e * r + 2.755731922398589e-07
            e = e * r + 2.7557319223985893e-06
            e = e * r + 2.48015873015873e-05
            e = e * r + 0.0001984126984126984
            e = e * r + 0.001388888888888889
            e = e * r + 0.008333333333333333
            e = e * r + 0.041666666666666664
            e = e * r + 0.16666666666666666
            e = e * r + 0.5
            e = e * r + 1.0
            series[i] = e * r + 1.0
            power[i] = np.int64(np.int32(n) + np.int32(1023)) << 52
        for i in range(size):
            missed = 1.0 / (1.0 + series[i] * two_to[i])
            t = np.int32(missed * FIXED)
            t = t if t < most else most
            h = np.int32(missed * (1.0 - missed) * FIXED)
            rest = np.int32(most - t)
            h = h if h < rest else rest
            known = np.int32(y[i] < 2)
            told[2 * i] = (2 * np.int32(y[i] == 1) - 1) * t * known
            told[2 * i + 1] = h * known


@njit(nogil=True, cache=True)
def class_residuals(
    margins: Real, actual: Groups, classes: int, limit: int, weight: int, out: Entries
) -> None:  # pragma: no cover
    """The same for more than two classes. Rows without a class stay 0."""
    p = np.empty(classes)
    for i in range(actual.size):
        y = actual[i]
        if y >= classes:
            continue
        largest = margins[i, 0]
        for k in range(1, classes):
            largest = max(largest, margins[i, k])
        total = 0.0
        for k in range(classes):
            p[k] = np.exp(margins[i, k] - largest)
            total += p[k]
        missed = 0.0
        for k in range(classes):
            p[k] /= total
            if k != y:
                missed += p[k]
        shrink = min(1.0, limit / FIXED / missed) if missed > 0 else 1.0
        used = 0
        for k in range(classes):
            if k != y:
                t = min(int(np.floor(p[k] * shrink * FIXED)), limit - used)
                out[i, k] = -t
                used += t
        out[i, y] = used
        out[i, classes + y] = weight


@njit(nogil=True, cache=True)
def number_residuals(margins: Real, actual: Real, limit: int, out: Entries) -> None:  # pragma: no cover
    """What each record adds to its cell: see ``NumberResiduals``. Rows without a number stay 0."""
    for i in range(actual.size):
        if actual[i] != actual[i]:
            continue
        off = min(max(actual[i] - margins[i, 0], -4.0), 4.0)
        t = min(max(int(np.floor(off * FIXED + 0.5)), -limit), limit)
        out[i, 0] = t
        out[i, 1] = limit - abs(t)


@njit(nogil=True, cache=True)
def add_to_cells(
    one: Groups, other: Groups, width: int, entries: Entries, state: Whole
) -> None:  # pragma: no cover
    """state[lane, one[i]·width + other[i]] += entries[i], the lane changing from record to record."""
    for i in range(one.size):
        cell = np.int64(one[i]) * width + other[i] if width > 0 else np.int64(one[i])
        for k in range(entries.shape[1]):
            state[i & 1, cell, k] += entries[i, k]
