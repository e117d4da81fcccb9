"""Naive Bayes that learns from a stream, and is released after every step, for one fixed ε in all.

Every record counts in one cell of each of m tables (attribute × class), so the tables together have L1 and
squared L2 sensitivity m; they are one vector of a ``ContinualCounter``, whose proof covers every model that
is ever seen.

**Drift.** With ``windows`` the stream is cut into windows of ``horizon`` steps, each with a counter of its
own. A record is in one window only, so the windows compose in parallel: the whole stream, however long,
costs the one ε. A person's at most c records add up the same wherever they fall. Predictions use the last
full window and the present one.

**The ledger.** The one ε of the whole stream is reserved when it begins, before a record is read, and is
committed at once with the guarantee: nothing more will ever be asked for, and a stream that is broken off has
spent it.

**What is public.** When records come, how many come and when a step ends; the value of a record is what is
protected, or, with a unit of persons, all values of one person (records beyond the person's ``most`` are
left out, which takes one number in memory for each person seen).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
import pyarrow as pa
from annotated_types import Ge
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.base import BaseEstimator

from privet import randomness
from privet.budget import budget
from privet.curator.run import Run
from privet.curator.stream import ContinualCounter
from privet.errors import DataError, ParameterError, PrivetError, SchemaError
from privet.estimator import LedgerParameter, SchemaParameter
from privet.parameters import Delta, Epsilon, Seed, validate, with_parameters
from privet.release import Guarantee, Step
from privet.schema import Category, Column, Schema, read_schema
from privet.schema.bins import public_cuts

__all__ = ["StreamingNaiveBayes"]

_CAVEATS = (
    "When records come, how many there are, and when a step ends is public.",
    "The running program's memory holds exact sums of the present nodes: guard it as you guard the stream.",
)


@with_parameters
class StreamingNaiveBayes(BaseEstimator):
    """Private naive Bayes on a stream, with River's interface. One ε for the whole stream.

    The guarantee is for one record (event level), or for all records of one person where the schema's unit
    names the column of persons; their number is at most its ``most``.

    >>> schema = Schema.of({"fever": (35.0, 42.0), "ill": ["no", "yes"]}, target="ill")
    >>> model = StreamingNaiveBayes(epsilon=2.0, schema=schema, every=50, horizon=100)
    >>> generator = np.random.default_rng(0)
    >>> for _ in range(3000):
    ...     ill = bool(generator.integers(2))
    ...     model.learn_one({"fever": 36.6 + 2.2 * ill + generator.normal(0, 0.4)}, "yes" if ill else "no")
    >>> model.predict_one({"fever": 36.5}), model.predict_one({"fever": 39.0})
    ('no', 'yes')
    >>> model.guarantee_.epsilon
    2.0
    """

    every: Annotated[int, Ge(1), "Records in a step: the model is released after each step."] = 100
    horizon: Annotated[int, Ge(1), "Steps of the stream or window: more cost a little more noise."] = 1024
    windows: Annotated[bool, "After the horizon begin anew (for drift), instead of learning no more."] = False
    bins: Annotated[int, Ge(2), "Equal bins of a number where the schema declares no cuts."] = 8
    smoothing: Annotated[float, Ge(0), "Records added to every cell before dividing."] = 1.0
    epsilon: Epsilon = 1.0
    delta: Delta = 0.0
    schema: SchemaParameter = None
    ledger: LedgerParameter = None
    random_state: Seed = None

    def learn_one(self, x: Mapping[str, Any], y: Any = None) -> None:
        """Learn from one record; ``y`` is its class, or it is in ``x`` under the target's name."""
        self._begin()
        label = x.get(self._target.name) if y is None else y
        if not self._admitted(x):
            cells: list[int] = []
        else:
            cells = self._cells(x, self._code(self._target, label))
        if not self._over:
            self._counter.count(cells)
        self._waiting += 1
        if self._waiting == self.every:
            self._end_step()

    def partial_fit(self, X: Any, y: Any = None) -> StreamingNaiveBayes:
        """Learn from a mini-batch: the same as learning its records one by one."""
        self._begin()
        labels = None if y is None else list(y)
        for place, record in enumerate(_records(X, [c.name for c in self._attributes])):
            self.learn_one(record, None if labels is None else labels[place])
        return self

    def predict_proba_one(self, x: Mapping[str, Any]) -> dict[Any, float]:
        """The probability of each class for one record, by the model as last released."""
        self._begin()
        scores = self._prior.copy()
        for table, column in zip(self._logs, self._attributes, strict=True):
            code = self._code(column, x.get(column.name), strict=False)
            if code < len(table):
                scores += table[code]
        chances = softmax(scores)
        return dict(zip(self._target.labels, chances.tolist(), strict=True))

    def predict_one(self, x: Mapping[str, Any]) -> Any:
        """The most probable class of one record."""
        chances = self.predict_proba_one(x)
        return max(chances, key=lambda label: chances[label])

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each record."""
        self._begin()
        return np.array([self.predict_one(x) for x in _records(X, [c.name for c in self._attributes])])

    @property
    def guarantee_(self) -> Guarantee:
        """What the whole stream of models promises, past and future."""
        self._begin()
        return self._promised

    def _run(self) -> Run:
        """The whole stream, past and future, as one run."""
        run = Run(
            self._schema,
            self._amount,
            ledger=self.ledger,
            randomness=self._source,
            what=f"stream {type(self).__name__}",
        )
        counter, tables = self._counter, len(self._attributes)
        what = f"every running table of {tables} attributes within each class, after each step"
        how = f"{counter.mechanism.event.mechanism} noise on a binary tree of {counter.levels} levels"
        run.steps.append(Step(what, how, run.currency, 1.96 * counter.largest_standard_deviation))
        for caveat in _CAVEATS:
            run.admit(caveat)
        if self.windows:
            run.admit("Windows compose in parallel: a record is in one of them, and the ε is that of all.")
        return run

    def _begin(self) -> None:
        if hasattr(self, "classes_"):
            return
        validate(self)
        if not isinstance(self.schema, Schema | str) and not hasattr(self.schema, "__fspath__"):
            raise SchemaError("A stream needs a declared schema.", "Give a Schema or its file.")
        self._schema = self.schema if isinstance(self.schema, Schema) else read_schema(self.schema)
        self._schema.require_confirmed()
        self._target = self._schema.nominal_target()
        self._attributes: tuple[Column, ...] = self._schema.attributes
        if not self._attributes:
            raise SchemaError(
                "There is no attribute to learn from.", "Declare at least one besides the target."
            )
        self._amount = budget(float(self.epsilon), float(self.delta))
        self._source = randomness.of(self.random_state)
        self._codes = {
            c.name: {str(value): code for code, value in enumerate(c.values)}
            for c in self._schema.columns
            if isinstance(c, Category)
        }
        self._cuts = {c.name: public_cuts(c, self.bins) for c in self._attributes}
        classes = self._target.size
        widths = [
            c.size if isinstance(c, Category) else len(self._cuts[c.name]) + 1 for c in self._attributes
        ]
        self._shapes = [(width + 1, classes) for width in widths]  # the last row is for missing values
        self._starts = np.cumsum([0, *(rows * columns for rows, columns in self._shapes)]).tolist()
        self._persons: dict[Any, int] = {}
        self.classes_ = np.array(self._target.labels)
        self._previous: NDArray[np.int64] | None = None
        self._waiting = 0
        self._over = False
        self._counter = self._new_counter()
        self._rebuild(np.zeros(self._starts[-1], dtype=np.int64))
        try:
            with self._run() as run:
                pass  # the one ε of the whole stream: it is spent, whatever the stream brings
        except PrivetError:
            del self.classes_  # not begun: the next record asks again
            raise
        self._promised = run.guarantee

    def _new_counter(self) -> ContinualCounter:
        tables = len(self._attributes)
        return ContinualCounter(
            self._starts[-1], horizon=self.horizon, amount=self._amount, randomness=self._source,
            l1=tables, squared_l2=tables, unit=self._schema.unit,
        )  # fmt: skip

    def _end_step(self) -> None:
        """Release the tables of this step; everything after ``add`` is post-processing."""
        self._waiting = 0
        if self._over:
            return
        totals = self._counter.end_step()
        self._rebuild(totals if self._previous is None else totals + self._previous)
        if self._counter.steps == self.horizon:
            if self.windows:
                self._previous, self._counter = totals, self._new_counter()
            else:
                self._over = True  # the budget is used up: what has been learned stays, nothing more is read

    def _rebuild(self, totals: NDArray[np.int64]) -> None:
        tables = [
            totals[start : start + rows * columns].reshape(rows, columns)
            for start, (rows, columns) in zip(self._starts, self._shapes, strict=False)
        ]
        # Every table's columns add up to the class totals: their mean is less noisy than any one of them.
        classes = np.maximum(np.mean([table.sum(axis=0) for table in tables], axis=0), 0) + max(
            self.smoothing, 1e-9
        )
        self._prior = np.log(classes / classes.sum())
        self._logs = []
        for table in tables:
            cells = np.maximum(table[:-1], 0) + max(self.smoothing, 1e-9)
            self._logs.append(np.log(cells / cells.sum(axis=0)))

    def _admitted(self, x: Mapping[str, Any]) -> bool:
        """Whether the person of a record may still be learned from; without persons, always."""
        unit = self._schema.unit
        if unit.id is None:
            return True
        person = x.get(unit.id)
        if person is None:
            raise DataError(
                f"A record has no '{unit.id}', which says whose it is.", "Give it with every record."
            )
        seen = self._persons.get(person, 0)
        if seen < unit.most:
            self._persons[person] = seen + 1
        return seen < unit.most

    def _cells(self, x: Mapping[str, Any], label: int) -> list[int]:
        """The one cell of each table in which the record counts."""
        if label >= self._target.size:
            return []  # a record without a class teaches nothing
        return [
            start + self._code(column, x.get(column.name)) * columns + label
            for start, (_, columns), column in zip(self._starts, self._shapes, self._attributes, strict=False)
        ]

    def _code(self, column: Column, value: Any, strict: bool = True) -> int:
        """The place of a value in the public domain or among the public bins; the one after means missing."""
        if isinstance(column, Category):
            if value is None or value != value:
                return column.size
            code = self._codes[column.name].get(str(value))
            if code is None and column.other is not None:
                return column.size - 1
            if code is None and strict:
                raise DataError(
                    f"Column '{column.name}' holds a value outside its declared domain.",
                    "Add the value to the schema, or set  other  there.",
                )
            return column.size if code is None else code
        cuts = self._cuts[column.name]
        if value is None or value != value:
            return len(cuts) + 1
        try:
            return bisect_right(cuts, float(value))
        except (TypeError, ValueError):
            raise DataError(
                f"Column '{column.name}' is declared a number, but a record holds something else there.",
                "Correct the stream, or declare the column a category.",
            ) from None


def _records(X: Any, names: list[str]) -> Any:
    """Rows as mappings: of a frame or an Arrow table by their names, of an array by the schema's order."""
    if isinstance(X, pa.Table | pa.RecordBatch):
        return X.to_pylist()
    if hasattr(X, "to_dict"):
        return X.to_dict("records")
    rows = np.asarray(X, dtype=object)
    if rows.ndim != 2 or rows.shape[1] != len(names):
        raise ParameterError(f"Expected rows of {len(names)} attributes.", "Give them in the schema's order.")
    return (dict(zip(names, row, strict=True)) for row in rows)
