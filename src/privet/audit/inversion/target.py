"""How likely what is known of a person's target is, under each value that the attacker supposes.

A class is as likely as the model's probability for it says. A number is likely where the model's prediction
is near: its error is taken to be normal, with the spread that the model's errors have.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy.special import log_ndtr
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from privet.errors import DataError, ParameterError
from privet.schema import Number, Schema
from privet.stats import Rows

__all__ = ["ClassTarget", "NumberTarget", "Target", "frame", "target_of"]

Codes = NDArray[np.int64]
Shares = NDArray[np.float64]
# Of half the target's range: predictions that differ by less are the same but for rounding.
LEAST_SPREAD = 1e-6


class Target(Protocol):
    """What the attacker knows of the column that the model predicts, and what it says about the rest."""

    name: str
    word: str

    def require(self, name: str, model: Any) -> None:
        """Refuse a model that does not predict this target."""

    def there(self, table: pa.Table) -> NDArray[np.bool_]:
        """Which records have a target."""

    def values(self, table: pa.Table) -> NDArray[Any]:
        """The targets of records that all have one."""

    def log_likelihood(
        self, model: Any, supposed: Iterable[pa.Table], known: NDArray[Any], truth: Codes
    ) -> Shares:
        """log P_model(target | the rest, v), one column for each value v.

        ``supposed`` holds the records with each value put in, ``known`` their targets and ``truth`` the codes
        of their own values.
        """

    def described(self, seen: NDArray[Any]) -> Callable[[NDArray[Any]], Shares]:
        """The targets as inputs for somebody who learns, and who has seen these."""


def target_of(schema: Schema) -> Target:
    """The class or the number that the schema names.

    >>> target_of(Schema.of({"gene": ["no", "yes"], "dose": (0.0, 10.0)}, target="dose")).word
    'number'
    """
    column = schema[schema.target] if schema.target is not None else None
    return NumberTarget(schema, column) if isinstance(column, Number) else ClassTarget(schema)


class ClassTarget:
    """A class, of which the model gives a probability."""

    word = "class"

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.name = schema.nominal_target().name

    def require(self, name: str, model: Any) -> None:
        if not hasattr(model, "predict_proba") or not hasattr(model, "classes_"):
            raise ParameterError(
                f"{name} is no fitted classifier with class probabilities, and the target '{self.name}' is a "
                "category.",
                "Give a fitted model that has predict_proba.",
            )

    def there(self, table: pa.Table) -> NDArray[np.bool_]:
        return np.asarray(table[self.name].is_valid().to_numpy())

    def values(self, table: pa.Table) -> NDArray[Any]:
        return np.asarray(table[self.name].to_pylist(), dtype=str)

    def log_likelihood(
        self, model: Any, supposed: Iterable[pa.Table], known: NDArray[Any], truth: Codes
    ) -> Shares:
        classes = np.array([str(label) for label in model.classes_])
        unknown = set(known) - set(classes)
        if unknown:
            raise DataError(
                f"The table holds {len(unknown)} class(es) that the model has never heard of.",
                "Attack the model with a table of its own schema.",
            )
        order = np.argsort(classes)
        own = order[np.searchsorted(classes[order], known)]
        asked = [_ask(model, "predict_proba", table, self.schema) for table in supposed]
        probability = np.column_stack([answer[np.arange(len(own)), own] for answer in asked])
        return np.asarray(np.log(np.maximum(probability, 1e-300)))

    def described(self, seen: NDArray[Any]) -> Callable[[NDArray[Any]], Shares]:
        classes = np.array([str(label) for label in self.schema.nominal_target().labels])
        return lambda labels: (labels[:, None] == classes).astype(float)


class NumberTarget:
    """A number, of which the model gives a prediction.

    The attacker knows how large the model's errors are on such records, as is published with a model: their
    root mean square over the group that is attacked. Where the attribute is a number in parts, it is the
    error with the middle of its part put in, as the attacker does.

    The target and all predictions are taken within the public bounds. A target at a bound may have been cut
    off there, so what counts for it is how likely the bound *or more* is.

    >>> class Dose:
    ...     def predict(self, records):
    ...         return records["gene"].map({"no": 2.0, "yes": 6.0}).to_numpy()
    >>> target = target_of(Schema.of({"gene": ["no", "yes"], "dose": (0.0, 10.0)}, target="dose"))
    >>> supposed = [pa.table({"gene": [gene] * 2, "dose": [3.0, 5.0]}) for gene in ("no", "yes")]
    >>> target.log_likelihood(Dose(), supposed, np.array([3.0, 5.0]), np.array([0, 1])).tolist()
    [[-0.5, -4.5], [-4.5, -0.5]]
    """

    word = "number"

    def __init__(self, schema: Schema, column: Number) -> None:
        self.schema = schema
        self.column = column
        self.name = column.name

    def require(self, name: str, model: Any) -> None:
        if not _is_fitted_regression(model):
            raise ParameterError(
                f"{name} is no fitted regression, and the target '{self.name}' is a number.",
                "Give a fitted model that predicts numbers, such as Ridge or a regression of scikit-learn.",
            )

    def there(self, table: pa.Table) -> NDArray[np.bool_]:
        return ~np.isnan(self._numbers(table))

    def values(self, table: pa.Table) -> NDArray[Any]:
        return self._within(self._numbers(table))

    def log_likelihood(
        self, model: Any, supposed: Iterable[pa.Table], known: NDArray[Any], truth: Codes
    ) -> Shares:
        predicted = np.column_stack([self._predicted(model, table) for table in supposed])
        errors = known - predicted[np.arange(len(truth)), truth]
        spread = max(float(np.sqrt(np.mean(errors**2))), LEAST_SPREAD * self.column.half_range)
        away = (known[:, None] - predicted) / spread
        logs = np.where(known[:, None] >= self.column.high, log_ndtr(-away), -(away**2) / 2)
        return np.where(known[:, None] <= self.column.low, log_ndtr(away), logs)

    def described(self, seen: NDArray[Any]) -> Callable[[NDArray[Any]], Shares]:
        # Bounds may be far wider than the numbers, and whoever learns is slow to believe in small inputs.
        centre, scale = seen.mean(), max(float(seen.std()), LEAST_SPREAD * self.column.half_range)

        def columns(numbers: NDArray[Any]) -> Shares:
            scaled = (numbers - centre) / scale
            return np.column_stack([scaled, scaled**2])

        return columns

    def _predicted(self, model: Any, table: pa.Table) -> Shares:
        predicted = _ask(model, "predict", table, self.schema).astype(float).reshape(table.num_rows)
        if np.isnan(predicted).any():
            raise DataError(
                "The model's predictions for some records are not numbers.", "Give a model that predicts all."
            )
        return self._within(predicted)

    def _numbers(self, table: pa.Table) -> Shares:
        parts = [Rows(batch, self.schema).numbers(self.name) for batch in table.to_batches()]
        return np.concatenate([np.zeros(0), *parts])

    def _within(self, numbers: Shares) -> Shares:
        return np.clip(numbers, self.column.low, self.column.high)


def _is_fitted_regression(model: Any) -> bool:
    if not hasattr(model, "predict"):
        return False
    # Clusterings and searches for outliers predict too, but not the target. A plain object is believed.
    tags = model.__sklearn_tags__() if hasattr(model, "__sklearn_tags__") else None
    if tags is not None and tags.estimator_type not in (None, "regressor"):
        return False
    try:
        if hasattr(model, "fit"):
            check_is_fitted(model)
    except NotFittedError:
        return False
    return True


def _ask(model: Any, method: str, table: pa.Table, schema: Schema) -> NDArray[Any]:
    ours = hasattr(model, "schema_")
    records = table.drop_columns([schema.target]) if ours else frame(table, schema)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a model fitted without names gets named columns
        return np.asarray(getattr(model, method)(records))


def frame(table: pa.Table, schema: Schema) -> Any:
    """The attributes as a data frame, for scikit-learn's models."""
    return table.select([column.name for column in schema.attributes]).to_pandas()
