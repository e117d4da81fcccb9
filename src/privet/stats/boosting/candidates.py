"""The terms among which one is chosen, and how their tables are found with few additions.

All pairs of twenty attributes are 190 tables, and a record falls in a cell of each. A table of three
attributes holds those of three pairs as sums, and is still small: some 70 of them cover all pairs, so a third
of the additions is enough. Answers are whole numbers: they are the same either way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.stats.boosting.candidate_kernels import (
    BLOCK,
    cover_pairs,
    margins_of_blocks,
    tell_blocks,
    translate_columns,
)
from privet.stats.boosting.grouping import Grouped, Grouping
from privet.stats.rows import Rows

__all__ = ["Candidates"]

Whole = NDArray[np.int64]

MOST_CELLS = 1024  # of a table that stays in the nearest cache


@dataclass(frozen=True, eq=False)
class Candidates:
    """Terms of one or two of these ``grouped`` columns: ``places`` has a row for each, −1 for no second.

    >>> from privet.stats import Coded
    >>> a, b = Grouped(Coded("a"), (0, 1, 2)), Grouped(Coded("b"), (0, 0))
    >>> candidates = Candidates.of([Grouping((a,)), Grouping((b, a))])
    >>> candidates.places.tolist(), candidates.sizes.tolist()
    ([[0, -1], [1, 0]], [3, 3])
    """

    grouped: tuple[Grouped, ...]
    places: Whole

    @classmethod
    def of(cls, groupings: Sequence[Grouping]) -> Candidates:
        grouped = tuple(dict.fromkeys(each for grouping in groupings for each in grouping.grouped))
        place = {each: number for number, each in enumerate(grouped)}
        places = [[*(place[each] for each in g.grouped), -1][:2] for g in groupings]
        return cls(grouped, np.array(places, np.int64).reshape(-1, 2))

    def __len__(self) -> int:
        return len(self.places)

    def __getitem__(self, number: int) -> Grouping:
        return Grouping(tuple(self.grouped[place] for place in self.places[number] if place >= 0))

    @cached_property
    def _widths(self) -> Whole:
        """How many groups each column has, and 1 for none."""
        return np.array([*(each.size for each in self.grouped), 1], np.int64)

    @cached_property
    def sizes(self) -> Whole:
        """How many cells each candidate has."""
        return np.asarray(self._widths[self.places].prod(axis=1))

    @cached_property
    def offsets(self) -> Whole:
        """Where the cells of each candidate begin, and the number of all."""
        return np.concatenate([[0], np.cumsum(self.sizes)])

    @cached_property
    def _cover(self) -> tuple[Whole, Whole, Whole]:
        """The blocks, for each candidate the block that holds it, and its strides along that block."""
        width, first, second = self._widths, self.places[:, :1], self.places[:, 1:]
        ends = np.sort(self.places[second[:, 0] >= 0], axis=1)
        pairs, which = np.unique(ends, axis=0, return_inverse=True)
        nodes, near = np.unique(pairs, return_inverse=True)  # far fewer than columns, perhaps
        triples, holder = cover_pairs(near.reshape(-1, 2), width[nodes], MOST_CELLS)
        blocks = {tuple(nodes[block[block >= 0]].tolist()): n for n, block in enumerate(triples)}
        alone: dict[int, int] = {}
        for joined in _together(list(dict.fromkeys(first[second < 0].tolist())), width):
            alone |= dict.fromkeys(joined, blocks.setdefault(joined, len(blocks)))
        source = np.empty(len(self.places), np.int64)
        source[second[:, 0] >= 0] = holder[which.ravel()]
        source[second[:, 0] < 0] = [alone[each] for each in first[second < 0].tolist()]
        members = np.array([(*block, -1, -1)[:3] for block in blocks], np.int64).reshape(-1, 3)
        own = members[source]
        strides = np.where(own == first, width[second], 0) + ((own == second) & (second >= 0))
        return members, source, strides

    @cached_property
    def _block_offsets(self) -> Whole:
        return np.concatenate([[0], np.cumsum(self._widths[self._cover[0]].prod(axis=1))])

    def groups_of(self, rows: Rows) -> NDArray[Any]:
        """The group of each record, for each of the columns."""
        coded = dict.fromkeys(each.coded for each in self.grouped)
        codes = [rows.codes(each.column, each.cuts) for each in coded]
        if any(own.dtype != np.uint8 for own in codes) or self._widths.max() > 256:
            return np.stack([each.of(rows) for each in self.grouped])
        place = {each: number for number, each in enumerate(coded)}
        columns = np.array([place[each.coded] for each in self.grouped], np.int64)
        groups = np.empty((len(self.grouped), rows.size), np.uint8)
        translate_columns(np.stack(codes), columns, np.stack([each.table for each in self.grouped]), groups)
        return groups

    def start(self, told: int) -> Whole:
        """Empty tables: all cells in a row, for each of the numbers that are counted."""
        return np.zeros((told, int(self._block_offsets[-1])), np.int64)

    def add(self, groups: NDArray[np.uint8], entries: NDArray[np.int32], state: Whole) -> None:
        """Each record's entries (numbers × records), in the cells of its groups."""
        blocks, offsets = self._cover[0], self._block_offsets
        cells = np.empty(BLOCK, np.uint16 if np.diff(offsets).max(initial=0) <= 1 << 16 else np.uint32)
        tell_blocks(groups, entries, blocks, self._widths[blocks], offsets, cells, state)

    def tables(self, state: Whole) -> Whole:
        """The cells of every candidate, one below the other."""
        blocks, source, strides = self._cover
        out = np.zeros((int(self.offsets[-1]), len(state)), np.int64)
        margins_of_blocks(
            state, self._widths[blocks], self._block_offsets, source, strides, self.offsets, out
        )
        return out


def _together(alone: Sequence[int], width: Whole) -> list[tuple[int, ...]]:
    """Columns that are each asked for alone, two or three to a table: their own tables are its sums."""
    blocks: list[tuple[int, ...]] = []
    for each in alone:
        last = blocks[-1] if blocks else ()
        if 0 < len(last) < 3 and width[[*last, each]].prod() <= MOST_CELLS:
            blocks[-1] = (*last, each)
        else:
            blocks.append((each,))
    return blocks
