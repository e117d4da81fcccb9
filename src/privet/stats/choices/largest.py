"""Which class is the largest: for a private choice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privet.schema import Schema
from privet.stats.base import Answer, Statistic
from privet.stats.contingency import Contingency
from privet.stats.scores import Scores

__all__ = ["LargestClass"]


@dataclass(frozen=True)
class LargestClass(Scores):
    """How many records each class of ``target`` has.

    **Spread.** A new record raises the size of its own class by 1 and leaves the others: every score moves
    within [0, 1], and R = 1.

    >>> schema = Schema.of({"ill": ["no", "yes"]}, target="ill")
    >>> LargestClass("ill").groups([np.array([[30, 5]])], schema)[0].tolist()
    [30, 5]
    """

    target: str

    @property
    def statistics(self) -> tuple[Statistic, ...]:
        return (Contingency(None, self.target),)

    def groups(self, answers: Sequence[Answer], schema: Schema) -> list[NDArray[np.int64]]:
        [counts] = answers
        return [np.asarray(counts[0], np.int64)]
