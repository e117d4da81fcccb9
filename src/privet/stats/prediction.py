"""How a model's predictions compare with the truth: the confusion matrix, and sums of probability errors."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.errors import DataError
from privet.schema import Category, Number, Schema
from privet.stats.base import Answer, Sensitivity, Statistic
from privet.stats.kernels import FIXED
from privet.stats.last import Last
from privet.stats.rows import Rows

__all__ = [
    "Confusion",
    "FoldPredictor",
    "NoModel",
    "OfPredictions",
    "PredictionErrors",
    "Predictor",
    "log_probabilities",
    "number_of_classes",
    "scores_of",
]

Scores = NDArray[np.float64]


_last: Last[Scores] = Last()  # several statistics of one pass ask for the same scores


@dataclass(frozen=True, eq=False)
class Predictor:
    """A released model, and the columns that it reads.

    This is the one place where an algorithm's own code runs on rows: the model's ``_log_scores`` (records ×
    classes) or ``_predictions`` (a number for each record). All that the statistics take from it is one
    prediction for each record, which they hold to public bounds. So a record counts as much as the
    statistic's sensitivity says, *if* the model predicts each record by that record alone. Privet's own
    models do (``tests/attacks/test_models.py``); of others a guarantee says that it is their author's word
    (``curator.ask.own``). The model must have been released already: it may depend on the table through that
    release only.
    """

    model: Any = field(metadata={"released": True})
    columns: tuple[str, ...]

    def scores(self, rows: Rows) -> Scores:
        """The model's log scores: records × classes."""
        return _last.get(rows, self, lambda: np.asarray(self._scores(rows), np.float64))

    def numbers(self, rows: Rows) -> NDArray[np.float64]:
        """The number that the model predicts for each record."""
        return np.asarray(self.model._predictions(rows), np.float64)

    def _scores(self, rows: Rows) -> Scores:
        found: Scores = self.model._log_scores(rows)
        return found


@dataclass(frozen=True, eq=False)
class FoldPredictor(Predictor):
    """Each record's prediction by the one of several models that was trained without the record's fold.

    The number of a record's fold is in the column ``label``. The models know the ``schema`` without that
    column. Sources cut by folds (``curator.folds``) give batches of one fold, but whoever keeps some records
    of each person (``stats.contribution``) may cut them anew: each record is looked up by its own fold.
    """

    label: str
    schema: Schema

    def numbers(self, rows: Rows) -> NDArray[np.float64]:
        return self._by_fold(rows, lambda model, seen: model._predictions(seen))

    def _scores(self, rows: Rows) -> Scores:
        return self._by_fold(rows, lambda model, seen: model._log_scores(seen))

    def _by_fold(self, rows: Rows, predicted: Callable[[Any, Rows], Any]) -> NDArray[np.float64]:
        seen = copy(rows)
        seen.schema = self.schema
        own = rows.codes(self.label)
        first, *others = np.unique(own).tolist() or [0]
        found = np.array(predicted(self.model[first], seen), np.float64)
        for fold in others:
            there = own == fold
            found[there] = np.asarray(predicted(self.model[fold], seen), np.float64)[there]
        return found


@dataclass(frozen=True, eq=False)
class NoModel(Predictor):
    """No model yet, for rehearsals: every class is as likely, and a number is in the middle of its bounds."""

    model: Any = None
    columns: tuple[str, ...] = ()

    def numbers(self, rows: Rows) -> NDArray[np.float64]:
        column = rows.schema[str(rows.schema.target)]
        assert isinstance(column, Number)
        return np.full(rows.size, float(column.midpoint))

    def _scores(self, rows: Rows) -> Scores:
        return np.zeros((rows.size, rows.schema.nominal_target().size))


@dataclass(frozen=True)
class OfPredictions(Statistic):
    """What a fixed model predicts for each record, beside the target that it predicts."""

    predictor: Predictor
    target: str

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.predictor.columns, self.target)


@dataclass(frozen=True)
class Confusion(OfPredictions):
    """How many records of each class (rows) are predicted to be of each class (columns).

    **Sensitivity.** The model is fixed, so a record is in one cell (in none, if its class is missing):
    L1 = L2² = 1, however many classes there are.
    """

    def norms(self, schema: Schema) -> Sensitivity:
        return Sensitivity(1, 1)

    def start(self, schema: Schema) -> Answer:
        size = number_of_classes(schema, self.target)
        return np.zeros((size + 1, size), np.int64)  # last row: no class

    def fold(self, state: Answer, rows: Rows) -> Answer:
        actual = rows.codes(self.target).astype(np.int64)
        predicted = scores_of(self.predictor, rows, state.shape[1]).argmax(axis=1)
        cells = np.bincount(actual * state.shape[1] + predicted, minlength=state.size)
        return state + cells.reshape(state.shape)

    def finish(self, state: Answer, schema: Schema) -> Answer:
        return state[:-1]


@dataclass(frozen=True)
class PredictionErrors(OfPredictions):
    """Sums over records of (e₁ − ½, e₂ − ½, e₃ − ½), from which WEKA's error measures and log loss follow.

    With p the predicted probabilities and y the actual class (as 0/1 for each class c):
    e₁ = ½ Σ|p_c − y_c| = 1 − p_y, e₂ = ½ Σ(p_c − y_c)², and e₃ = min(−log p_y, bound) / bound. Each is in
    [0, 1]: e₁ is one minus a probability; Σ(p_c − y_c)² = (1 − p_y)² + Σ_{c≠y} p_c² ≤ 2(1 − p_y)² ≤ 2; and
    e₃ is cut at the public bound.

    **Sensitivity.** In fixed point with S = 2^20, ⌊S·e + ½⌋ is clamped to [0, S] and S/2 is taken off, so a
    record adds three numbers in [−S/2, S/2]: L1 ≤ 3S/2 and L2² ≤ 3S²/4, both attained by a certain and wrong
    prediction. A record without a class adds nothing. Replacing a record moves each number by at most S:
    L1 3S, L2² 3S², which is what ``nonnegative = False`` gives. Taking ½ off is what halves the noise; it is
    put back with the number of records, which the confusion matrix tells.
    """

    bound: float

    nonnegative = False
    scale = FIXED

    def norms(self, schema: Schema) -> Sensitivity:
        return Sensitivity(3 * self.scale // 2, 3 * self.scale**2 // 4)

    def start(self, schema: Schema) -> Answer:
        return np.zeros(3, np.int64)

    def fold(self, state: Answer, rows: Rows) -> Answer:
        size = number_of_classes(rows.schema, self.target)
        actual = rows.codes(self.target).astype(np.int64)
        known = np.flatnonzero(actual < size)
        actual = actual[known]
        log_probability = log_probabilities(scores_of(self.predictor, rows, size)[known])
        loss = -log_probability[np.arange(known.size), actual]
        difference = np.exp(log_probability)
        difference[np.arange(known.size), actual] -= 1
        errors = np.stack(
            [
                np.abs(difference).sum(axis=1) / 2,
                (difference**2).sum(axis=1) / 2,
                np.minimum(loss, self.bound) / self.bound,
            ]
        )
        whole = np.floor(np.clip(errors, 0, 1) * self.scale + 0.5).astype(np.int64)
        return state + whole.sum(axis=1) - known.size * (self.scale // 2)


def number_of_classes(schema: Schema, target: str) -> int:
    """How many classes the target has; an error if it is none."""
    column = schema[target]
    if not isinstance(column, Category):
        raise DataError(f"Column '{target}' must be a category to compare predictions with it.")
    return column.size


def scores_of(predictor: Predictor, rows: Rows, classes: int) -> Scores:
    """The model's log scores, which must be one for each record and class."""
    scores = predictor.scores(rows)
    if scores.shape != (rows.size, classes):
        raise DataError("The model does not score each record for each class of the schema.")
    return scores


def log_probabilities(scores: Scores) -> Scores:
    """Normalised scores; a record that the model cannot score is a uniform guess, never NaN."""
    # A NaN would become an arbitrary whole number, and the bound on a record's contribution would be lost.
    unusable = ~(np.isfinite(scores.max(axis=1, initial=-np.inf)) & ~np.isnan(scores).any(axis=1))
    scores = np.where(unusable[:, None], 0.0, scores)
    scores = scores - scores.max(axis=1, initial=-np.inf, keepdims=True)
    log_probability: Scores = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
    return log_probability
