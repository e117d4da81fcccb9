"""How accurate every classifier is on every public table, at several sizes and budgets: one matrix for all.

Tables are halved by their names: rules and thresholds are chosen on ``CHOSEN_ON`` and reported on the others.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.forecast import tables
from privet.registry import algorithm
from privet.schema import Number, Schema

REGRESSIONS = ("additive-regressor", "linear-regression", "ridge")
CLASSIFIERS = ("additive-model", "decision-tree", "logistic-regression", "naive-bayes", "one-r", "rules")
MOST_LEARNED, MOST_SCORED = 12_000, 4_000
SLOW = 8_000_000  # records × attributes × classes from which logistic regression is left out


def halves() -> tuple[list[str], list[str]]:
    """The names of the tables that rules are chosen on, and of those that they are reported on."""
    names = sorted(tables())
    return names[::2], names[1::2]


def cells(
    names: Sequence[str], sizes: Sequence[int], epsilons: Sequence[float], splits: int, kinds: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """One entry for each table, size, ε, split and algorithm, with the accuracy on records held out.

    ``majority`` is what the largest class of the records learned from would get right, without privacy.
    """
    every = tables()
    for name in names:
        table, schema = every[name]
        for size in sizes:
            learned = min(size, int(0.7 * table.num_rows), MOST_LEARNED)
            for split in range(splits):
                order = np.random.default_rng([split, size]).permutation(table.num_rows)
                train, test = table.take(order[:learned]), table.take(order[learned:][:MOST_SCORED])
                truth = np.array(test["class"].to_pylist(), dtype=object)
                counted = train["class"].value_counts().to_pylist()
                largest = max(counted, key=lambda each: each["counts"])["values"]
                known = {
                    "table": name, "size": size, "records": learned, "split": split,
                    "majority": float(np.mean(truth == largest)), "classes": schema.nominal_target().size,
                }  # fmt: skip
                for epsilon in epsilons:
                    for kind in kinds:
                        heavy = learned * len(schema.attributes) * schema.nominal_target().size
                        if kind == "logistic-regression" and heavy > SLOW:
                            continue
                        score = _score(kind, schema, train, test, truth, epsilon, split)
                        yield known | {"epsilon": epsilon, "algorithm": kind, "accuracy": score}


def _score(
    kind: str, schema: Schema, train: pa.Table, test: pa.Table, truth: Any, epsilon: float, split: int
) -> float:
    model = algorithm(kind).load()(epsilon=epsilon, schema=schema, random_state=split)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(train)
    return float(np.mean(np.asarray(model.predict(test), dtype=object) == truth))


def number_cells(
    names: Sequence[str], sizes: Sequence[int], epsilons: Sequence[float], splits: int, kinds: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """The same for regressions: two targets for each table with numbers, and R² on records held out."""
    every = tables()
    for name in names:
        table, schema = every[name]
        for target in [column.name for column in schema.attributes if isinstance(column, Number)][:2]:
            asked = Schema(schema.columns, target=target)
            for size in sorted({min(size, int(0.7 * table.num_rows), MOST_LEARNED) for size in sizes}):
                for split in range(splits):
                    order = np.random.default_rng([split, size]).permutation(table.num_rows)
                    train, test = table.take(order[:size]), table.take(order[size:][:MOST_SCORED])
                    for epsilon in epsilons:
                        for kind in kinds:
                            yield {
                                "table": f"{name}: {target}", "records": size, "split": split,
                                "epsilon": epsilon, "algorithm": kind,
                                "accuracy": explained(kind, asked, train, test, epsilon, split),
                            }  # fmt: skip


def explained(
    kind: str, schema: Schema, train: pa.Table, test: pa.Table, epsilon: float, split: int
) -> float:
    """R² on ``test`` of a regression fitted to ``train``."""
    model = algorithm(kind).load()(epsilon=epsilon, schema=schema, random_state=split).fit(train)
    actual = np.array(test[str(schema.target)].to_pylist(), float)
    known = ~np.isnan(actual)
    off = np.asarray(model.predict(test))[known] - actual[known]
    return float(1 - np.mean(off**2) / np.var(actual[known]))


def kept(path: Path, found: Iterator[dict[str, Any]]) -> list[dict[str, Any]]:
    """The entries, written line by line as they come."""
    entries = []
    with path.open("a", encoding="utf-8") as out:
        for entry in found:
            out.write(json.dumps(entry) + "\n")
            out.flush()
            entries.append(entry)
    return entries
