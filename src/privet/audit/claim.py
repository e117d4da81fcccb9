"""The contract of a subject: something that claims (ε, δ) and can be run many times on one input."""

from __future__ import annotations

import hashlib
import sys
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Protocol

import numpy as np

from privet.audit.outputs import Sample
from privet.audit.pairs import Pair
from privet.schema import Schema

__all__ = ["Claim", "Sided", "Subject"]


class Subject(Protocol):
    """Something that claims (ε, δ)."""

    @property
    def name(self) -> str: ...

    @property
    def epsilon(self) -> float: ...

    @property
    def delta(self) -> float: ...

    @property
    def chunk(self) -> int:
        """How many runs are made at a time."""

    @property
    def computed(self) -> bool:
        """Whether each run holds its log-likelihood ratio between the two tables (``transcript``)."""

    @property
    def fingerprint(self) -> str:
        """Says exactly what ran."""

    def pairs(self, generator: np.random.Generator) -> list[Pair]:
        """Candidate pairs of neighbouring inputs."""

    def side(self, first: Any, second: Any, place: int) -> Any:
        """What ``draw`` is given for the first or the second input of a pair."""

    def draw(self, data: Any, runs: int) -> Sample:
        """Independent outputs on this input."""


@dataclass(frozen=True, eq=False)
class Sided:
    """One table of a pair, for subjects that compare each run with what the other table would have given."""

    first: Any
    second: Any
    place: int

    @property
    def here(self) -> Any:
        return (self.first, self.second)[self.place]


@dataclass(frozen=True)
class Claim:
    """A thing, what it claims, and what is public about its tables."""

    thing: Any
    epsilon: float
    delta: float
    name: str
    schema: Schema | None = None
    chunk: int = field(default=250, kw_only=True)
    computed: ClassVar[bool] = False

    def side(self, first: Any, second: Any, place: int) -> Any:
        """What a run on one table of a pair is given: the table, unless a subject needs both."""
        return (first, second)[place]

    @property
    def fingerprint(self) -> str:
        """Changes with the parameters, schema, claim and code: kept runs must not outlive them."""
        schema = None if self.schema is None else self.schema.to_dict()
        what = (type(self).__name__, _described(self.thing), self.epsilon, self.delta, schema)
        code = (_code(sys.modules["privet"].__name__), _code(_home(self.thing)))
        return hashlib.sha256(repr((what, code)).encode()).hexdigest()


def _described(thing: Any) -> str:
    """The thing with all its parameters, in words that do not change from process to process."""
    if hasattr(thing, "get_params"):
        parameters = sorted(thing.get_params().items())
        return f"{type(thing).__qualname__} {[(name, _described(value)) for name, value in parameters]}"
    if isinstance(thing, Schema):  # whose own words are short
        return repr(thing.to_dict())
    code = getattr(thing, "__code__", None)
    if code is None:
        return repr(thing) if type(thing).__repr__ is not object.__repr__ else f"{type(thing).__qualname__}"
    cells = [_described(cell.cell_contents) for cell in thing.__closure__ or ()]
    # Two nameless functions may stand in one line: what they do tells them apart.
    does = (code.co_code, code.co_names, [part for part in code.co_consts if not hasattr(part, "co_code")])
    return f"{thing.__qualname__} {does} {thing.__defaults__!r} {thing.__kwdefaults__!r} {cells}"


def _home(thing: Any) -> str:
    return str(getattr(thing, "__module__", None) or type(thing).__module__)


@cache
def _code(module: str) -> str:
    """A digest of a module's source; of all of its files, where it is a package."""
    source = getattr(sys.modules.get(module), "__file__", None)
    if source is None:
        return ""
    path = Path(source)
    files = sorted(path.parent.rglob("*.py")) if path.name == "__init__.py" else [path]
    total = hashlib.sha256()
    for file in files:
        total.update(file.read_bytes())
    return total.hexdigest()
