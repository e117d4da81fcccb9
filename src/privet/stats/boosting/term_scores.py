"""How much each candidate term would still tell: scores for a private choice of the next one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from privet.schema import Category, Schema
from privet.stats.base import Answer, Sensitivity, Statistic
from privet.stats.boosting.candidates import Candidates
from privet.stats.boosting.residuals import Residuals
from privet.stats.kernels import FIXED
from privet.stats.rows import Rows
from privet.stats.scores import Scores
from privet.stats.slices import Sliced, Slices

__all__ = ["TermScores", "TermTables"]

Groups = NDArray[Any]

# The groups of rows that are still in use: a search asks of the same rows, among the same terms, every round.
_kept: WeakKeyDictionary[Rows, tuple[Candidates, Groups]] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class TermTables(Statistic):
    """The residuals within the cells of every candidate, one below the other.

    **Sensitivity.** A record adds at most its residual to one cell of each candidate: L1 and L2² are those of
    one residual, times the number of candidates.
    """

    residuals: Residuals
    candidates: Candidates

    nonnegative = False
    scale = FIXED

    @property
    def columns(self) -> tuple[str, ...]:
        own = (each.coded.column for each in self.candidates.grouped)
        return tuple(dict.fromkeys((*self.residuals.columns, *own)))

    def norms(self, schema: Schema) -> Sensitivity:
        one = self.residuals.residual_norm
        return Sensitivity(one * len(self.candidates), one**2 * len(self.candidates))

    def _told(self, schema: Schema) -> int:
        """How many residuals there are: one for a number or two classes, else one per class."""
        target = schema[self.residuals.target]
        return target.size if isinstance(target, Category) and target.size > 2 else 1

    def start(self, schema: Schema) -> Answer:
        return self.candidates.start(self._told(schema))

    def fold(self, state: Answer, rows: Rows) -> Answer:
        entries = self.residuals.of(rows)[: len(state)]
        self.candidates.add(self._groups(rows), np.ascontiguousarray(entries), state)
        return state

    def _groups(self, rows: Rows) -> Groups:
        """Kept for rows that are asked in every round, and not for parts of others, which take turns."""
        found = _kept.get(rows)
        if found is not None and found[0] is self.candidates:
            return found[1]
        groups = self.candidates.groups_of(rows)
        if rows.around is None:
            _kept[rows] = (self.candidates, groups)
        return groups

    def finish(self, state: Answer, schema: Schema) -> Answer:
        return self.candidates.tables(state)


@dataclass(frozen=True, eq=False)
class TermScores(Scores):
    """Σ |residual| over the cells of each candidate, less a penalty that is known before.

    A term whose cells hold large sums of residuals has much to tell. By chance alone the sum grows with the
    number of cells; ``penalties`` take that off. They are made of what is public or released.

    **Spread.** A new record changes one cell of each candidate, by a residual vector whose L1 norm is at most
    N (``Residuals.residual_norm``). |·| moves by at most as much, up or down; the penalty does not move. So
    every score moves within [−N, N]: R = 2N.
    """

    tables: TermTables
    penalties: tuple[int, ...]
    slices: Slices | None = None  # of the records that are looked at; None for all
    around: Slices | None = None  # those whose residuals are measured next

    @property
    def scale(self) -> int:  # type: ignore[override]
        return self.tables.residuals.scale

    @property
    def spread(self) -> int:  # type: ignore[override]
        return 2 * self.tables.residuals.residual_norm

    @property
    def statistics(self) -> tuple[Statistic, ...]:
        return (self.tables if self.slices is None else Sliced(self.tables, self.slices, self.around),)

    def groups(self, answers: Sequence[Answer], schema: Schema) -> list[NDArray[np.int64]]:
        [cells] = answers
        told = np.add.reduceat(np.abs(cells).sum(axis=1), self.tables.candidates.offsets[:-1])
        return [told - np.array(self.penalties, np.int64)]
