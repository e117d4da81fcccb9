"""Settings to audit an algorithm with: the smallest that it takes, and every way of working that it names.

The fewer answers a run is given, the larger the share of ε that each carries and the fewer runs show it. So
whole-numbered parameters (steps, depth, bins …) are set to the least value that is accepted. Parameters with
named choices (methods, criteria) are tried one by one, since each choice has a proof of its own. All of this
is read off the declared parameters, so an algorithm that is added is audited in the same way.
"""

from __future__ import annotations

from typing import Any

from annotated_types import Ge

from privet.errors import PrivetError
from privet.parameters import parameters_of
from privet.schema import Schema

__all__ = ["chooses", "small_settings"]


def small_settings(kind: type[Any], schema: Schema, **claim: float) -> dict[str, dict[str, Any]]:
    """Parameters by words for them; the first are the defaults, made small. "" says nothing was chosen.

    >>> from privet.learning.classify import NaiveBayes
    >>> schema = Schema.of({"smoker": ["no", "yes"], "ill": ["no", "yes"]}, target="ill")
    >>> list(small_settings(NaiveBayes, schema, epsilon=1.0))
    ['', 'numeric=gaussian', 'allocation=uniform']
    """
    found: dict[str, dict[str, Any]] = {"": _smallest(kind, schema, {}, claim)}
    for parameter in parameters_of(kind):
        for choice in parameter.choices or ():
            chosen = {parameter.name: choice}
            if choice != parameter.default and _steps(kind, schema, chosen | claim) is not None:
                found[f"{parameter.name}={choice}"] = _smallest(kind, schema, chosen, claim)
    return found


def _smallest(
    kind: type[Any], schema: Schema, chosen: dict[str, Any], claim: dict[str, float]
) -> dict[str, Any]:
    """These parameters, with all whole numbers as small as can be without asking for more."""
    settings = dict(chosen)
    for parameter in parameters_of(kind):
        least = next((int(str(bound.ge)) for bound in parameter.bounds if isinstance(bound, Ge)), None)
        if parameter.kind is not int or least is None:
            continue
        before = _steps(kind, schema, settings | claim)
        for value in (least, least + 1):
            smaller = settings | {parameter.name: value}
            steps = _steps(kind, schema, smaller | claim)
            if steps is not None and (before is None or steps <= before):
                settings = smaller
                break
    return settings


def _steps(kind: type[Any], schema: Schema, parameters: dict[str, Any]) -> int | None:
    """How many answers a run with these parameters is given; None if it is refused."""
    try:
        return len(kind(schema=schema, **parameters).rehearse().steps)
    except PrivetError:
        return None


def chooses(model: Any) -> bool:
    """Whether a part of its ε pays for a private choice, which a table with one candidate does not show."""
    return any("choice" in step.mechanism for step in model.rehearse().steps)
