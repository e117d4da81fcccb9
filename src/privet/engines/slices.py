"""The held records by their slices, so that a question about some of them reads these alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from privet.compiled import njit
from privet.stats import Rows
from privet.stats.coded_rows import Bytes, CodedRows, Key
from privet.stats.slices import Slices, slice_of_each

__all__ = ["InSlices"]

Places = NDArray[np.int32]
Whole = NDArray[np.int64]


class InSlices:
    """All records in an order in which those of a slice are beside each other."""

    def __init__(self, rows: Sequence[Rows], columns: tuple[str, ...], many: int) -> None:
        self._rows = rows
        own = np.concatenate([slice_of_each(part, columns, many) for part in rows])
        self._begin = np.zeros(many + 1, np.int64)
        self._order = np.empty(len(own), np.int32)  # which record is at each place
        _in_order(own, self._begin, self._order)
        self._columns: dict[int, Bytes] = {}  # of each coded table, in this order: filled as it is asked for
        self._read: dict[Key, NDArray[Any]] = {}  # in the order in which records were read
        self._taken: dict[tuple[int, int], Rows] = {}

    def of(self, slices: Slices, around: Slices | None = None) -> Rows:
        """The records of these slices: the same object whenever they are asked for."""
        key = (slices.first, slices.last)
        if key not in self._taken:
            self._taken[key] = _Taken(self, slices)
            inside = around is not None and around.first <= slices.first and slices.last <= around.last
            if around is not None and inside and (around.first, around.last) != key:
                before = self.size(around.first, slices.first)
                own = slice(before, before + self.size(slices.first, slices.last))
                self._taken[key].around = self.of(around), own
        return self._taken[key]

    def size(self, first: int, last: int) -> int:
        """How many records these slices have."""
        return int(self._begin[last] - self._begin[first])

    def is_coded(self, key: Key) -> bool:
        return all(part.is_coded(key) for part in self._rows)

    def order(self, slices: Slices) -> Places:
        """Where the records of these slices are, as they were read."""
        return self._order[self._begin[slices.first] : self._begin[slices.last]]

    def codes(self, key: Key, slices: Slices) -> dict[Key, NDArray[Any]]:
        """The codes of these records, which are known already; and those that were coded beside them."""
        order, coded = self.order(slices), self._beside(key)
        if coded is not None:
            shape = (coded.table.shape[1], coded.size)
            columns = self._columns.setdefault(id(coded.table), np.empty(shape, np.uint8))
            return coded.gathered(order, columns[:, self._begin[slices.first] : self._begin[slices.last]])
        if key not in self._read:
            self._read[key] = np.concatenate([part.codes(*key) for part in self._rows])
        found = np.empty(len(order), self._read[key].dtype)
        _gather(self._read[key], order, found)
        return {key: found}

    def _beside(self, key: Key) -> CodedRows | None:
        """Where the codes of all records are beside those of other columns, if they were coded together."""
        beside = [part.coded_rows(key) for part in self._rows]
        begins = np.cumsum([0, *(part.size for part in self._rows)]).tolist()
        first = beside[0]
        if first is None or not all(
            each is not None
            and (each.table is first.table and each.begin == begin and each.places == first.places)
            for each, begin in zip(beside, begins, strict=False)
        ):
            return None
        return CodedRows(first.places, first.table, 0, begins[-1])

    def raw(self, slices: Slices) -> Rows:
        return Rows.gathered(self._rows, self.order(slices))


class _Taken(Rows):
    """Some of the records: by codes that are known already, or else by what was read."""

    def __init__(self, held: InSlices, slices: Slices) -> None:
        first = held._rows[0]
        super().__init__(pa.record_batch({}), first.schema, first.unknown)
        self.size = held.size(slices.first, slices.last)
        self._held, self._slices = held, slices

    @cached_property
    def _raw(self) -> Rows:
        return self._held.raw(self._slices)

    def __contains__(self, name: str) -> bool:
        return name in self._raw

    def column(self, name: str) -> Any:
        return self._raw.column(name)

    def code_together(self, keys: Iterable[Key], room: Bytes | None = None, begin: int = 0) -> None:
        left = [key for key in keys if not self._held.is_coded(key)]
        if left:
            self._raw.code_together(left, room, begin)

    def codes(self, name: str, cuts: Sequence[float] = ()) -> NDArray[Any]:
        key = (name, tuple(cuts))
        if self.around is not None:
            rows, own = self.around
            return np.asarray(rows.codes(name, cuts)[own])
        if key not in self._codes:
            if self._held.is_coded(key):
                self._codes |= self._held.codes(key, self._slices)
            else:
                self._codes[key] = self._raw.codes(*key)
        return self._codes[key]


@njit
def _in_order(own: NDArray[Any], begin: Whole, order: Places) -> None:  # pragma: no cover
    """The places of records, slice by slice; and where each slice begins among them."""
    for i in range(own.size):
        begin[own[i] + 1] += 1
    for k in range(1, begin.size):
        begin[k] += begin[k - 1]
    free = begin.copy()
    for i in range(own.size):
        place = free[own[i]]
        order[place] = i
        free[own[i]] = place + 1


@njit
def _gather(codes: NDArray[Any], order: Places, found: NDArray[Any]) -> None:  # pragma: no cover
    for i in range(order.size):
        found[i] = codes[np.uint32(order[i])]
