"""Every use case of the catalogue, as an object with a value for each of its parameters."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from annotated_types import Ge, Gt, Le, Lt

from privet.parameters import OfAlgorithm, Parameter, parameters_of
from privet.registry import algorithms_with
from privet.service import UseCase
from privet.service.catalogue import Command


def example_of(entry: Command) -> UseCase:
    """The use case with every parameter given, none of them its default where there is a choice."""
    cls = entry.load()
    values: dict[str, Any] = {}
    chosen = algorithms_with(entry.words[0])[0] if entry.per_algorithm else None
    for parameter in parameters_of(cls):
        if chosen is not None and not parameter.applies_to(chosen.load(), chosen.commands):
            continue
        if parameter.name == "algorithm" and chosen is not None:
            values["algorithm"] = chosen.name
        elif parameter.marker(OfAlgorithm):
            declared = {each.name for each in parameters_of(cls)}  # these are not asked for twice
            own = own_of(values["algorithm"])
            values[parameter.name] = {name: value for name, value in own.items() if name not in declared}
        else:
            values[parameter.name] = value_of(parameter)
    return cls(**values)


def own_of(name: str) -> dict[str, Any]:
    """One of an algorithm's own parameters, not its default, and what it costs."""
    from privet.registry import algorithm

    declared = [p for p in parameters_of(algorithm(name).load()) if p.kind is not object]
    cost = {p.name: 2.5 for p in declared if p.name == "epsilon" and p.default is not None}
    return {declared[0].name: value_of(declared[0])} | cost


def value_of(parameter: Parameter) -> Any:
    """A value that the parameter may have, and that is not its default where there is another."""
    if parameter.many:
        return (_one(parameter, 0), _one(parameter, 1))
    return _one(parameter, 0)


def _one(parameter: Parameter, place: int) -> Any:
    if parameter.choices:
        others = [choice for choice in parameter.choices if choice != parameter.default]
        return others[place % len(others)]
    if parameter.kind is Path:
        return Path(f"{parameter.name} {place}.csv")  # with a space: a shell needs quotes
    if parameter.kind is bool:
        return not parameter.default
    if parameter.kind is dict:
        return {"name": "0.5"}
    if parameter.kind in (int, float):
        return _number(parameter)
    assert parameter.kind is str, parameter
    return f"{parameter.name}-{place}"


def _number(parameter: Parameter) -> Any:
    lows = [b.ge if isinstance(b, Ge) else b.gt for b in parameter.bounds if isinstance(b, Ge | Gt)]
    highs = [b.le if isinstance(b, Le) else b.lt for b in parameter.bounds if isinstance(b, Le | Lt)]
    low = max(lows, default=0)
    high = min(highs, default=low + 10)
    return int(low) + 1 if parameter.kind is int else low + (high - low) / 4
