"""Feature selection before a private classifier: which kind pays for itself?

At one total ε, a classifier is trained on all attributes (all of ε), on attributes chosen by a private filter
(``SelectKBest``) or by the private ABC–DE search (``PrivateBeeSelection``), each with half of ε for the
choice and half for the classifier, and on those of the thesis's wrapper, which reads exact records, so that
its guarantee is none: it is there to compare with. Only training folds are selected on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from privet.learning.classify import NaiveBayes, OneR
from privet.learning.public.bee_wrapper import BeeSelection
from privet.schema import Category, Schema
from privet.selection import SelectKBest
from privet.selection.bee_tables import PrivateBeeSelection

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


def compare_selections(
    table: pa.Table,
    schema: Schema,
    epsilons: Sequence[float] = (0.1, 1.0),
    *,
    k: int = 3,
    repeats: int = 1,
    folds: int = 10,
    seed: int = 0,
    selections: Sequence[str] = SELECTIONS,
    classifiers: Sequence[str] = tuple(CLASSIFIERS),
) -> list[Compared]:
    """Cross-validate every classifier after every selection at every ε, all on the same folds.

    The table is public: accuracies are exact. ``seed`` deals the folds; the noise is not seeded.
    """
    target = str(schema.target)
    truth = np.asarray(table[target].to_pylist(), dtype=str)
    scores: dict[tuple[float, str, str], list[tuple[float, int]]] = {}
    for train, test, told in _folds(table, truth, repeats, folds, seed):
        known: list[str] | None = None
        for epsilon in epsilons:
            for selection in selections:
                if selection == "wrapper (not private)":  # it knows no ε
                    known = known or _wrapped(train, schema, seed)
                    names = known
                else:
                    names = _chosen(selection, train, schema, epsilon / 2, k)
                kept = Schema(
                    tuple(c for c in schema.columns if c.name in (*names, target)), target, unit=schema.unit
                )
                left = epsilon / 2 if selection.startswith("private") else epsilon
                for name in classifiers:
                    model = CLASSIFIERS[name](epsilon=left, schema=kept).fit(train)
                    right = (
                        model.predict(test.select([column.name for column in kept.attributes])).astype(str)
                        == told
                    )
                    scores.setdefault((epsilon, name, selection), []).append(
                        (float(right.mean()), len(names))
                    )
    found = []
    for key, parts in scores.items():
        accuracies, sizes = (np.array(part, float) for part in zip(*parts, strict=True))
        error = accuracies.std(ddof=1) / len(parts) ** 0.5 if len(parts) > 1 else 0.0
        found.append(Compared(*key, float(accuracies.mean()), float(error), float(sizes.mean())))
    return found


def _folds(
    table: pa.Table, truth: Any, repeats: int, folds: int, seed: int
) -> Iterator[tuple[pa.Table, pa.Table, Any]]:
    generator = np.random.default_rng(seed)
    for _ in range(repeats):
        fold = generator.permutation(len(truth)) % folds
        for place in range(folds):
            away = fold == place
            yield table.filter(pa.array(~away)), table.filter(pa.array(away)), truth[away]


def _chosen(selection: str, train: pa.Table, schema: Schema, epsilon: float, k: int) -> list[str]:
    names = [column.name for column in schema.attributes]
    if selection == "none":
        return names
    if selection == "private filter":
        filtered = SelectKBest(k=min(k, len(names)), epsilon=epsilon, schema=schema, values=False)
        return list(filtered.fit(train).chosen_)
    return list(PrivateBeeSelection(epsilon=epsilon, schema=schema).fit(train).chosen_)


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
