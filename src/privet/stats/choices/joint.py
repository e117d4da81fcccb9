"""Conditions chosen all at once: one private choice among all combinations of up to three.

With few records a choice level by level wastes budget: every level pays, and each but the first sees little.
Here every combination of conditions is one candidate. It cuts the table into cells, one for each way in which
its conditions hold or do not, and its score is how many records the cells' majorities get right.

**Spread.** A new record is in one cell of each combination and raises that cell's majority by 0 or 1; the
others stay. So every score moves within [0, 1]: R = 1 (``stats.scores``), however many candidates there are.
With the whole share in one choice the noise has scale 1/ε', and its error grows with the logarithm of their
number only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import comb

import numpy as np
from numpy.typing import NDArray

from privet.errors import ParameterError
from privet.schema import Schema
from privet.stats.base import Answer, Sensitivity, Statistic
from privet.stats.conditions import Condition
from privet.stats.rows import Rows
from privet.stats.scores import Scores

__all__ = ["JointCorrect", "Overlaps"]

MOST = 2_000_000  # combinations
AT_ONCE = 1024  # records


@dataclass(frozen=True)
class Overlaps(Statistic):
    """How many records of each class meet ``many`` conditions at once, for all choices of them.

    The shape is classes × c × … × c. The last condition is always met, so smaller combinations and the class
    totals are among them.

    **Sensitivity.** A record of a class adds at most 1 to each cell of that class: L1 = L2² = c^many.
    """

    conditions: tuple[Condition, ...]
    target: str
    many: int

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*(condition.column for condition in self.conditions), self.target)))

    def norms(self, schema: Schema) -> Sensitivity:
        cells = (len(self.conditions) + 1) ** self.many
        return Sensitivity(cells, cells)

    def start(self, schema: Schema) -> Answer:
        shape = (schema.nominal_target().size, *[len(self.conditions) + 1] * self.many)
        return np.zeros(shape, np.int64)

    def fold(self, state: Answer, rows: Rows) -> Answer:
        met = np.stack([*(c.holds(rows) for c in self.conditions), np.ones(rows.size, bool)], axis=1)
        classes = rows.codes(self.target)
        for label in range(len(state)):
            own = met[classes == label].astype(float)
            for begin in range(0, len(own), AT_ONCE):
                part = own[begin : begin + AT_ONCE]
                before = np.ones((len(part), 1))
                for _ in range(self.many - 1):
                    before = (before[:, :, None] * part[:, None, :]).reshape(len(part), -1)
                state[label] += np.rint(before.T @ part).astype(np.int64).reshape(state[label].shape)
        return state


@dataclass(frozen=True)
class JointCorrect(Scores):
    """How many records each combination of ``many`` conditions gets right; the proof is above.

    >>> from privet.stats.conditions import OneOf
    >>> question = JointCorrect((OneOf("a", (1,)), OneOf("b", (1,)), OneOf("c", (1,))), "y", many=2)
    >>> question.combinations
    [(0, 1), (0, 2), (1, 2)]
    """

    conditions: tuple[Condition, ...]
    target: str
    many: int

    def __post_init__(self) -> None:
        if not 1 <= self.many <= 3 or comb(len(self.conditions), self.many) > MOST:
            raise ParameterError(
                "There are too many combinations of conditions to choose among at once.",
                "Lower depth, to 3 at most, or bins; or choose level by level.",
            )

    @property
    def combinations(self) -> list[tuple[int, ...]]:
        return list(combinations(range(len(self.conditions)), self.many))

    @property
    def statistics(self) -> tuple[Statistic, ...]:
        return (Overlaps(self.conditions, self.target, self.many),)

    def groups(self, answers: Sequence[Answer], schema: Schema) -> list[NDArray[np.int64]]:
        [overlaps] = answers
        always = len(self.conditions)
        places = np.array(self.combinations).T
        right = np.zeros(places.shape[1], np.int64)
        for pattern in product((True, False), repeat=self.many):
            cell = np.zeros((len(overlaps), places.shape[1]), np.int64)
            # Where a condition is not met: all records, less those that meet it.
            for used in product(*((True,) if met else (False, True) for met in pattern)):
                sign = (-1) ** sum(u and not met for u, met in zip(used, pattern, strict=True))
                at = [
                    place if u else np.full_like(place, always) for u, place in zip(used, places, strict=True)
                ]
                cell += sign * overlaps[:, *at]
            right += cell.max(axis=0)
        return [right]
