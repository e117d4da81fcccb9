"""Rules as positions that a bee colony can move through: the thesis's two-layer food source (section 4.1.1).

A position is [used | low or value | high], three numbers an attribute: whether it is used (first layer), and
its range or value (second layer). The table is kept as ranks: each number's place among the column's distinct
values, each category's code. So every condition is a range of ranks, and one compiled pass over a swarm
of rules counts what they all cover.
"""

from __future__ import annotations

from dataclasses import dataclass, field

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
_BLOCK = 4096


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

    def without(self, gone: NDArray[np.bool_]) -> Table:
        kept = np.ascontiguousarray(self.ranks[:, ~gone])
        return Table(kept, self.classes[~gone], self.values, self.nominal, self.schema)

    def limits(self, positions: Positions) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64]]:
        """Which attributes each rule uses, and the lowest and highest rank that fit it (none if low > high)."""
        used, one, other = np.split(positions, 3, axis=1)
        low = np.empty(one.shape, np.int64)
        high = np.empty(one.shape, np.int64)
        for j, values in enumerate(self.values):
            if self.nominal[j]:  # the nearest code
                low[:, j] = high[:, j] = np.clip(np.rint(one[:, j]), 0, values.size - 1)
            else:
                low[:, j] = np.searchsorted(values, one[:, j], side="left")
                high[:, j] = np.searchsorted(values, other[:, j], side="right") - 1
        return used > 0.5, low, high

    def conditions(self, position: Positions) -> tuple[Condition, ...]:
        """The conditions that a position stands for."""
        used, low, high = (part[0] for part in self.limits(position[None, :]))
        found: list[Condition] = []
        for j, column in enumerate(self.schema.attributes):
            if not used[j]:
                continue
            if isinstance(column, Category):
                found.append(OneOf(column.name, (column.labels[low[j]],)))
            elif low[j] <= high[j]:  # the records' own values as ends: the same cover, and readable
                found.append(
                    Between(column.name, float(self.values[j][low[j]]), float(self.values[j][high[j]]))
                )
            else:
                found.append(
                    Between(column.name, *(float(x) for x in position[[j + len(used), j + 2 * len(used)]]))
                )
        return tuple(found)


@njit(nogil=True, cache=True)
def _count(ranks, own, used, low, high, counts):  # type: ignore[no-untyped-def]  # pragma: no cover
    width, size = ranks.shape
    fits = np.empty(_BLOCK, np.uint8)
    for r in range(used.shape[0]):
        inside = 0
        right = 0
        for begin in range(0, size, _BLOCK):
            block = min(_BLOCK, size - begin)
            fits[:block] = 1
            for j in range(width):
                if used[r, j]:
                    if low[r, j] > high[r, j]:
                        fits[:block] = 0
                        break
                    first = np.uint16(low[r, j])
                    span = np.uint16(high[r, j] - low[r, j])
                    column = ranks[j, begin : begin + block]
                    for i in range(block):
                        fits[i] &= np.uint8(np.uint16(column[i] - first) <= span)
            part = own[begin : begin + block]
            for i in range(block):
                inside += fits[i]
                right += fits[i] & part[i]
        counts[r, 0] = right
        counts[r, 1] = inside - right


def covered(table: Table, position: Positions) -> NDArray[np.bool_]:
    """Which records one rule covers."""
    used, low, high = (part[0] for part in table.limits(position[None, :]))
    inside = (table.ranks >= low[:, None]) & (table.ranks <= high[:, None])
    return np.asarray(inside[used].all(axis=0))


def similarity(table: Table, positions: Positions, earlier: Positions) -> NDArray[np.float64]:
    """How many conditions each rule shares with earlier ones: equal values, ranges that meet (algorithm 4.2)."""
    used, low, high = table.limits(positions)
    score = np.zeros(len(positions))
    for other_used, other_low, other_high in zip(*table.limits(earlier), strict=True):
        both = used & other_used
        meet = np.maximum(low, other_low) <= np.minimum(high, other_high)
        score += (both & meet).sum(axis=1)
    return score


@dataclass
class RuleProblem:
    """The best rule for one class of a table: what the colony maximises."""

    table: Table
    label: int
    measure: Measure
    alpha: float = 0.4
    beta: float = 0.6
    factor: float = 0.6
    earlier: list[Positions] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._own = (self.table.classes == self.label).astype(np.uint8)
        ends = [
            (0.0, v[-1]) if n else (v[0], v[-1])
            for v, n in zip(self.table.values, self.table.nominal, strict=True)
        ]
        self._low, self._high = (np.array(side) for side in zip(*ends, strict=True))

    def start(self, count: int, generator: np.random.Generator) -> Positions:
        width = len(self._low)
        draws = self._low + generator.random((2, count, width)) * (self._high - self._low)
        used = (generator.random((count, width)) < 0.5).astype(float)
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
        _count(self.table.ranks, self._own, *self.table.limits(positions), counts)
        return counts

    def fitness(self, positions: Positions) -> NDArray[np.float64]:
        """The measure; 0 for a rule without a condition, or without a record of its class."""
        p, n = self.counts(positions).T
        own = float(self._own.sum())
        worth = quality(self.measure, p, n, own, len(self._own) - own, self.alpha, self.beta)
        useful = (positions[:, : len(self._low)] > 0.5).any(axis=1) & (p > 0)
        return np.where(useful, worth, 0.0)

    def similarity(self, positions: Positions) -> NDArray[np.float64]:
        if not self.earlier:
            return np.zeros(len(positions))
        return similarity(self.table, positions, np.stack(self.earlier))
