"""What can be audited: an estimator, a mechanism, or any function of a table, as one kind of thing.

A subject draws many independent outputs for one input.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from privet.audit.outputs import Sample, released_by, sample_of
from privet.audit.pairs import Pair, candidate_pairs
from privet.errors import ParameterError
from privet.randomness import secure
from privet.schema import Schema

__all__ = ["Subject", "subject_of"]


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
    def fingerprint(self) -> str:
        """Says exactly what ran."""

    def pairs(self, generator: np.random.Generator) -> list[Pair]:
        """Candidate pairs of neighbouring inputs."""

    def draw(self, data: Any, runs: int) -> Sample:
        """Independent outputs on this input."""


@dataclass(frozen=True)
class _Claim:
    """A thing, what it claims, and what is public about its tables."""

    thing: Any
    epsilon: float
    delta: float
    name: str
    schema: Schema | None = None
    chunk: int = field(default=250, kw_only=True)

    @property
    def fingerprint(self) -> str:
        """Changes with the parameters, schema, claim and code: kept runs must not outlive them."""
        schema = None if self.schema is None else self.schema.to_dict()
        what = (type(self).__name__, _described(self.thing), self.epsilon, self.delta, schema)
        code = (_code(sys.modules["privet"].__name__), _code(_home(self.thing)))
        return hashlib.sha256(repr((what, code)).encode()).hexdigest()


@dataclass(frozen=True)
class _OfTables(_Claim):
    def pairs(self, generator: np.random.Generator) -> list[Pair]:
        assert self.schema is not None
        return candidate_pairs(self.schema, generator)


@dataclass(frozen=True)
class FittedModel(_OfTables):
    """Everything that a fitted estimator holds, from a fresh fit every run."""

    def draw(self, data: Any, runs: int) -> Sample:
        from sklearn.base import clone

        parameters = self.thing.get_params(deep=False)
        if any(hasattr(value, "fit") for value in parameters.values()):  # parts that are fitted with it
            return sample_of(released_by(clone(self.thing).fit(data)) for _ in range(runs))
        # A fresh object like a clone, without copying the schema in every run.
        fresh = type(self.thing)
        return sample_of(released_by(fresh(**parameters).fit(data)) for _ in range(runs))


@dataclass(frozen=True)
class TableFunction(_OfTables):
    """A function of a table that returns numbers, text, or lists and dictionaries of them."""

    def draw(self, data: Any, runs: int) -> Sample:
        return sample_of(self.thing(data) for _ in range(runs))


@dataclass(frozen=True)
class NoisyAnswer(_Claim):
    """A mechanism that adds noise to numbers: the pair is two answers at its sensitivity."""

    chunk: int = field(default=10_000, kw_only=True)

    def pairs(self, generator: np.random.Generator) -> list[Pair]:
        if hasattr(self.thing, "size"):  # randomised response: one record's category
            return [Pair("the first category and the last", [0], [int(self.thing.size) - 1])]
        squared = getattr(self.thing, "squared_sensitivity", None)
        if squared is None:
            away = [_whole(self.thing.sensitivity)]
        elif (root := _whole(float(squared) ** 0.5)) ** 2 == squared or squared > 64:
            away = [root]
        else:  # whole numbers at that distance: a step of 1 in each of several answers
            away = [1] * int(squared)
        return [Pair("answers of 0 and answers moved by the sensitivity", [0] * len(away), away)]

    def draw(self, data: Any, runs: int) -> Sample:
        answers = np.tile(np.asarray(data), (runs, 1))
        drawn = np.asarray(self.thing.randomise(answers, secure()), float)
        return Sample(tuple(f"answer[{j}]" for j in range(drawn.shape[1])), drawn)


@dataclass(frozen=True)
class Choice(_Claim):
    """A mechanism that chooses by scores: the pair moves the scores by the sensitivity."""

    chunk: int = field(default=2_000, kw_only=True)

    def pairs(self, generator: np.random.Generator) -> list[Pair]:
        step = float(self.thing.sensitivity)
        pairs = [Pair("one of four equal scores raised by the sensitivity", [step, 0, 0, 0], [0.0] * 4)]
        if not self.thing.monotonic:
            pairs.append(Pair("one of two equal scores raised, the other lowered", [step, 0], [0, step]))
            many = 8  # with many candidates the others' weights move as far as the one's own
            rises, falls = [step] + [0.0] * (many - 1), [0.0] + [step] * (many - 1)
            pairs.append(Pair("one of eight scores falls, the others rise", rises, falls))
        return pairs

    def draw(self, data: Any, runs: int) -> Sample:
        source, scores = secure(), np.asarray(data, float)
        chosen = np.array([[self.thing.choose(scores, source)] for _ in range(runs)], float)
        return Sample(("choice",), chosen)


def subject_of(
    thing: Any, *, schema: Schema | None = None, epsilon: float | None = None, delta: float | None = None
) -> Subject:
    """The subject that an object stands for; the claim is read from it unless it is given."""
    name = getattr(thing, "__name__", type(thing).__name__)
    declared = schema if schema is not None else getattr(thing, "schema", None)
    claimed = epsilon if epsilon is not None else getattr(thing, "epsilon", None)
    slack = float(delta if delta is not None else getattr(thing, "delta", None) or 0.0)
    if claimed is None:
        raise ParameterError(f"{name} does not say which epsilon it claims.", "Give epsilon=…")
    if not (float(claimed) > 0 and 0 <= slack < 1):
        raise ParameterError("A claim has an epsilon above 0 and a delta from 0 to below 1.")
    kind: Callable[..., Subject]
    if hasattr(thing, "choose"):
        return Choice(thing, float(claimed), slack, name)
    if hasattr(thing, "randomise"):
        return NoisyAnswer(thing, float(claimed), slack, name)
    if not isinstance(declared, Schema):
        raise ParameterError(f"To audit {name}, a declared schema is needed.", "Give schema=Schema.of(…)")
    if hasattr(thing, "fit"):
        kind = FittedModel
        thing = _with_schema(thing, declared)
    elif callable(thing):
        kind = TableFunction
    else:
        raise ParameterError(f"{name} can not be audited.", "Give an estimator, a mechanism or a function.")
    return kind(thing, float(claimed), slack, name, declared)


def _with_schema(estimator: Any, schema: Schema) -> Any:
    """The estimator, told about the schema if it takes one. What it claims is left as it is."""
    if getattr(estimator, "random_state", None) is not None:
        raise ParameterError(
            "Seeded noise is the same in every run and has no guarantee to audit.",
            "Leave random_state at None.",
        )
    if getattr(estimator, "ledger", None) is not None:
        raise ParameterError(
            "An audit fits thousands of times and would empty the ledger.",
            "Leave ledger at None: no data is read.",
        )
    if getattr(estimator, "schema", schema) is schema:
        return estimator
    from sklearn.base import clone

    return clone(estimator).set_params(schema=schema)


def _whole(value: Any) -> Any:
    """As an int where it is whole: mechanisms for counts take nothing else."""
    return int(value) if float(value).is_integer() else float(value)


def _described(thing: Any) -> str:
    """The thing with all its parameters, in words that do not change from process to process."""
    if hasattr(thing, "get_params"):
        return f"{type(thing).__qualname__} {sorted(thing.get_params().items(), key=lambda item: item[0])!r}"
    code = getattr(thing, "__code__", None)
    if code is None:
        return repr(thing) if type(thing).__repr__ is not object.__repr__ else f"{type(thing).__qualname__}"
    cells = [_described(cell.cell_contents) for cell in thing.__closure__ or ()]
    return f"{thing.__qualname__} {thing.__defaults__!r} {thing.__kwdefaults__!r} {cells}"


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
