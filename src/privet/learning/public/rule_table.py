"""A public table as rule miners read it: ranks, and bit masks from which what any rule covers follows.

Each number is kept as its place among the column's distinct values, each category as its code. So every
condition is a range of ranks. Its records are a run of the sorted order, and their mask is the difference of
two prefixes: what a rule covers is an AND of such masks, 64 records a word.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from privet.learning.public.rule_kernels import checkpoints, find
from privet.schema import Category, Schema
from privet.stats import Rows
from privet.stats.conditions import Between, Condition, OneOf

__all__ = ["Index", "Positions", "Ranges", "Table", "as_bits", "covered"]

Positions = NDArray[np.float64]
MISSING = 65535
CHECKPOINTS = 128  # prefixes of a column that are kept as masks, where it has more distinct values than that


class Index(NamedTuple):
    """Records as bits. ``begins`` says where each rank's records begin in their column's ``order``.

    Some prefixes of that order are kept as ``masks``; ``at`` is how long each of them is, and ``rows`` which
    is the last one that ends at or before the place where a rank begins.
    """

    masks: NDArray[np.uint64]
    at: NDArray[np.int64]
    order: NDArray[np.int64]
    begins: NDArray[np.int64]
    rows: NDArray[np.int64]


class Ranges(NamedTuple):
    """All distinct values one after the other, where each column's start, its kind, and its ends."""

    flat: NDArray[np.float64]
    starts: NDArray[np.int64]
    nominal: NDArray[np.bool_]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


def as_bits(chosen: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """A mask of 64 records a word."""
    padded = np.zeros((chosen.size // 64 + 1) * 64, bool)
    padded[: chosen.size] = chosen
    return np.packbits(padded, bitorder="little").view(np.uint64)


@dataclass(frozen=True)
class Table:
    """Public records as ranks (attributes × records), the classes, and what the ranks stand for."""

    ranks: NDArray[np.uint16]
    classes: NDArray[np.int64]
    values: tuple[NDArray[np.float64], ...]  # the distinct values of a number, the codes of a category
    nominal: NDArray[np.bool_]
    schema: Schema

    @classmethod
    def of(cls, parts: list[Rows], schema: Schema) -> Table:
        """Records without a class are left out. A number with more distinct values than ranks is rounded."""
        target = schema.nominal_target()
        classes = np.concatenate([rows.codes(target.name) for rows in parts]).astype(np.int64)
        known = classes < target.size
        ranks, values = [], []
        for column in schema.attributes:
            if isinstance(column, Category):
                codes = np.concatenate([rows.codes(column.name) for rows in parts]).astype(np.int64)
                values.append(np.arange(column.size, dtype=float))
                ranks.append(np.where(codes < column.size, codes, MISSING))
                continue
            numbers = np.concatenate([np.asarray(rows.numbers(column.name)) for rows in parts])
            numbers = np.clip(numbers, column.low, column.high)
            distinct = np.unique(numbers[~np.isnan(numbers)])
            if distinct.size >= MISSING:
                distinct = distinct[np.linspace(0, distinct.size - 1, MISSING - 1).astype(int)]
            if distinct.size == 0:  # all are missing
                distinct = np.array([float(column.low)])
            values.append(distinct)
            place = np.clip(np.searchsorted(distinct, numbers), 0, distinct.size - 1)
            ranks.append(np.where(np.isnan(numbers), MISSING, place))
        nominal = np.array([isinstance(column, Category) for column in schema.attributes])
        return cls(
            np.stack(ranks).astype(np.uint16)[:, known], classes[known], tuple(values), nominal, schema
        )

    def only(self, chosen: NDArray[np.bool_]) -> Table:
        """The chosen records; ranks and positions mean what they did."""
        return replace(self, ranks=np.ascontiguousarray(self.ranks[:, chosen]), classes=self.classes[chosen])

    def limits(self, positions: Positions) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64]]:
        """Which attributes each rule uses, and the lowest and highest ranks that fit (none if low > high)."""
        shape = (len(positions), len(self.values))
        used, low, high = np.empty(shape, np.bool_), np.empty(shape, np.int64), np.empty(shape, np.int64)
        for row, position in enumerate(positions):
            find(position, self.ranges, used[row], low[row], high[row])
        return used, low, high

    @cached_property
    def ranges(self) -> Ranges:
        starts = np.cumsum([0, *(values.size for values in self.values)])
        low, high = (np.array([values[end] for values in self.values], float) for end in (0, -1))
        return Ranges(np.concatenate(self.values), starts, self.nominal, low, high)

    @cached_property
    def index(self) -> Index:
        """Masks from which the records of any range of ranks follow."""
        size = self.ranks.shape[1]
        order = np.argsort(self.ranks, axis=1, kind="stable").astype(np.int64)  # the missing come last
        begins, ends, rows, masks = [], [], [], []
        count = 0
        for j, values in enumerate(self.values):
            begin = np.searchsorted(self.ranks[j][order[j]], np.arange(values.size + 1))
            wanted = begin if values.size <= CHECKPOINTS else np.linspace(0, begin[-1], CHECKPOINTS + 1)
            end = np.unique(wanted.astype(np.int64))
            masks.append(np.zeros((end.size, size // 64 + 1), np.uint64))
            checkpoints(order[j], end, masks[j])
            begins.append(begin)
            ends.append(end)
            rows.append(count + np.searchsorted(end, begin, side="right") - 1)
            count += end.size
        return Index(
            np.concatenate(masks), np.concatenate(ends), order, np.concatenate(begins), np.concatenate(rows)
        )

    def conditions(self, position: Positions) -> tuple[Condition, ...]:
        """The conditions that a position stands for.

        A range ends half-way between the last value inside and the first outside, and is open where none is
        outside: it covers the same records of this table, and new ones as far as the table lets one tell.
        """
        used, low, high = (part[0] for part in self.limits(position[None, :]))
        found: list[Condition] = []
        for j, column in enumerate(self.schema.attributes):
            if not used[j]:
                continue
            if isinstance(column, Category):
                found.append(OneOf(column.name, (column.labels[low[j]],)))
            elif low[j] > high[j]:  # a range that covers nothing
                ends = position[j + len(used)], position[j + 2 * len(used)]
                found.append(Between(column.name, float(ends[0]), float(ends[1])))
            else:
                values = self.values[j]
                below = _half_way(values[low[j]], values[low[j] - 1]) if low[j] > 0 else None
                above = _half_way(values[high[j]], values[high[j] + 1]) if high[j] + 1 < values.size else None
                found.append(Between(column.name, below, above))
        return tuple(found)


def _half_way(inside: float, outside: float) -> float:
    """Between the two, and never the one outside, however close they are."""
    middle = inside + (outside - inside) / 2
    return float(inside if middle == outside else middle)


def covered(table: Table, position: Positions) -> NDArray[np.bool_]:
    """Which records one rule covers."""
    used, low, high = (part[0] for part in table.limits(position[None, :]))
    covers = np.ones(len(table.classes), bool)
    for j in np.flatnonzero(used):
        covers &= (table.ranks[j] >= low[j]) & (table.ranks[j] <= high[j])
    return covers
