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

from privet.curator import Measure
from privet.estimator import numeric_target
from privet.evaluation.figures import CONFIDENCE, Figure, Measured, root
from privet.release import Guarantee
from privet.schema import Number, Schema
from privet.stats import Predictor
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
        values = _figures(sums.value, held=True)
        errors = np.zeros(len(values))
        if sums.releases:
            drawn = _figures(np.moveaxis(sums.draws(np.random.default_rng(0), DRAWS), 1, 0), held=False)
            errors = np.quantile(np.abs(drawn - values[:, None]), CONFIDENCE, axis=1)
        values[3], errors[3] = root(values[3], errors[3])
        most = np.maximum(values[2:], 2 - values[2:])  # an error is within the target's range
        errors[2:] = np.minimum(errors[2:], most)
        half = float(column.half_range)
        records, r2, mae, rmse = (
            Figure(float(value * unit), float(error * unit))
            for value, error, unit in zip(values, errors, (1, 1, half, half), strict=True)
        )
        return cls(column.name, records, r2, mae, rmse, guarantee)

    def text(self) -> str:
        """The evaluation for a reader."""
        figures = {name: str(getattr(self, name)) for name in _NAMES} | {"records": self.records.as_count()}
        if self.r2.error > 1:
            figures["r2"] = f"not known: {self.r2}"
        lines = [f"{title:<29}{figures[name]}" for name, title in _NAMES.items()]
        if self.r2.error > 1:
            lines += [
                "",
                "At this budget the noise on R² is larger than all that lies between a model of no use (0)",
                "and a perfect one (1). More records or a larger epsilon make it smaller.",
            ]
        if self.guarantee.steps:
            lines += ["", "± covers the privacy noise in 95 % of cases, not the choice of test records."]
        return "\n".join([*lines, "", self.guarantee.headline])

    def __str__(self) -> str:
        return self.text()

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, for JSON."""
        figures = {name: getattr(self, name).to_dict() for name in _NAMES}
        return {"target": self.target, **figures, "guarantee": self.guarantee.to_dict()}


def regression_plan(schema: Schema, predictor: Predictor) -> list[tuple[Measure, Fraction]]:
    """What is asked of the test records."""
    target = numeric_target(schema).name
    question = RegressionErrors(predictor, target)
    return [(Measure(question, f"errors of the predicted '{target}'"), Fraction(1))]


def _figures(sums: NDArray[np.float64], *, held: bool) -> NDArray[np.float64]:
    """Records, R², mean absolute and mean *squared* error in half ranges; ``held`` to what is possible."""

    def within(values: Any, low: Any, high: float) -> Any:
        return np.clip(values, low, high) if held else values

    number, first, square, squared_error, absolute = np.asarray(sums, float)
    size = np.maximum(number, 1.0)
    mean = np.clip(first / size, -1, 1)
    variance = np.clip(square / size + 0.5 - mean**2, LEAST_VARIANCE, 1.0)
    mae = within(2 * (absolute / size + 0.5), 0, 2)
    mse = within(4 * (squared_error / size + 0.5), mae**2, 4)  # a mean of squares is no less
    return np.stack([number, 1 - mse / variance, mae, mse])
