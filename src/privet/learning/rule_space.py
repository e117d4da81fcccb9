"""Rules as positions that a bee colony can move through: the thesis's two-layer food source (section 4.1.1).

A position is [used | low or value | high], three numbers an attribute: whether it is used (first layer), and
its range or value (second layer). The table is kept as ranks: each number's place among the column's distinct
values, each category's code. So every condition is a range of ranks. Its records are a run of the sorted
order, and their mask is the difference of two prefixes: what a rule covers is an AND of such masks, 64
records a word, for the whole swarm in one compiled pass.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from privet.learning.rule import Between, Condition, OneOf
from privet.learning.rule_quality import Measure, quality
from privet.schema import Category, Schema
from privet.search.bee_colony import move_binary, move_real
from privet.stats import Rows

__all__ = ["RuleProblem", "Table", "covered", "similarity"]

Ranks = NDArray[np.uint16]
Positions = NDArray[np.float64]
MISSING = 65535
CHECKPOINTS = 512
CONDITIONS = 3  # how many a random rule has about, where there are many attributes


class Index(NamedTuple):
    """Records as bits: for each attribute, sorted by rank, the mask of every ``step``-th prefix."""

    masks: NDArray[np.uint64]
    order: NDArray[np.int64]
    begins: NDArray[np.int64]
    starts: NDArray[np.int64]
    step: int


def as_bits(chosen: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """A mask of 64 records a word."""
    padded = np.zeros((chosen.size // 64 + 1) * 64, bool)
    padded[: chosen.size] = chosen
    return np.packbits(padded, bitorder="little").view(np.uint64)


@dataclass(frozen=True)
class Table:
    """Public records as ranks (attributes × records), the classes, and what the ranks stand for."""

    ranks: Ranks
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

    def limits(self, positions: Positions) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64]]:
        """Which attributes each rule uses, and the lowest and highest ranks that fit (none if low > high)."""
        shape = (len(positions), len(self.values))
        used, low, high = np.empty(shape, np.bool_), np.empty(shape, np.int64), np.empty(shape, np.int64)
        _find(positions, *self._flat, self.nominal, used, low, high)
        return used, low, high

    @cached_property
    def _flat(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """All distinct values one after the other, and where each column's begin."""
        return np.concatenate(self.values), np.cumsum([0, *(v.size for v in self.values)])

    @cached_property
    def index(self) -> Index:
        """Masks from which the records of any range of ranks follow."""
        width, size = self.ranks.shape
        step = max(1, -(-size // CHECKPOINTS))
        order = np.argsort(self.ranks, axis=1, kind="stable").astype(np.int64)  # the missing come last
        masks = np.zeros((width, -(-size // step) + 1, size // 64 + 1), np.uint64)
        begins = []
        for j, values in enumerate(self.values):
            _checkpoints(order[j], step, masks[j])
            begins.append(np.searchsorted(self.ranks[j][order[j]], np.arange(values.size + 1)))
        return Index(masks, order, np.concatenate(begins), self._flat[1], step)

    def conditions(self, position: Positions) -> tuple[Condition, ...]:
        """The conditions that a position stands for."""
        used, low, high = (part[0] for part in self.limits(position[None, :]))
        found: list[Condition] = []
        for j, column in enumerate(self.schema.attributes):
            if not used[j]:
                continue
            if isinstance(column, Category):
                found.append(OneOf(column.name, (column.labels[low[j]],)))
            else:
                ends = position[j + len(used)], position[j + 2 * len(used)]
                if low[j] <= high[j]:  # the records' own values as ends: the same cover, and readable
                    ends = self.values[j][low[j]], self.values[j][high[j]]
                found.append(Between(column.name, float(ends[0]), float(ends[1])))
        return tuple(found)


@njit(nogil=True, cache=True)
def _find(positions, flat, starts, nominal, used, low, high):  # type: ignore[no-untyped-def]  # pragma: no cover
    width = nominal.size
    for r in range(positions.shape[0]):
        for j in range(width):
            used[r, j] = positions[r, j] > 0.5
            one, other = positions[r, width + j], positions[r, 2 * width + j]
            values = flat[starts[j] : starts[j + 1]]
            if nominal[j]:  # the nearest code
                code = min(max(np.rint(one), 0), values.size - 1)
                low[r, j] = high[r, j] = int(code)
            elif used[r, j]:
                low[r, j] = np.searchsorted(values, one)
                high[r, j] = np.searchsorted(values, other, side="right") - 1
            else:
                low[r, j], high[r, j] = 0, values.size - 1


@njit(nogil=True, cache=True)
def _checkpoints(order, step, masks):  # type: ignore[no-untyped-def]  # pragma: no cover
    """masks[c] = the first c·step records of the order, as bits."""
    one = np.uint64(1)
    for c in range(1, masks.shape[0]):
        masks[c] = masks[c - 1]
        for i in range((c - 1) * step, min(c * step, order.size)):
            masks[c, order[i] >> 6] |= one << np.uint64(order[i] & 63)


@njit(nogil=True, cache=True)
def _ones(word):  # type: ignore[no-untyped-def]  # pragma: no cover
    """How many bits are set."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)


@njit(nogil=True, cache=True)
def _count(masks, order, begins, starts, step, alive, own, used, low, high, counts):  # type: ignore[no-untyped-def]  # pragma: no cover
    """counts[r] = records of the class, and others, that rule r covers: one AND of masks an attribute."""
    words = alive.size
    fits = np.empty(words, np.uint64)
    inside = np.empty(words, np.uint64)
    one = np.uint64(1)
    for r in range(used.shape[0]):
        fits[:] = alive
        for j in range(used.shape[1]):
            if not used[r, j]:
                continue
            if low[r, j] > high[r, j]:
                fits[:] = 0
                break
            # The records of a range of ranks are a run of the sorted order: from `first` to `last`.
            first = begins[starts[j] + j + low[r, j]]
            last = begins[starts[j] + j + high[r, j] + 1]
            lower, upper = masks[j, first // step], masks[j, last // step]
            for w in range(words):
                inside[w] = upper[w] & ~lower[w]
            for i in range(last // step * step, last):
                inside[order[j, i] >> 6] |= one << np.uint64(order[j, i] & 63)
            for i in range(first // step * step, first):
                inside[order[j, i] >> 6] &= ~(one << np.uint64(order[j, i] & 63))
            for w in range(words):
                fits[w] &= inside[w]
        right = np.uint64(0)
        total = np.uint64(0)
        for w in range(words):
            total += _ones(fits[w])
            right += _ones(fits[w] & own[w])
        counts[r, 0] = right
        counts[r, 1] = total - right


def covered(table: Table, position: Positions) -> NDArray[np.bool_]:
    """Which records one rule covers."""
    used, low, high = (part[0] for part in table.limits(position[None, :]))
    inside = (table.ranks >= low[:, None]) & (table.ranks <= high[:, None])
    return np.asarray(inside[used].all(axis=0))


def similarity(table: Table, positions: Positions, earlier: Positions) -> NDArray[np.float64]:
    """How many conditions each shares with earlier rules: equal values, ranges that meet (algorithm 4.2)."""
    used, low, high = (part[:, None, :] for part in table.limits(positions))
    other_used, other_low, other_high = table.limits(earlier)
    meet = np.maximum(low, other_low) <= np.minimum(high, other_high)
    return np.asarray((used & other_used & meet).sum(axis=(1, 2)), float)


@dataclass
class RuleProblem:
    """The best rule for one class of a table: what the colony maximises."""

    table: Table
    left: NDArray[np.bool_]  # the records that still count
    label: int
    measure: Measure
    alpha: float = 0.4
    beta: float = 0.6
    factor: float = 0.6
    earlier: list[Positions] = field(default_factory=list)

    def __post_init__(self) -> None:
        own = (self.table.classes == self.label) & self.left
        self._own, self._alive = as_bits(own), as_bits(self.left)
        self._size, self._all = float(own.sum()), float(self.left.sum())
        ends = [
            (0.0, v[-1]) if n else (v[0], v[-1])
            for v, n in zip(self.table.values, self.table.nominal, strict=True)
        ]
        self._low, self._high = (np.array(side) for side in zip(*ends, strict=True))

    def start(self, count: int, generator: np.random.Generator) -> Positions:
        width = len(self._low)
        draws = self._low + generator.random((2, count, width)) * (self._high - self._low)
        # With fair bits, sixty attributes would give rules of thirty random ranges, which cover nothing.
        used = (generator.random((count, width)) < min(0.5, CONDITIONS / width)).astype(float)
        return np.hstack([used, *self._sorted(draws[0], draws[1])])

    def neighbours(self, own: Positions, other: Positions, generator: np.random.Generator) -> Positions:
        """One random attribute moves in both layers: its bit by equation 4.3, its ends by equation 3.2."""
        width = len(self._low)
        rows, chosen = np.arange(len(own)), generator.integers(0, width, len(own))
        new = own.copy()
        new[rows, chosen] = move_binary(
            own[rows, chosen], other[rows, chosen], generator.random(len(own)), self.factor
        )
        for layer in (1, 2):
            at = chosen + layer * width
            step = generator.uniform(-1, 1, len(own))
            moved = move_real(own[rows, at], other[rows, at], step)
            new[rows, at] = np.clip(moved, self._low[chosen], self._high[chosen])
        new[:, width:] = np.hstack(self._sorted(new[:, width : 2 * width], new[:, 2 * width :]))
        return new

    def _sorted(self, one: Positions, other: Positions) -> tuple[Positions, Positions]:
        """Ends of ranges in order; a category's value stays where it is."""
        nominal = self.table.nominal
        return np.where(nominal, one, np.minimum(one, other)), np.where(
            nominal, other, np.maximum(one, other)
        )

    def counts(self, positions: Positions) -> NDArray[np.int64]:
        """Records of the class, and others, that each rule covers."""
        counts = np.zeros((len(positions), 2), np.int64)
        _count(*self.table.index, self._alive, self._own, *self.table.limits(positions), counts)
        return counts

    def fitness(self, positions: Positions) -> NDArray[np.float64]:
        """The measure; 0 for a rule without a condition, or without a record of its class."""
        p, n = self.counts(positions).T
        worth = quality(self.measure, p, n, self._size, self._all - self._size, self.alpha, self.beta)
        useful = (positions[:, : len(self._low)] > 0.5).any(axis=1) & (p > 0)
        return np.where(useful, worth, 0.0)

    def similarity(self, positions: Positions) -> NDArray[np.float64]:
        if not self.earlier:
            return np.zeros(len(positions))
        return similarity(self.table, positions, np.stack(self.earlier))
