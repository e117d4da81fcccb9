"""What classifiers share: a class as the target, and predictions from scores of each class."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp
from sklearn.base import ClassifierMixin

from privet.estimator.base import PrivateEstimator
from privet.estimator.paid_score import PaidScore
from privet.stats import Rows

__all__ = ["PrivateClassifier"]


class PrivateClassifier(ClassifierMixin, PrivateEstimator):
    """Base of the classifiers: subclasses write ``_fit`` and ``_log_scores``."""

    family: ClassVar[str] = "classify"
    classes_: NDArray[Any]
    score = PaidScore(ClassifierMixin.score)

    @abstractmethod
    def _log_scores(self, rows: Rows) -> NDArray[np.float64]:
        """log P(class, record) up to a constant for each record: records × classes."""

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Logarithms of the class probabilities of each record."""
        parts = [scores - logsumexp(scores, axis=1, keepdims=True) for scores in self._all_scores(X)]
        return np.concatenate(parts) if parts else np.empty((0, len(self.classes_)))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Class probabilities of each record."""
        return np.exp(self.predict_log_proba(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each record."""
        parts = [scores.argmax(axis=1) for scores in self._all_scores(X)]
        return self.classes_[np.concatenate(parts)] if parts else self.classes_[:0]

    def _all_scores(self, X: Any) -> Iterator[NDArray[np.float64]]:
        return (self._log_scores(rows) for rows in self._rows(X))
