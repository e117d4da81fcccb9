"""Compiled loops of the memory engine. Each reads its column once; none allocates more than its result.

The count loops keep four partial tables: neighbouring records often fall in the same cell, and adding to
one place four times in a row waits for memory each time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["FIXED", "bin_numbers", "bin_rows", "count_pairs", "count_within", "look_up", "sum_moments"]

# Numbers become whole multiples of 2^-20 of their half range, so that sums are exact whatever their order.
FIXED = 1 << 20

Codes = NDArray[Any]


@njit(nogil=True, cache=True)
def look_up(values: Codes, table: Codes, offset: int, unknown: int, codes: Codes) -> None:  # pragma: no cover
    """codes[i] = table[values[i] - offset], or ``unknown`` outside the table."""
    size = table.size
    for i in range(values.size):
        place = np.int64(values[i]) - offset
        if 0 <= place < size:
            codes[i] = table[place]
        else:
            codes[i] = unknown


@njit(nogil=True, cache=True)
def count_pairs(rows: Codes, columns: Codes, counts: NDArray[np.int64]) -> None:  # pragma: no cover
    """counts[lane, rows[i], columns[i]] += 1, the lane changing from record to record."""
    whole = rows.size - rows.size % 4
    for i in range(0, whole, 4):
        counts[0, rows[i], columns[i]] += 1
        counts[1, rows[i + 1], columns[i + 1]] += 1
        counts[2, rows[i + 2], columns[i + 2]] += 1
        counts[3, rows[i + 3], columns[i + 3]] += 1
    for i in range(whole, rows.size):
        counts[0, rows[i], columns[i]] += 1


@njit(nogil=True, cache=True)
def count_within(
    parts: Codes, rows: Codes, columns: Codes, counts: NDArray[np.int64]
) -> None:  # pragma: no cover
    """counts[parts[i], rows[i], columns[i]] += 1."""
    for i in range(parts.size):
        counts[parts[i], rows[i], columns[i]] += 1


@njit(nogil=True, cache=True)
def sum_moments(
    values: NDArray[np.float64], low: float, high: float, classes: Codes, sums: NDArray[np.int64]
) -> bool:  # pragma: no cover
    """Per class add (count, Σq, Σ⌊q²/2^20⌋, missing) with q = ⌊2^20·z + ½⌋ and z in [-1, 1]; False on ∞.

    q is computed as ⌊2^20·z + (2^20 + ½)⌋ − 2^20, in this order, as the SQL rendering does: the floor of a
    positive number is a plain conversion.
    """
    middle = low + (high - low) / 2
    factor, shift, top = FIXED / ((high - low) / 2), FIXED + 0.5, 2 * FIXED + 0.5
    fixed = np.empty(values.size, np.int32)
    unsure = np.int32(0)
    for i in range(values.size):  # without branches: the compiler makes several steps at once of it
        value = values[i]
        unsure += np.int32(value - value != 0.0)
        # Clamped here rather than at the bounds: where these are far from 0 and close together, the middle
        # is rounded, and a bound itself lies beyond ±1.
        position = (value - middle) * factor + shift
        position = position if position > 0.5 else 0.5
        position = position if position < top else top
        fixed[i] = np.int32(position) - FIXED
    if unsure == 0 and sums.shape[1] <= 5:
        for place in range(sums.shape[1]):  # few classes: a loop over all records for each is the fastest
            count, first, second = np.int64(0), np.int64(0), np.int64(0)
            for i in range(values.size):
                inside = np.int64(classes[i] == place)
                number = np.int64(fixed[i]) * inside
                count += inside
                first += number
                second += (number * number) >> 20
            sums[0, place, 0] += count
            sums[0, place, 1] += first
            sums[0, place, 2] += second
        return True
    finite = True
    for i in range(values.size):
        lane, place, number = i & 3, classes[i], np.int64(fixed[i])
        if -np.inf < values[i] < np.inf:
            sums[lane, place, 0] += 1
            sums[lane, place, 1] += number
            sums[lane, place, 2] += (number * number) >> 20
        elif values[i] != values[i]:
            sums[lane, place, 3] += 1
        else:
            finite = False
    return finite


@njit(nogil=True, cache=True)
def bin_numbers(
    values: NDArray[np.float64], cuts: NDArray[np.float64], low: float, inverse: float, codes: Codes
) -> bool:  # pragma: no cover
    """codes[i] = number of cuts at or below values[i]; missing gives cuts.size + 1; False on ∞.

    ``inverse`` > 0 says that the cuts are evenly spaced: the bin is then computed rather than searched for.
    If a value lies too near a cut for that to be sure, or is missing, the whole column is compared with the
    cuts, so that the result always agrees with comparing against every cut, as the SQL rendering does.
    """
    last = cuts.size
    if inverse > 0:
        unsure, top = np.int32(0), last + 0.75
        for i in range(values.size):  # without branches: the compiler makes several steps at once of it
            value = values[i]
            place = (value - low) * inverse
            place = place if place > 0.25 else 0.25
            place = place if place < top else top
            code = np.int32(place)
            rest = place - code
            unsure += np.int32(rest < 1e-8) + np.int32(rest > 1 - 1e-8) + np.int32(value - value != 0.0)
            codes[i] = code
        if unsure == 0:
            return True
    finite = True
    for i in range(values.size):
        value = values[i]
        if not -np.inf < value < np.inf:
            finite = finite and value != value
            codes[i] = last + 1
        else:
            codes[i] = np.searchsorted(cuts, value, side="right")
    return finite


@njit(nogil=True, cache=True)
def bin_rows(
    matrix: NDArray[np.float64],
    places: NDArray[np.int64],
    lows: NDArray[np.float64],
    inverses: NDArray[np.float64],
    lasts: NDArray[np.int64],
    codes: NDArray[np.uint8],
) -> NDArray[np.int64]:  # pragma: no cover
    """The bins of several columns of a matrix between evenly spaced cuts, as ``bin_numbers`` computes them.

    A few rows at a time, which stay in the cache. Of each column it tells in how many rows this is not sure:
    such a column must be compared with its cuts.
    """
    unsure = np.zeros(places.size, np.int64)
    values = np.empty(256)
    for begin in range(0, matrix.shape[0], 256):
        size = min(256, matrix.shape[0] - begin)
        for k in range(places.size):
            column, low, inverse, top = places[k], lows[k], inverses[k], lasts[k] + 0.75
            own, out = matrix[begin : begin + size, column], codes[k, begin : begin + size]
            for i in range(size):
                values[i] = own[i]
            doubts = np.int32(0)
            for i in range(size):  # without branches: the compiler makes several steps at once of it
                value = values[i]
                place = (value - low) * inverse
                place = place if place > 0.25 else 0.25
                place = place if place < top else top
                code = np.int32(place)
                rest = place - code
                doubts += np.int32(rest < 1e-8) + np.int32(rest > 1 - 1e-8) + np.int32(value - value != 0.0)
                out[i] = code
            unsure[k] += doubts
    return unsure
