"""The compiled loops behind sums of products: encoded records as small whole numbers, and their products.

A coordinate of an encoded record is a whole multiple of 1/F, F = 2^11, and is kept as a 16-bit integer: 1 is
F. A product is at most 2^22 then, and MOST_ROWS of them add up to less than 2^31, so that 32 bits hold every
partial sum exactly. Sums of products of 16-bit integers in 32 bits are one instruction on most processors:
eight or sixteen records at a time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.compiled import njit

__all__ = ["FINE", "add_by_code", "add_products", "fixed_column", "fixed_rows", "mark"]

FINE = 1 << 11
MOST_ROWS = 480
# Rows that are turned into columns at a time: they stay in the nearest cache.
TURNED_ROWS = 96

Small = NDArray[np.int16]
Numbers = NDArray[np.float64]


@njit
def fixed_column(
    values: Numbers, middle: float, factor: float, fixed: Small
) -> tuple[int, bool]:  # pragma: no cover
    """fixed[i] = ⌊F·z + ½⌋ for z in [−1, 1], 0 where missing; how many are missing, and if all are finite.

    Computed in the order of the SQL rendering, so that both round alike.
    """
    shift, top = FINE + 0.5, 2 * FINE + 0.5
    missing, finite = 0, True
    for i in range(values.size):
        value = values[i]
        known = value == value
        missing += not known
        finite &= abs(value) != np.inf
        place = (value - middle) * factor + shift
        place = place if place > 0.5 else 0.5
        place = place if place < top else top
        fixed[i] = np.int16(np.int32(place) - FINE) if known else np.int16(0)
    return missing, finite


@njit
def all_finite(values: Numbers) -> bool:  # pragma: no cover
    odd = 0
    for i in range(values.size):
        odd += (values[i] - values[i]) != 0.0
    return odd == 0


@njit
def at_an_end(fixed: NDArray[np.uint16]) -> bool:  # pragma: no cover
    """Whether any of these 16-bit integers is F or −F."""
    found = False
    for i in range(fixed.size):
        found |= (fixed[i] == FINE) | (fixed[i] == (1 << 16) - FINE)
    return found


@njit
def fixed_rows(matrix: Numbers, middle: Numbers, factor: Numbers, panel: Small) -> bool:  # pragma: no cover
    """panel[j, i] = the same of matrix[i, j]; False if a value is missing or infinite.

    ``middle`` and ``factor`` hold those of several rows in a row, so that the loop over them is long. Rows
    are turned into columns by fours, as whole 64-bit words; the panel has room for a number of rows that four
    divides, and past the last row there is anything.
    """
    shift, top = FINE + 0.5, 2 * FINE + 0.5
    rows, width = matrix.shape
    values = matrix.reshape(-1)
    room = np.empty((TURNED_ROWS, width), np.uint16)  # the bits of 16-bit integers
    fixed = room.reshape(-1)
    words = np.empty((TURNED_ROWS // 4, width), np.uint64)
    columns = panel.view(np.uint64)
    for begin in range(0, rows, TURNED_ROWS):
        end = min(begin + TURNED_ROWS, rows)
        for start in range(begin * width, end * width, middle.size):
            some = values[start : min(start + middle.size, end * width)]
            result = fixed[start - begin * width :]
            for k in range(some.size):  # without branches, so that it becomes vector instructions
                place = (some[k] - middle[k]) * factor[k] + shift
                place = place if place > 0.5 else 0.5
                place = place if place < top else top
                result[k] = np.uint16(np.int32(place) - FINE)
        # What is no number has become one of the ends: without any of these there is nothing to look for.
        some_at_an_end = at_an_end(fixed[: (end - begin) * width])
        if some_at_an_end and not all_finite(values[begin * width : end * width]):
            return False
        fours = (end - begin + 3) // 4
        for k in range(fours):
            a, b, c, d = room[4 * k], room[4 * k + 1], room[4 * k + 2], room[4 * k + 3]
            word = words[k]
            for j in range(width):
                low = np.uint64(a[j]) | np.uint64(b[j]) << np.uint64(16)
                high = np.uint64(c[j]) << np.uint64(32) | np.uint64(d[j]) << np.uint64(48)
                word[j] = low | high
        for j in range(width):
            column = columns[j, begin // 4 : begin // 4 + fours]
            for k in range(fours):
                column[k] = words[k, j]
    return True


@njit
def mark(codes: NDArray[Any], code: int, row: Small) -> None:  # pragma: no cover
    """row[i] = 1 in fixed point where the code is this one, else 0."""
    for i in range(codes.size):
        row[i] = np.int16(FINE) if codes[i] == code else np.int16(0)


@njit
def add_products(panel: Small, rows: int, sums: NDArray[np.int64]) -> None:  # pragma: no cover
    """sums[a, b] += Σ panel[a, i]·panel[b, i] over the first ``rows`` places, for a ≤ b."""
    for begin in range(0, rows, MOST_ROWS):
        end = min(begin + MOST_ROWS, rows)
        for a in range(len(panel)):
            one = panel[a, begin:end]
            for b in range(a, len(panel)):
                other = panel[b, begin:end]
                total = np.int32(0)
                for i in range(one.size):
                    total = np.int32(total + np.int32(one[i]) * np.int32(other[i]))
                sums[a, b] += total


@njit
def add_by_code(panel: Small, codes: NDArray[Any], sums: NDArray[np.int64]) -> None:  # pragma: no cover
    """sums[codes[i], a] += panel[a, i]."""
    for a in range(len(panel)):
        for i in range(codes.size):
            sums[codes[i], a] += panel[a, i]
