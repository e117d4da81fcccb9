"""Missing cells, filled with what was released about their column."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Literal

import numpy as np
import pyarrow as pa
from annotated_types import Ge, Le

from privet.curator import Curator
from privet.errors import ParameterError
from privet.estimator import PrivatePreparer
from privet.learning.prepare.histogram import histograms, numbers_in
from privet.parameters import with_parameters
from privet.schema import Category, Column, Number
from privet.schema.bins import public_cuts

__all__ = ["Impute"]


@with_parameters
class Impute(PrivatePreparer):
    """Fill the missing cells of numbers with a noisy median or mean, of categories with the noisy mode.

    **Privacy.** Each attribute gets one histogram of sensitivity 1, for an equal share; what cells are filled
    with follows from noisy counts. Filling reads one record and these constants.

    >>> import pyarrow as pa
    >>> from privet.schema import Schema
    >>> table = pa.table({"age": [40, None, 42] * 500, "smoker": ["no", None, "no"] * 500})
    >>> schema = Schema.of({"age": (0, 100), "smoker": ["no", "yes"]})
    >>> filled = Impute(epsilon=1.0, schema=schema).fit(table).transform(table)
    >>> 38 <= filled["age"][1].as_py() <= 44, filled["smoker"][1].as_py()
    (True, 'no')
    """

    numbers: Annotated[Literal["median", "mean"], "What the missing cells of numbers are filled with."] = (
        "median"
    )
    bins: Annotated[int, Ge(4), Le(10_000), "How many equal bins a number gets."] = 64

    def _prepare(self, curator: Curator) -> None:
        """Nothing is asked, and nothing is paid for, where the schema says that no cell can be missing."""
        if curator.schema.missing == "error":
            raise ParameterError(
                'No cell can be missing: the schema says  missing = "error".  Filling would buy nothing.',
                'Leave this out, or say  missing = "skip".',
            )

    def _fit(self, curator: Curator) -> None:
        columns = list(curator.schema.attributes)
        cuts = {column.name: public_cuts(column, self.bins) for column in columns}
        found = histograms(curator, columns, cuts, Fraction(1), "values of")
        self.histograms_ = {name: histogram.to_dict() for name, histogram in found.items()}
        self.fills_: dict[str, float | str | int | bool] = {}
        for column in columns:
            histogram = found[column.name]
            if isinstance(column, Category):
                self.fills_[column.name] = column.labels[int(np.argmax(histogram.counts))]
                continue
            value = histogram.quantile(0.5) if self.numbers == "median" else histogram.moments[0]
            value = float(np.round(value)) if column.integer else value
            self.fills_[column.name] = min(max(value, float(column.low)), float(column.high))

    def _column_after(self, column: Column) -> Column:
        return column

    def _cells(self, column: Column, cells: pa.Array) -> pa.Array:
        if column.name not in self.fills_:
            return cells
        fill = self.fills_[column.name]
        if isinstance(column, Number):
            values = np.array(numbers_in(cells).to_numpy(zero_copy_only=False), np.float64)
            values[np.isnan(values)] = float(fill)
            return pa.array(values)
        if pa.types.is_dictionary(cells.type):
            cells = cells.dictionary_decode()
        if pa.types.is_null(cells.type):
            return pa.array([fill] * len(cells))
        if pa.types.is_floating(cells.type):
            cells = pa.array(cells.to_numpy(zero_copy_only=False), from_pandas=True)  # NaN is missing, too
        return cells.fill_null(pa.scalar(fill).cast(cells.type)) if cells.null_count else cells

    def in_words(self) -> str:
        """What cells are filled with, a line for each column."""
        return "\n".join(
            f"{name}: {value:.6g}" if isinstance(value, float) else f"{name}: {value}"
            for name, value in self.fills_.items()
        )
