"""What only the owner of generated data can show: exact figures to hold the private ones against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from privet.evaluation import Evaluation, evaluate
from privet.learning.classify import NaiveBayes
from privet.schema import Schema

__all__ = ["Curve", "Exact", "curve_of", "exact_evaluation", "exact_figures"]

EPSILONS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
_WITHOUT_NOISE = 1_000_000.0  # at this epsilon the noise in every cell is zero, to all intents


@dataclass(frozen=True)
class Curve:
    """Accuracy on the holdout for each epsilon: the mean and the extremes of several fits."""

    epsilons: tuple[float, ...]
    mean: tuple[float, ...]
    lowest: tuple[float, ...]
    highest: tuple[float, ...]
    not_private: float
    largest_class: float
    repeats: int


@dataclass(frozen=True)
class Exact:
    """Exact figures of generated data."""

    records: int
    holdout: int
    counts: tuple[int, ...]
    evaluation: Evaluation
    curve: Curve


def exact_figures(training: pa.Table, holdout: pa.Table, schema: Schema, model: Any) -> Exact:
    """Everything that the report compares with. On private data, each of these would be a leak."""
    return Exact(
        training.num_rows + holdout.num_rows,
        holdout.num_rows,
        _class_counts(training, schema),
        exact_evaluation(model, holdout),
        curve_of(training, holdout, schema),
    )


def exact_evaluation(model: Any, table: pa.Table) -> Evaluation:
    """The figures of a model without noise, on a table that is public because nobody in it exists."""
    said = "nobody in this table exists"
    found = evaluate(model, table, public=True, measures="confusion", owner_says=said)
    assert isinstance(found, Evaluation)  # of a classifier
    return found


def curve_of(
    training: pa.Table,
    holdout: pa.Table,
    schema: Schema,
    epsilons: Sequence[float] = EPSILONS,
    repeats: int = 8,
) -> Curve:
    """How accuracy depends on epsilon, by fitting again and again."""

    def fitted(epsilon: float) -> float:
        model = NaiveBayes(epsilon=epsilon, schema=schema).fit(training)
        return exact_evaluation(model, holdout).accuracy.value

    runs = [[fitted(epsilon) for _ in range(repeats)] for epsilon in epsilons]
    counts = _class_counts(holdout, schema)
    return Curve(
        tuple(epsilons),
        tuple(float(np.mean(each)) for each in runs),
        tuple(map(min, runs)),
        tuple(map(max, runs)),
        fitted(_WITHOUT_NOISE),
        max(counts) / sum(counts),
        repeats,
    )


def _class_counts(table: pa.Table, schema: Schema) -> tuple[int, ...]:
    target = schema.nominal_target()
    counts = {entry["values"]: entry["counts"] for entry in pc.value_counts(table[target.name]).to_pylist()}
    return tuple(counts.get(label, 0) for label in target.labels)
