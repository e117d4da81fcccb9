"""The plan of an experiment: what is left to do, and what all of it costs the people in private tables.

**Privacy.** A cell of private data is one ``cross_validate``, whose proof and price are in
``evaluation.cross_validation``. The cells of a table follow each other, so their parts compose sequentially
(``curator.composition``). Figures of public and made-up tables tell nothing about anybody who is protected.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from privet.budget import Approximate, Event, Pure, budget
from privet.curator.composition import Composition
from privet.errors import ParameterError
from privet.evaluation import evaluation_cost
from privet.experiment.parts import Cell, Contender, Dataset
from privet.experiment.recovery import FIGURES
from privet.experiment.store import Store
from privet.experiment.tables import Tables
from privet.experiment.value import Experiment
from privet.registry import Algorithm, algorithms_with
from privet.registry import algorithm as entry_of
from privet.release import Step, numbered
from privet.schema import Schema

__all__ = ["ExperimentPlan", "Price", "estimator_of", "identities", "planned", "remaining"]


@dataclass(frozen=True)
class Price:
    """What the cells of one private table that are left would cost, and the steps that it buys."""

    dataset: Dataset
    schema: Schema
    cells: int
    again: int
    composition: Composition
    steps: tuple[Step, ...]
    #: What all repetitions of an algorithm at an ε cost.
    places: Mapping[tuple[str, float], Pure | Approximate]

    @property
    def amount(self) -> Pure | Approximate:
        return self.composition.total

    def event(self, what: str) -> Event:
        """All of it, to a ledger."""
        return self.composition.event(what)

    def to_dict(self) -> dict[str, Any]:
        return {
            "data": self.dataset.name,
            "cells": self.cells,
            "paid again": self.again,
            "amount": self.amount.to_dict(),
            "epsilon": float(self.amount.epsilon),
            "unit": self.schema.unit.describe(),
        }


@dataclass(frozen=True)
class ExperimentPlan:
    """What is left of an experiment: cells that are free, and a price for each private table."""

    experiment: Experiment
    done: int
    free: int
    prices: tuple[Price, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "experiment": self.experiment.name,
            "cells": self.experiment.size,
            "done": self.done,
            "free": self.free,
            "prices": [price.to_dict() for price in self.prices],
        }

    def text(self, *, steps: bool = True) -> str:
        lines = [
            f"Planned: the experiment '{self.experiment.name}' of {self.experiment.size:,} cells. "
            f"{self.done:,} are done; {self.free:,} of the others are of public or made-up data and free."
        ]
        for price in self.prices:
            unit = price.schema.unit.describe()
            lines += [
                "",
                f"{price.dataset.name}: {price.cells} cross-validations would cost {price.amount} in all, "
                f"protecting {unit}.",
            ]
            if price.again:
                lines.append(
                    f"{price.again} of them were begun and not kept: nobody can know whether the result was "
                    "seen, so they are paid for again."
                )
            lines += [f"    {line}" for line in numbered(price.steps)] if steps else []
        if not self.prices:
            lines.append("It would cost nothing.")
        return "\n".join(lines)


def _comparable() -> tuple[Algorithm, ...]:
    return (*algorithms_with("cross-validate"), *algorithms_with("select"))


def chooses(contender: Contender) -> bool:
    """Whether an algorithm chooses attributes, and is measured by how many of the best it finds."""
    return contender.make is None and entry_of(contender.algorithm, _comparable()).family == "select"


def estimator_of(experiment: Experiment, cell: Cell, schema: Schema, **given: Any) -> Any:
    """The algorithm of a cell, with its settings and its ε, not fitted."""
    contender = experiment.contender(cell.contender)
    if contender.make is not None:
        common = {"epsilon": float(cell.epsilon), "delta": float(experiment.delta), "random_state": None}
        return contender.make(schema=schema, **common | given | dict(contender.settings))
    cls = entry_of(contender.algorithm, _comparable()).load()
    try:
        made = cls(
            schema=schema,
            epsilon=float(cell.epsilon),
            delta=float(experiment.delta),
            **given,
            **contender.settings,
        )
    except TypeError:
        known = {name for name in cls().get_params() if name not in ("schema", "ledger", "random_state")}
        wrong = sorted(set(contender.settings) - known)
        raise ParameterError(
            f"{contender.algorithm} has no parameter '{', '.join(wrong)}'.",
            f"Its parameters: {', '.join(sorted(known))}.",
        ) from None
    return made


def identities(experiment: Experiment, states: Mapping[str, str]) -> dict[str, Cell]:
    """Every cell of the grid by its identity: a digest of everything that its result depends on."""
    uses = {contender.label: contender.to_dict() for contender in experiment.algorithms}
    common = {"delta": experiment.delta, "folds": experiment.folds, "seed": experiment.seed}
    found = {}
    for cell in experiment.cells():
        about = vars(cell) | common
        about |= {"use": uses[cell.contender], "state": states[cell.data]}
        about["score"] = experiment.score_epsilon if cell.fold is None else None
        if experiment.measure == "p_value":  # alone of its kind: nothing else is looked at then
            about["measure"] = experiment.measure
        plain = json.dumps(about, sort_keys=True, default=str)
        found[hashlib.sha256(plain.encode()).hexdigest()[:24]] = cell
    return found


def remaining(experiment: Experiment, tables: Tables, store: Store) -> tuple[dict[str, Cell], dict[str, str]]:
    """The cells that have no result yet, by their identity, and the state of each table.

    A table that has changed since some of its cells were measured is refused: two tables would be mixed.
    """
    states = {dataset.name: tables.state(dataset) for dataset in experiment.data}
    lines = store.lines()
    for line in lines:
        if line.get("state", "") != states.get(line.get("data", ""), line.get("state", "")):
            raise ParameterError(
                f"The table '{line['data']}' or its schema has changed since cells of it were measured.",
                "Put the table back, or name another file for the results: all of it is measured then.",
            )
    held = {line["cell"] for line in lines if "figures" in line}
    cells = identities(experiment, states)
    return {key: cell for key, cell in cells.items() if key not in held}, states


def planned(
    experiment: Experiment,
    tables: Tables,
    store: str | Path | Store | None,
    left: Mapping[str, Cell] | None = None,
) -> ExperimentPlan:
    """What is left, and its price. Every algorithm is rehearsed with every table, on no records."""
    store = store if isinstance(store, Store) else Store(store)
    if left is None:
        left, _ = remaining(experiment, tables, store)
    begun = store.begun()
    for dataset in experiment.data:
        _rehearsed(experiment, dataset, tables.schema(dataset))
    prices = []
    for dataset in experiment.data:
        cells = {key: cell for key, cell in left.items() if cell.data == dataset.name}
        if dataset.private and cells:
            prices.append(_price(experiment, dataset, tables.schema(dataset), cells, begun))
    free = sum(not experiment.dataset(cell.data).private for cell in left.values())
    return ExperimentPlan(experiment, experiment.size - len(left), free, tuple(prices))


def _rehearsed(experiment: Experiment, dataset: Dataset, schema: Schema) -> None:
    """Refuse what cannot be learned or measured before anything is."""
    choosing = {chooses(contender) for contender in experiment.algorithms}
    if choosing == {True, False}:
        raise ParameterError(
            "Some of the algorithms learn and some choose attributes: there is no measure for both.",
            "Compare them in two experiments.",
        )
    if True in choosing and dataset.private:
        raise ParameterError(
            f"How many of the best attributes are found can only be known of public tables, and "
            f"'{dataset.name}' is private.",
            "Compare on public or made-up tables.",
        )
    figures = ["records", "r2", "mean_absolute_error", "root_mean_squared_error"]
    target = schema[schema.target or ""]
    if hasattr(target, "labels"):
        figures = ["records", "accuracy", "kappa", "mean_absolute_error", "root_mean_squared_error"]
        figures += ["relative_absolute_error", "root_relative_squared_error", "log_loss"]
    if True in choosing:
        figures = list(FIGURES)
    if experiment.measure is not None and experiment.measure not in figures:
        raise ParameterError(
            f"'{experiment.measure}' is not measured for '{dataset.name}'.",
            f"Choose one of: {', '.join(figures)}.",
        )
    for contender in experiment.algorithms:
        cell = Cell(dataset.name, contender.label, min(experiment.epsilons), 0, None)
        estimator = estimator_of(experiment, cell, schema)
        if contender.make is None:
            estimator.rehearse()


def _price(
    experiment: Experiment, dataset: Dataset, schema: Schema, cells: dict[str, Cell], begun: set[str]
) -> Price:
    assert experiment.score_epsilon is not None
    parts: list[tuple[int, Pure | Approximate]] = []
    steps: list[Step] = []
    places: dict[tuple[str, float], Pure | Approximate] = {}
    scores = budget(float(experiment.score_epsilon))
    error = evaluation_cost(schema, epsilon=experiment.score_epsilon).steps[0].error
    for (label, epsilon), times in Counter((c.contender, c.epsilon) for c in cells.values()).items():
        estimator = estimator_of(experiment, Cell(dataset.name, label, epsilon, 0, None), schema)
        these = ((times * (experiment.folds - 1), estimator._amount()), (times, scores))
        parts += these
        what = f"{label} at epsilon {epsilon:g}, {times} times {experiment.folds}-fold cross-validation"
        cost = places[label, epsilon] = Composition(these).total
        steps.append(
            Step(what, "each fit with its own noise, scores", cost, error, "in a count of the scores")
        )
    again = len(begun & set(cells))
    return Price(dataset, schema, len(cells), again, Composition(tuple(parts)), tuple(steps), places)
