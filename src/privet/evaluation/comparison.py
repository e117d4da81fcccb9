"""What mining a perturbed table D′ gives beside mining D: five learners, WEKA's measures, cross-validated.

The scores are exact and computed from the original: they are for the data's owner, who decides what to
release.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from privet.errors import DataError, ParameterError, SchemaError
from privet.evaluation import metrics
from privet.schema import Category, Number, Schema

__all__ = ["LEARNERS", "Comparison", "Scores", "compare", "cross_validated"]

NOT_PRIVATE = "Exact scores, computed from the original table: not private. For the owner of the data."
LEARNERS = ("naive Bayes", "decision tree", "k-nearest neighbours", "support vectors", "logistic regression")
Numbers = NDArray[np.float64]
Progress = Callable[[int, int | None], None]


@dataclass(frozen=True)
class Scores:
    """WEKA's measures of one learner on one table, and how long it took in all."""

    accuracy: float
    kappa: float
    mean_absolute_error: float
    root_mean_squared_error: float
    relative_absolute_error: float
    root_relative_squared_error: float
    seconds: float


@dataclass(frozen=True)
class Comparison:
    """For each learner its scores on the original and on the perturbed table."""

    scores: dict[str, tuple[Scores, Scores]]
    folds: int
    records: int

    def rows(self) -> list[list[Any]]:
        """The table: a learner's measure on D, on D′, and how far it moved."""
        found = []
        for name, (before, after) in self.scores.items():
            for field in fields(Scores):
                one, other = getattr(before, field.name), getattr(after, field.name)
                found.append(
                    [name, field.name.replace("_", " "), f"{one:.4f}", f"{other:.4f}", f"{other - one:+.4f}"]
                )
        return found

    def text(self) -> str:
        """The comparison for a reader."""
        heads = ["Learner", "Measure", "D", "D′", "moved"]
        cells = [heads, *self.rows()]
        widths = [max(len(row[place]) for row in cells) for place in range(len(heads))]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in cells
        ]
        return "\n".join([f"{self.records} records, {self.folds} folds.", "", *lines, "", NOT_PRIVATE])

    def __str__(self) -> str:
        return self.text()

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, for JSON."""
        learners = {
            name: {"original": _plain(before), "perturbed": _plain(after)}
            for name, (before, after) in self.scores.items()
        }
        return {"private": False, "records": self.records, "folds": self.folds, "learners": learners}

    def figure(self) -> Any:
        """Accuracy on D (hollow) and on D′ (points)."""
        from privet.report import error_bars

        after = [scores[1].accuracy for scores in self.scores.values()]
        before = [scores[0].accuracy for scores in self.scores.values()]
        labels = [name.replace(" ", "\n") for name in self.scores]
        return error_bars(
            labels,
            after,
            [0.0] * len(after),
            ylabel="accuracy",
            name="perturbed",
            truth=before,
            truth_name="original",
        )

    def page(self) -> Any:
        """The comparison as a page."""
        from privet.report import Page

        page = Page(
            "Mining the original and the perturbed table", f"{self.records} records, {self.folds} folds"
        )
        section = page.section("Scores")
        section.note(NOT_PRIVATE, "warning")
        section.figure(
            self.figure(), alt="Accuracy of each learner on both tables", caption="Accuracy on D and D′."
        )
        section.table(["Learner", "Measure", "D", "D′", "moved"], self.rows(), caption="WEKA's measures")
        return page


def compare(
    original: pa.Table,
    perturbed: pa.Table,
    schema: Schema,
    *,
    learners: Sequence[str] = LEARNERS,
    folds: int = 10,
    records: int | None = 5000,
    seed: int = 0,
    progress: Progress | None = None,
) -> Comparison:
    """Train each learner on both tables, with the same folds of the same (at most ``records``) records.

    >>> generator = np.random.default_rng(0)
    >>> x = generator.uniform(-1, 1, 300)
    >>> table = pa.table({"x": x, "y": np.where(x > 0, "yes", "no")})
    >>> schema = Schema.of({"x": (-1.0, 1.0), "y": ["no", "yes"]}, target="y")
    >>> found = compare(table, table, schema, learners=["decision tree"], folds=3)
    >>> before, after = found.scores["decision tree"]
    >>> before.accuracy == after.accuracy > 0.95
    True
    """
    if original.num_rows != perturbed.num_rows:
        raise DataError(
            f"The original has {original.num_rows} records and the perturbed table {perturbed.num_rows}.",
            "Compare tables of the same records, in the same order.",
        )
    if unknown := [name for name in learners if name not in LEARNERS]:
        raise ParameterError(f"There is no learner '{unknown[0]}'.", f"Choose among: {', '.join(LEARNERS)}.")
    if records is not None and original.num_rows > records:
        rows = np.sort(np.random.default_rng(seed).permutation(original.num_rows)[:records])
        original, perturbed = original.take(rows), perturbed.take(rows)
    prepared = [_prepared(original, original, schema), _prepared(perturbed, original, schema)]
    labels = _labels(original, schema)
    scores, done = {}, 0
    for name in learners:
        pair = []
        for numbers, codes in prepared:
            pair.append(cross_validated(name, numbers, codes, labels, folds, seed))
            done += 1
            if progress is not None:
                progress(done, 2 * len(learners))
        scores[name] = (pair[0], pair[1])
    return Comparison(scores, folds, len(labels))


def cross_validated(
    learner: str,
    numbers: Numbers,
    codes: NDArray[np.int64],
    labels: NDArray[np.int64],
    folds: int,
    seed: int = 0,
) -> Scores:
    """WEKA's measures of one learner, over all folds together."""
    from sklearn.model_selection import StratifiedKFold

    classes = int(labels.max()) + 1
    if np.bincount(labels, minlength=classes).min() < folds:
        raise DataError(f"A class has fewer than {folds} records, one for each fold.", "Choose fewer folds.")
    chances = np.zeros((len(labels), classes))
    prior_absolute = prior_square = 0.0
    start = time.perf_counter()
    absolute: Any
    square: Any
    for train, test in StratifiedKFold(folds, shuffle=True, random_state=seed).split(labels[:, None], labels):
        model = _Learner(learner).fit(numbers[train], codes[train], labels[train])
        chances[test] = model.chances(numbers[test], codes[test])
        prior = np.bincount(labels[train], minlength=classes) / len(train)
        absolute, square = metrics.prior_errors(np.bincount(labels[test], minlength=classes), prior)
        prior_absolute, prior_square = prior_absolute + float(absolute), prior_square + float(square)
    seconds = time.perf_counter() - start
    confusion = np.zeros((classes, classes))
    np.add.at(confusion, (labels, chances.argmax(axis=1)), 1)
    away = chances - np.eye(classes)[labels]
    absolute, square = float(np.abs(away).sum()), float((away**2).sum())
    return Scores(
        float(metrics.accuracy(confusion)),
        float(metrics.kappa(confusion)),
        float(metrics.mean_absolute_error(absolute, len(labels), classes)),
        float(metrics.root_mean_squared_error(square, len(labels), classes)),
        float(metrics.relative_absolute_error(absolute, prior_absolute)),
        float(metrics.root_relative_squared_error(square, prior_square)),
        seconds,
    )


class _Learner:
    """One of the five: naive Bayes takes codes as they are, the others one column a value."""

    def __init__(self, name: str) -> None:
        self.name = name

    def fit(self, numbers: Numbers, codes: NDArray[np.int64], labels: NDArray[np.int64]) -> _Learner:
        from sklearn.linear_model import LogisticRegression
        from sklearn.naive_bayes import CategoricalNB, GaussianNB
        from sklearn.neighbors import KNeighborsClassifier
        from sklearn.svm import SVC
        from sklearn.tree import DecisionTreeClassifier

        self.sizes = codes.max(axis=0, initial=0) + 2 if codes.shape[1] else np.zeros(0, dtype=int)
        self.log_prior = np.log(np.bincount(labels) / len(labels))
        if self.name == "naive Bayes":
            self.parts: list[tuple[Any, bool]] = []
            if numbers.shape[1]:
                self.parts.append((GaussianNB().fit(numbers, labels), False))
            if codes.shape[1]:
                self.parts.append((CategoricalNB(min_categories=self.sizes).fit(codes, labels), True))
            return self
        made = {
            "decision tree": lambda: DecisionTreeClassifier(min_samples_leaf=10, random_state=0),
            "k-nearest neighbours": lambda: KNeighborsClassifier(5),
            "support vectors": lambda: SVC(gamma=1.0),
            "logistic regression": lambda: LogisticRegression(max_iter=500),
        }
        self.model = made[self.name]().fit(self._wide(numbers, codes), labels)
        return self

    def chances(self, numbers: Numbers, codes: NDArray[np.int64]) -> Numbers:
        if self.name == "naive Bayes":
            known = np.minimum(codes, self.sizes - 1) if codes.shape[1] else codes
            parts = [
                part.predict_joint_log_proba(known if nominal else numbers) for part, nominal in self.parts
            ]
            # Each part holds the prior once; the whole must not hold it twice.
            total = np.sum(parts, axis=0) - (len(parts) - 1) * self.log_prior
            total -= total.max(axis=1, keepdims=True)
            return np.asarray(np.exp(total) / np.exp(total).sum(axis=1, keepdims=True))
        wide = self._wide(numbers, codes)
        if self.name == "support vectors":  # as WEKA's SMO by default: all on the predicted class
            return np.asarray(np.eye(len(self.model.classes_))[self.model.predict(wide)])
        return np.asarray(self.model.predict_proba(wide))

    def _wide(self, numbers: Numbers, codes: NDArray[np.int64]) -> Numbers:
        blocks = [
            np.eye(size)[np.minimum(column, size - 1)]
            for column, size in zip(codes.T, self.sizes, strict=True)
        ]
        return np.hstack([numbers, *blocks])


def _prepared(table: pa.Table, original: pa.Table, schema: Schema) -> tuple[Numbers, NDArray[np.int64]]:
    """Numbers in half ranges (missing ones in the middle) and the codes of the rest, one more for missing."""
    numbers, codes = [], []
    declared = {column.name: column for column in schema.columns}
    for name in table.column_names:
        if name == schema.target or (name in original.column_names and name not in declared):
            continue
        column = table[name].combine_chunks()
        if pa.types.is_dictionary(column.type):
            column = column.dictionary_decode()
        if isinstance(declared.get(name), Category) or not _numeric(column):
            texts = np.array([str(value) for value in column.to_pylist()], dtype=object)
            codes.append(np.unique(texts, return_inverse=True)[1])
            continue
        values = np.array(column.cast(pa.float64()).to_numpy(zero_copy_only=False), dtype=np.float64)
        number = declared.get(name)
        if isinstance(number, Number) and _in_its_units(values, original, name):
            values = (values - number.midpoint) / number.half_range
        numbers.append(np.where(np.isnan(values), 0.0, values))
    rows = table.num_rows
    return (
        np.column_stack(numbers) if numbers else np.empty((rows, 0)),
        np.column_stack(codes) if codes else np.empty((rows, 0), dtype=np.int64),
    )


def _in_its_units(values: Numbers, original: pa.Table, name: str) -> bool:
    """Whether a released column still has the original's spread: mixed ones are in half ranges."""
    before = np.array(original[name].combine_chunks().cast(pa.float64()).to_numpy(zero_copy_only=False))
    spread = np.nanstd(before)
    return bool(spread == 0 or 0.3 < np.nanstd(values) / spread < 30)


def _numeric(column: pa.Array) -> bool:
    return pa.types.is_integer(column.type) or pa.types.is_floating(column.type)


def _labels(table: pa.Table, schema: Schema) -> NDArray[np.int64]:
    if schema.target is None:
        raise SchemaError("The schema names no target to predict.", 'Add the line  target = "…"')
    schema.nominal_target()
    texts = np.array([str(value) for value in table[schema.target].to_pylist()], dtype=object)
    return np.unique(texts, return_inverse=True)[1]


def _plain(scores: Scores) -> dict[str, Any]:
    return {name: value if value == value else None for name, value in asdict(scores).items()}
