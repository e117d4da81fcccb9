"""Declared parameters as JSON Schema (draft 2020-12): for forms, for the API and for other programs.

What JSON Schema has no word for stands beside it: ``x-file`` (in or out), ``x-consent`` (the question that a
person answers), ``x-if-algorithm-has``, and ``x-column-of``, ``x-applies-when`` and ``x-parameters-of``,
which name other parameters; ``x-named`` shows how a mapping of names to values is typed.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from annotated_types import Ge, Gt, Le, Lt

from privet.parameters.declared import Parameter, parameters_of
from privet.parameters.markers import ColumnOf, Consent, File, IfAlgorithm, IfTaken, Named, OfAlgorithm, When

__all__ = ["json_schema"]

_TYPES = {float: "number", int: "integer", bool: "boolean", str: "string", Path: "string", dict: "object"}
_BOUNDS = (
    (Gt, "gt", "exclusiveMinimum"),
    (Ge, "ge", "minimum"),
    (Lt, "lt", "exclusiveMaximum"),
    (Le, "le", "maximum"),
)


def json_schema(declaring: type, *, title: str = "", description: str = "") -> dict[str, Any]:
    """The schema of a JSON object with the parameters of a class; what only Python can give is left out.

    >>> from typing import Annotated
    >>> class Toy:
    ...     def __init__(self, *, bins: Annotated[int, Ge(2), "How many bins."] = 16) -> None: ...
    >>> json_schema(Toy)["properties"]
    {'bins': {'type': 'integer', 'minimum': 2, 'description': 'How many bins.', 'default': 16}}
    """
    shown = [p for p in parameters_of(declaring) if p.typed or p.marker(OfAlgorithm) is not None]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title or declaring.__name__,
        "description": description,
        "type": "object",
        "properties": {p.name: _property(p) for p in shown},
        "required": [p.name for p in shown if p.required],
        "additionalProperties": False,
    }


def _property(parameter: Parameter) -> dict[str, Any]:
    if parameter.many:
        one = _value(replace(parameter, many=False, optional=False))
        found: dict[str, Any] = {"type": ["array", "null"] if parameter.optional else "array", "items": one}
    else:
        found = _value(parameter)
    found["description"] = parameter.help
    if not parameter.required:
        found["default"] = _plain(parameter.default)
    return found | _beside(parameter)


def _plain(default: Any) -> Any:
    if isinstance(default, tuple):
        return list(default)
    return str(default) if isinstance(default, Path) else default


def _value(parameter: Parameter) -> dict[str, Any]:
    kind = _TYPES.get(parameter.kind, "string" if parameter.marker(File) else "object")
    found: dict[str, Any] = {"type": [kind, "null"] if parameter.optional else kind}
    if parameter.choices:
        found["enum"] = [*parameter.choices, *([None] if parameter.optional else [])]
    for bound in parameter.bounds:
        found |= {word: getattr(bound, key) for cls, key, word in _BOUNDS if isinstance(bound, cls)}
    return found


def _beside(parameter: Parameter) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if file := parameter.marker(File):
        found["x-file"] = file.role
    if consent := parameter.marker(Consent):
        found["x-consent"] = consent.question
    if column := parameter.marker(ColumnOf):
        found["x-column-of"] = column.parameter
    if named := parameter.marker(Named):
        found["x-named"] = named.metavar
    if when := parameter.marker(When):
        found["x-applies-when"] = {"parameter": when.parameter, "values": [_plain(v) for v in when.values]}
    if only := parameter.marker(IfAlgorithm):
        found["x-if-algorithm-has"] = only.has
    if taken := parameter.marker(IfTaken):
        found["x-if-taken-by"] = taken.by
    if algorithm := parameter.marker(OfAlgorithm):
        found["x-parameters-of"] = algorithm.parameter
    return found
