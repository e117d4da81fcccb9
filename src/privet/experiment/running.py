"""Running an experiment: cells of public data anywhere, cells of private data here and paid for."""

from __future__ import annotations

import hashlib
import math
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from privet.budget import Ledger, Sequential
from privet.curator.composition import Composition
from privet.curator.owner import account_name, as_read, require_word
from privet.evaluation import cross_validate, evaluate
from privet.experiment.folds import Folds
from privet.experiment.parts import Cell
from privet.experiment.planning import ExperimentPlan, Price, chooses, estimator_of, planned, remaining
from privet.experiment.recovery import recovered
from privet.experiment.results import Results
from privet.experiment.store import Store
from privet.experiment.tables import Tables
from privet.experiment.value import Experiment
from privet.experiment.workers import warmed, workers
from privet.schema import Category, Schema

__all__ = ["PublicCells", "figures_of", "measured", "run_experiment"]

Mapped = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]
Progress = Callable[[int, int], None]


def run_experiment(
    experiment: Experiment,
    tables: Tables,
    store: str | Path | None,
    ledger: Ledger | None,
    processes: int,
    mapped: Mapped | None,
    owner_says: str | None,
    progress: Progress | None,
) -> Results:
    """All results, after what is left was done. What can be refused is refused before a record is read."""
    kept = Store(store)
    with kept.held():
        left, states = remaining(experiment, tables, kept)
        plan = planned(experiment, tables, kept, left)
        _require_enough(plan, ledger)
        for dataset in experiment.data:  # a table that the ledger knows is public by its owner's word only
            if dataset.kind == "public":
                require_word(ledger, tables.schema(dataset), f"experiment {experiment.name}", owner_says)
        done = experiment.size - len(left)
        about = {key: {"cell": key, **vars(cell), "state": states[cell.data]} for key, cell in left.items()}
        for batch in _done(PublicCells(experiment, tables), left, processes, mapped):
            kept.add(*(about[key] | found for key, found in batch), soon=True)
            done += len(batch)
            if progress is not None:
                progress(done, experiment.size)
        for key, cell in left.items():
            if cell.fold is None:
                kept.add(about[key] | {"begun": True})
                kept.add(about[key] | _private(experiment, tables, cell, ledger))
                done += 1
                if progress is not None:
                    progress(done, experiment.size)
        return Results.of(experiment, kept, states)


def _require_enough(plan: ExperimentPlan, ledger: Ledger | None) -> None:
    """All of it must fit in the ledger, or none is begun. Tables of the same people share an account."""
    if ledger is None:
        return
    accounts: dict[str, list[Price]] = {}
    for price in plan.prices:
        as_read(price.schema, ledger)
        accounts.setdefault(account_name(price.schema), []).append(price)
    for name, prices in accounts.items():
        event = Sequential(tuple(price.event(f"experiment {plan.experiment.name}") for price in prices))
        asked = Composition(tuple(part for price in prices for part in price.composition.parts)).total
        ledger.preview(name, event, unit=prices[0].schema.unit, asked=asked)


def measured(experiment: Experiment, store: str | Path, folder: str | Path = ".") -> Results:
    """What a store holds of an experiment so far. Nothing is measured."""
    kept, tables = Store(store), Tables(experiment, {}, Path(folder))
    return Results.of(experiment, kept, remaining(experiment, tables, kept)[1])


class PublicCells:
    """Does cells of public data, wherever it is called: it is sent to processes and clusters as it is."""

    def __init__(self, experiment: Experiment, tables: Tables) -> None:
        self._experiment, self._tables = experiment, tables.public(experiment)
        self._folds = Folds(experiment)

    def __call__(self, task: tuple[str, Cell]) -> tuple[str, dict[str, Any]]:
        """The result of one cell: a model of all folds but one, with noise, scored exactly on that one."""
        key, cell = task
        start = time.process_time()
        figures = self._figures(key, cell)  # what a cell has made is let go before its time is taken
        return key, {"figures": figures, "seconds": round(time.process_time() - start, 4)}

    def _figures(self, key: str, cell: Cell) -> dict[str, float | None]:
        experiment, dataset = self._experiment, self._experiment.dataset(cell.data)
        assert cell.fold is not None
        assert not dataset.private
        schema, table = self._tables.schema(dataset), self._tables.table(dataset)
        fold = self._folds.of(table, schema, cell)
        # The data is public, so the noise protects nobody: from a seed, the same experiment is the same.
        seed = int.from_bytes(hashlib.sha256(key.encode()).digest()[:4])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = estimator_of(experiment, cell, schema, random_state=seed)
            known = table.filter(pa.array(fold != cell.fold))
            test = table.filter(pa.array(fold == cell.fold))
            contender = experiment.contender(cell.contender)
            if chooses(contender):
                return recovered(model, known, experiment.measure)
            if contender.make is not None:
                return figures_of_any(model.fit(known), test, schema)
            return figures_of(evaluate(model.fit(known), test, public=True).to_dict())[0]


def _private(experiment: Experiment, tables: Tables, cell: Cell, ledger: Ledger | None) -> dict[str, Any]:
    """A cross-validation of private data. How long it took is not kept: that could tell about the records."""
    dataset = experiment.dataset(cell.data)
    schema = tables.schema(dataset)
    estimator = estimator_of(experiment, cell, schema, ledger=ledger)
    source = tables.source(dataset, as_read(schema, ledger))
    result = cross_validate(
        estimator, source, folds=experiment.folds, epsilon=experiment.score_epsilon, ledger=ledger
    )
    figures, errors = figures_of(result.evaluation.to_dict())
    return {"figures": figures, "errors": errors, "guarantee": result.guarantee.to_dict()}


def figures_of_any(model: Any, test: pa.Table, schema: Schema) -> dict[str, float | None]:
    """The figures of a model that is not Privet's: its own, or how well it predicts public records."""
    if hasattr(model, "figures"):
        return {name: _finite(float(value)) for name, value in model.figures(test).items()}
    from sklearn import metrics

    target = schema[schema.target or ""]
    test = test.filter(test[target.name].is_valid())
    records: dict[str, float | None] = {"records": float(test.num_rows)}
    if not test.num_rows:
        return records
    truth = np.asarray(test[target.name].to_pylist())
    told = np.asarray(model.predict(test.drop_columns([target.name])))
    if isinstance(target, Category):
        classes = truth.astype(str), told.astype(str)
        found = {
            "accuracy": metrics.accuracy_score(*classes),
            "kappa": metrics.cohen_kappa_score(*classes),
        }
    else:
        values = truth.astype(float), told.astype(float)
        if not np.isfinite(values).all():  # what is no number is off by no number
            return records
        found = {
            "r2": metrics.r2_score(*values, force_finite=False),
            "mean_absolute_error": metrics.mean_absolute_error(*values),
            "root_mean_squared_error": metrics.root_mean_squared_error(*values),
        }
    return records | {name: _finite(float(value)) for name, value in found.items()}


def figures_of(plain: Mapping[str, Any]) -> tuple[dict[str, float | None], dict[str, float | None]]:
    """The figures of an evaluation as plain data, and their errors."""
    found = {
        name: each
        for name, each in plain.items()
        if isinstance(each, dict) and set(each) == {"value", "error"}
    }
    return {name: _finite(each["value"]) for name, each in found.items()}, {
        name: _finite(each["error"]) for name, each in found.items()
    }


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _firsts(left: Mapping[str, Cell]) -> list[tuple[str, Cell]]:
    """Two cells of public data of each algorithm: one to load what it needs, one to show its time."""
    found: dict[str, list[tuple[str, Cell]]] = {}
    for key, cell in left.items():
        if cell.fold is not None and len(of := found.setdefault(cell.contender, [])) < 2:
            of.append((key, cell))
    return [task for tasks in found.values() for task in tasks]


def _done(
    work: PublicCells, left: Mapping[str, Cell], processes: int, mapped: Mapped | None
) -> Iterator[list[tuple[str, dict[str, Any]]]]:
    """The cells of public data, as they are done: by a given map, by processes of this machine, or here."""
    tasks = [(key, cell) for key, cell in left.items() if cell.fold is not None]
    if mapped is not None:
        yield from ([found] for found in mapped(work, tasks))
    elif processes <= 1 or len(tasks) <= 1:
        yield from ([work(task)] for task in tasks)
    else:
        done: dict[str, float] = {}
        for key, found in warmed(work, _firsts(left)):
            done[key] = found["seconds"]
            yield [(key, found)]
        rest = [task for task in tasks if task[0] not in done]
        with workers(work, processes, min(done.values())) as spread:
            yield from spread(rest)
