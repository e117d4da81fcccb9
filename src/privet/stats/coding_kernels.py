"""The compiled loops that code numbers side by side: a record in each row, as they lie in a matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.compiled import njit

__all__ = ["code_rows", "turn_rows"]

Real = NDArray[np.float64]
Whole = NDArray[np.int64]
Words = NDArray[np.uint64]
Bytes = NDArray[np.uint8]

ROWS = 32  # coded at once: they and what they are compared with stay in the nearest cache
TURNED = 512  # rows that are turned before they are written
BITS = 22  # behind the point: a bin is computed with so many, of which the last says whether it is sure


@njit(nogil=True, cache=True, error_model="numpy")
def _bins(
    values: Real, lows: Real, scales: Real, tops: Real, bins: NDArray[np.int32]
) -> Any:  # pragma: no cover
    """The bin of each value between evenly spaced cuts; True if one of them is not sure, or no number.

    Without branches, and on one long row: the compiler makes several steps at once of it.
    """
    unsure, last_bits, low_end = np.int32(0), np.int32((1 << BITS) - 1), np.float64(1 << (BITS - 2))
    for j in range(bins.size):
        value = values[j]
        place = (value - lows[j]) * scales[j]
        place = place if place > low_end else low_end
        place = place if place < tops[j] else tops[j]
        fixed = np.int32(place)
        near = ((fixed + np.int32(1)) & last_bits) < np.int32(2)
        unsure |= np.int32(near) | np.int32(value - value != 0.0)
        bins[j] = fixed >> np.int32(BITS)
    return unsure


@njit(nogil=True, cache=True)
def code_rows(
    matrix: Real,
    places: Whole,
    lows: Real,
    inverses: Real,
    cuts: Real,
    lasts: Whole,
    missing: bool,
    to: NDArray[np.int32],
    codes: NDArray[np.uint8],
) -> NDArray[np.bool_]:  # pragma: no cover
    """codes[to[i], k] = number of cuts[k] at or below column places[k] of row i: lasts[k] even ones.

    A bin is computed. Where that is not sure, as a value lies too near a cut, it is found by comparing, so
    that the result always agrees with comparing against every cut, as the SQL rendering does. Of each column
    it tells whether all its values are numbers, or missing and ``missing`` ones may be there: these get
    lasts[k] + 1. If not, its codes mean nothing.
    """
    width = places.size
    whole = width == matrix.shape[1]
    values, bins = np.empty(ROWS * width), np.empty(ROWS * width, np.int32)
    all_lows, scales, tops = np.empty(ROWS * width), np.empty(ROWS * width), np.empty(ROWS * width)
    for j in range(ROWS * width):
        k = j % width
        all_lows[j], scales[j] = lows[k], inverses[k] * (1 << BITS)
        tops[j] = (lasts[k] + 0.75) * (1 << BITS)
        whole = whole and places[k] == k
    finite = np.ones(width, np.bool_)
    for begin in range(0, matrix.shape[0], ROWS):
        rows = min(ROWS, matrix.shape[0] - begin)
        size = rows * width
        if whole:
            own = matrix[begin : begin + rows].ravel()
        else:
            for i in range(rows):
                for k in range(width):
                    values[i * width + k] = matrix[begin + i, places[k]]
            own = values[:size]
        if _bins(own, all_lows, scales, tops, bins[:size]) != 0:
            for j in range(size):
                value, k, code = own[j], j % width, bins[j]
                if value - value != 0.0:
                    finite[k] = finite[k] and missing and value != value
                    bins[j] = lasts[k] + 1
                    continue
                while code > 0 and value < cuts[k, code - 1]:
                    code -= 1
                while code < lasts[k] and value >= cuts[k, code]:
                    code += 1
                bins[j] = code
        for i in range(rows):
            row, own_bins = codes[np.uint32(to[begin + i])], bins[i * width : (i + 1) * width]
            for k in range(own_bins.size):
                row[k] = own_bins[k]
    return finite


@njit(nogil=True, cache=True)
def turn_rows(rows: Words, columns: NDArray[np.uint8]) -> None:  # pragma: no cover
    """columns[k, i] = byte k of row i.

    Eight rows by eight bytes at a time, each eight in one word: halves, quarters and eighths of such a square
    change places, those right of its diagonal with those below.
    """
    low, pairs, fours = np.uint64(0x00FF00FF00FF00FF), np.uint64(0x0000FFFF0000FFFF), np.uint64(0xFFFFFFFF)
    one, two, four = np.uint64(8), np.uint64(16), np.uint64(32)
    turned = np.empty((columns.shape[0], TURNED // 8), np.uint64)
    told, own = turned.view(np.uint8), np.zeros((TURNED, rows.shape[1]), np.uint64)
    for begin in range(0, columns.shape[1], TURNED):
        size = min(TURNED, columns.shape[1] - begin)
        own[:size] = rows[
            begin : begin + size
        ]  # behind the last, whatever was there before is turned with it
        for b in range(0, size, 8):
            for g in range(rows.shape[1]):
                p, q, r, s = own[b, g], own[b + 1, g], own[b + 2, g], own[b + 3, g]
                t, u, v, w = own[b + 4, g], own[b + 5, g], own[b + 6, g], own[b + 7, g]
                p, q = (p & low) | ((q & low) << one), ((p >> one) & low) | (q & ~low)
                r, s = (r & low) | ((s & low) << one), ((r >> one) & low) | (s & ~low)
                t, u = (t & low) | ((u & low) << one), ((t >> one) & low) | (u & ~low)
                v, w = (v & low) | ((w & low) << one), ((v >> one) & low) | (w & ~low)
                p, r = (p & pairs) | ((r & pairs) << two), ((p >> two) & pairs) | (r & ~pairs)
                q, s = (q & pairs) | ((s & pairs) << two), ((q >> two) & pairs) | (s & ~pairs)
                t, v = (t & pairs) | ((v & pairs) << two), ((t >> two) & pairs) | (v & ~pairs)
                u, w = (u & pairs) | ((w & pairs) << two), ((u >> two) & pairs) | (w & ~pairs)
                at, column = b // 8, turned[g * 8 : g * 8 + 8]
                column[0, at], column[4, at] = (p & fours) | ((t & fours) << four), (p >> four) | (t & ~fours)
                column[1, at], column[5, at] = (q & fours) | ((u & fours) << four), (q >> four) | (u & ~fours)
                column[2, at], column[6, at] = (r & fours) | ((v & fours) << four), (r >> four) | (v & ~fours)
                column[3, at], column[7, at] = (s & fours) | ((w & fours) << four), (s >> four) | (w & ~fours)
        for k in range(columns.shape[0]):
            column_of, told_of = columns[k, begin : begin + size], told[k]
            for i in range(column_of.size):
                column_of[i] = told_of[i]
