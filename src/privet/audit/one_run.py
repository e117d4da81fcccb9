"""An audit of one training run with many canaries, for models that are slow to fit.

Many units (canaries) are drawn from the schema. A fair coin decides for each whether it is put into the table
(or, under ``replace``, which of two records is). The model is fitted once; the units whose score is highest
are guessed to be in, those with the lowest to be out. Under (ε, δ)-differential privacy there is a limit on
how many guesses can be right (``confidence.epsilon_from_guesses``). One run shows less than many do: use it
where many cannot be had.

Reference: Steinke, Nasr and Jagielski (2023), Privacy auditing with one (1) training run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from privet.audit.confidence import epsilon_from_guesses
from privet.audit.pairs import random_record, table_of
from privet.audit.subjects import FittedModel, subject_of
from privet.errors import ParameterError
from privet.schema import Schema

__all__ = ["OneRun", "audit_one_run"]

#: How well a fitted model knows each record of a table: larger is better known.
Score = Callable[[Any, pa.Table], NDArray[np.float64]]


@dataclass(frozen=True)
class OneRun:
    """What one run showed: of ``guesses`` about ``canaries`` units, ``right`` were right."""

    subject: str
    epsilon: float
    delta: float
    bound: float
    confidence: float
    canaries: int
    guesses: int
    right: int

    @property
    def violated(self) -> bool:
        return self.bound > self.epsilon

    @property
    def verdict(self) -> str:
        claim = f"ε = {self.epsilon:g}" + (f", δ = {self.delta:g}" if self.delta else "")
        shown = f"{self.right} of {self.guesses} guesses right in one run"
        sure = f"{100 * self.confidence:.10g} % confidence"
        if self.violated:
            return f"violates its claim of {claim}: ε ≥ {self.bound:.3g} with {sure} ({shown})"
        return f"no violation found up to ε = {self.bound:.3g} (claimed: {claim}; {sure}; {shown})"

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"violated": self.violated, "verdict": self.verdict}


def audit_one_run(
    estimator: Any,
    *,
    schema: Schema | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    canaries: int = 1000,
    guesses: int | None = None,
    score: Score | None = None,
    confidence: float = 0.999,
    seed: int | None = None,
) -> OneRun:
    """Fit once on a table of canaries and guess which of them were in it.

    ``score(model, table)`` says how well the model knows each record; by default the log-probability that it
    gives to the record's own class. ``guesses`` (a fifth of the canaries, if not given) are made, half of
    them for the highest scores. ``seed`` fixes the canaries and coins, for tests.

    >>> from privet.learning.classify import NaiveBayes
    >>> schema = Schema.of({"age": (0.0, 120.0), "ill": ["no", "yes"]}, target="ill")
    >>> found = audit_one_run(NaiveBayes(epsilon=1.0, schema=schema), canaries=200)
    >>> found.violated, found.guesses
    (False, 40)
    """
    if not 0 < confidence < 1:
        raise ParameterError("confidence must lie between 0 and 1.", "Give 0.999, for example.")
    made = canaries // 5 if guesses is None else guesses
    if not 2 <= made <= canaries:
        raise ParameterError("There must be at least 2 guesses, and no more than there are canaries.")
    subject = subject_of(estimator, schema=schema, epsilon=epsilon, delta=delta)
    if not isinstance(subject, FittedModel) or subject.schema is None:
        raise ParameterError("An audit of one run is for an estimator.", "Use audit(…) for anything else.")
    public = subject.schema
    generator = np.random.default_rng(seed)
    inside = generator.integers(0, 2, canaries).astype(bool)
    # Under replace a unit is always there: the coin says which of two it is.
    variants = 2 if public.unit.neighbours == "replace" else 1
    units = [[random_record(public, generator) for _ in range(canaries)] for _ in range(variants)]
    present = [
        _unit(public, units[0][j] if inside[j] else units[-1][j], j)
        for j in range(canaries)
        if inside[j] or variants == 2
    ]
    from sklearn.base import clone

    model = clone(subject.thing).fit(table_of(public, [record for unit in present for record in unit]))
    known = [np.asarray((score or own_class)(model, _scored(public, each)), float) for each in units]
    knows = known[0] if variants == 1 else known[0] - known[1]
    # Ties are broken at random: the order of the canaries must not help.
    order = np.lexsort((generator.random(canaries), knows))
    top, bottom = order[canaries - (made - made // 2) :], order[: made // 2]
    right = int(inside[top].sum() + (~inside[bottom]).sum())
    bound = epsilon_from_guesses(right, made, confidence=confidence, delta=subject.delta, canaries=canaries)
    return OneRun(subject.name, subject.epsilon, subject.delta, bound, confidence, canaries, made, right)


def own_class(model: Any, table: pa.Table) -> NDArray[np.float64]:
    """The log-probability that a classifier gives to each record's own class."""
    target = model.schema_.target if hasattr(model, "schema_") else table.column_names[-1]
    codes = {label: place for place, label in enumerate(model.classes_.tolist())}
    own = [codes[label] for label in table[target].to_pylist()]
    logs: NDArray[np.float64] = model.predict_log_proba(table)
    return logs[np.arange(len(own)), own]


def _unit(schema: Schema, record: dict[str, Any], number: int) -> list[dict[str, Any]]:
    if schema.unit.id is None:
        return [record]
    return [record | {schema.unit.id: f"person {number}"}] * schema.unit.most


def _scored(schema: Schema, records: list[dict[str, Any]]) -> pa.Table:
    return table_of(schema, [_unit(schema, record, number)[0] for number, record in enumerate(records)])
