"""The compiled loops behind residuals: each record once, in whole numbers. Proofs: ``residuals``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.compiled import njit
from privet.stats.kernels import FIXED

__all__ = ["add_shape", "add_to_cells", "class_residuals", "number_residuals", "two_class_residuals"]

Whole = NDArray[np.int64]
Entries = NDArray[np.int32]
Codes = NDArray[Any]
Cells = NDArray[np.uint32]
Real = NDArray[np.float64]


BLOCK = 2048  # records that stay in the nearest cache


@njit(nogil=True, cache=True)
def add_shape(
    margins: Real, a: Codes, b: Codes, one: Cells, other: Cells, table: Real
) -> None:  # pragma: no cover
    """margins[i] += table[one[a[i]] + other[b[i]]], or table[one[a[i]]] if ``other`` is empty."""
    for k in range(margins.shape[1]):
        if other.size > 0:
            own = np.ascontiguousarray(table[:, k])
            for i in range(a.size):
                margins[i, k] += own[one[a[i]] + other[b[i]]]
        else:
            by_code = np.empty(one.size)
            for code in range(one.size):
                by_code[code] = table[one[code], k]
            for i in range(a.size):
                margins[i, k] += by_code[a[i]]


@njit(nogil=True, cache=True, error_model="numpy")
def two_class_residuals(margins: Real, actual: Codes, limit: int, out: Entries) -> None:  # pragma: no cover
    """What each record adds to its cell: see ``ClassResiduals``. Records without a class get 0.

    Margins are flat.
    The exponential function is written out (r = x − n·log 2, then its series, then 2^n): as plain arithmetic
    without branches, the compiler takes several records at once. It is right to ten digits, and the bounds
    hold whatever it gives: t is cut to the limit and h to what is left of it.
    """
    sign, series, power = np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK, np.int64)
    two_to = power.view(np.float64)
    most = np.int32(limit)
    for begin in range(0, actual.size, BLOCK):
        size = min(BLOCK, actual.size - begin)
        own, y = margins[begin : begin + size], actual[begin : begin + size]
        ts, hs = out[0, begin : begin + size], out[1, begin : begin + size]
        for i in range(size):
            sign[i] = 1.0 if y[i] == 1 else -1.0
        for i in range(size):
            margin = sign[i] * own[i]
            margin = margin if margin > -700.0 else -700.0
            margin = margin if margin < 700.0 else 700.0
            n = np.floor(margin * 1.4426950408889634 + 0.5)
            r = margin - n * 0.6931471803691238 - n * 1.9082149292705877e-10
            e = 2.7557319223985893e-06
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
            series[i] = 1.0 / (1.0 + series[i] * two_to[i])
        for i in range(size):
            missed = series[i]
            t = np.int32(missed * FIXED)
            t = t if t < most else most
            h = np.int32(missed * (1.0 - missed) * FIXED)
            rest = np.int32(most - t)
            ts[i] = t
            hs[i] = h if h < rest else rest
        for i in range(size):
            known = np.int32(y[i] < 2)
            ts[i] *= known * np.int32(sign[i])
            hs[i] *= known


@njit(nogil=True, cache=True)
def class_residuals(
    margins: Real, actual: Codes, classes: int, limit: int, weight: int, out: Entries
) -> None:  # pragma: no cover
    """The same for more than two classes. Records without a class stay 0."""
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
                out[k, i] = -t
                used += t
        out[y, i] = used
        out[classes + y, i] = weight


@njit(nogil=True, cache=True)
def number_residuals(margins: Real, actual: Real, limit: int, out: Entries) -> None:  # pragma: no cover
    """What each record adds to its cell: see ``NumberResiduals``. Records without a number stay 0."""
    for i in range(actual.size):
        if actual[i] != actual[i]:
            continue
        off = min(max(actual[i] - margins[i, 0], -4.0), 4.0)
        t = min(max(int(np.floor(off * FIXED + 0.5)), -limit), limit)
        out[0, i] = t
        out[1, i] = limit - abs(t)


@njit(nogil=True, cache=True)
def add_to_cells(
    a: Codes, b: Codes, one: Cells, other: Cells, entries: Entries, state: Whole
) -> None:  # pragma: no cover
    """state[lane, one[a[i]] + other[b[i]]] += entries[:, i], the lane changing from record to record.

    The cells are found first, of which the compiler makes several at once.
    """
    cells = np.empty(BLOCK, np.uint32)
    for begin in range(0, a.size, BLOCK):
        end = min(begin + BLOCK, a.size)
        first, own_cells = a[begin:end], cells[: end - begin]
        if other.size > 0:
            second = b[begin:end]
            for i in range(first.size):
                own_cells[i] = one[first[i]] + other[second[i]]
        else:
            for i in range(first.size):
                own_cells[i] = one[first[i]]
        for k in range(entries.shape[0]):
            own = entries[k, begin:end]
            for i in range(own.size):
                state[np.uint64(i & 1), np.uint64(own_cells[i]), k] += own[i]
