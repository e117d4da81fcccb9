"""FindValues: which values occur often in a column whose domain is not public."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pyarrow as pa

from privet.budget import Approximate, Pure, Zcdp
from privet.curator.ask.question import Exact, Question
from privet.errors import ParameterError
from privet.mechanisms.threshold import Threshold
from privet.release import Step
from privet.schema import Schema
from privet.schema.unit import DerivedUnit
from privet.stats import Rows
from privet.stats.contribution import bounded
from privet.stats.relations.cells import as_text
from privet.stats.views import View
from privet.stats.views.listed import unlisted

__all__ = ["FindValues", "Values"]


@dataclass(frozen=True)
class Values:
    """The values that were found, in the order of the alphabet, and their noisy counts."""

    counts: Mapping[str, int]
    step: Step | None
    standard_deviation: float = 0.0

    @property
    def values(self) -> tuple[str, ...]:
        return tuple(self.counts)

    @property
    def steps(self) -> tuple[Step, ...]:
        return () if self.step is None else (self.step,)

    @property
    def told(self) -> tuple[Any, ...]:
        return (dict(self.counts),)


@dataclass(frozen=True)
class FindValues(Question[Values]):
    """The unlisted values of a category that enough records of a view have.

    The owner allows it by declaring the category with an ``other``. A share of ε pays for it, and the δ that
    it names, which the run must have reserved for its questions (``Curator._spend``).

    Proof: ``mechanisms.threshold``, with c the records that one unit changes: a record of the table becomes
    one record of the view or none, and has one value.
    """

    view: View
    column: str
    delta: Fraction
    what: str = ""

    def mechanism(self, amount: Pure | Zcdp, schema: Schema) -> Threshold:
        if not isinstance(amount, Pure):
            raise ParameterError("Values are found for an epsilon and a delta of their own.")
        if isinstance(schema.unit, DerivedUnit):
            raise ParameterError(
                "Unlisted values are found in one table, not in one that is made of others.",
                "List the values in the schema, or ask the table by itself.",
            )
        unlisted(self.column, schema)
        changed = schema.unit.most * (2 if schema.unit.neighbours == "replace" else 1)
        return Threshold(amount.epsilon, self.delta, changed)

    def release(self, exact: Exact, amount: Pure | Zcdp, mechanism: Any) -> Values:
        assert isinstance(amount, Pure)
        spent = Approximate(amount.epsilon, self.delta)
        what = self.what or f"which values of '{self.column}' are frequent"
        unit = "records (a value that more have is named)"
        step = Step(what, "threshold", spent, mechanism.error(), unit)
        return Values(
            mechanism.named(self.counted(exact), exact.randomness), step, mechanism.standard_deviation
        )

    def log_ratio(self, first: Exact, second: Exact, amount: Pure | Zcdp, mechanism: Any, told: Any) -> float:
        one, other = (mechanism.log_probability(self.counted(side), told.counts) for side in (first, second))
        return float(one - other)

    def counted(self, exact: Exact) -> Counter[str]:
        """How many records of the view have each unlisted value: for this package alone."""
        schema, counts = exact.schema, Counter[str]()
        listed = {str(label) for label in unlisted(self.column, schema).labels}
        wanted = {*self.view.columns((self.column,)), schema.unit.id}
        for batch in bounded(exact.source, [name for name in exact.source.names if name in wanted], schema):
            rows = self.view.rows(Rows(batch, schema), (self.column,))
            open_ = pa.array(rows.codes(self.column) == len(listed) - 1)
            for entry in as_text(rows.column(self.column), self.column).filter(open_).value_counts():
                if (text := entry["values"].as_py()) is not None and text not in listed:
                    counts[text] += entry["counts"].as_py()
        return counts
