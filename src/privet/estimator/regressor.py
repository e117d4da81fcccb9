"""What regressions share: a number as the target, and predictions that stay within its public bounds."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import column_or_1d, validate_data

from privet.budget import Ledger
from privet.curator.tables import as_source, infer_schema, is_table
from privet.errors import SchemaError
from privet.estimator.base import PrivateEstimator
from privet.estimator.paid_score import PaidScore
from privet.estimator.tables import require_array
from privet.schema import Number, Schema
from privet.stats import Rows

__all__ = ["PrivateRegressor", "numeric_target"]


class PrivateRegressor(RegressorMixin, PrivateEstimator):
    """Base of the regressions: subclasses write ``_fit`` and ``_predictions``."""

    family: ClassVar[str] = "regress"
    score = PaidScore(RegressorMixin.score)

    @abstractmethod
    def _predictions(self, rows: Rows) -> NDArray[np.float64]:
        """The predicted number of each record."""

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The predicted number of each record, within the target's public bounds."""
        parts = [self._predictions(rows) for rows in self._rows(X)]
        return np.concatenate(parts) if parts else np.empty(0)

    def _table(self, X: Any, y: Any, *, ledger: Ledger | None = None) -> tuple[Any, Schema]:
        if self._declared() is not None or is_table(X):
            return super()._table(X, y, ledger=ledger)
        # The opt-out from any guarantee: bounds read off the data, those of the target too.
        if hasattr(X, "columns") or hasattr(X, "column_names"):
            validate_data(self, X, y, skip_check_array=True)
            y = column_or_1d(y, warn=True)
            self.columns_ = tuple(map(str, getattr(X, "column_names", getattr(X, "columns", ()))))
        else:
            require_array(X, y)
            X, y = validate_data(self, X, y, dtype=None, ensure_all_finite="allow-nan", y_numeric=True)
            self.columns_ = tuple(f"x{place}" for place in range(X.shape[1]))
        source = as_source(X, y, names=self.columns_, target="target")
        return source, replace(infer_schema(source, None), target="target")


def numeric_target(schema: Schema) -> Number:
    """The target, which must be there and be a number."""
    if schema.target is None:
        raise SchemaError(
            "The schema names no target, and this algorithm predicts one.", 'Add the line  target = "…"'
        )
    column = schema[schema.target]
    if not isinstance(column, Number):
        raise SchemaError(
            f"The target '{column.name}' is a category, and a regression predicts a number.",
            'Declare it with  kind = "number"  and its bounds, or choose a classifier.',
        )
    return column
