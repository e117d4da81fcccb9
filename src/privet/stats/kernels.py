"""Compiled loops of the memory engine. Each reads its column once; none allocates more than its result.

The count loops keep four partial tables: neighbouring records often fall in the same cell, and adding to
one place four times in a row waits for memory each time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["FIXED", "bin_numbers", "count_pairs", "fixed_numbers", "look_up", "sum_moments"]

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
def sum_moments(
    values: NDArray[np.float64], low: float, high: float, classes: Codes, sums: NDArray[np.int64]
) -> bool:  # pragma: no cover
    """Per class add (count, Σq, Σ⌊q²/2^20⌋, missing) with q = ⌊2^20·z + ½⌋ and z in [-1, 1]; False on ∞."""
    middle = low + (high - low) / 2
    half = (high - low) / 2
    finite = True
    for i in range(values.size):
        value = values[i]
        lane = sums[i & 1, classes[i]]
        if value != value:
            lane[3] += 1
            continue
        if value == np.inf or value == -np.inf:
            finite = False
            continue
        value = min(max(value, low), high)
        q = np.int64(np.floor((value - middle) / half * FIXED + 0.5))
        # Rounding in the line above can pass the ends by one unit where the range is enormous.
        q = min(max(q, np.int64(-FIXED)), np.int64(FIXED))
        lane[0] += 1
        lane[1] += q
        lane[2] += (q * q) >> 20
    return finite


@njit(nogil=True, cache=True)
def bin_numbers(
    values: NDArray[np.float64], cuts: NDArray[np.float64], low: float, inverse: float, codes: Codes
) -> bool:  # pragma: no cover
    """codes[i] = number of cuts at or below values[i]; missing gives cuts.size + 1; False on ∞.

    ``inverse`` > 0 says that the cuts are evenly spaced: the bin is then guessed and corrected by one, which
    agrees exactly with comparing against every cut, as the SQL rendering does.
    """
    last = cuts.size
    finite = True
    for i in range(values.size):
        value = values[i]
        if value != value:
            codes[i] = last + 1
            continue
        if value == np.inf or value == -np.inf:
            finite = False
            codes[i] = last + 1
            continue
        if inverse > 0:
            place = np.int64(min(max((value - low) * inverse, 0.0), float(last)))
            if place > 0 and value < cuts[place - 1]:
                place -= 1
            elif place < last and value >= cuts[place]:
                place += 1
        else:
            place = np.int64(np.searchsorted(cuts, value, side="right"))
        codes[i] = place
    return finite


@njit(nogil=True, cache=True)
def fixed_numbers(
    values: NDArray[np.float64], low: float, high: float, scale: int, result: NDArray[np.float64]
) -> bool:  # pragma: no cover
    """result[i] = ⌊scale·z + ½⌋ as a whole float, z in [-1, 1]; 0 where missing; False on ∞."""
    middle = low + (high - low) / 2
    half = (high - low) / 2
    finite = True
    for i in range(values.size):
        value = values[i]
        if value != value:
            result[i] = 0.0
            continue
        if value == np.inf or value == -np.inf:
            finite = False
            result[i] = 0.0
            continue
        value = min(max(value, low), high)
        q = np.floor((value - middle) / half * scale + 0.5)
        result[i] = min(max(q, -float(scale)), float(scale))
    return finite
