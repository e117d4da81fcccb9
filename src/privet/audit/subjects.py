"""What can be audited: an estimator, a mechanism, or any function of a table, as one kind of thing.

A subject draws many independent outputs for one input.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from privet.audit.claim import Claim, Subject
from privet.audit.mechanism_subjects import Choice, NoisyAnswer, NoisyQuantile
from privet.audit.outputs import REFUSED, Sample, released_by, sample_of
from privet.audit.pairs import Pair, candidate_pairs
from privet.errors import DataError, ParameterError
from privet.schema import Schema

__all__ = ["FittedModel", "OfTables", "TableFunction", "released_or_refused", "subject_of"]


@dataclass(frozen=True)
class OfTables(Claim):
    def pairs(self, generator: np.random.Generator) -> list[Pair]:
        assert self.schema is not None
        return candidate_pairs(self.schema, generator)


@dataclass(frozen=True)
class FittedModel(OfTables):
    """Everything that a fitted estimator holds, from a fresh fit every run."""

    def draw(self, data: Any, runs: int) -> Sample:
        from sklearn.base import clone

        parameters = self.thing.get_params(deep=False)
        parts = any(hasattr(value, "fit") for value in parameters.values())  # that are fitted with it

        def fitted() -> Any:
            # A fresh object is like a clone, without copying the schema in every run.
            fresh = clone(self.thing) if parts else type(self.thing)(**parameters)
            return released_by(fresh.fit(data))

        return sample_of(released_or_refused(fitted) for _ in range(runs))


@dataclass(frozen=True)
class TableFunction(OfTables):
    """A function of a table that returns numbers, text, or lists and dictionaries of them."""

    def draw(self, data: Any, runs: int) -> Sample:
        return sample_of(released_or_refused(lambda: self.thing(data)) for _ in range(runs))


def released_or_refused(run: Callable[[], Any]) -> Any:
    """What a run releases; that it refuses a table is an output too, which may tell two neighbours apart."""
    try:
        return run()
    except DataError:
        return {REFUSED: True}


def subject_of(
    thing: Any, *, schema: Schema | None = None, epsilon: float | None = None, delta: float | None = None
) -> Subject:
    """The subject that an object stands for; the claim is read from it unless it is given."""
    name = getattr(thing, "__name__", type(thing).__name__)
    declared = schema if schema is not None else getattr(thing, "schema", None)
    claimed = epsilon if epsilon is not None else _said(thing, "epsilon")
    slack = float((delta if delta is not None else _said(thing, "delta")) or 0.0)
    if claimed is None:
        raise ParameterError(f"{name} does not say which epsilon it claims.", "Give epsilon=…")
    if not (float(claimed) > 0 and 0 <= slack < 1):
        raise ParameterError("A claim has an epsilon above 0 and a delta from 0 to below 1.")
    kind: Callable[..., Subject]
    if hasattr(thing, "choose"):
        return Choice(thing, float(claimed), slack, name)
    if hasattr(thing, "randomise"):
        answers = NoisyQuantile if hasattr(thing, "probability") else NoisyAnswer
        return answers(thing, float(claimed), slack, name)
    if not isinstance(declared, Schema):
        raise ParameterError(f"To audit {name}, a declared schema is needed.", "Give schema=Schema.of(…)")
    if hasattr(thing, "fit"):
        kind = FittedModel
        thing = _with_schema(thing, declared)
    elif callable(thing):
        from privet.audit.transcript import Overheard, Transcript

        kind = Overheard if isinstance(thing, Transcript) else TableFunction
    else:
        raise ParameterError(f"{name} cannot be audited.", "Give an estimator, a mechanism or a function.")
    return kind(thing, float(claimed), slack, name, declared)


def _said(thing: Any, what: str) -> Any:
    """What a thing claims: by itself, by the event that it would report, or by the amount it was given."""
    parts = (thing, getattr(thing, "event", None), getattr(thing, "amount", None))
    return next((getattr(part, what) for part in parts if hasattr(part, what)), None)


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
