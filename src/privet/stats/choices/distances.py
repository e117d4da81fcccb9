"""How far tables are from what a model foretells: for a private choice of the one that it explains worst."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privet.schema import Schema
from privet.stats.base import Answer, Statistic
from privet.stats.cross_table import CrossTable
from privet.stats.scores import Scores

__all__ = ["Distances"]


@dataclass(frozen=True, eq=False)
class Distances(Scores):
    """For each table Σ|count − expected| over its cells, less a public ``handicap``.

    ``expected`` are whole numbers that follow from releases and the schema, one for each cell; so are the
    handicaps. With ``nothing`` there is one candidate more, whose score is always 0: to choose none of them.

    **Spread.** A new record adds 1 to one cell of each table, so |count − expected| changes there by 1, up
    or down, and nowhere else: every score moves within [−1, 1], that of ``nothing`` not at all, and R = 2.

    >>> from privet.stats.assignment import Coded
    >>> table = CrossTable((Coded("smoker"), Coded("ill")))
    >>> question = Distances((table,), (np.array([[20, 5, 0], [5, 20, 0], [0, 0, 0]]),), (4,))
    >>> schema = Schema.of({"smoker": ["no", "yes"], "ill": ["no", "yes"]})
    >>> [group.tolist() for group in question.groups([np.array([[30, 5, 0], [5, 20, 0], [0, 0, 0]])], schema)]
    [[6, 0]]
    """

    tables: tuple[CrossTable, ...]
    expected: tuple[NDArray[np.int64], ...]
    handicaps: tuple[int, ...]
    nothing: bool = True

    spread = 2

    @property
    def statistics(self) -> tuple[Statistic, ...]:
        return self.tables

    def groups(self, answers: Sequence[Answer], schema: Schema) -> list[NDArray[np.int64]]:
        scores = [
            int(np.abs(answer - expected).sum()) - handicap
            for answer, expected, handicap in zip(answers, self.expected, self.handicaps, strict=True)
        ]
        return [np.array([*scores, 0] if self.nothing else scores, np.int64)]
