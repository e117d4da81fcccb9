"""How far a regression's predictions lie from the truth, as a histogram."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from privet.errors import DataError
from privet.schema import Number, Schema
from privet.stats.base import Answer, Sensitivity
from privet.stats.prediction import OfPredictions, Predictor
from privet.stats.rows import Rows

__all__ = ["ResidualCounts"]


@dataclass(frozen=True)
class ResidualCounts(OfPredictions):
    """How many records have a residual (the true number less the predicted one) in each of ``bins``.

    The bins are of equal width and span all that a residual can be: predictions are held to the target's
    bounds, so it is within plus or minus their distance. Records without a target do not count.

    **Sensitivity.** The model and the bins are fixed, so a record is in one bin (in none, if its target is
    missing): L1 = L2² = 1. A prediction that is no number counts as the middle of the bounds.
    """

    bins: int

    def norms(self, schema: Schema) -> Sensitivity:
        return Sensitivity(1, 1)

    def start(self, schema: Schema) -> Answer:
        return np.zeros(self.bins, np.int64)

    def fold(self, state: Answer, rows: Rows) -> Answer:
        residual = residuals(self.predictor, rows, self.target)  # within [−2, 2]
        place = np.floor((residual[~np.isnan(residual)] + 2) / 4 * self.bins).astype(np.int64)
        return state + np.bincount(np.clip(place, 0, self.bins - 1), minlength=self.bins)


def residuals(predictor: Predictor, rows: Rows, target: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """True less predicted number in half ranges, both held to the bounds; NaN where the truth is missing."""
    column = rows.schema[target]
    if not isinstance(column, Number):
        raise DataError(f"Column '{target}' must be a number to be compared with predictions.")
    predicted = np.nan_to_num(predictor.numbers(rows), nan=column.midpoint)
    ends = (column.low, column.high)
    return (np.clip(rows.numbers(target), *ends) - np.clip(predicted, *ends)) / column.half_range
