"""Rules as positions that a bee colony can move through: the thesis's two-layer food source (section 4.1.1).

A position is [used | low or value | high], three numbers an attribute: whether it is used (first layer), and
its range or value (second layer). ``RuleProblem`` is what the colony maximises, in two renderings: the
methods that ``search.BeeColony`` calls, and ``best``, the same search in one compiled piece
(``rule_kernels``).
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from privet.learning.public.rule_kernels import MEASURES, count, search
from privet.learning.public.rule_quality import Measure, quality
from privet.learning.public.rule_table import Positions, Table, as_bits, covered
from privet.search import BeeColony, Found, Stopping
from privet.search.bee_colony import move_binary, move_real

__all__ = ["RuleProblem", "Table", "covered", "similarity"]

CONDITIONS = 3  # how many a random rule has about, where there are many attributes


class Records(NamedTuple):
    """Which records count and which are of the class, as bits; and how many of either there are."""

    alive: NDArray[np.uint64]
    own: NDArray[np.uint64]
    size: float
    others: float


class Goal(NamedTuple):
    """What makes a rule good, and how readily conditions come and go."""

    measure: int
    alpha: float
    beta: float
    factor: float
    likely: float


class Earlier(NamedTuple):
    """The limits of the rules that were found before."""

    used: NDArray[np.bool_]
    low: NDArray[np.int64]
    high: NDArray[np.int64]


class Colony(NamedTuple):
    sources: int
    limit: int
    iterations: int
    target: float
    patience: int


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

    @cached_property
    def records(self) -> Records:
        own = (self.table.classes == self.label) & self.left
        size = float(own.sum())
        return Records(as_bits(self.left), as_bits(own), size, float(self.left.sum()) - size)

    @property
    def likely(self) -> float:
        """How likely a random rule uses an attribute.

        With fair bits, sixty attributes would give rules of thirty random ranges, which cover nothing.
        """
        return min(0.5, CONDITIONS / len(self.table.values))

    def best(self, colony: BeeColony, generator: np.random.Generator) -> Found:
        """What ``colony.maximise(self, generator)`` finds, by the same draws, compiled."""
        earlier = np.stack(self.earlier) if self.earlier else np.empty((0, 3 * len(self.table.values)))
        position, value, history, judged = search(
            self.table.index,
            self.table.ranges,
            self.records,
            Goal(MEASURES.index(self.measure), self.alpha, self.beta, self.factor, self.likely),
            Earlier(*self.table.limits(earlier)),
            Colony(
                colony.sources, colony.limit, colony.iterations, colony.target, colony.patience or sys.maxsize
            ),
            generator,
        )
        stopping = Stopping(colony.iterations, colony.target, colony.patience)
        reasons = [stopping.over(float(past)) for past in history]
        return Found(position, float(value), tuple(stopping.history), int(judged), str(reasons[-1]))

    @property
    def most(self) -> float:
        """The fitness of a rule that covers its whole class and nothing else: no rule is better."""
        own, others = self.records.size, self.records.others
        return float(quality(self.measure, own, 0, own, others, self.alpha, self.beta))

    # What the definition, ``BeeColony.maximise``, asks of a problem.

    def start(self, count: int, generator: np.random.Generator) -> Positions:
        low, high = self.table.ranges.low, self.table.ranges.high
        draws = low + generator.random((2, count, len(low))) * (high - low)
        used = (generator.random((count, len(low))) < self.likely).astype(float)
        return np.hstack([used, *self._sorted(draws[0], draws[1])])

    def neighbours(self, own: Positions, other: Positions, generator: np.random.Generator) -> Positions:
        """One random attribute moves in both layers: its bit by equation 4.3, its ends by equation 3.2."""
        low, high = self.table.ranges.low, self.table.ranges.high
        width = len(low)
        rows, chosen = np.arange(len(own)), generator.integers(0, width, len(own))
        new = own.copy()
        new[rows, chosen] = move_binary(
            own[rows, chosen], other[rows, chosen], generator.random(len(own)), self.factor
        )
        for layer in (1, 2):
            at = chosen + layer * width
            step = generator.uniform(-1, 1, len(own))
            moved = move_real(own[rows, at], other[rows, at], step)
            new[rows, at] = np.clip(moved, low[chosen], high[chosen])
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
        alive, own, _, _ = self.records
        fits = np.empty_like(alive)
        found = [
            count(self.table.index, self.table.ranges.starts, alive, own, *limits, fits)
            for limits in zip(*self.table.limits(positions), strict=True)
        ]
        return np.array(found, np.int64).reshape(-1, 2)

    def fitness(self, positions: Positions) -> NDArray[np.float64]:
        """The measure; 0 for a rule without a condition, or without a record of its class."""
        p, n = self.counts(positions).T
        _, _, own, others = self.records
        worth = quality(self.measure, p, n, own, others, self.alpha, self.beta)
        useful = (positions[:, : len(self.table.values)] > 0.5).any(axis=1) & (p > 0)
        return np.where(useful, worth, 0.0)

    def similarity(self, positions: Positions) -> NDArray[np.float64]:
        if not self.earlier:
            return np.zeros(len(positions))
        return similarity(self.table, positions, np.stack(self.earlier))
