"""Compiled loops of the memory engine. Each reads its column once; none allocates more than its result.

The count loops keep four partial tables: neighbouring records often fall in the same cell, and adding to
one place four times in a row waits for memory each time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.compiled import njit

__all__ = [
    "FIXED",
    "bin_numbers",
    "compare",
    "count_cells",
    "count_pairs",
    "count_within",
    "gather_rows",
    "look_up",
    "sum_cells",
    "sum_moments",
    "translate",
]

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
def translate(values: Codes, table: Codes, codes: Codes) -> None:  # pragma: no cover
    """codes[i] = table[values[i]]; the table has an entry for every value that there can be."""
    for i in range(values.size):
        codes[i] = table[values[i]]


@njit(nogil=True, cache=True)
def gather_rows(
    rows: NDArray[np.float64], places: Codes, begin: int, found: NDArray[np.float64]
) -> None:  # pragma: no cover
    """found[i] = rows[places[i] - begin], where there is such a row."""
    for i in range(places.size):
        place = np.int64(places[i]) - begin
        if 0 <= place < rows.shape[0]:
            for k in range(found.shape[1]):
                found[i, k] = rows[place, k]


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
def count_cells(cells: Codes, chosen: Codes, counts: NDArray[np.int64]) -> None:  # pragma: no cover
    """counts[lane, cells[i]] += chosen[i], the lane changing from record to record."""
    whole = cells.size - cells.size % 4
    for i in range(0, whole, 4):
        counts[0, cells[i]] += chosen[i]
        counts[1, cells[i + 1]] += chosen[i + 1]
        counts[2, cells[i + 2]] += chosen[i + 2]
        counts[3, cells[i + 3]] += chosen[i + 3]
    for i in range(whole, cells.size):
        counts[0, cells[i]] += chosen[i]


@njit(nogil=True, cache=True)
def sum_cells(
    cells: Codes,
    chosen: Codes,
    values: NDArray[np.float64],
    bounds: tuple[float, float, float, float],
    squares: bool,
    sums: NDArray[np.int64],
) -> bool:  # pragma: no cover
    """Add q to sums[lane, 0, cells[i]] and, with squares, ⌊q²/2^20⌋ − 2^19 to sums[lane, 1, …]; False on ∞.

    q = ⌊2^20·z + ½⌋ in [−2^20, 2^20], where z = (value − middle) / reach and the value lies within low and
    high: these are the ``bounds``. A missing value adds nothing, and neither does one that is not chosen.
    """
    low, high, middle, reach = bounds
    fixed = np.empty(values.size, np.int32)
    unsure = np.int32(0)
    for i in range(values.size):  # without branches: the compiler makes several steps at once of it
        value = values[i]
        unsure += np.int32(value - value != 0.0)
        near = value if value > low else low
        near = near if near < high else high
        q = np.floor(FIXED * ((near - middle) / reach) + 0.5)
        q = q if q > -FIXED else -FIXED
        fixed[i] = np.int32(q if q < FIXED else FIXED)
    for i in range(values.size):
        there = np.int64(chosen[i])
        if unsure > 0:
            if values[i] - values[i] != 0.0 and values[i] == values[i]:
                return False
            there *= np.int64(values[i] == values[i])
        number = np.int64(fixed[i])
        sums[i & 3, 0, cells[i]] += there * number
        if squares:
            sums[i & 3, 1, cells[i]] += there * (((number * number) >> 20) - FIXED // 2)
    return True


@njit(nogil=True, cache=True)
def compare(
    values: Codes, low: float, high: float, other: float, signs: tuple[int, int, int], truth: Codes
) -> None:  # pragma: no cover
    """truth[i] = 1 if the number, within low and high, is less, equal or more, as ``signs`` say; else 0.

    A missing number gives 2.
    """
    less, equal, more = signs
    for i in range(values.size):
        value = np.float64(values[i])
        near = low if value < low else value
        near = high if near > high else near
        truth[i] = (
            less * np.int8(near < other)
            + equal * np.int8(near == other)
            + more * np.int8(near > other)
            + 2 * np.int8(near != near)
        )


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
