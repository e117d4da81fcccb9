"""Feature selection before a private classifier: which kind pays for itself?

At one total ε, a classifier is trained on all attributes (all of ε), on attributes chosen by a private filter
(``SelectKBest``) or by the private ABC–DE search (``PrivateBeeSelection``), each with half of ε for the
choice and half for the classifier, and on those of the thesis's wrapper, which reads exact records, so that
its guarantee is none: it is there to compare with. Only training folds are selected on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from privet.learning.classify import NaiveBayes, OneR
from privet.learning.public.bee_wrapper import BeeSelection
from privet.schema import Category, Schema
from privet.selection import SelectKBest
from privet.selection.bee_tables import PrivateBeeSelection
from reproduction.grid import folded
from reproduction.rules.protocol import accuracy, cut, score

__all__ = ["CLASSIFIERS", "SELECTIONS", "Compared", "compare_selections"]

CLASSIFIERS: dict[str, Callable[..., Any]] = {"1R": OneR, "naive Bayes": NaiveBayes}
SELECTIONS = ("none", "private filter", "private ABC–DE", "wrapper (not private)")


@dataclass(frozen=True)
class Compared:
    """The mean accuracy of one classifier after one selection, over all folds, and how many were chosen."""

    epsilon: float
    classifier: str
    selection: str
    accuracy: float
    standard_error: float
    attributes: float


@dataclass
class Selected:
    """A classifier after a selection; a private selection takes half of ε, and the others none of it."""

    schema: Schema
    epsilon: float
    delta: float
    random_state: int
    classifier: str
    selection: str
    k: int
    seed: int

    def fit(self, table: pa.Table) -> Selected:
        left = self.epsilon / 2 if self.selection.startswith("private") else self.epsilon
        self._kept = cut(self.schema, self._chosen(table))
        learner = CLASSIFIERS[self.classifier]
        self._model = learner(epsilon=left, schema=self._kept).fit(table.select(list(self._kept.names)))
        return self

    def figures(self, table: pa.Table) -> dict[str, float]:
        right = accuracy(self._model, table.select(list(self._kept.names)), str(self.schema.target))
        return {"accuracy": right, "attributes": len(self._kept.attributes)}

    def _chosen(self, table: pa.Table) -> list[str]:
        names = [column.name for column in self.schema.attributes]
        if self.selection == "none":
            return names
        if self.selection == "wrapper (not private)":
            return _wrapped(table, self.schema, self.seed)
        half, schema = self.epsilon / 2, self.schema
        if self.selection == "private filter":
            filtered = SelectKBest(k=min(self.k, len(names)), epsilon=half, schema=schema, values=False)
            return list(filtered.fit(table).chosen_)
        return list(PrivateBeeSelection(epsilon=half, schema=schema).fit(table).chosen_)


def compare_selections(
    table: pa.Table,
    schema: Schema,
    epsilons: Sequence[float] = (0.1, 1.0),
    *,
    k: int = 3,
    folds: int = 10,
    seed: int = 0,
) -> list[Compared]:
    """Cross-validate every classifier after every selection at every ε, all on the same folds.

    The table is public: accuracies are exact. ``seed`` deals the folds; the noise is not seeded.
    """
    makes = {
        f"{s}, {c}": (Selected, {"classifier": c, "selection": s, "k": k, "seed": seed})
        for s in SELECTIONS
        for c in CLASSIFIERS
    }
    found = []
    for (label, epsilon), parts in folded(table, schema, makes, epsilons, folds=folds, seed=seed).items():
        selection, _, classifier = label.partition(", ")
        right, sizes = (score([part[name] for part in parts]) for name in ("accuracy", "attributes"))
        found.append(Compared(epsilon, classifier, selection, right.mean, right.standard_error, sizes.mean))
    return found


def _wrapped(train: pa.Table, schema: Schema, seed: int) -> list[str]:
    """The thesis's wrapper around a tree, on codes of the exact records: 1,500 of them, to save time."""
    train = train.take(np.random.default_rng(seed).permutation(train.num_rows)[:1500])
    columns = []
    for column in schema.attributes:
        values = train[column.name].to_pylist()
        if isinstance(column, Category):
            code = {label: place for place, label in enumerate(column.labels)}
            values = [code.get(value, -1) for value in values]
        columns.append(np.nan_to_num(np.array(values, float), nan=-1.0))
    wrapper = BeeSelection(population=10, iterations=8, random_state=seed)
    wrapper.fit(np.column_stack(columns), np.asarray(train[str(schema.target)].to_pylist(), dtype=str))
    return [column.name for column, kept in zip(schema.attributes, wrapper.support_, strict=True) if kept]
