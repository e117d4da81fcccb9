"""Naive Bayes that learns from a stream, and is released after every step, for one fixed ε in all.

Every record counts in one cell of each of m tables (attribute × class), so the tables together have L1 and
squared L2 sensitivity m; they are one vector of a ``ContinualCounter``, whose proof covers every model that
is ever seen.

**Drift.** With ``windows`` the stream is cut into windows of ``horizon`` steps, each with a counter of its
own. A record is in one window only, so the windows compose in parallel: the whole stream, however long,
costs the one ε. A person's at most c records add up the same wherever they fall. Predictions use the last
full window and the present one.

**What is public.** When a step ends. If a step is a number of records (``every``), also how many records come
and at which places those of one person do. What is protected is one record, or all records of one person
where the unit names the column of persons: present or absent if a clock or the caller ends steps, exchanged
for others at the same places if steps are counted. Records beyond a person's ``most`` are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import numpy as np
from annotated_types import Ge
from numpy.typing import NDArray
from scipy.special import logsumexp, softmax

from privet.estimator import PrivateStream
from privet.estimator.tables import rows_of
from privet.learning.streams.coding import RecordCoder
from privet.parameters import with_parameters
from privet.schema import Schema
from privet.stats import Rows

__all__ = ["StreamingNaiveBayes"]


@with_parameters
class StreamingNaiveBayes(PrivateStream):
    """Private naive Bayes on a stream, with River's interface. One ε for the whole stream.

    The guarantee is for one record (event level), or for all records of one person where the schema's unit
    names the column of persons; their number is at most its ``most``.

    >>> schema = Schema.of({"fever": (35.0, 42.0), "ill": ["no", "yes"]}, target="ill")
    >>> model = StreamingNaiveBayes(epsilon=2.0, schema=schema, horizon=100)
    >>> generator = np.random.default_rng(0)
    >>> for minute in range(60):
    ...     for _ in range(50):
    ...         ill = bool(generator.integers(2))
    ...         fever = 36.6 + 2.2 * ill + generator.normal(0, 0.4)
    ...         model.learn_one({"fever": fever}, "yes" if ill else "no")
    ...     model.end_step()
    >>> model.predict_one({"fever": 36.5}), model.predict_one({"fever": 39.0})
    ('no', 'yes')
    >>> model.guarantee_.epsilon
    2.0
    """

    bins: Annotated[int, Ge(2), "Equal bins of a number where the schema declares no cuts."] = 8
    smoothing: Annotated[float, Ge(0), "Records added to every cell before dividing."] = 1.0

    def _tables(self, schema: Schema) -> tuple[int, int, str]:
        coder = RecordCoder(schema, self.bins)
        tables = len(coder.attributes)
        what = f"every running table of {tables} attributes within each class, after each step"
        return coder.size, tables, what

    def _cells(self, record: Mapping[str, Any], label: Any) -> list[int]:
        return self._coder.cells(record, label)

    def _learn(self, totals: NDArray[np.int64]) -> None:
        coder, least = self._coder, max(self.smoothing, 1e-9)
        tables = [
            totals[start : start + rows * columns].reshape(rows, columns)
            for start, (rows, columns) in zip(coder.starts, coder.shapes, strict=False)
        ]
        # Every table's columns add up to the class totals: their mean is less noisy than any one of them.
        classes = np.maximum(np.mean([table.sum(axis=0) for table in tables], axis=0), 0) + least
        self.classes_ = np.array(coder.target.labels)
        self.cuts_ = {name: list(cuts) for name, cuts in coder.cuts.items()}
        self.class_log_prior_ = np.log(classes / classes.sum())
        self.tables_ = {}
        for column, table in zip(coder.attributes, tables, strict=True):
            cells = np.maximum(table[:-1], 0) + least
            # A missing value says nothing of the class: a row of zeros.
            known = np.log(cells / cells.sum(axis=0))
            self.tables_[column.name] = np.vstack([known, np.zeros(len(classes))])

    @property
    def _coder(self) -> RecordCoder:
        """Made once for the schema; not part of a copy."""
        made: tuple[Schema, RecordCoder] | None = vars(self).get("_coded")
        if made is None or made[0] is not self.schema_:
            made = self._coded = self.schema_, RecordCoder(self.schema_, self.bins)
        return made[1]

    def predict_proba_one(self, x: Mapping[str, Any]) -> dict[Any, float]:
        """The probability of each class for one record, by the model as last released."""
        self._begin()
        scores = self.class_log_prior_.copy()
        for column in self._coder.attributes:
            code = self._coder.code(column, x.get(column.name), strict=False)
            scores += self.tables_[column.name][code]
        return dict(zip(self.classes_.tolist(), softmax(scores).tolist(), strict=True))

    def predict_one(self, x: Mapping[str, Any]) -> Any:
        """The most probable class of one record."""
        chances = self.predict_proba_one(x)
        return max(chances, key=lambda label: chances[label])

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Class probabilities of each record."""
        parts = [np.exp(s - logsumexp(s, axis=1, keepdims=True)) for s in self._all_scores(X)]
        return np.concatenate(parts) if parts else np.empty((0, len(self.classes_)))

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each record."""
        parts = [scores.argmax(axis=1) for scores in self._all_scores(X)]
        return self.classes_[np.concatenate(parts)] if parts else self.classes_[:0]

    def _all_scores(self, X: Any) -> Iterator[NDArray[np.float64]]:
        self._begin()
        return (self._log_scores(rows) for rows in rows_of(X, self.schema_))

    def _log_scores(self, rows: Rows) -> NDArray[np.float64]:
        scores = np.repeat(self.class_log_prior_[None, :], rows.size, axis=0)
        for name, table in self.tables_.items():
            scores += table[rows.codes(name, self.cuts_.get(name, ()))]
        return scores
