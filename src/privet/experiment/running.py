"""Running an experiment: cells of public data anywhere, cells of private data here and paid for."""

from __future__ import annotations

import hashlib
import math
import os
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from privet.budget import Ledger, Sequential
from privet.curator.composition import Composition
from privet.curator.owner import account_name, as_read, require_word
from privet.evaluation import cross_validate, evaluate
from privet.experiment.parts import Cell
from privet.experiment.planning import ExperimentPlan, Price, estimator_of, planned, remaining
from privet.experiment.results import Results
from privet.experiment.store import Store
from privet.experiment.tables import Tables
from privet.experiment.value import Experiment
from privet.schema import Category, Schema

__all__ = ["PublicCells", "measured", "run_experiment"]

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
        plan = planned(experiment, tables, kept)
        _require_enough(plan, ledger)
        for dataset in experiment.data:  # a table that the ledger knows is public by its owner's word only
            if dataset.kind == "public":
                require_word(ledger, tables.schema(dataset), f"experiment {experiment.name}", owner_says)
        left, states = remaining(experiment, tables, kept)
        done = experiment.size - len(left)
        tasks = [(key, cell) for key, cell in left.items() if cell.fold is not None]
        work = PublicCells(experiment, tables)
        with _spread(work, processes if len(tasks) > 1 else 1, mapped) as spread:
            for key, found in spread(tasks):
                kept.add({"cell": key, **asdict(left[key]), "state": states[left[key].data], **found})
                done += 1
                if progress is not None:
                    progress(done, experiment.size)
        for key, cell in left.items():
            if cell.fold is None:
                about = {"cell": key, **asdict(cell), "state": states[cell.data]}
                kept.add(about | {"begun": True})
                kept.add(about | _private(experiment, tables, cell, ledger))
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

    def __call__(self, task: tuple[str, Cell]) -> tuple[str, dict[str, Any]]:
        """The result of one cell: a model of all folds but one, with noise, scored exactly on that one."""
        key, cell = task
        experiment, dataset = self._experiment, self._experiment.dataset(cell.data)
        assert cell.fold is not None
        assert not dataset.private
        schema, table = self._tables.schema(dataset), self._tables.table(dataset)
        fold = _folds(table, schema, experiment, cell)
        # The data is public, so the noise protects nobody: from a seed, the same experiment is the same.
        seed = int.from_bytes(hashlib.sha256(key.encode()).digest()[:4])
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = estimator_of(experiment, cell, schema, random_state=seed)
            model.fit(table.filter(pa.array(fold != cell.fold)))
            found = evaluate(model, table.filter(pa.array(fold == cell.fold)), public=True)
        figures, _ = _figures(found)
        return key, {"figures": figures, "seconds": round(time.perf_counter() - start, 4)}


def _folds(table: pa.Table, schema: Schema, experiment: Experiment, cell: Cell) -> NDArray[np.int64]:
    """The fold of each record: the same for every algorithm, and with all classes in each."""
    name = int.from_bytes(hashlib.sha256(cell.data.encode()).digest()[:4])
    order = np.random.default_rng([experiment.seed, cell.repetition, name]).permutation(table.num_rows)
    assert schema.target is not None
    if isinstance(schema[schema.target], Category):
        labels = np.array([str(value) for value in table[schema.target].to_pylist()])
        order = order[np.argsort(labels[order], kind="stable")]
    fold = np.empty(table.num_rows, np.int64)
    fold[order] = np.arange(table.num_rows) % experiment.folds
    return fold


def _private(experiment: Experiment, tables: Tables, cell: Cell, ledger: Ledger | None) -> dict[str, Any]:
    """A cross-validation of private data. How long it took is not kept: that could tell about the records."""
    dataset = experiment.dataset(cell.data)
    schema = tables.schema(dataset)
    estimator = estimator_of(experiment, cell, schema, ledger=ledger)
    source = tables.source(dataset, as_read(schema, ledger))
    result = cross_validate(
        estimator, source, folds=experiment.folds, epsilon=experiment.score_epsilon, ledger=ledger
    )
    figures, errors = _figures(result.evaluation)
    return {"figures": figures, "errors": errors, "guarantee": result.guarantee.to_dict()}


def _figures(found: Any) -> tuple[dict[str, float | None], dict[str, float | None]]:
    plain = {
        name: each
        for name, each in found.to_dict().items()
        if isinstance(each, dict) and set(each) == {"value", "error"}
    }
    return {name: _finite(each["value"]) for name, each in plain.items()}, {
        name: _finite(each["error"]) for name, each in plain.items()
    }


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


@contextmanager
def _spread(
    work: PublicCells, processes: int, mapped: Mapped | None
) -> Iterator[Callable[[list[tuple[str, Cell]]], Iterable[tuple[str, dict[str, Any]]]]]:
    """How cells are done: by a given map, by processes of this machine, or here."""
    if mapped is not None:
        yield lambda tasks: mapped(work, tasks)
    elif processes <= 1:
        yield lambda tasks: map(work, tasks)
    else:
        from multiprocessing import get_context

        context = get_context("forkserver")
        context.set_forkserver_preload(["privet.experiment.running"])
        with context.Pool(processes, _begin_worker, (work,)) as pool:
            # In the order in which they are ready: what is done is kept at once.
            yield lambda tasks: pool.imap_unordered(_in_worker, tasks)


_WORK: list[PublicCells] = []


def _begin_worker(work: PublicCells) -> None:
    """A worker does one cell at a time with one thread, and ends with the program that began it."""
    from multiprocessing import connection, parent_process

    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    threadpool_limits(1)
    _WORK[:] = [work]
    parent = parent_process()
    assert parent is not None

    def watch() -> None:
        connection.wait([parent.sentinel])  # a program that was killed cannot end its workers
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _in_worker(task: tuple[str, Cell]) -> tuple[str, dict[str, Any]]:
    return _WORK[0](task)
