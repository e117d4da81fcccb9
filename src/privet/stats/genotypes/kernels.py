"""Compiled loops over packed genotypes: 32 subjects at a time, by counting bits.

With lo and hi the two bits of each genotype, and m the bits of a group's members, the group has
popcount(lo & hi & m) genotypes 11, popcount(lo & m) − that of 01, popcount(hi & m) − that of 10; the rest
is 00.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from privet.compiled import njit

__all__ = ["count_missing", "count_tables", "hardy_weinberg"]

EVEN = np.uint64(0x5555555555555555)


def _load_word(typing: Any, address: Any) -> Any:  # pragma: no cover
    """The 8 bytes at an address, wherever it is: rows of packed genotypes start at any byte."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = context.get_value_type(types.uint64).as_pointer()
        return builder.load(builder.inttoptr(arguments[0], pointer), align=1)

    return types.uint64(types.uint64), generate


_load: Any = intrinsic(_load_word)


def _count_ones(typing: Any, word: Any) -> Any:  # pragma: no cover
    """How many bits of a word are set: one instruction of the processor."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


_ones: Any = intrinsic(_count_ones)


@njit
def count_tables(
    address: int,
    rows: int,
    row_bytes: int,
    masks: NDArray[np.uint64],
    sizes: NDArray[np.int64],
    counts: NDArray[Any],
) -> None:  # pragma: no cover
    """counts[row, group] = (two copies of the first allele, one, none, missing), for two groups.

    Reads up to 7 bytes after the last row; what is read there is masked.
    """
    words = masks.shape[1]
    start = np.uint64(address)
    for row in range(rows):
        place = start + np.uint64(row * row_bytes)
        low0 = low1 = high0 = high1 = both0 = both1 = np.uint64(0)
        for number in range(words):
            word = _load(place + np.uint64(8 * number))
            low, high = word & EVEN, (word >> np.uint64(1)) & EVEN
            both = low & high
            first, second = masks[0, number], masks[1, number]
            low0 += _ones(low & first)
            high0 += _ones(high & first)
            both0 += _ones(both & first)
            low1 += _ones(low & second)
            high1 += _ones(high & second)
            both1 += _ones(both & second)
        for group in range(2):
            low_ = np.int64(low0 if group == 0 else low1)
            high_ = np.int64(high0 if group == 0 else high1)
            both_ = np.int64(both0 if group == 0 else both1)
            counts[row, group, 0] = sizes[group] - low_ - high_ + both_
            counts[row, group, 1] = high_ - both_
            counts[row, group, 2] = both_
            counts[row, group, 3] = low_ - both_


@njit
def count_missing(
    data: NDArray[np.uint8], subjects: int, missing: NDArray[np.int64]
) -> None:  # pragma: no cover
    """missing[subject] += the number of rows in which the subject's genotype is missing."""
    for row in range(data.shape[0]):
        for place in range(data.shape[1]):
            byte = data[row, place]
            holes = byte & 0x55 & ~(byte >> 1)
            if holes:
                for four in range(4):
                    subject = 4 * place + four
                    if subject < subjects and (holes >> (2 * four)) & 1:
                        missing[subject] += 1


@njit
def hardy_weinberg(tables: NDArray[np.int64], p_values: NDArray[np.float64]) -> None:  # pragma: no cover
    """The exact Hardy–Weinberg p-value of each row of genotype counts (Wigginton, Cutler, Abecasis 2005)."""
    for place in range(len(tables)):
        first, hets, second = tables[place, 0], tables[place, 1], tables[place, 2]
        total = first + hets + second
        rare = 2 * min(first, second) + hets
        if total == 0 or rare == 0:
            p_values[place] = 1.0
            continue
        # Probabilities of every number of heterozygotes, relative to that of the likeliest, by recurrence.
        middle = int(rare * (2.0 * total - rare) / (2.0 * total))
        if (middle - rare) % 2:
            middle += 1
        middle = min(middle, rare)
        whole, tail = 0.0, 0.0
        own = -1.0
        for turn in range(2):  # first find the observed one's probability, then sum what is no likelier
            for up in range(2):
                h, chance = middle, 1.0
                while 0 <= h <= rare:
                    homs_rare = (rare - h) // 2
                    homs_common = total - h - homs_rare
                    if homs_common < 0:
                        break
                    if turn == 0:
                        if h == hets:
                            own = chance
                    elif not (up == 1 and h == middle):
                        whole += chance
                        if chance <= own * (1 + 1e-9):
                            tail += chance
                    if up == 1:
                        chance *= 4.0 * homs_rare * homs_common / ((h + 2.0) * (h + 1.0))
                        h += 2
                    else:
                        chance *= h * (h - 1.0) / (4.0 * (homs_rare + 1.0) * (homs_common + 1.0))
                        h -= 2
        p_values[place] = min(1.0, tail / whole)
