"""The held records by their slices, so that a question about some of them reads these alone."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from privet.compiled import njit
from privet.stats import Rows
from privet.stats.coded_rows import Bytes, Key, Places, coded_room, turned
from privet.stats.slices import Slices, slice_of_each

__all__ = ["InSlices"]

Whole = NDArray[np.int64]

BLOCK = 125_000  # records, about: those that are asked about together lie together


class InSlices:
    """All records in an order in which those of a slice are beside each other."""

    def __init__(self, rows: Sequence[Rows], columns: tuple[str, ...], many: int) -> None:
        self._rows, self.columns, self.many = rows, columns, many
        self._own = np.concatenate([slice_of_each(part, columns, many) for part in rows])
        self._starts = _begins(self._own, many)
        self._begin: list[int] = self._starts.tolist()
        self._blocks: list[tuple[int, int]] = []  # runs of slices, and for each what was coded of it together
        self._coded: dict[Key, list[Bytes]] = {}
        self._read: dict[Key, NDArray[Any]] = {}  # in the order in which records were read
        self._taken: dict[tuple[int, int], Rows] = {}

    def of(self, slices: Slices, around: Slices | None = None) -> Rows:
        """The records of these slices: the same object whenever they are asked for."""
        key = self._span(slices)
        if key not in self._taken:
            self._taken[key] = _Taken(self, *key)
            outer = key if around is None else self._span(around)
            if outer != key and outer[0] <= key[0] and key[1] <= outer[1]:
                assert around is not None
                before = self.size(outer[0], key[0])
                self._taken[key].around = self.of(around), slice(before, before + self.size(*key))
        return self._taken[key]

    def _span(self, slices: Slices) -> tuple[int, int]:
        """The first and last of these slices, where there are as many or more."""
        times = self.many // slices.many
        return slices.first * times, slices.last * times

    def pieces(self) -> list[Rows]:
        """All records, a block at a time, once some numbers of them were coded together.

        If one of these is asked, all are: what is not coded yet is coded of all records.
        """
        return [_Taken(self, *block, all_are=True) for block in self._blocks]

    def size(self, first: int, last: int) -> int:
        """How many records these slices have."""
        return self._begin[last] - self._begin[first]

    def is_coded(self, key: Key) -> bool:
        return key in self._coded or all(part.is_coded(key) for part in self._rows)

    def code_together(self, keys: Sequence[Key], workers: Executor) -> None:
        """Code several numbers of all records at once, each record to its place in this order.

        They are turned where they are, block by block: fresh memory costs more than moving what is near.
        """
        sizes = [part.size for part in self._rows]
        begins = list(accumulate(sizes, initial=0))
        room, to = coded_room(begins[-1], len(keys)), np.empty(begins[-1], np.int32)
        _in_order(self._own, self._starts, to, np.empty(0, np.int32))
        places = [to[begin : begin + size] for begin, size in zip(begins, sizes, strict=False)]
        found = list(workers.map(lambda part, own: part.code_into(keys, room, own), self._rows, places))
        number = min(self.many, 1 << max(0, round(math.log2(max(begins[-1], 1) / BLOCK))))
        self._blocks = list(pairwise(range(0, self.many + 1, self.many // number)))
        blocks = []
        for first, last in self._blocks:
            own = room[self._begin[first] : self._begin[last]]
            columns = turned(own)
            blocks.append(own.reshape(columns.shape))
            blocks[-1][:] = columns
        for key in set[Key].intersection(*(set(each) for each in found)):
            self._coded[key] = [block[found[0][key]] for block in blocks]

    @cached_property
    def _order(self) -> Places:
        """Which record is at each place."""
        order = np.empty(len(self._own), np.int32)
        _in_order(self._own, self._starts, np.empty(0, np.int32), order)
        return order

    def order(self, first: int, last: int) -> Places:
        """Where the records of these slices are, as they were read."""
        return self._order[self._begin[first] : self._begin[last]]

    def codes(self, key: Key, first: int, last: int) -> NDArray[Any]:
        """The codes of these records, which are known already."""
        if key in self._coded:
            beside = []
            for (one, other), own in zip(self._blocks, self._coded[key], strict=True):
                if one < last and first < other:
                    low, high = max(first, one), min(last, other)
                    before = self.size(one, low)
                    beside.append(own[before : before + self.size(low, high)])
            return beside[0] if len(beside) == 1 else np.concatenate(beside)
        if key not in self._read:
            read = []
            for part in self._rows:
                read.append(part.codes(*key))
                part.let_go()
            self._read[key] = np.concatenate(read)
        order = self.order(first, last)
        found = np.empty(len(order), self._read[key].dtype)
        _gather(self._read[key], order, found)
        return found

    def raw(self, first: int, last: int) -> Rows:
        return Rows.gathered(self._rows, self.order(first, last))


class _Taken(Rows):
    """Some of the records: by codes that are known already, or else by what was read."""

    def __init__(self, held: InSlices, first: int, last: int, all_are: bool = False) -> None:
        read = held._rows[0]
        super().__init__(pa.record_batch({}), read.schema, read.unknown)
        self.size = held.size(first, last)
        self._held, self._span, self._all_are = held, (first, last), all_are

    @cached_property
    def _raw(self) -> Rows:
        return self._held.raw(*self._span)

    def __contains__(self, name: str) -> bool:
        return name in self._raw

    def column(self, name: str) -> Any:
        return self._raw.column(name)

    def code_together(self, keys: Iterable[Key], room: Bytes | None = None, begin: int = 0) -> None:
        left = [key for key in keys if not self._held.is_coded(key) and not self.is_coded(key)]
        if left:
            raw = self._raw
            raw.code_together(left, room, begin)
            self._beside += raw._beside
            del self._raw  # more bytes than its codes

    def codes(self, name: str, cuts: Sequence[float] = ()) -> NDArray[Any]:
        key = (name, tuple(cuts))
        if self.around is not None:
            rows, own = self.around
            return np.asarray(rows.codes(name, cuts)[own])
        if key not in self._codes:
            if self.coded_rows(key) is not None:
                return super().codes(name, cuts)
            known = self._all_are or self._held.is_coded(key)
            self._codes[key] = self._held.codes(key, *self._span) if known else self._raw.codes(*key)
        return self._codes[key]


@njit
def _begins(own: NDArray[Any], many: int) -> Whole:  # pragma: no cover
    """Where each slice begins, and the last ends."""
    begin = np.zeros(many + 1, np.int64)
    for i in range(own.size):
        begin[own[i] + 1] += 1
    for k in range(1, begin.size):
        begin[k] += begin[k - 1]
    return begin


@njit
def _in_order(own: NDArray[Any], begin: Whole, to: Places, order: Places) -> None:  # pragma: no cover
    """Slice by slice the place ``to`` which each record goes, or the ``order``: the record at each place."""
    free = begin.copy()
    for i in range(own.size):
        place = free[own[i]]
        free[own[i]] = place + 1
        if to.size > 0:
            to[i] = place
        else:
            order[place] = i


@njit
def _gather(codes: NDArray[Any], order: Places, found: NDArray[Any]) -> None:  # pragma: no cover
    for i in range(order.size):
        found[i] = codes[np.uint32(order[i])]
