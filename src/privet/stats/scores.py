"""Scores of candidates, for a private choice among them: computed from exact answers, never released.

``Scores`` names the statistics it needs and says how they become whole-number scores, in one or more
*groups*; from each group one candidate is chosen. The curator alone sees the answers and the scores.

**Sensitivity.** ``spread`` is R, the width of an interval [−a, b], R = a + b, that holds the change of every
score when one record is added. A record is scored in at most one group. Permute-and-flip and the exponential
mechanism with noise of scale s lose at most R/s by one record (proofs: ``mechanisms``; a rival rises by at
most b while the chosen one falls by at most a). So:

* one record, add_remove: R/s, in the record's own group. A score that records can only raise has a = 0, so
  R = b: no factor 2.
* one record, replace: one record goes and one comes, in the same group or another: 2R/s.
* a person with at most k records: they are added one after the other, kᵢ of them in group i with Σkᵢ ≤ k,
  and the groups' losses add up: Σ kᵢR/s ≤ kR/s; twice that under replace.

So s = R·k·(1 or 2)/ε gives ε for *all groups together*: they compose in parallel. Under zCDP the choices are
the exponential mechanism's, whose loss at every candidate lies in an interval as wide as the sum above
("bounded range"); groups add up to Σrᵢ²/8 ≤ (Σrᵢ)²/8, so ε²/8 of ρ pays for all of them (Cesar, Rogers 2021).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privet.schema import Schema
from privet.stats.base import Answer, Statistic
from privet.stats.contingency import Contingency

__all__ = ["MajorityCorrect", "Scores"]


class Scores(ABC):
    """A question whose answer is a choice. Subclasses are frozen dataclasses, with a proof of ``spread``."""

    #: The width of the interval in which one more record can move each score (see the module's proof).
    spread: int = 1
    #: Fixed point: a score counts multiples of 1 / scale.
    scale: int = 1

    @property
    @abstractmethod
    def statistics(self) -> tuple[Statistic, ...]:
        """What must be known exactly to score the candidates."""

    @abstractmethod
    def groups(self, answers: Sequence[Answer], schema: Schema) -> list[NDArray[np.int64]]:
        """The candidates' scores, larger is better: one array for each group."""

    def sensitivity(self, schema: Schema) -> int:
        """R·k·(1 or 2): the scale of the noise is this over ε."""
        exchanged = schema.unit.neighbours == "replace"
        return self.spread * schema.unit.most * (2 if exchanged else 1)


@dataclass(frozen=True)
class MajorityCorrect(Scores):
    """For each table, how many records it classifies rightly if each row predicts its largest class.

    **Spread.** A new record adds 1 to one cell, so the largest cell of that row grows by 0 or 1 and the
    others stay: every score moves within [0, 1], and R = 1.

    >>> from privet.schema import Schema
    >>> schema = Schema.of({"smoker": ["no", "yes"], "ill": ["no", "yes"]}, target="ill")
    >>> question = MajorityCorrect((Contingency("smoker", "ill"), Contingency(None, "ill")))
    >>> tables = [np.array([[30, 5], [10, 20], [0, 0]]), np.array([[40, 25]])]
    >>> [group.tolist() for group in question.groups(tables, schema)]
    [[50, 40]]
    """

    tables: tuple[Contingency, ...]

    @property
    def statistics(self) -> tuple[Statistic, ...]:
        return self.tables

    def groups(self, answers: Sequence[Answer], schema: Schema) -> list[NDArray[np.int64]]:
        return [np.array([answer.max(axis=1).sum() for answer in answers], np.int64)]
