"""The held records by their slices, so that a question about some of them reads these alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numba import njit
from numpy.typing import NDArray

from privet.stats import Rows
from privet.stats.slices import Slices, slice_of_each

__all__ = ["InSlices"]

Key = tuple[str, tuple[float, ...]]


class InSlices:
    """All records in an order in which those of a slice are beside each other."""

    def __init__(self, rows: Sequence[Rows], columns: tuple[str, ...], many: int) -> None:
        self._rows = rows
        own = np.concatenate([slice_of_each(part, columns, many) for part in rows])
        self._begin = np.zeros(many + 1, np.int64)
        self._order = np.empty(len(own), np.int32)  # the places of the records as they were read
        _order(own, self._begin, self._order)
        self._codes: dict[Key, NDArray[Any]] = {}
        self._taken: dict[tuple[int, int], Rows] = {}

    def of(self, slices: Slices, around: Slices | None = None) -> Rows:
        """The records of these slices: the same object whenever they are asked for."""
        key = (slices.first, slices.last)
        if key not in self._taken:
            begin, end = int(self._begin[slices.first]), int(self._begin[slices.last])
            self._taken[key] = _Taken(self, begin, end)
            if around is not None and around.first <= slices.first and slices.last <= around.last:
                before = int(self._begin[around.first])
                self._taken[key].around = self.of(around), slice(begin - before, end - before)
        return self._taken[key]

    def is_coded(self, key: Key) -> bool:
        return key in self._codes or all(part.is_coded(key) for part in self._rows)

    def codes(self, key: Key, begin: int, end: int) -> NDArray[Any]:
        """The codes of these records, which are known already."""
        if key not in self._codes:
            self._codes[key] = np.concatenate([part.codes(*key) for part in self._rows])
        found = np.empty(end - begin, self._codes[key].dtype)
        _gather(self._codes[key], self._order[begin:end], found)
        return found

    def raw(self, begin: int, end: int) -> Rows:
        return Rows.gathered(self._rows, self._order[begin:end])


class _Taken(Rows):
    """Some of the records: by codes that are known already, or else by what was read."""

    def __init__(self, held: InSlices, begin: int, end: int) -> None:
        first = held._rows[0]
        super().__init__(pa.record_batch({}), first.schema, first.unknown)
        self.size = end - begin
        self._held, self._range = held, (begin, end)

    @cached_property
    def _raw(self) -> Rows:
        return self._held.raw(*self._range)

    def __contains__(self, name: str) -> bool:
        return name in self._raw

    def column(self, name: str) -> Any:
        return self._raw.column(name)

    def code_together(self, keys: Iterable[Key]) -> None:
        left = [key for key in keys if not self._held.is_coded(key)]
        if left:
            self._raw.code_together(left)

    def codes(self, name: str, cuts: Sequence[float] = ()) -> NDArray[Any]:
        key = (name, tuple(cuts))
        if self.around is not None:
            rows, own = self.around
            return np.asarray(rows.codes(name, cuts)[own])
        if key not in self._codes:
            known = self._held.is_coded(key)
            self._codes[key] = self._held.codes(key, *self._range) if known else self._raw.codes(*key)
        return self._codes[key]


@njit(nogil=True, cache=True)
def _order(own: NDArray[Any], begin: NDArray[np.int64], order: NDArray[np.int32]) -> None:  # pragma: no cover
    """Each record after those of its slice that came before; and where each slice begins."""
    for i in range(own.size):
        begin[own[i] + 1] += 1
    for k in range(1, begin.size):
        begin[k] += begin[k - 1]
    free = begin.copy()
    for i in range(own.size):
        order[free[own[i]]] = i
        free[own[i]] += 1


@njit(nogil=True, cache=True)
def _gather(codes: NDArray[Any], order: NDArray[np.int32], found: NDArray[Any]) -> None:  # pragma: no cover
    for i in range(order.size):
        found[i] = codes[order[i]]
