"""What can be audited: an estimator, a mechanism, or any function of a table, as one kind of thing.

A subject draws many independent outputs for one input, as rows of numbers.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from privet.audit.pairs import Pair, candidate_pairs
from privet.errors import ParameterError
from privet.randomness import secure
from privet.schema import Schema

__all__ = ["Subject", "released_numbers", "subject_of"]

Outputs = NDArray[np.float64]

# Stands for a number that one run released and another did not.
ABSENT = -1.2345e300


class Subject(Protocol):
    """Something that claims (ε, δ)."""

    name: str
    epsilon: float
    delta: float

    def pairs(self, generator: np.random.Generator) -> list[Pair]:
        """Candidate pairs of neighbouring inputs."""

    def draw(self, data: Any, runs: int) -> Outputs:
        """Independent outputs on this input, one row a run."""


@dataclass(frozen=True)
class FittedModel:
    """Everything that a fitted estimator holds, from a fresh fit every run."""

    estimator: Any
    schema: Schema
    epsilon: float
    delta: float
    name: str

    def pairs(self, generator: np.random.Generator) -> list[Pair]:
        return candidate_pairs(self.schema, generator)

    def draw(self, data: Any, runs: int) -> Outputs:
        return _as_rows([released_numbers(clone(self.estimator).fit(data)) for _ in range(runs)])


@dataclass(frozen=True)
class TableFunction:
    """A function of a table that returns numbers, text, or lists and dictionaries of them."""

    function: Callable[[Any], Any]
    schema: Schema
    epsilon: float
    delta: float
    name: str

    def pairs(self, generator: np.random.Generator) -> list[Pair]:
        return candidate_pairs(self.schema, generator)

    def draw(self, data: Any, runs: int) -> Outputs:
        return _as_rows([dict(_numbers("", self.function(data))) for _ in range(runs)])


@dataclass(frozen=True)
class NoisyAnswer:
    """A mechanism that adds noise to numbers: the pair is two answers at its sensitivity."""

    mechanism: Any
    epsilon: float
    delta: float
    name: str

    def pairs(self, generator: np.random.Generator) -> list[Pair]:
        squared = getattr(self.mechanism, "squared_sensitivity", None)
        distance = float(squared) ** 0.5 if squared is not None else float(self.mechanism.sensitivity)
        if distance.is_integer():  # mechanisms for counts take nothing else
            distance = int(distance)
        return [Pair("an answer at 0 and one at the sensitivity", 0, distance)]

    def draw(self, data: Any, runs: int) -> Outputs:
        answers = np.full(runs, data)
        return np.asarray(self.mechanism.randomise(answers, secure()), float)[:, None]


@dataclass(frozen=True)
class Choice:
    """A mechanism that chooses by scores: the pair moves the scores by the sensitivity."""

    mechanism: Any
    epsilon: float
    delta: float
    name: str

    def pairs(self, generator: np.random.Generator) -> list[Pair]:
        step = float(self.mechanism.sensitivity)
        one, other = np.zeros(4), np.zeros(4)
        one[0] = step
        if not self.mechanism.monotonic:
            other[0], other[1:], one[0] = 0.0, step, step
        return [Pair("scores moved by the sensitivity", one, other)]

    def draw(self, data: Any, runs: int) -> Outputs:
        source = secure()
        return np.array([[self.mechanism.choose(data, source)] for _ in range(runs)], float)


def subject_of(
    thing: Any, *, schema: Schema | None = None, epsilon: float | None = None, delta: float | None = None
) -> Subject:
    """The subject that an object stands for; the claim is read from it unless it is given."""
    name = getattr(thing, "__name__", type(thing).__name__)
    schema = schema or getattr(thing, "schema", None)
    claimed = epsilon if epsilon is not None else _claim(thing)
    slack = delta if delta is not None else float(getattr(thing, "delta", 0.0) or 0.0)
    if claimed is None:
        raise ParameterError(f"{name} does not say which epsilon it claims.", "Give epsilon=…")
    if hasattr(thing, "choose"):
        return Choice(thing, claimed, slack, name)
    if hasattr(thing, "randomise"):
        return NoisyAnswer(thing, claimed, slack, name)
    if not isinstance(schema, Schema):
        raise ParameterError(f"To audit {name}, a declared schema is needed.", "Give schema=Schema.of(…)")
    if hasattr(thing, "fit"):
        return FittedModel(thing, schema, claimed, slack, name)
    if callable(thing):
        return TableFunction(thing, schema, claimed, slack, name)
    raise ParameterError(f"{name} can not be audited.", "Give an estimator, a mechanism or a function.")


def _claim(thing: Any) -> float | None:
    epsilon = getattr(thing, "epsilon", None)
    return None if epsilon is None else float(epsilon)


def released_numbers(model: Any) -> dict[str, float]:
    """Every number and text that a fitted model holds, by its place; the schema and guarantee are public."""
    found: dict[str, float] = {}
    for name, value in sorted(vars(model).items()):
        if name.endswith("_") and not name.startswith("_") and name not in ("schema_", "guarantee_"):
            found.update(_numbers(name, value))
    return found


def _numbers(place: str, value: Any) -> Iterator[tuple[str, float]]:
    if value is None:
        yield place, ABSENT
    elif isinstance(value, str):
        yield place, float(zlib.crc32(value.encode()))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _numbers(f"{place}.{key}", item)
    elif isinstance(value, bool | int | float | np.generic) and np.ndim(value) == 0 and not isinstance(value, np.str_):
        yield place, float(np.nan_to_num(float(value), nan=ABSENT, posinf=1e300, neginf=-1e300))
    elif isinstance(value, np.ndarray) and value.dtype.kind in "iufb":
        flat = np.nan_to_num(value.astype(float).ravel(), nan=ABSENT, posinf=1e300, neginf=-1e300)
        yield from ((f"{place}[{j}]", float(item)) for j, item in enumerate(flat))
    elif isinstance(value, list | tuple | np.ndarray):
        for j, item in enumerate(np.ravel(value).tolist() if isinstance(value, np.ndarray) else value):
            yield from _numbers(f"{place}[{j}]", item)
    else:
        yield place, float(zlib.crc32(str(value).encode()))


def _as_rows(runs: list[dict[str, float]]) -> Outputs:
    """One row a run; places in the order of their names, so that rows of different calls agree."""
    places = sorted({place for run in runs for place in run})
    return np.array([[run.get(place, ABSENT) for place in places] for run in runs], float).reshape(
        len(runs), len(places)
    )
