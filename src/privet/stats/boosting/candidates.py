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

from privet.stats.boosting.candidate_kernels import BLOCK, margins_of_blocks, tell_blocks, translate_columns
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
        blocks: dict[tuple[int, ...], int] = {}
        holder: dict[tuple[int, int], int] = {}
        wanted = {(min(a, b), max(a, b)) for a, b in self.places.tolist() if b >= 0}
        around: dict[int, set[int]] = {}
        for a, b in wanted:
            around.setdefault(a, set()).add(b)
            around.setdefault(b, set()).add(a)
        width = self._widths
        for a, b in sorted(wanted):
            if (a, b) in holder:
                continue
            near = sorted((around[a] | around[b]) - {a, b})
            fits = [c for c in near if width[a] * width[b] * width[c] <= MOST_CELLS]
            gains = [(c in around[a]) + (c in around[b]) for c in fits]
            block = (a, b, fits[int(np.argmax(gains))]) if fits else (a, b)
            number = blocks.setdefault(block, len(blocks))
            for one in block:
                for other in block:
                    if one < other and (one, other) in wanted and (one, other) not in holder:
                        holder[one, other] = number
                        around[one].discard(other)
                        around[other].discard(one)
        alone = {a: 0 for a, b in self.places.tolist() if b < 0}
        for joined in _together(list(alone), width):
            alone |= dict.fromkeys(joined, blocks.setdefault(joined, len(blocks)))
        rows, source, strides = list(blocks), [], []
        for a, b in self.places.tolist():
            number = alone[a] if b < 0 else holder[min(a, b), max(a, b)]
            stride = {a: 1} if b < 0 else {a: int(width[b]), b: 1}
            source.append(number)
            strides.append([stride.get(each, 0) for each in (*rows[number], -1, -1)[:3]])
        members = np.array([(*block, -1, -1)[:3] for block in rows], np.int64).reshape(-1, 3)
        return members, np.array(source, np.int64), np.array(strides, np.int64).reshape(-1, 3)

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
