"""Fitting with the settings that turn out best: planned, paid for once, learned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.budget import Ledger
from privet.errors import ParameterError
from privet.parameters import Parameter, parameters_of
from privet.registry import algorithm as entry_of
from privet.schema import Schema
from privet.service.plans import Plan, planned
from privet.service.runs import build, paying, settled
from privet.service.tables import Watch, open_table

if TYPE_CHECKING:
    from privet.evaluation.tuning import PrivateSearch

__all__ = ["plan_tuning", "read_grid", "tune"]


def read_grid(algorithm: str, entries: Sequence[str]) -> dict[str, list[Any]] | None:
    """What to try, from texts such as ``bins=8,16,32``; nothing where there is none.

    >>> read_grid("naive-bayes", ["bins=8,16", "numeric=histogram"])
    {'bins': [8, 16], 'numeric': ['histogram']}
    """
    declared = {parameter.name: parameter for parameter in parameters_of(entry_of(algorithm).load())}
    grid: dict[str, list[Any]] = {}
    for entry in entries:
        name, equals, values = entry.partition("=")
        name = name.strip().replace("-", "_")
        if not equals or name not in declared:
            raise ParameterError(
                f"'{entry}' does not name values of a parameter of {algorithm}.",
                f"Write  NAME=VALUE,VALUE,…  (privet algorithms {algorithm}  lists the names).",
            )
        grid[name] = [_read(declared[name], value.strip()) for value in values.split(",")]
    return grid or None


def _read(parameter: Parameter, text: str) -> Any:
    if parameter.optional and text.lower() == "none":
        return None
    try:
        value = text.lower() in ("true", "yes", "1") if parameter.kind is bool else parameter.kind(text)
    except ValueError:
        value = text
    if fault := parameter.fault(value):
        raise ParameterError(f"{parameter.name} {fault}, but is {text}.")
    return value


def plan_tuning(
    algorithm: str,
    data: str | Path,
    schema: Schema | str | Path,
    parameters: Mapping[str, Any],
    *,
    grid: Any = None,
    trials: float | None = None,
    ledger: Ledger | None = None,
    seed: int | None = None,
    engine: str = "auto",
    watch: Watch | None = None,
) -> Plan:
    """What a search for the best settings would cost in total. Spends nothing."""
    from privet.evaluation.tuning import tuning_event

    schema = settled(schema)
    search = _search(algorithm, schema, parameters, grid, trials, ledger, seed)
    plan = search.plan()
    guarantee = plan.guarantee
    table = open_table(data, schema, engine=engine, watch=watch)
    what = f"tune {algorithm}"
    events = [tuning_event(guarantee.amount, what)]
    return replace(planned(what, guarantee, schema, table, events, ledger), search=plan)


def tune(
    algorithm: str,
    data: str | Path,
    schema: Schema | str | Path,
    parameters: Mapping[str, Any],
    *,
    grid: Any = None,
    trials: float | None = None,
    ledger: Ledger | None = None,
    seed: int | None = None,
    engine: str = "auto",
) -> PrivateSearch:
    """The finished search; its ``best_estimator_`` is the model, with the guarantee of the whole.

    Nobody watches its progress: how many trials there are must stay secret.
    """
    schema = settled(schema)
    search = _search(algorithm, schema, parameters, grid, trials, ledger, seed)
    search.rehearse()
    table = open_table(data, schema, engine=engine)
    with paying(ledger, table, schema):
        return search.fit(table)


def _search(
    algorithm: str,
    schema: Schema,
    parameters: Mapping[str, Any],
    grid: Any,
    trials: float | None,
    ledger: Ledger | None,
    seed: int | None,
) -> PrivateSearch:
    from privet.evaluation.tuning import PrivateSearch

    estimator = build(algorithm, schema, parameters)
    return PrivateSearch(
        estimator,
        grid,
        epsilon=estimator.epsilon,
        delta=estimator.delta,
        trials=trials,
        ledger=ledger,
        random_state=seed,
    )
