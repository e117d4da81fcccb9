"""Steps of a flow: what each takes, what it gives, and whether it measures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from privet.errors import ParameterError
from privet.registry import ALGORITHMS, Algorithm, algorithm

__all__ = ["MODEL", "PRIVATE", "PUBLIC", "SCORE", "TABLE", "FlowStep", "Kind", "kind_of"]

PRIVATE, PUBLIC, MODEL, SCORE, TABLE = "private rows", "public rows", "model", "score", "table"
ROWS = (PRIVATE, PUBLIC, TABLE)
_NOTHING = ""
#: What an algorithm of each family gives to the steps after it; "same" are the rows that it was given.
_GIVES = {
    "classify": MODEL,
    "regress": MODEL,
    "cluster": MODEL,
    "associate": MODEL,
    "select": "same",
    "prepare": "same",
    "synthesise": TABLE,
}
_RESERVED = ("do", "from", "weight", "epsilon")


@dataclass(frozen=True)
class Kind:
    """What a kind of step is: the kinds of edges that it takes, in order, what it gives, and its settings.

    ``measures`` says that it reads private rows through the curator and is paid for. A step with ``many``
    takes any number of edges of its one kind.
    """

    name: str
    takes: tuple[tuple[str, ...], ...]
    gives: str
    settings: tuple[str, ...] = ()
    measures: bool = False
    many: bool = False
    algorithm: Algorithm | None = None


_OWN = {
    kind.name: kind
    for kind in (
        Kind("source", (), PRIVATE, ("data", "schema", "public", "owner_says")),
        Kind("keep", (ROWS,), "same", ("columns",)),
        Kind("clip", (ROWS,), "same", ("bounds",)),
        Kind("split", (ROWS,), "same", ("folds",)),
        Kind("evaluate", ((MODEL,), ROWS), SCORE, ("measures",), measures=True),
        Kind("report", ((MODEL, SCORE, TABLE),), _NOTHING, ("output",), many=True),
        Kind("save", ((MODEL, TABLE),), _NOTHING, ("output",)),
    )
}


def kind_of(do: str) -> Kind:
    """The kind of a step, by what it does: one of a flow's own words, or the name of an algorithm.

    >>> kind_of("naive-bayes").gives, kind_of("report").measures
    ('model', False)
    """
    if do in _OWN:
        return _OWN[do]
    usable = tuple(entry for entry in ALGORITHMS if entry.family in _GIVES)
    if any(entry.name == do for entry in ALGORITHMS) and all(entry.name != do for entry in usable):
        raise ParameterError(f"'{do}' cannot be a step of a flow: it does not measure a table as a whole.")
    try:
        entry = algorithm(do, usable)
    except ParameterError:
        own = ", ".join(_OWN)
        raise ParameterError(
            f"There is no kind of step '{do}'.", f"It is one of {own}, or the name of an algorithm."
        ) from None
    return Kind(do, (ROWS,), _GIVES[entry.family], measures=True, algorithm=entry)


@dataclass(frozen=True)
class FlowStep:
    """One step: its name, what it does, the steps that it takes from, and its settings.

    ``weight`` says how much it matters for the allocation; ``epsilon`` fixes what it gets.
    """

    name: str
    do: str
    inputs: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    weight: float | None = None
    epsilon: float | None = None

    @classmethod
    def from_dict(cls, name: str, entry: Any) -> FlowStep:
        if not isinstance(entry, Mapping) or not isinstance(entry.get("do"), str):
            raise ParameterError(
                f"The step '{name}' does not say what it does.",
                f'Write under [steps.{name}]:  do = "naive-bayes"',
            )
        given = entry.get("from", ())
        inputs = (given,) if isinstance(given, str) else tuple(given)
        if not all(isinstance(each, str) for each in inputs):
            raise ParameterError(
                f"The step '{name}': `from` must name steps.", 'For example: from = "people"'
            )
        for what in ("weight", "epsilon"):
            value = entry.get(what)
            if value is not None and (
                isinstance(value, bool) or not isinstance(value, int | float) or value <= 0
            ):
                raise ParameterError(f"The step '{name}': {what} must be a number above 0.")
        settings = {key: value for key, value in entry.items() if key not in _RESERVED}
        return cls(name, entry["do"], inputs, settings, entry.get("weight"), entry.get("epsilon"))

    def to_dict(self) -> dict[str, Any]:
        plain: dict[str, Any] = {"do": self.do}
        if self.inputs:
            plain["from"] = self.inputs[0] if len(self.inputs) == 1 else list(self.inputs)
        more = {"weight": self.weight, "epsilon": self.epsilon}
        return plain | dict(self.settings) | {key: value for key, value in more.items() if value is not None}

    @property
    def kind(self) -> Kind:
        return kind_of(self.do)
