"""How good it would be to refine each part of a partition by one more condition: scores for a private choice.

A candidate splits a part in two: a category's value (or "missing") against the rest, a number below a public
cut against the rest. Its score is the quality of the two halves together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from privet.schema import Category, Schema
from privet.stats.assignment import Assignment
from privet.stats.base import Answer, Statistic
from privet.stats.contingency import Contingency
from privet.stats.coverage import Within
from privet.stats.scores import Scores

__all__ = ["Candidate", "Quality", "Refinements", "Shared", "purity"]

Quality = Literal["purity", "right"]
Candidate = tuple[int, int]  # which table, and which of its rows (or cuts)

_SCALE = 1024


@dataclass(frozen=True)
class Refinements(Scores):
    """Scores of every candidate condition in every part; one group for each part.

    **Spread.** A record is in one part, and there in one of a candidate's two halves, whose class counts it
    raises by 1 in one place; the other half stays. With n records and n_c of class c in that half:

    * ``"right"``, max n_c, rises by 0 or 1: R = 1.
    * ``"purity"``, g = Σ n_c²/n (0 if empty), changes by (2n_c + 1)/(n + 1) − Σn²/(n(n + 1)). As Σn² ≥ n_c²,
      this is at most (2x + 1)/(n + 1) − x²/(n(n + 1)) with x = n_c, which grows up to x = n, where it is 1.
      As Σn² ≤ n_c² + (n − n_c)², it is at least its value at n_c = 0 with all others in one class (the bound
      is concave in n_c, and 1 at n_c = n), (1 − n)/(n + 1) > −1. So it moves within [−1, 1]: R = 2. In
      fixed point ⌊S·g⌋ moves by a whole number between −S − 1 and S + 1, both excluded: R = 2S.
    """

    assignment: Assignment
    tables: tuple[Contingency, ...]
    quality: Quality = "purity"

    @property
    def spread(self) -> int:  # type: ignore[override]
        return 2 * _SCALE if self.quality == "purity" else 1

    @property
    def scale(self) -> int:  # type: ignore[override]
        return _SCALE if self.quality == "purity" else 1

    @property
    def statistics(self) -> tuple[Statistic, ...]:
        return tuple(Within(self.assignment, table) for table in self.tables)

    def candidates(self, schema: Schema) -> list[Candidate]:
        """The candidates in the order of their scores."""
        return [
            (place, row)
            for place, table in enumerate(self.tables)
            for row in range(_candidates(table, schema))
        ]

    def groups(self, answers: Sequence[Answer], schema: Schema) -> list[NDArray[np.int64]]:
        scores = []
        for table, counts in zip(self.tables, answers, strict=True):
            nominal = isinstance(schema[str(table.row)], Category)
            yes = (counts if nominal else counts.cumsum(axis=1))[:, : _candidates(table, schema)]
            no = counts.sum(axis=1, keepdims=True) - yes
            worth = purity if self.quality == "purity" else _right
            scores.append(worth(yes) + worth(no))
        return list(np.concatenate(scores, axis=1))


@dataclass(frozen=True)
class Shared(Refinements):
    """Scores of conditions that refine all parts at once: one group, each score the sum over the parts.

    **Spread.** A record is in one part, and changes that part's term alone: R is that of a single part.
    """

    def groups(self, answers: Sequence[Answer], schema: Schema) -> list[NDArray[np.int64]]:
        return [np.sum(super().groups(answers, schema), axis=0)]


def _candidates(table: Contingency, schema: Schema) -> int:
    """Every value and "missing", or every cut."""
    column = schema[str(table.row)]
    return column.size + 1 if isinstance(column, Category) else len(table.cuts)


def purity(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """⌊1024·Σn_c²/n⌋ over the last axis, in whole numbers throughout; 0 where there is nobody.

    >>> purity(np.array([[8, 0], [4, 4], [0, 0]])).tolist()
    [8192, 4096, 0]
    """
    total = np.maximum(counts.sum(axis=-1), 1)
    whole, rest = np.divmod((counts**2).sum(axis=-1), total)
    return np.asarray(whole * _SCALE + rest * _SCALE // total, np.int64)


def _right(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.asarray(counts.max(axis=-1), np.int64)
