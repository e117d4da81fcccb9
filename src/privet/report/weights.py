"""The weights of a linear model for a reader: largest first, as a table, a chart and plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.errors import ModelError
from privet.report.charts import Bars, Chart, Series, numbers

__all__ = ["INTERCEPT", "NO_ERROR_BARS", "Weights", "pictures_of"]

Numbers = NDArray[np.float64]

INTERCEPT = "(intercept)"
MOST = 20
NO_ERROR_BARS = (
    "This method gives no error bars: how far the noise has moved a weight is not known. The methods "
    "newton and functional have them."
)
_SCALE = (
    "The coordinate of a number goes from −1 (its lower bound) to 1 (its upper bound); that of a category's "
    "value is 1 where a record has it, else 0. Compare the values of one category with each other: what "
    "their weights have in common could as well be in the intercept."
)


@dataclass(frozen=True, eq=False)
class Weights:
    """Weights by the name of their coordinate (rows) and by class (columns; one for a predicted number).

    The first row is the intercept, the others follow by size. ``errors`` are 95 % error bars for the noise;
    ``None`` where the method has none.

    >>> class Model:
    ...     feature_names_, coef_, intercept_ = ["age", "smoker=yes"], np.array([0.5, -2.0]), 1.0
    >>> weights = Weights.of(Model(), "cost")
    >>> weights.names, weights.cells(1)
    (('(intercept)', 'smoker=yes', 'age'), ['-2'])
    """

    names: tuple[str, ...]
    classes: tuple[Any, ...]
    values: Numbers
    errors: Numbers | None
    target: str

    @classmethod
    def of(cls, model: Any, target: str) -> Weights | None:
        """The weights of a fitted model that predicts ``target``; None if it has none."""
        if not all(hasattr(model, name) for name in ("feature_names_", "coef_", "intercept_")):
            return None
        values = _rows(model.intercept_, model.coef_)
        errors = None
        if getattr(model, "coef_error_", None) is not None:
            errors = _rows(model.intercept_error_, model.coef_error_)
        names = (INTERCEPT, *map(str, model.feature_names_))
        classes: tuple[Any, ...] = (None,)
        if hasattr(model, "classes_"):
            labels = tuple(model.classes_.tolist())
            # Of two classes the weights are those of the second, against the first.
            classes = labels[1:] if len(labels) == 2 else labels
        if values.shape != (len(names), len(classes)) or (
            errors is not None and errors.shape != values.shape
        ):
            raise ModelError("The model file does not have one weight for each name and class.")
        largest = np.abs(values[1:]).max(axis=1)
        order = [0, *(1 + np.argsort(-largest, kind="stable"))]
        return cls(
            tuple(names[place] for place in order),
            classes,
            values[order],
            None if errors is None else errors[order],
            target,
        )

    @property
    def heads(self) -> list[str]:
        """What each column holds."""
        return [f"'{self.target}'" if each is None else f"'{self.target}' is {each}" for each in self.classes]

    def cells(self, row: int) -> list[str]:
        """The weights of one row as text, with their error bars."""
        return [
            f"{value:.4g}" + ("" if self.errors is None else f" ± {self.errors[row, place]:.2g}")
            for place, value in enumerate(self.values[row])
        ]

    @property
    def meaning(self) -> str:
        """What a weight says, in words."""
        if self.classes == (None,):
            told = f"'{self.target}'"
        elif len(self.classes) == 1:
            told = f"the logarithm of the odds that '{self.target}' is {self.classes[0]}"
        else:
            told = "the logarithm of a class's probability, before all are scaled to a sum of 1"
        return f"A weight times its coordinate is added to {told}. {_SCALE}"

    def first(self, rows: int | None) -> Weights:
        """The intercept and so many of the largest; all of them for ``None``."""
        if rows is None:
            return self
        errors = None if self.errors is None else self.errors[: rows + 1]
        return Weights(self.names[: rows + 1], self.classes, self.values[: rows + 1], errors, self.target)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, for JSON; a predicted number has no classes."""
        entries = [
            {
                "name": name,
                "class": label,
                "weight": float(self.values[row, place]),
                "error": None if self.errors is None else float(self.errors[row, place]),
            }
            for row, name in enumerate(self.names)
            for place, label in enumerate(self.classes)
        ]
        count = len(self.classes)
        intercept = [{key: each[key] for key in ("class", "weight", "error")} for each in entries[:count]]
        return {"intercept": intercept, "coefficients": entries[count:]}

    def chart(self) -> Bars:
        """A bar for each weight, with its interval.

        Without the intercept, which for a predicted number is often so large that nothing else is seen.
        """
        series = tuple(
            Series(
                head,
                numbers(self.values[1:, place]),
                None if self.errors is None else numbers(self.errors[1:, place]),
            )
            for place, head in enumerate(self.heads)
        )
        bars = NO_ERROR_BARS if self.errors is None else "Bars are for the privacy noise (95 %)."
        return Bars(
            "Weights, the largest first", self.names[1:], series, x="weight", note=f"{bars} {self.meaning}"
        )


def pictures_of(model: Any) -> tuple[Chart, ...]:
    """The charts of a linear model: its largest weights."""
    weights = Weights.of(model, model.schema_.target)
    return () if weights is None or len(weights.names) < 2 else (weights.first(MOST).chart(),)


def _rows(intercept: Any, weights: Any) -> Numbers:
    """A row for the intercept and for each coordinate, a column for each class."""
    columns = np.atleast_2d(np.asarray(weights, float))
    return np.concatenate([np.atleast_1d(np.asarray(intercept, float))[None, :], columns.T])
