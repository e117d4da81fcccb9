"""How well a released regression predicts: R² and errors, noised and paid for, or exact on public data.

**Privacy.** The model is fixed, and all figures come from one measurement of five sums, which takes the whole
budget (``stats.regression_errors`` proves its sensitivity). Error bars are computed from the release alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.curator import Measurement
from privet.evaluation.figures import Figure, Measured
from privet.learning.regress.base import numeric_target
from privet.release import Guarantee
from privet.schema import Number, Schema
from privet.stats import Rows
from privet.stats.regression_errors import RegressionErrors

__all__ = ["RegressionEvaluation", "regression_plan"]

_NAMES = {
    "records": "Records",
    "r2": "R²",
    "mean_absolute_error": "Mean absolute error",
    "root_mean_squared_error": "Root mean squared error",
}
DRAWS = 4000
LEAST_VARIANCE = 1e-6  # of the target, in squared half ranges


@dataclass(frozen=True)
class RegressionEvaluation:
    """Figures of a regression, errors in the target's unit, each with an error bar (95 %) for the noise."""

    target: str
    records: Figure
    r2: Figure
    mean_absolute_error: Figure
    root_mean_squared_error: Figure
    guarantee: Guarantee

    @classmethod
    def of(cls, column: Number, sums: Measured, guarantee: Guarantee) -> RegressionEvaluation:
        """What five measured sums (noisy, or exact for public data) amount to."""
        values = _figures(column, sums.value)
        errors = np.zeros(len(values))
        if sums.releases:
            drawn = _figures(column, np.moveaxis(sums.draws(np.random.default_rng(0), DRAWS), 1, 0))
            errors = np.quantile(np.abs(drawn - values[:, None]), 0.95, axis=1)
        records, r2, mae, rmse = (
            Figure(float(value), float(error)) for value, error in zip(values, errors, strict=True)
        )
        return cls(column.name, records, r2, mae, rmse, guarantee)

    def text(self) -> str:
        """The evaluation for a reader."""
        figures = {name: getattr(self, name) for name in _NAMES} | {"records": self.records.as_count()}
        lines = [f"{title:<29}{figures[name]}" for name, title in _NAMES.items()]
        if self.guarantee.steps:
            lines += ["", "± covers the privacy noise in 95 % of cases, not the choice of test records."]
        return "\n".join([*lines, "", self.guarantee.headline])

    def __str__(self) -> str:
        return self.text()

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, for JSON."""
        figures = {name: getattr(self, name).to_dict() for name in _NAMES}
        return {"target": self.target, **figures, "guarantee": self.guarantee.to_dict()}


def regression_plan(schema: Schema, predictions: Any = None) -> list[Measurement]:
    """What is asked of the test records; without a model, what would be asked."""
    target = numeric_target(schema).name
    columns = tuple(column.name for column in schema.attributes) if predictions is not None else ()
    question = RegressionErrors(predictions or _middle, target, columns)
    return [Measurement(question, Fraction(1), f"errors of the predicted '{target}'")]


def _figures(column: Number, sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Records, R², mean absolute and root mean squared error, each within what is possible."""
    number, first, square, squared_error, absolute = np.asarray(sums, float)
    size = np.maximum(number, 1.0)
    mean = np.clip(first / size, -1, 1)
    variance = np.clip(square / size + 0.5 - mean**2, LEAST_VARIANCE, 1.0)
    mae = np.clip(2 * (absolute / size + 0.5), 0, 2)
    mse = np.clip(4 * (squared_error / size + 0.5), mae**2, 4)  # a mean of squares is no less
    half = float(column.half_range)
    return np.stack([number, 1 - mse / variance, mae * half, np.sqrt(mse) * half])


def _middle(rows: Rows) -> NDArray[np.float64]:
    return np.full(rows.size, numeric_target(rows.schema).midpoint)
