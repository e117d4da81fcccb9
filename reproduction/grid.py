"""Figures over contenders × ε × folds are Privet's own experiments; only the contenders are a page's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from benchmarks import data
from privet.experiment import Contender, Dataset, Experiment
from privet.experiment.recovery import WITHOUT_NOISE
from privet.schema import Schema

__all__ = ["WITHOUT_NOISE", "Make", "Makes", "cross_validated", "folded"]

#: What makes a contender (see ``Contender.of``), and its settings.
Make = tuple[Callable[..., Any], Mapping[str, Any]]
Makes = Mapping[str, Make]


def folded(
    table: pa.Table,
    schema: Schema,
    makes: Makes,
    epsilons: Sequence[float] = (WITHOUT_NOISE,),
    *,
    folds: int = 10,
    repetitions: int = 1,
    seed: int = 0,
    delta: float = 0.0,
) -> dict[tuple[str, float], list[Mapping[str, float]]]:
    """(contender, ε) → the figures of each fold of a *public* table; the same folds for all."""
    contenders = tuple(Contender.of(label, make, settings) for label, (make, settings) in makes.items())
    data = (Dataset("table", "public", "table"),)
    grid = Experiment(data, contenders, tuple(epsilons), delta, repetitions, folds, seed=seed)
    found: dict[tuple[str, float], list[Mapping[str, float]]] = {}
    for cell in grid.run({"table": (table, schema)}).cells:
        found.setdefault((cell["contender"], cell["epsilon"]), []).append(cell["figures"])
    return found


def cross_validated(
    name: str, contender: str, made: Make, epsilon: float | None, seed: int
) -> list[Mapping[str, float]]:
    """The figures of one contender in each of ten folds of a public table; without ε there is no noise."""
    epsilons = [WITHOUT_NOISE if epsilon is None else epsilon]
    [found] = folded(*data.load(name), {contender: made}, epsilons, seed=seed).values()
    return found
