"""The scikit-learn contract, once: ``fit`` opens the curator and the algorithm writes only ``_fit``.

An algorithm is a class with declared parameters, ``_fit(curator)``, and what it does with what it learned.
Everything else follows here: parameters are checked, arrays, data frames, files and database tables become a
source, the schema is settled, the budget is reserved and committed, and the guarantee is kept.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from privet import randomness
from privet.budget import Ledger, budget
from privet.curator import Curator, as_source, empty_table, infer_schema, is_table, read_rows
from privet.errors import DataError, SchemaError
from privet.parameters import validate
from privet.release import Guarantee
from privet.schema import Schema, read_schema
from privet.sources import as_array
from privet.stats import Rows

__all__ = ["LedgerParameter", "PrivateClassifier", "PrivateEstimator", "SchemaParameter", "require_array"]

SchemaParameter = Annotated[
    Any, "What is public about the table: a Schema, its file, or 'infer' (reads the data: no guarantee)."
]
LedgerParameter = Annotated[Ledger | None, "Where the run is paid from; None keeps no count of other runs."]


class PrivateEstimator(BaseEstimator):
    """Base of every private algorithm. Subclasses declare parameters and write ``_fit``."""

    epsilon: float
    delta: float
    schema: Any
    ledger: Ledger | None
    random_state: Any

    def fit(self, X: Any, y: Any = None) -> Any:
        """Learn from a table: arrays or frames (X, y), or a file or database table that holds the target."""
        validate(self)
        if self.ledger is not None and self._declared() is not None:
            self.rehearse()  # what fails for any reason but the data fails here, before it is paid for
        # A refusal should come before the reservation, not only when the number is read.
        source, schema = self._table(X, y, finite=self.ledger is not None)
        _require_columns(source, schema)
        self._forget()
        self._run(source, schema, ledger=self.ledger)
        return self

    def rehearse(self) -> Guarantee:
        """What a fit would cost and how large its errors would be, without reading data or spending."""
        guarantee: Guarantee = self._rehearsed().guarantee_
        return guarantee

    def _rehearsed(self) -> Any:
        """A twin that was fitted to a table without records: what is public about a fit."""
        validate(self)
        schema = self._declared()
        if schema is None:
            raise SchemaError("A rehearsal reads no data, so it needs a declared schema.")
        twin = clone(self)
        twin._run(empty_table(schema), schema, ledger=None)
        return twin

    def _foreseen(self) -> str:
        """After a rehearsal: how a fit would go, as far as that can be said before it is paid for."""
        return str(getattr(self, "explanation_", ""))

    @abstractmethod
    def _fit(self, curator: Curator) -> None:
        """Learn through the curator; store what was learned in attributes that end in ``_``."""

    def _run(self, source: Any, schema: Schema, ledger: Ledger | None) -> None:
        amount = budget(float(self.epsilon), float(self.delta))
        curator = Curator(
            source,
            schema,
            amount,
            ledger=ledger,
            randomness=randomness.of(self.random_state),
            inferred=self._declared() is None,
            what=f"fit {type(self).__name__}",
        )
        with curator:
            self._fit(curator)
        self.schema_ = schema
        self.guarantee_ = curator.guarantee

    def _forget(self) -> None:
        """Drop what an earlier fit has learned: this one's guarantee does not cover it."""
        of_the_table = {"columns_", "n_features_in_", "feature_names_in_"}  # just read off this fit's table
        for name in [name for name in vars(self) if name.endswith("_") and not name.startswith("_")]:
            if name not in of_the_table:
                delattr(self, name)

    def _declared(self) -> Schema | None:
        """The declared schema; nothing where it is to be read off the data."""
        if isinstance(self.schema, Schema):
            return self.schema
        if isinstance(self.schema, str) and self.schema == "infer":
            return None
        if isinstance(self.schema, str | Path):
            return read_schema(self.schema)
        raise SchemaError(
            f"{type(self).__name__} needs a schema: what is public about the table.",
            "Declare one, e.g. schema=Schema.of({'age': (0, 120), 'ill': ['no', 'yes']}, target='ill'), or a "
            "schema file (Privet drafts one). schema='infer' reads it off the data and gives no guarantee.",
        )

    def _table(self, X: Any, y: Any, *, finite: bool = False) -> tuple[Any, Schema]:
        """The source and the schema that X and y stand for.

        With a schema, whoever reads a number refuses infinities; ``finite`` looks for them now, in a pass of
        its own over an array.
        """
        declared = _cut(self._declared(), X)
        if y is None and (is_table(X) or (declared is not None and declared.target in _labels(X))):
            if declared is None:
                raise SchemaError(
                    "A whole table needs a declared schema, which names the target.",
                    "Draft one from the table, and confirm it.",
                    "draft-schema",
                )
            self.columns_ = tuple(column.name for column in declared.attributes)
            self.n_features_in_ = len(self.columns_)
            self.feature_names_in_ = np.array(self.columns_, dtype=object)
            return as_source(X, schema=declared), declared
        if labels := _labels(X):
            validate_data(self, X, y, skip_check_array=True)
            y = column_or_1d(_target_of(X, y), warn=True)
            self.columns_ = tuple(labels)
        else:
            require_array(X, y)
            if declared is not None:
                X, y = as_array(X), _target_of(X, y)
            check = "allow-nan" if finite or declared is None else False
            X, y = validate_data(self, X, y, dtype=None, ensure_all_finite=check)
            self.columns_ = names_of(declared, X.shape[1])
        if declared is None:
            check_classification_targets(y)
        target = (declared.target if declared is not None else None) or "target"
        source = as_source(X, y, names=self.columns_, target=target)
        return source, declared or infer_schema(source, target)

    def _rows(self, X: Any) -> Iterator[Rows]:
        """Records to be predicted, batch by batch, seen through the schema."""
        check_is_fitted(self)
        if not is_table(X):
            if labels := _labels(X):
                # A table with more columns than were learned from is read by their names, in any order.
                if not set(self.columns_) < set(labels):
                    validate_data(self, X, reset=False, skip_check_array=True)
                return read_rows(X, self.schema_, labels)
            require_array(X)
            X = validate_data(self, as_array(X), reset=False, dtype=None, ensure_all_finite="allow-nan")
            return read_rows(X, self.schema_, self.columns_)
        return read_rows(X, self.schema_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


class PrivateClassifier(ClassifierMixin, PrivateEstimator):
    """Base of the classifiers: subclasses write ``_fit`` and ``_log_scores``."""

    classes_: NDArray[Any]

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


def _require_columns(source: Any, schema: Schema) -> None:
    """Refuse a table that lacks a column of its schema, before anything is paid or read."""
    for name in (*schema.names, schema.unit.id):
        if name is not None and name not in source.names:
            raise DataError(
                f"The table has no column '{name}', though the schema names it.",
                "Check the spelling, or remove the column from the schema.",
            )


def names_of(declared: Schema | None, width: int) -> tuple[str, ...]:
    """Names for the columns of an array, which has none: the schema's, in its order."""
    if declared is None:
        return tuple(f"x{place}" for place in range(width))
    names = tuple(column.name for column in declared.attributes)
    if len(names) != width:
        raise SchemaError(
            f"The array has {width} columns, and the schema declares {len(names)} besides the target.",
            "Columns of an array are matched by their order: declare each of them, or use a data frame.",
        )
    return names


def require_array(X: Any, y: Any = None) -> None:
    """Refuse here what scikit-learn refuses by quoting it: no error's text may hold data."""
    if hasattr(X, "toarray"):
        return  # sparse: scikit-learn refuses it by its type
    table, target = np.asarray(X), np.asarray(y)
    if np.iscomplexobj(table) or np.iscomplexobj(target):
        raise DataError("Complex data not supported.", "Give real and imaginary parts as two columns.")
    if (dimensions := table.ndim) < 2:
        raise DataError(
            f"Expected 2D array, got {'1D' if dimensions else 'scalar'} array instead.",
            "Reshape your data: a row for each record, a column for each attribute.",
        )


def _target_of(X: Any, y: Any) -> Any:
    """The target as an array with one value for each record; no refusal tells how many there are."""
    if y is None:
        return None  # scikit-learn says what to do
    target = as_array(y)
    if target.ndim == 0 or target.ndim > 2 or (target.ndim == 2 and target.shape[1] != 1):
        raise DataError("The target must be one column.", "Pass y with one value for each record.")
    if len(target) != len(X):
        raise DataError("X and y do not have the same number of records.", "Pass y with one value for each.")
    return target


def _cut(schema: Schema | None, X: Any) -> Schema | None:
    """The schema of what a selector has left of a frame: following a private choice costs nothing."""
    left = getattr(X, "attrs", {}).get("privet_selected")
    if schema is None or left is None:
        return schema
    kept = tuple(c for c in schema.columns if c.name in left or c.name == schema.target)
    return replace(schema, columns=kept)


def _labels(X: Any) -> list[str]:
    """The names of a frame's columns, where they are text; none for an array."""
    names = getattr(X, "column_names", getattr(X, "columns", ()))
    return list(names) if all(isinstance(name, str) for name in names) else []
