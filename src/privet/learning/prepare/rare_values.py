"""Rare values of categories, counted as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Annotated

import numpy as np
from annotated_types import Ge, Lt

from privet.curator import Curator
from privet.estimator import PrivatePreparer
from privet.learning.prepare.histogram import Histogram, attributes, histograms
from privet.parameters import with_parameters
from privet.schema import Category, Column, Number
from privet.schema.columns import BOUGHT, Value

__all__ = ["RareValues", "frequent", "shortened"]

_OTHER = "other"


@with_parameters
class RareValues(PrivatePreparer):
    """Keep the values of categories that are frequent; all others count as "other" from then on.

    A value stays if its noisy count is more than noise and more than this share of all records.

    **Privacy.** Each category gets one table of sensitivity 1, for an equal share; which values stay follows
    from noisy counts.

    >>> import pyarrow as pa
    >>> from privet.schema import Schema
    >>> table = pa.table({"ward": ["a"] * 700 + ["b"] * 299 + ["c"]})
    >>> schema = Schema.of({"ward": ["a", "b", "c", "d", "e"]})
    >>> fitted = RareValues(epsilon=1.0, schema=schema, random_state=0).fit(table)  # seeded: for this page
    >>> fitted.schema_after(schema)["ward"].labels
    ('a', 'b', 'other')
    """

    least: Annotated[float, Ge(0), Lt(1), "The share of all records that a value must have to stay."] = 0.01

    def _fit(self, curator: Curator) -> None:
        columns = [c for c in attributes(curator, Category) if isinstance(c, Category)]
        found = histograms(curator, columns, {}, Fraction(1), "values of")
        self.histograms_ = {name: histogram.to_dict() for name, histogram in found.items()}
        self.kept_: dict[str, list[Value]] = {}
        for column in columns:
            self.kept_[column.name] = frequent(column, found[column.name], self.least)

    def _column_after(self, column: Column) -> Column:
        if isinstance(column, Number) or column.name not in self.kept_:
            return column
        return shortened(column, self.kept_[column.name])

    def in_words(self) -> str:
        """The values that stay, a line for each category."""
        return "\n".join(f"{name}: {', '.join(map(str, values))}" for name, values in self.kept_.items())


def frequent(column: Category, found: Histogram, least: float) -> list[Value]:
    """The listed values that are more than noise and more than this share of all records; one, at least."""
    if not column.values:
        return []
    counts = found.counts[: len(column.values)]
    limit = max(found.noise, least * float(np.maximum(found.counts, 0).sum()))
    stay = [value for value, count in zip(column.values, counts, strict=True) if count > limit]
    return stay or [column.values[int(np.argmax(counts))]]


def shortened(column: Category, kept: Sequence[Value]) -> Category:
    """The category with these of its values alone: the others have a cell together."""
    values = tuple(value for value in column.values if value in kept)
    if len(values) == len(column.values):
        return column
    other = column.other or _OTHER
    while other in map(str, values):
        other += "_"
    return replace(column, values=values, other=other, origin=BOUGHT)
