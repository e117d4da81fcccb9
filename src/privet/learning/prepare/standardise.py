"""Numbers with mean 0 and standard deviation 1."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Annotated

import numpy as np
import pyarrow as pa
from annotated_types import Ge, Le

from privet.curator import Curator
from privet.estimator import PrivatePreparer
from privet.learning.prepare.histogram import attributes, histograms, numbers_in
from privet.parameters import with_parameters
from privet.schema import Category, Column, Number
from privet.schema.bins import public_cuts
from privet.schema.columns import BOUGHT

__all__ = ["Standardise"]


@with_parameters
class Standardise(PrivatePreparer):
    """Every number less its noisy mean, divided by its noisy standard deviation; clamped to its bounds first.

    **Privacy.** Each number gets one histogram of sensitivity 1 with equal bins, for an equal share; the mean
    and the deviation follow from its noisy counts. Scaling reads one record and these constants.

    >>> import numpy as np
    >>> from privet.schema import Schema
    >>> heights = np.random.default_rng(0).normal(1.7, 0.1, 5000)
    >>> schema = Schema.of({"height": (1.0, 2.5)})
    >>> scaled = Standardise(epsilon=1.0, schema=schema).fit_transform(heights[:, None])
    >>> bool(abs(scaled.mean()) < 0.1), bool(0.9 < scaled.std() < 1.1)
    (True, True)
    """

    bins: Annotated[int, Ge(4), Le(10_000), "How many equal bins a number gets."] = 64

    def _fit(self, curator: Curator) -> None:
        columns = [c for c in attributes(curator, Number) if isinstance(c, Number)]
        cuts = {column.name: public_cuts(replace(column, cuts=()), self.bins) for column in columns}
        found = histograms(curator, columns, cuts, Fraction(1), "equal bins of")
        self.histograms_ = {name: histogram.to_dict() for name, histogram in found.items()}
        self.scales_ = {column.name: list(found[column.name].moments) for column in columns}

    def _column_after(self, column: Column) -> Column:
        if isinstance(column, Category) or column.name not in self.scales_:
            return column
        mean, deviation = self.scales_[column.name]
        low, high = ((bound - mean) / deviation for bound in (column.low, column.high))
        cuts = tuple((cut - mean) / deviation for cut in column.cuts)
        return Number(column.name, low, high, cuts=cuts, origin=BOUGHT)

    def _cells(self, column: Column, cells: pa.Array) -> pa.Array:
        if isinstance(column, Category) or column.name not in self.scales_:
            return cells
        mean, deviation = self.scales_[column.name]
        values = numbers_in(cells).to_numpy(zero_copy_only=False)
        return pa.array((np.clip(values, column.low, column.high) - mean) / deviation)

    def in_words(self) -> str:
        """The means and standard deviations, a line for each number."""
        return "\n".join(f"{n}: mean {m:.6g}, deviation {d:.6g}" for n, (m, d) in self.scales_.items())
