"""Cuts of numbers that put about as many records in each bin."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Annotated

from annotated_types import Ge, Le

from privet.curator import Curator
from privet.estimator import PrivatePreparer
from privet.learning.prepare.histogram import attributes, histograms
from privet.parameters import with_parameters
from privet.schema import Category, Column, Number
from privet.schema.bins import public_cuts
from privet.schema.columns import BOUGHT

__all__ = ["EqualFrequency"]


@with_parameters
class EqualFrequency(PrivatePreparer):
    """Cuts at noisy quantiles of every number: learners that use bins then use these.

    **Privacy.** Each number gets one histogram of sensitivity 1 with equal bins, for an equal share; the
    quantiles follow from its noisy counts.

    >>> import numpy as np
    >>> from privet.schema import Schema
    >>> waits = np.random.default_rng(0).exponential(5, 20_000)
    >>> schema = Schema.of({"wait": (0.0, 100.0)})
    >>> cuts = EqualFrequency(bins=2, epsilon=1.0, schema=schema).fit(waits[:, None]).cuts_["wait"]
    >>> 3.2 < cuts[0] < 3.8
    True
    """

    bins: Annotated[int, Ge(2), Le(100), "How many bins a number gets."] = 8
    grain: Annotated[int, Ge(8), Le(10_000), "How many equal bins the quantiles are found in."] = 256

    def _fit(self, curator: Curator) -> None:
        columns = [c for c in attributes(curator, Number) if isinstance(c, Number)]
        fine = {column.name: public_cuts(replace(column, cuts=()), self.grain) for column in columns}
        found = histograms(curator, columns, fine, Fraction(1), "equal bins of")
        self.histograms_ = {name: histogram.to_dict() for name, histogram in found.items()}
        self.cuts_ = {}
        for column in columns:
            wanted = [found[column.name].quantile(place / self.bins) for place in range(1, self.bins)]
            self.cuts_[column.name] = sorted({cut for cut in wanted if column.low < cut < column.high})

    def _column_after(self, column: Column) -> Column:
        if isinstance(column, Category) or column.name not in self.cuts_:
            return column
        return replace(column, cuts=tuple(self.cuts_[column.name]), origin=BOUGHT)

    def in_words(self) -> str:
        """The cuts, a line for each number."""
        return "\n".join(f"{n}: {', '.join(f'{cut:g}' for cut in cuts)}" for n, cuts in self.cuts_.items())
