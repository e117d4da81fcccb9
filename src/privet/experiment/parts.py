"""What an experiment is made of: tables, algorithms with their settings, and the cells of the grid."""

from __future__ import annotations

import itertools
import numbers
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from privet.errors import ParameterError
from privet.registry import ALGORITHMS

__all__ = ["Cell", "Contender", "Dataset", "contenders_of"]

Kind = Literal["generated", "made-up", "public", "private"]
_HOW_TO_NAME = 'Write  generated = "clinic",  made_up = "FILE.schema.toml"  or  file = "FILE.csv".'


@dataclass(frozen=True)
class Dataset:
    """A table of an experiment: generated, made up from a schema, a file declared public, or a private file.

    A file is private unless the experiment says that it is public.

    >>> Dataset.from_dict("people", {"file": "people.csv"}).kind
    'private'
    """

    name: str
    kind: Kind
    place: str
    records: int | None = None
    seed: int = 0
    schema: str | None = None

    @property
    def private(self) -> bool:
        return self.kind == "private"

    @classmethod
    def from_dict(cls, name: str, data: Any) -> Dataset:
        if not isinstance(data, Mapping):
            raise ParameterError(f"[data.{name}] is not a table of entries.", _HOW_TO_NAME)
        homes = [key for key in ("generated", "made_up", "file") if key in data]
        if len(homes) != 1 or not isinstance(data[homes[0]], str) or not data[homes[0]]:
            raise ParameterError(f"[data.{name}] must say where its records come from, once.", _HOW_TO_NAME)
        home = homes[0]
        known = {home, *(("schema", "public") if home == "file" else ("records", "seed"))}
        if surplus := sorted(set(data) - known):
            raise ParameterError(f"[data.{name}] has unknown entries {surplus}.", f"Known: {sorted(known)}.")
        for key, least in (("records", 20), ("seed", 0)):
            if key in data and not whole(data[key], least):
                raise ParameterError(f"[data.{name}]: {key} must be a whole number of at least {least}.")
        if not isinstance(data.get("public", False), bool):
            raise ParameterError(f"[data.{name}]: public must be true or false.")
        file: Kind = "public" if data.get("public") else "private"
        kinds: dict[str, Kind] = {"generated": "generated", "made_up": "made-up", "file": file}
        return cls(
            name, kinds[home], data[home], data.get("records"), data.get("seed", 0), data.get("schema")
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data; ``from_dict`` is the inverse."""
        key = {"generated": "generated", "made-up": "made_up"}.get(self.kind, "file")
        found: dict[str, Any] = {key: self.place}
        if key == "file":
            found |= {"public": True} if self.kind == "public" else {}
            return found | ({} if self.schema is None else {"schema": self.schema})
        return found | ({} if self.records is None else {"records": self.records}) | {"seed": self.seed}


@dataclass(frozen=True)
class Contender:
    """An algorithm with settings, and the name under which it stands in the tables.

    ``make`` is code in the place of a registered algorithm; only ``Contender.of`` gives one, never a file.
    """

    label: str
    algorithm: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    make: Callable[..., Any] | None = None

    @classmethod
    def of(cls, label: str, make: Callable[..., Any], settings: Mapping[str, Any] | None = None) -> Contender:
        """A class or function of Python as an algorithm; for public tables alone, unless it is Privet's.

        Called with ``schema``, ``epsilon``, ``delta``, ``random_state`` and the settings, it gives something
        whose ``fit(table)`` gives a model with ``predict(table)``, or with ``figures(table)``: numbers about
        a test table by their names. Results are kept under its name: whoever changes it takes another store.

        >>> from privet.learning.classify import OneR
        >>> Contender.of("1R", OneR).algorithm
        'one-r'
        >>> Contender.of("mine", lambda **given: None)
        Traceback (most recent call last):
        ...
        privet.errors.ParameterError: 'mine' is made by something without a name of its own.
              What to do: Give a class or a function at the top of a module.
        """
        home, name = getattr(make, "__module__", ""), getattr(make, "__qualname__", "")
        for entry in ALGORITHMS:
            if entry.home == f"{home}:{name}":
                return cls(label, entry.name, settings or {})
        if getattr(sys.modules.get(home), name, None) is not make:
            raise ParameterError(
                f"'{label}' is made by something without a name of its own.",
                "Give a class or a function at the top of a module.",
            )
        return cls(label, f"{home}:{name}", settings or {}, make)

    def to_dict(self) -> dict[str, Any]:
        return {"use": self.algorithm, **self.settings}


def contenders_of(name: str, data: Any) -> list[Contender]:
    """The contenders that an entry [algorithms.NAME] stands for: one for each combination under ``try``.

    >>> [c.label for c in contenders_of("tree", {"use": "decision-tree", "try": {"depth": [2, 4]}})]
    ['tree (depth=2)', 'tree (depth=4)']
    """
    if not isinstance(data, Mapping):
        raise ParameterError(f"[algorithms.{name}] is not a table of entries.")
    settings = {key: value for key, value in data.items() if key not in ("use", "try")}
    used, grid = data.get("use", name), data.get("try", {})
    for fixed in ("epsilon", "delta", "schema", "ledger", "random_state"):
        if fixed in settings or fixed in grid:
            raise ParameterError(f"[algorithms.{name}] sets {fixed}, which the whole experiment says.")
    if not isinstance(grid, Mapping) or not all(isinstance(v, list) and v for v in grid.values()):
        raise ParameterError(
            f"[algorithms.{name}]: try names settings, each with a list of values.", "try = {k = [1, 2]}"
        )
    if not grid:
        return [Contender(name, used, settings)]
    found = []
    for values in itertools.product(*grid.values()):
        chosen = dict(zip(grid, values, strict=True))
        told = ", ".join(f"{key}={value}" for key, value in chosen.items())
        found.append(Contender(f"{name} ({told})", used, settings | chosen))
    return found


@dataclass(frozen=True)
class Cell:
    """One measurement: of public data one fold, of private data a whole cross-validation (fold is None)."""

    data: str
    contender: str
    epsilon: float
    repetition: int
    fold: int | None


def whole(value: Any, least: int) -> bool:
    """Whether a value is a whole number of at least so much."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def positive(value: Any) -> bool:
    """Whether a value is a number above 0."""
    real = isinstance(value, numbers.Real) and not isinstance(value, bool)
    return real and 0 < value <= sys.float_info.max
