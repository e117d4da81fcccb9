"""The compiled loops behind the choice of a term: the tables of all candidates, from few larger ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.compiled import njit

__all__ = ["BLOCK", "cover_pairs", "margins_of_blocks", "tell_blocks", "translate_columns"]

Whole = NDArray[np.int64]

BLOCK = 2048  # records that stay in the nearest cache


@njit(nogil=True, cache=True)
def cover_pairs(pairs: Whole, widths: Whole, most: int) -> tuple[Whole, Whole]:  # pragma: no cover
    """Blocks of two or three nodes that hold all ``pairs`` (ordered, each once), and each pair's block.

    Each next pair that no block holds yet gets one, and a third node with which it holds most other pairs, if
    it has no more than ``most`` cells. ``widths`` are those of the nodes 0, 1, ….
    """
    which = np.full((widths.size, widths.size), -1, np.int32)  # the number of a pair that no block holds
    for p in range(len(pairs)):
        which[pairs[p, 0], pairs[p, 1]] = which[pairs[p, 1], pairs[p, 0]] = p
    blocks, holder, number = np.full((len(pairs), 3), -1), np.zeros(len(pairs), np.int64), 0
    for p in range(len(pairs)):
        a, b = pairs[p]
        if which[a, b] < 0:
            continue
        best, gain, room = -1, 0, most // (widths[a] * widths[b])
        for c in range(widths.size):
            gained = int(which[a, c] >= 0) + int(which[b, c] >= 0)
            if gained > gain and widths[c] <= room and c not in (a, b):
                best, gain = c, gained
        blocks[number] = a, b, best
        for one, other in ((a, b), (a, best), (b, best)):
            if other >= 0 and which[one, other] >= 0:
                holder[which[one, other]] = number
                which[one, other] = which[other, one] = -1
        number += 1
    return blocks[:number], holder


@njit(nogil=True, cache=True)
def translate_columns(
    codes: NDArray[np.uint8], columns: Whole, tables: NDArray[np.uint8], groups: NDArray[np.uint8]
) -> None:  # pragma: no cover
    """groups[g, i] = tables[g, codes[columns[g], i]]; a table has an entry for every value of a byte."""
    for g in range(columns.size):
        own, table, found = codes[columns[g]], tables[g], groups[g]
        for i in range(own.size):
            found[i] = table[own[i]]


@njit(nogil=True, cache=True)
def tell_blocks(
    groups: NDArray[Any],
    entries: NDArray[np.int32],
    blocks: Whole,
    sizes: Whole,
    offset: Whole,
    cells: NDArray[Any],
    state: Whole,
) -> None:  # pragma: no cover
    """For each block (up to three rows of ``groups``, −1 for none) the sums of the entries in its cells.

    ``state`` has a row for each number of an entry. The cells are found first, of which the compiler makes
    several at once: the fewer bytes ``cells`` (room for a BLOCK of them) has for each, the more. Then each
    record is one addition. Places are unsigned, so that no check for negative ones stands in the way.
    """
    for begin in range(0, entries.shape[1], BLOCK):
        end = min(begin + BLOCK, entries.shape[1])
        for b in range(blocks.shape[0]):
            two, three = blocks[b, 1], blocks[b, 2]
            second, third = np.uint32(sizes[b, 1]), np.uint32(sizes[b, 2])
            first, own_cells = groups[blocks[b, 0], begin:end], cells[: end - begin]
            if two < 0:
                for i in range(first.size):
                    own_cells[i] = first[i]
            elif three < 0:
                other = groups[two, begin:end]
                for i in range(first.size):
                    own_cells[i] = first[i] * second + other[i]
            else:
                other, last = groups[two, begin:end], groups[three, begin:end]
                for i in range(first.size):
                    own_cells[i] = (first[i] * second + other[i]) * third + last[i]
            for k in range(entries.shape[0]):
                own = entries[k, begin:end]
                table = state[k, offset[b] : offset[b + 1]]
                for i in range(own.size):
                    table[np.uint64(own_cells[i])] += own[i]


@njit(nogil=True, cache=True)
def margins_of_blocks(
    state: Whole, sizes: Whole, offset: Whole, source: Whole, strides: Whole, places: Whole, out: Whole
) -> None:  # pragma: no cover
    """Of each candidate's block the sums over what it leaves out: a stride of 0 says that it is left out."""
    for k in range(state.shape[0]):
        for c in range(source.size):
            b = source[c]
            told, cell = state[k], offset[b]
            for i in range(sizes[b, 0]):
                for j in range(sizes[b, 1]):
                    place = places[c] + i * strides[c, 0] + j * strides[c, 1]
                    for m in range(sizes[b, 2]):
                        out[place + m * strides[c, 2], k] += told[cell]
                        cell += 1
