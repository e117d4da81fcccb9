"""How records of each class are spread over a model's scores: what ROC, calibration and lift are made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from privet.schema import Schema
from privet.stats.base import Answer, Sensitivity
from privet.stats.prediction import OfPredictions, log_probabilities, number_of_classes, scores_of
from privet.stats.rows import Rows

__all__ = ["ScoreTable"]


@dataclass(frozen=True)
class ScoreTable(OfPredictions):
    """How many records of each class (rows) get log odds for one class in each bin (columns).

    ``positive`` is the place of that class, and the bins lie between the public ``cuts`` of the log odds
    log(p / (1 − p)) that the model gives it.

    **Sensitivity.** The model and the cuts are fixed, so a record is in one cell (in none, if its class is
    missing): L1 = L2² = 1, however many bins there are. A record that the model cannot score is a uniform
    guess, never a NaN, so it is in one cell too.
    """

    positive: int
    cuts: tuple[float, ...]

    def norms(self, schema: Schema) -> Sensitivity:
        return Sensitivity(1, 1)

    def start(self, schema: Schema) -> Answer:
        # The last row is for records without a class.
        return np.zeros((number_of_classes(schema, self.target) + 1, len(self.cuts) + 1), np.int64)

    def fold(self, state: Answer, rows: Rows) -> Answer:
        classes, bins = state.shape
        logarithms = log_probabilities(scores_of(self.predictor, rows, classes - 1))
        others = np.delete(logarithms, self.positive, axis=1)
        with np.errstate(divide="ignore"):
            odds = logarithms[:, self.positive] - np.log(np.exp(others).sum(axis=1))
        place = np.searchsorted(self.cuts, odds, side="right")
        actual = rows.codes(self.target).astype(np.int64)
        return state + np.bincount(actual * bins + place, minlength=state.size).reshape(state.shape)

    def finish(self, state: Answer, schema: Schema) -> Answer:
        return state[:-1]
