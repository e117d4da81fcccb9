"""A private search for the best settings, from the names and values that a use case holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from privet.budget import Event, Ledger
from privet.errors import ParameterError
from privet.parameters import Parameter, parameters_of
from privet.registry import algorithm as entry_of
from privet.schema import Schema
from privet.service.building import build, meant

if TYPE_CHECKING:
    from privet.evaluation.tuning import PrivateSearch

__all__ = ["read_grid", "search_of", "tuning_events"]


def read_grid(algorithm: str, entries: Mapping[str, Any] | None) -> dict[str, list[Any]] | None:
    """What to try, where values may still be texts such as ``8,16,32``; None if there is nothing.

    >>> read_grid("naive-bayes", {"bins": "8,16", "numeric": ["histogram"]})
    {'bins': [8, 16], 'numeric': ['histogram']}
    """
    declared = {parameter.name: parameter for parameter in parameters_of(entry_of(algorithm).load())}
    grid: dict[str, list[Any]] = {}
    for given, values in (entries or {}).items():
        name = given.strip().replace("-", "_")
        if name not in declared:
            raise ParameterError(
                f"'{given}' is not a parameter of {algorithm}, so no values of it can be tried.",
                f"Its parameters: {', '.join(sorted(declared))}.",
            )
        if isinstance(values, str):
            values = [_read(declared[name], value.strip()) for value in values.split(",")]
        grid[name] = list(values)
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


def search_of(
    algorithm: str,
    schema: Schema,
    parameters: Mapping[str, Any],
    grid: Mapping[str, Any] | None,
    trials: float | None,
    ledger: Ledger | None,
    seed: int | None,
) -> PrivateSearch:
    """The search, not run yet; its ``best_estimator_`` will be the model, with the guarantee of the whole."""
    from privet.evaluation.tuning import PrivateSearch

    estimator = build(algorithm, schema, parameters)
    return PrivateSearch(
        estimator,
        read_grid(meant(algorithm, schema).name, grid),
        epsilon=estimator.epsilon,
        delta=estimator.delta,
        trials=trials,
        ledger=ledger,
        random_state=seed,
    )


def tuning_events(amount: Any, what: str) -> list[Event]:
    """What a search is to a ledger."""
    from privet.evaluation.tuning import tuning_event

    return [tuning_event(amount, what)]
