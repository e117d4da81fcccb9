"""How many records an attribute gets right if its number is cut where that is best: for a private choice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privet.schema import Category, Schema
from privet.stats.base import Answer, Statistic
from privet.stats.contingency import Contingency
from privet.stats.scores import Scores

__all__ = ["IntervalsCorrect", "most_right"]


@dataclass(frozen=True)
class IntervalsCorrect(Scores):
    """How many records each attribute gets right, a number with the best ``most`` intervals of its grid.

    **Spread.** For fixed intervals a new record raises the largest cell of one row by 0 or 1 and no other
    (``stats.scores.MajorityCorrect``). The best of several such scores moves within [0, 1] as well: R = 1.

    >>> schema = Schema.of({"age": (0, 120), "ill": ["no", "yes"]}, target="ill")
    >>> question = IntervalsCorrect((Contingency("age", "ill", (30.0, 60.0, 90.0)),), most=2)
    >>> question.groups([np.array([[9, 0], [8, 1], [0, 7], [1, 9], [0, 2]])], schema)[0].tolist()
    [35]
    """

    tables: tuple[Contingency, ...]
    most: int

    @property
    def statistics(self) -> tuple[Statistic, ...]:
        return self.tables

    def groups(self, answers: Sequence[Answer], schema: Schema) -> list[NDArray[np.int64]]:
        scores = []
        for table, counts in zip(self.tables, answers, strict=True):
            if table.row is None or isinstance(schema[table.row], Category):
                scores.append(int(counts.max(axis=1).sum()))
            else:  # the last row is of missing values
                scores.append(most_right(counts[:-1], self.most) + int(counts[-1].max()))
        return [np.array(scores, np.int64)]


def most_right(counts: NDArray[np.int64], most: int) -> int:
    """How many records the majorities of at most ``most`` runs of rows get right, for the best runs.

    >>> most_right(np.array([[9, 0], [0, 7], [1, 9], [6, 0]]), most=2), most_right(np.eye(3, dtype=int), 3)
    (25, 3)
    """
    sums = np.vstack([np.zeros_like(counts[:1]), counts.cumsum(axis=0)])
    within = (sums[None, :] - sums[:, None]).max(axis=-1)  # the majority of the rows from one to another
    within[np.tril_indices(len(sums), -1)] = -int(sums[-1].sum()) - 1
    best = within[0]
    for _ in range(most - 1):
        best = (best[:, None] + within).max(axis=0)
    return int(best[-1])
