"""How near each bin of a number is to a quantile: for a private choice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from privet.schema import Schema
from privet.stats.base import Answer, Statistic
from privet.stats.scores import Scores

__all__ = ["QuantileRanks"]


@dataclass(frozen=True)
class QuantileRanks(Scores):
    """By how many records each bin misses a quantile, as a negative number, in each cell of a cross-table.

    ``table`` counts records by cell, and last by the bins of a number (then its missing values, which have no
    rank). With F records below a bin, f in it and N in all bins of the cell, the quantile p/d lies in the bin
    if F ≤ pN/d ≤ F + f. The score is −max(0, dF − pN, pN − d(F + f)), in units of 1/d: 0 where it does. So
    values that are tied, or lie in one bin, count as no error.

    **Spread.** One more record in the cell raises N by 1, and F and F + f each by 0 or 1. So dF − pN moves by
    −p or d − p, and pN − d(F + f) by p or p − d: each moves within [−m, m] with m = max(p, d − p), and so
    does the largest of them and 0. R = 2m. A record in another cell, or without the number, moves nothing.

    >>> from privet.stats import Coded, CrossTable
    >>> schema = Schema.of({"age": (0, 90)})
    >>> question = QuantileRanks(CrossTable((Coded("age", (30.0, 60.0)),)), Fraction(1, 2))
    >>> question.groups([np.array([5, 3, 2, 0])], schema)[0].tolist(), question.spread
    ([0, 0, -6], 2)
    """

    table: Statistic
    quantile: Fraction

    @property
    def spread(self) -> int:  # type: ignore[override]
        p, d = self.quantile.numerator, self.quantile.denominator
        return 2 * max(p, d - p)

    @property
    def scale(self) -> int:  # type: ignore[override]
        return self.quantile.denominator

    @property
    def statistics(self) -> tuple[Statistic, ...]:
        return (self.table,)

    def groups(self, answers: Sequence[Answer], schema: Schema) -> list[NDArray[np.int64]]:
        bins = answers[0].shape[-1] - 1
        cells = answers[0].reshape(-1, bins + 1)[:, :bins]
        return [self._scores(counts) for counts in cells]

    def _scores(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        p, d = self.quantile.numerator, self.quantile.denominator
        ends = counts.cumsum()
        wanted = p * ends[-1]
        missed = np.maximum(d * (ends - counts) - wanted, wanted - d * ends)
        return -np.maximum(missed, 0)
