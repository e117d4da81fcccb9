"""What all perturbations of numeric columns share: contract, columns, scale and key.

A method writes what it draws (``_draw``) and what it does to records that are scaled to [−1, 1] by the public
bounds (``_apply``). The rest is here: tables in any form, values beyond their bounds (clamped), missing ones,
keys, guarantees, records one at a time, and mini-batches. Nothing about the scale is read off the data.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import pyarrow as pa
from annotated_types import Gt, Le
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from privet import randomness
from privet.errors import DataError, ParameterError, SchemaError
from privet.parameters import validate, with_parameters
from privet.perturbation.key import Key
from privet.perturbation.promise import MEASURED, no_guarantee, require_promised, row_labels
from privet.perturbation.river_step import RiverStep
from privet.perturbation.tables import Matrix, column_names, numbers_of, with_columns
from privet.release import Guarantee
from privet.schema import Number, Schema, read_schema

__all__ = ["Columns", "KeyParameter", "LocalEpsilon", "Missing", "Perturbation", "SchemaParameter", "Seed"]

SchemaParameter = Annotated[
    Any, "What is public about the table: a Schema or its file. Its bounds give the scale."
]
Columns = Annotated[Any, "Names of the numeric columns to perturb; None for all but the target."]
KeyParameter = Annotated[Any, "A Key or its file, to perturb as before; None draws a new one."]
LocalEpsilon = Annotated[
    float,
    Gt(0),
    Le(1_000_000),
    "Local privacy loss, of what one record says: smaller is more private and noisier.",
]
Missing = Annotated[
    Literal["error", "middle", "keep"],
    "A missing value: refuse it, take the middle of its bounds, or leave the "
    "record's perturbed values missing.",
]
Seed = Annotated[Any, "None for unpredictable draws; a seed makes them repeatable, for tests only."]

# Rows worked on at a time: what a block needs stays in the cache.
BLOCK = 8192


@with_parameters
class Perturbation(RiverStep, TransformerMixin, BaseEstimator):
    """Base of the perturbations of numeric columns."""

    method: ClassVar[str]
    title: ClassVar[str]
    #: The parameter that says how much noise is added; "" if it adds none.
    noise_parameter: ClassVar[str] = ""

    schema: SchemaParameter = None
    columns: Columns = None
    missing: Missing = "error"
    key: KeyParameter = None
    random_state: Seed = None

    def fit(self, X: Any = None, y: Any = None) -> Any:
        """Draw the key, or take the one given. Without X only what the schema says is needed."""
        del y
        validate(self)
        schema = self._declared()
        names = schema.names if X is None else column_names(X, schema)
        self._start(schema, names, None if X is None else lambda: self._scaled(X, names), row_labels(X))
        return self

    def partial_fit(self, X: Any, y: Any = None) -> Any:
        """Learn from a mini-batch. What only draws a key draws it once, with the first batch."""
        return self if hasattr(self, "columns_") else self.fit(X, y)

    def begin(self, names: Sequence[str], sample: Matrix | None = None) -> Any:
        """Draw the key for a stream whose records have these columns; ``sample`` holds some chosen values."""
        validate(self)
        scaled = None if sample is None else lambda: (self._within(sample) - self._middle) / self._half
        self._start(self._declared(), tuple(names), scaled)
        return self

    def rekey(self) -> Key:
        """Draw a new key for the records that follow, and return it; the old one is forgotten."""
        self._require_key()
        old = self.key_
        drawn = self._draw(len(self.columns_), None, self._generator)
        self.key_: Key = Key(old.method, old.columns, old.low, old.high, drawn)
        self._unlock(self.key_)
        return self.key_

    def current_key(self) -> Key:
        """The key as it is now; methods that learn from a stream put into it what they have learned."""
        self._require_key()
        return self.key_

    def follow(self, numbers: Matrix) -> Matrix:
        """Perturb the next chosen values of a stream, as rows; methods that learn learn from them first."""
        return self._perturbed(self._within(numbers))

    def _start(self, schema: Schema, names: Sequence[str], sample: Any, labels: tuple[str, ...] = ()) -> None:
        self.schema_ = schema
        self.columns_ = self._chosen(schema, names)
        self.n_features_in_ = len(names)
        self.feature_names_in_ = np.array(names, dtype=object)
        numbers = [schema[name] for name in self.columns_]
        self._low = np.array([c.low for c in numbers], dtype=np.float64)  # type: ignore[union-attr]
        self._high = np.array([c.high for c in numbers], dtype=np.float64)  # type: ignore[union-attr]
        self._middle = self._low + (self._high - self._low) / 2
        self._half = (self._high - self._low) / 2
        self._source = randomness.of(self.random_state)
        # No release with an ε is drawn from this: it is NumPy's generator, started by the system's entropy.
        self._generator = self._source.generator()
        self._passed = tuple(name for name in names if name not in self.columns_)
        self._row_labels = labels
        if self.key is not None:
            key = self.key if isinstance(self.key, Key) else Key.load(self.key)
            key.check(self.method, self.columns_, self._low.tolist(), self._high.tolist())
        else:
            key = Key(
                self.method,
                self.columns_,
                tuple(self._low.tolist()),
                tuple(self._high.tolist()),
                self._draw(len(self.columns_), sample, self._generator),
            )
        self.key_ = key
        self._unlock(key)
        self.guarantee_ = self._promise()
        self._out_names = tuple(self._new_names())
        self._same_names = self._out_names == self.columns_
        self._pick = itemgetter(*self.columns_) if len(self.columns_) > 1 else _only(self.columns_[0])

    def transform(self, X: Any) -> Any:
        """The table with the chosen columns perturbed; it comes back as the kind of table that it was."""
        self._require_key()
        names = column_names(X, self.schema_)
        require_promised(self.guarantee_, self.feature_names_in_, (*names, *row_labels(X)))
        values = self._perturbed(self._numbers(X, names))
        return with_columns(X, names, self.columns_, values, self._new_names())

    def inverse_transform(self, X: Any) -> Any:
        """The original numbers, as nearly as the key gives them back; only its owner can do this."""
        self._require_key()
        names = column_names(X, self.schema_)
        values = self._undone(numbers_of(X, names, self.columns_)) * self._half + self._middle
        return with_columns(X, names, self.columns_, values, self.columns_)

    def in_parts(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The parts of a table, perturbed one by one; the first of them holds at least one record."""
        first = next(batches)
        names = first.schema.names
        self.begin(names, numbers_of(first, names, self._chosen(self._declared(), names)))
        return (self.transform(batch) for batch in chain([first], batches))

    def csv_filter(self, **how: Any) -> Any:
        """What perturbs a stream of CSV with it (``csv_filter.CsvFilter``)."""
        from privet.perturbation.csv_filter import CsvFilter

        return CsvFilter(self, **how)

    def announcement(self) -> str:
        """What is promised, for whoever starts a stream: before its first record nothing else is known."""
        return f"Guarantee: NONE. {self.title} is not differential privacy. {MEASURED}"

    def described(self) -> dict[str, Any]:
        """What was perturbed, as plain data that may leave."""
        return {"columns": list(self.columns_)}

    def forget_key(self) -> Any:
        """Throw the key away: from now on nobody can perturb consistently with it, or undo it."""
        for name in ("key_", *self._secrets()):
            if hasattr(self, name):
                delattr(self, name)
        return self

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """The names of the columns that come out."""
        check_is_fitted(self, "columns_")
        new = self._new_names()
        if list(new) == list(self.columns_):
            return self.feature_names_in_
        return np.array([*self._passed, *new], dtype=object)

    # One record at a time, with River's interface.

    def learn_one(self, x: Mapping[str, Any]) -> None:
        """Learn from one record: most methods learn nothing, and draw their key on the first one."""
        if not hasattr(self, "columns_"):
            validate(self)
            self._start(self._declared(), tuple(x), None)

    def transform_one(self, x: Mapping[str, Any]) -> dict[str, Any]:
        """One record, perturbed."""
        if not hasattr(self, "key_"):
            self._begin_one(x)
        if len(x) != self.n_features_in_:
            require_promised(self.guarantee_, self.feature_names_in_, x)
        try:
            new = self._one(self._pick(x))
        except TypeError:
            new = None
        except KeyError:
            raise DataError("A record lacks a column that is to be perturbed.", "Give all of them.") from None
        if new is None:
            new = self._perturbed(self._numbers([list(x.values())], tuple(x)))[0].tolist()
        if len(x) == len(self.columns_):
            return dict(zip(self._out_names, new, strict=True))
        found = dict(x)
        if not self._same_names:
            for name in self.columns_:
                del found[name]
        found.update(zip(self._out_names, new, strict=True))
        return found

    def _begin_one(self, x: Mapping[str, Any]) -> None:
        if not hasattr(self, "columns_"):
            self.learn_one(x)
        self._require_key()

    def _one(self, values: tuple[float, ...]) -> list[float] | None:
        """The short way for a single record; nothing, or a TypeError, where a value is no finite number."""
        total = sum(values)
        if total - total != 0.0:
            return None
        found: list[float] = self._perturbed(self._within(np.array([values], dtype=np.float64)))[0].tolist()
        return found

    # What a method writes.

    @abstractmethod
    def _draw(self, width: int, sample: Any, generator: np.random.Generator) -> dict[str, Any]:
        """The random values of a key; ``sample()`` gives the scaled records, where there are any."""

    @abstractmethod
    def _apply(self, scaled: Matrix) -> Matrix:
        """Perturb records that are scaled to [−1, 1]; the argument may be overwritten."""

    def _unlock(self, key: Key) -> None:
        """Make ready what ``_apply`` needs of the key."""

    def _secrets(self) -> Sequence[str]:
        """Attributes from which the key could be made again."""
        return ()

    def _new_names(self) -> Sequence[str]:
        return self.columns_

    def _undone(self, values: Matrix) -> Matrix:
        raise ParameterError(
            f"{self.title} cannot be undone: the key does not hold what was lost.", "Keep the original table."
        )

    def _promise(self) -> Guarantee:
        return no_guarantee(self.title, self.schema_, self.columns_, self._passed, self._caveats())

    def _caveats(self) -> Sequence[str]:
        return ()

    # What they share.

    def _perturbed(self, numbers: Matrix) -> Matrix:
        return self._apply((numbers - self._middle) / self._half)

    def _scaled(self, X: Any, names: Sequence[str]) -> Matrix:
        return (self._numbers(X, names) - self._middle) / self._half

    def _numbers(self, X: Any, names: Sequence[str]) -> Matrix:
        """The chosen columns, checked and clamped to their public bounds."""
        return self._within(numbers_of(X, names, self.columns_))

    def _within(self, numbers: Matrix) -> Matrix:
        # One sum tells whether anything is infinite or missing; only then is it worth a closer look.
        if not math.isfinite(numbers.sum()):
            self._look(numbers)
            if self.missing == "middle":
                numbers = np.where(np.isnan(numbers), self._middle, numbers)
        return np.clip(numbers, self._low, self._high)

    def _look(self, numbers: Matrix) -> None:
        for column, name in zip(numbers.T, self.columns_, strict=True):
            if np.isinf(column).any():
                raise DataError(
                    f"Column '{name}' holds an infinite value.",
                    "Replace infinities by numbers or by missing.",
                )
            if self.missing == "error" and np.isnan(column).any():
                raise DataError(
                    f"Column '{name}' has missing values.",
                    "Complete them, or choose missing='middle' (the middle of the bounds) or 'keep'.",
                )

    def _chosen(self, schema: Schema, names: Sequence[str]) -> tuple[str, ...]:
        if self.columns is None:
            found = [c.name for c in schema.attributes if isinstance(c, Number) and c.name in names]
        else:
            found = [self.columns] if isinstance(self.columns, str) else list(self.columns)
        for name in found:
            if name not in names:
                raise DataError(f"The table has no column '{name}'.", "Check its spelling against the table.")
            if not isinstance(schema[name], Number):
                raise SchemaError(
                    f"Column '{name}' is a category, and {self.method} is for numbers.",
                    "Leave it out; for categories there are k-anonymity and randomised response.",
                )
        if not found or len(set(found)) < len(found):
            raise ParameterError(
                "There is no numeric column to perturb, or one is named twice.",
                "Name numeric columns of the schema, each once.",
            )
        return tuple(found)

    def _declared(self) -> Schema:
        if isinstance(self.schema, Schema):
            return self.schema
        if isinstance(self.schema, str | Path):
            return read_schema(self.schema)
        raise SchemaError(
            f"{type(self).__name__} needs a schema: the public bounds of the columns give the scale.",
            "Declare one, e.g. schema=Schema.of({'age': (0, 120), 'income': (0, 200_000)}), "
            "or a schema file.",
        )

    def _require_key(self) -> None:
        check_is_fitted(self, "columns_")
        if not hasattr(self, "key_"):
            raise ParameterError("The key was thrown away.", "Fit again for a new key; the old one is gone.")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        return tags


def _only(name: str) -> Callable[[Mapping[str, Any]], tuple[Any]]:
    """What ``itemgetter`` of several names does, for a single one."""

    def pick(record: Mapping[str, Any]) -> tuple[Any]:
        return (record[name],)

    return pick
