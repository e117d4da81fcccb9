"""Scores of the splits of a tree's leaves: in two, or into all values of a category."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privet.schema import Category, Schema
from privet.stats.base import Answer, Statistic
from privet.stats.choices.refinements import Candidate, Refinements, purity
from privet.stats.slices import Sliced, Slices

__all__ = ["ALL_VALUES", "Splits"]

ALL_VALUES = -1


@dataclass(frozen=True)
class Splits(Refinements):
    """``Refinements`` by purity, and beside them for each category the split into all its values.

    ``penalty`` (in the scores' fixed point) is taken off for each branch beyond two: it is public.

    **Spread.** A record is in one part, and there in one branch of each split, whose class counts it raises
    by 1 in one place; the other branches stay. So each score changes as one branch's g = Σ n_c²/n does, which
    moves within [−1, 1] (``Refinements``): R = 2 in fixed point, however many branches there are. A penalty
    that does not depend on the records changes nothing of that.
    """

    penalty: int = 0
    multiway: bool = True
    slices: Slices | None = None  # of the records that are looked at; None for all

    @property
    def statistics(self) -> tuple[Statistic, ...]:
        own = super().statistics
        return own if self.slices is None else tuple(Sliced(each, self.slices) for each in own)

    def _categories(self, schema: Schema) -> list[int]:
        places = [
            place
            for place, table in enumerate(self.tables)
            if isinstance(column := schema[str(table.row)], Category) and column.size > 2
        ]
        return places if self.multiway else []

    def candidates(self, schema: Schema) -> list[Candidate]:
        whole = [(place, ALL_VALUES) for place in self._categories(schema)]
        return [*super().candidates(schema), *whole]

    def groups(self, answers: Sequence[Answer], schema: Schema) -> list[NDArray[np.int64]]:
        binary = super().groups(answers, schema)
        whole = [
            purity(answers[place]).sum(axis=1) - self.penalty * (answers[place].shape[1] - 2)
            for place in self._categories(schema)
        ]
        if not whole:
            return binary
        return [np.append(group, more) for group, more in zip(binary, np.stack(whole, axis=1), strict=True)]
