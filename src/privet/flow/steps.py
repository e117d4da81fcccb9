"""Steps of a flow: what each takes, what it gives, and whether it measures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from privet.errors import ParameterError
from privet.flow.settings import Clip, Drawn, End, Evaluate, Keep, Part, Source, Split, settings_of
from privet.parameters import Parameter, parameters_of
from privet.registry import ALGORITHMS, Algorithm, algorithm

__all__ = ["MODEL", "PRIVATE", "PUBLIC", "SCORE", "TABLE", "FlowStep", "Kind", "kind_of", "kinds"]

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

    ``declares`` is the class that declares its own settings, beside its algorithm's. ``measures`` says that
    it reads private rows through the curator and is paid for. A step with ``many`` takes any number of edges
    of its one kind.
    """

    name: str
    takes: tuple[tuple[str, ...], ...]
    gives: str
    declares: type | None = None
    measures: bool = False
    many: bool = False
    algorithm: Algorithm | None = None
    line: str = ""

    @property
    def settings(self) -> tuple[Parameter, ...]:
        """What may be set."""
        return settings_of(self.declares, None if self.algorithm is None else self.algorithm.load())

    @property
    def searches(self) -> bool:
        """Whether it looks for values that nobody listed, which needs a δ of its own."""
        return self.algorithm is not None and bool(self.algorithm.load().searches)

    @property
    def title(self) -> str:
        return self.name.capitalize() if self.algorithm is None else self.algorithm.title

    @property
    def changes(self) -> bool:
        """Whether it gives other rows than the table has."""
        return self.algorithm is not None and self.algorithm.family in ("prepare", "synthesise")

    def wanted(self, inputs: int) -> tuple[tuple[str, ...], ...]:
        """The kinds of edges that it takes, where so many are given."""
        return self.takes * max(inputs, 1) if self.many else self.takes


_OWN = {
    kind.name: kind
    for kind in (
        Kind("source", (), PRIVATE, Source, line="The rows of a table."),
        Kind("keep", (ROWS,), "same", Keep, line="Some of the columns. Free: it reads one record at a time."),
        Kind("clip", (ROWS,), "same", Clip, line="Numbers within public bounds. Free, for the same reason."),
        Kind("split", (ROWS,), "same", Split, line="A part for learning, and a part that is held out. Free."),
        Kind(
            "evaluate", ((MODEL,), ROWS), SCORE, Evaluate, measures=True, line="How good a model is on rows."
        ),
        Kind(
            "report", ((MODEL, SCORE, TABLE),), _NOTHING, End, many=True, line="A page of what was released."
        ),
        Kind("save", ((MODEL, TABLE),), _NOTHING, End, line="A file of a released model or table."),
    )
}


def kinds() -> tuple[Kind, ...]:
    """Every kind of step: a flow's own, and one for each algorithm that measures a table as a whole."""
    return (*_OWN.values(), *(kind_of(entry.name) for entry in ALGORITHMS if entry.family in _GIVES))


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
    declares = Drawn if entry.family == "synthesise" else None
    return Kind(do, (ROWS,), _GIVES[entry.family], declares, measures=True, algorithm=entry, line=entry.line)


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
        listed = given if isinstance(given, list | tuple) else (given,)
        inputs = tuple(each for each in listed if isinstance(each, str))
        if len(inputs) < len(listed):
            raise ParameterError(
                f"The step '{name}': `from` must name steps.", 'For example: from = "people"'
            )
        for each in parameters_of(Part):
            if fault := each.fault(entry.get(each.name)):
                raise ParameterError(f"The step '{name}': {each.name} {fault}.")
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
