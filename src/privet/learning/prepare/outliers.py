"""Bounds that leave a few outliers out."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Annotated

from annotated_types import Ge, Gt, Le, Lt

from privet.curator import Curator
from privet.learning.prepare.bounds import BoughtBounds
from privet.learning.prepare.histogram import attributes, histograms
from privet.parameters import with_parameters
from privet.schema import Number
from privet.schema.bins import public_cuts

__all__ = ["ClipOutliers"]


@with_parameters
class ClipOutliers(BoughtBounds):
    """Bounds at noisy quantiles of every number, so that a few outliers count as the bounds.

    Noise grows with the bounds of a sum, so a mean or a regression is often better off without its farthest
    records. The columns' entries say that the bounds were measured, not declared.

    **Privacy.** Each number gets one histogram of sensitivity 1 with equal bins, for an equal share; the
    quantiles follow from its noisy counts.

    >>> import numpy as np
    >>> from privet.schema import Schema
    >>> waits = np.random.default_rng(0).exponential(5, 20_000)
    >>> schema = Schema.of({"wait": (0.0, 100.0)})
    >>> fitted = ClipOutliers(share=0.02, epsilon=1.0, schema=schema).fit(waits[:, None])
    >>> 18 < fitted.schema_after(schema)["wait"].high < 30
    True
    """

    share: Annotated[float, Gt(0), Lt(0.5), "Which share of the records may be clipped, on both sides."] = (
        0.01
    )
    grain: Annotated[int, Ge(8), Le(10_000), "How many equal bins the quantiles are found in."] = 256

    def _fit(self, curator: Curator) -> None:
        columns = [c for c in attributes(curator, Number) if isinstance(c, Number)]
        fine = {column.name: public_cuts(replace(column, cuts=()), self.grain) for column in columns}
        found = histograms(curator, columns, fine, Fraction(1), "equal bins of")
        self.histograms_ = {name: histogram.to_dict() for name, histogram in found.items()}
        self.bounds_ = {}
        for column in columns:
            low, high = (found[column.name].quantile(q) for q in (self.share / 2, 1 - self.share / 2))
            inside = column.low <= low < high <= column.high
            self.bounds_[column.name] = [low, high] if inside else [float(column.low), float(column.high)]
