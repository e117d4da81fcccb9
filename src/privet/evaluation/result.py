"""The result of an evaluation: figures with their error bars, the confusion matrix, and the guarantee."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privet.evaluation.figures import Figure, Measured, Sums, figures, nonnegative
from privet.release import Guarantee

if TYPE_CHECKING:
    from privet.report import Chart

__all__ = ["Evaluation"]

_NAMES = {
    "records": "Records",
    "accuracy": "Accuracy",
    "kappa": "Kappa",
    "mean_absolute_error": "Mean absolute error",
    "root_mean_squared_error": "Root mean squared error",
    "relative_absolute_error": "Relative absolute error",
    "root_relative_squared_error": "Root relative squared error",
    "log_loss": "Log loss",
}


@dataclass(frozen=True, eq=False)
class Evaluation:
    """How well a model predicts. Every figure is a value and an error bar (95 %) for the noise.

    ``confusion`` (rows actual, columns predicted) has no negative count and is for reading; ``noisy`` is what
    was released, from which the figures are computed. The error bars are for the noise only: that other test
    records would have given other figures comes on top. Figures that were not asked for are ``None``;
    ``log_loss_bound`` is where the log loss of a single record was cut;
    ``confusion_error`` is how far off a cell of ``noisy`` may be. Relative errors are shares of the
    error of always predicting the prior (1 means: no better).
    """

    labels: tuple[Any, ...]
    confusion: NDArray[np.float64]
    noisy: NDArray[np.float64]
    records: Figure
    accuracy: Figure
    kappa: Figure
    precision: tuple[Figure, ...]
    recall: tuple[Figure, ...]
    f1: tuple[Figure, ...]
    guarantee: Guarantee
    mean_absolute_error: Figure | None = None
    root_mean_squared_error: Figure | None = None
    relative_absolute_error: Figure | None = None
    root_relative_squared_error: Figure | None = None
    log_loss: Figure | None = None
    log_loss_bound: float | None = None
    confusion_error: float | None = None

    @classmethod
    def of(
        cls, labels: tuple[Any, ...], confusion: Measured, sums: Sums | None, guarantee: Guarantee
    ) -> Evaluation:
        """The evaluation that measured counts and sums (noisy, or exact for public data) amount to."""
        found = figures(confusion, sums)
        entries: dict[str, Any] = {n: each[0] if n in _NAMES else each for n, each in found.items()}
        return cls(
            labels=labels,
            confusion=nonnegative(confusion.value),
            noisy=confusion.value,
            guarantee=guarantee,
            log_loss_bound=None if sums is None else sums.bound,
            confusion_error=confusion.error,
            **entries,
        )

    def text(self) -> str:
        """The evaluation for a reader."""
        lines = []
        for name, title in _NAMES.items():
            figure: Figure | None = getattr(self, name)
            if figure is not None:
                lines.append(f"{title:<29}{figure.as_count() if name == 'records' else figure}")
        if self.log_loss_bound is not None:
            lines.append(f"  (the log loss of one record counts as at most {self.log_loss_bound:.3g})")
        width = max(8, *(len(str(label)) for label in self.labels)) + 2
        lines += ["", f"{'Class':<{width}}{'precision':<20}{'recall':<20}F1"]
        for label, *row in zip(self.labels, self.precision, self.recall, self.f1, strict=True):
            lines.append(f"{label!s:<{width}}{row[0]!s:<20}{row[1]!s:<20}{row[2]}")
        lines += ["", "Confusion matrix (rows: actual class, columns: predicted class)"]
        lines.append(" " * width + "".join(f"{label!s:>{width}}" for label in self.labels))
        for label, counts in zip(self.labels, self.confusion, strict=True):
            lines.append(f"{label!s:<{width}}" + "".join(f"{count:>{width}.0f}" for count in counts))
        if self.guarantee.steps:
            lines += ["", "± covers the privacy noise in 95 % of cases, not the choice of test records."]
        return "\n".join([*lines, "", self.guarantee.headline])

    def charts(self) -> tuple[Chart, ...]:
        """The confusion matrix, and how well each class is predicted."""
        from privet.report.charts import Bars, Heatmap, Series, numbers

        labels = tuple(map(str, self.labels))
        matrix = Heatmap(
            "Confusion matrix",
            labels,
            labels,
            tuple(map(numbers, self.confusion)),
            error=self.confusion_error,
            x="predicted",
            y="actual",
            note="Records. On the diagonal are those that were predicted right.",
        )
        series = tuple(
            Series(name, numbers(each), numbers(figure.error for figure in each))
            for name, each in (("precision", self.precision), ("recall", self.recall), ("F1", self.f1))
        )
        if any(math.isnan(value) for one in series for value in (*one.values, *(one.errors or ()))):
            return (matrix,)
        note = "Bars are for the privacy noise (95 %), not for the choice of test records."
        return matrix, Bars("How well each class is predicted", labels, series, y="share", note=note)

    def __str__(self) -> str:
        return self.text()

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, for JSON."""
        plain: dict[str, Any] = {}
        for field in fields(self):
            plain[field.name] = _plain(getattr(self, field.name))
        return plain


def _plain(value: Any) -> Any:
    if isinstance(value, Figure | Guarantee):
        return value.to_dict()
    if isinstance(value, np.ndarray):
        return value.tolist()
    return [_plain(item) for item in value] if isinstance(value, tuple) else value
