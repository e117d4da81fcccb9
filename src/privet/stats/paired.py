"""Two released models on the same records: which of them is right, or nearer to the truth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from privet.schema import Schema
from privet.stats.base import Answer, Sensitivity, Statistic
from privet.stats.kernels import FIXED
from privet.stats.prediction import Predictor, number_of_classes, scores_of
from privet.stats.residual_counts import residuals
from privet.stats.rows import Rows

__all__ = ["ErrorDifferences", "RightTogether"]


@dataclass(frozen=True)
class _Paired(Statistic):
    """Two models and the target that both predict."""

    first: Predictor
    second: Predictor
    target: str

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.first.columns, *self.second.columns, self.target)))


@dataclass(frozen=True)
class RightTogether(_Paired):
    """How many records the first classifier (rows: wrong, right) and the second (columns) predict rightly.

    **Sensitivity.** Both models are fixed, so a record is in one cell (in none, if its class is missing):
    L1 = L2² = 1. Two confusion matrices of the same records would have twice that.
    """

    def norms(self, schema: Schema) -> Sensitivity:
        return Sensitivity(1, 1)

    def start(self, schema: Schema) -> Answer:
        return np.zeros((2, 2), np.int64)

    def fold(self, state: Answer, rows: Rows) -> Answer:
        classes = number_of_classes(rows.schema, self.target)
        actual = rows.codes(self.target).astype(np.int64)
        one, two = (
            scores_of(model, rows, classes).argmax(axis=1) == actual for model in (self.first, self.second)
        )
        cells = (2 * one + two)[actual < classes]
        return state + np.bincount(cells, minlength=4).reshape(2, 2)


@dataclass(frozen=True)
class ErrorDifferences(_Paired):
    """(Σ 1, Σ d, Σ (d² − ½)), d being how much larger the first regression's squared error is, over 4.

    Errors are in half ranges, so each square is within [0, 4] and d within [−1, 1]. Records without a target
    do not count.

    **Sensitivity**, in units of S = 2^20, both models being fixed: a record adds 1, and with x = |d| ≤ 1
    |d| + |d² − ½| = x + |x² − ½|, which is x² + x − ½ ≤ 3/2 from x² = ½ on and x − x² + ½ ≤ 3/4 before. So
    L1 ≤ 5/2. L2² ≤ 1 + x² + (x² − ½)² = 1 + x⁴ + ¼ ≤ 9/4. In fixed point d is rounded towards 0 and
    its square down, so the first two terms are within their bounds, and d² − ½ is within [−½, ½]; where the
    square is rounded down below ½, the sum grows by at most one unit beyond x − x² + ½, far below 3/2.
    """

    nonnegative = False
    scale = FIXED

    def norms(self, schema: Schema) -> Sensitivity:
        return Sensitivity(5 * self.scale // 2, 9 * self.scale**2 // 4)

    def start(self, schema: Schema) -> Answer:
        return np.zeros(3, np.int64)

    def fold(self, state: Answer, rows: Rows) -> Answer:
        one, two = (residuals(model, rows, self.target) for model in (self.first, self.second))
        there = ~np.isnan(one)
        larger = np.clip((one[there] ** 2 - two[there] ** 2) / 4, -1, 1)
        d = np.trunc(larger * self.scale).astype(np.int64)
        squared = (d * d >> 20) - self.scale // 2
        return state + np.array([there.sum() * self.scale, d.sum(), squared.sum()], np.int64)
