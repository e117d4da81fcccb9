"""How a released regression's predictions compare with the truth, in fixed point."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from privet.errors import DataError
from privet.schema import Number, Schema
from privet.stats.base import Answer, Sensitivity
from privet.stats.kernels import FIXED
from privet.stats.linear.encoding import fixed_point, scaled
from privet.stats.prediction import OfPredictions
from privet.stats.rows import Rows

__all__ = ["RegressionErrors"]


@dataclass(frozen=True, eq=False)
class RegressionErrors(OfPredictions):
    """(Σ 1, Σ t, Σ (t² − ½), Σ (e²/4 − ½), Σ (|e|/2 − ½)), t being the scaled target and e the error.

    The prediction is clamped to the target's bounds, so e lies in [−2, 2]. Records without a target do not
    count. From these sums follow the mean squared and absolute error and R² = 1 − Σe² / Σ(t − mean)².

    **Sensitivity**, in units of S = 2^20, the model being fixed: a record adds 1; |t| + |t² − ½| ≤ 3/2; and
    two terms of at most ½ each: L1 ≤ 7/2. L2² ≤ 1 + 5/4 + ¼ + ¼ = 11/4. In fixed point each term is rounded
    down from a value within the same whole-numbered bounds, or is exact, so it stays within them.
    """

    nonnegative = False
    scale = FIXED

    def norms(self, schema: Schema) -> Sensitivity:
        return Sensitivity(7 * self.scale // 2, 11 * self.scale**2 // 4)

    def start(self, schema: Schema) -> Answer:
        return np.zeros(5, np.int64)

    def fold(self, state: Answer, rows: Rows) -> Answer:
        column = rows.schema[self.target]
        if not isinstance(column, Number):
            raise DataError(f"Column '{self.target}' must be a number to be compared with predictions.")
        there = ~np.isnan(rows.numbers(self.target))
        t = fixed_point(scaled(rows, column), self.scale)[there]
        predicted = (
            np.clip(self.predictor.numbers(rows), column.low, column.high) - column.midpoint
        ) / column.half_range
        # A model that cannot say anything is a guess at the middle, never a NaN.
        p = fixed_point(np.nan_to_num(predicted), self.scale)[there]
        error = np.abs(t - p)  # at most 2S
        half = self.scale // 2
        terms = [
            np.full(t.size, self.scale),
            t,
            (t * t >> 20) - half,
            (error * error >> 22) - half,
            error // 2 - half,
        ]
        return state + np.array([int(term.sum()) for term in terms], np.int64)
