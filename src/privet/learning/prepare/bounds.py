"""Bounds of numbers about which little is known."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Annotated, Any

import numpy as np
from annotated_types import Ge, Le

from privet.curator import Curator
from privet.estimator import PrivatePreparer
from privet.learning.prepare.histogram import Histogram, attributes, histograms
from privet.parameters import with_parameters
from privet.schema import Category, Column, Number
from privet.schema.columns import BOUGHT

__all__ = ["Bounds"]

_POWERS = range(-20, 200)
_FIRST = Fraction(1, 2)


class BoughtBounds(PrivatePreparer):
    """A preparer that buys bounds: those in ``bounds_``, a low and a high for each number."""

    bounds_: dict[str, list[float]]

    def _column_after(self, column: Column) -> Column:
        if isinstance(column, Category) or column.name not in self.bounds_:
            return column
        low, high = (float(bound) for bound in self.bounds_[column.name])
        cuts = tuple(cut for cut in column.cuts if low < cut < high)
        return replace(column, low=low, high=high, cuts=cuts, origin=BOUGHT)

    def in_words(self) -> str:
        """The bounds, a line for each number."""
        return "\n".join(f"{name}: {low:g} to {high:g}" for name, (low, high) in self.bounds_.items())


@with_parameters
class Bounds(BoughtBounds):
    """Bounds of every number, bought: for columns that are declared with bounds far wider than they need.

    First a histogram with bins that double in width from 0 on, then one with equal bins in what stood out.
    The new bounds are those of the outermost bins whose noisy counts are more than noise. Values outside are
    clamped to them, as always. The columns' entries say that they were measured, not declared.

    **Privacy.** Each number gets two histograms of sensitivity 1, with half of its share each; all numbers
    together get the whole budget. That the second one's bins follow from the first's counts is allowed by
    adaptive composition.

    >>> import numpy as np
    >>> from privet.schema import Schema
    >>> ages = np.random.default_rng(0).integers(18, 90, 5000)
    >>> schema = Schema.of({"age": (-1_000_000_000, 1_000_000_000)})
    >>> fitted = Bounds(epsilon=1.0, schema=schema, random_state=0).fit(ages[:, None])
    >>> bought = fitted.schema_after(schema)["age"]
    >>> 8 <= bought.low <= 20 and 85 <= bought.high <= 100
    True
    """

    bins: Annotated[int, Ge(4), Le(1000), "How many equal bins the second histogram of a number has."] = 32

    def _fit(self, curator: Curator) -> None:
        columns = [c for c in attributes(curator, Number) if isinstance(c, Number)]
        doubling = {column.name: doubling_cuts(column) for column in columns}
        first = histograms(curator, columns, doubling, _FIRST, "doubling bins of")
        rough = {c.name: _outermost(first[c.name]) for c in columns}
        inner = {c.name: _inside(c, rough[c.name], self.bins) for c in columns}
        second = histograms(curator, columns, inner, 1 - _FIRST, "equal bins of")
        self.histograms_ = {name: histogram.to_dict() for name, histogram in second.items()}
        self.doubling_ = {name: histogram.to_dict() for name, histogram in first.items()}
        self.bounds_ = {c.name: list(_settled(c, rough[c.name], second[c.name])) for c in columns}


def doubling_cuts(column: Number) -> tuple[float, ...]:
    """Cuts at powers of two on both sides of 0, within the declared bounds.

    >>> doubling_cuts(Number("children", 0, 10, integer=True))
    (0.5, 1.5, 3.5, 7.5)
    """
    start = 0 if column.integer else _POWERS.start
    powers = [2.0**power for power in range(start, _POWERS.stop)]
    powers = [p - 0.5 for p in powers] if column.integer else powers
    cuts = sorted([-power for power in powers] + powers)
    return tuple(cut for cut in cuts if column.low < cut < column.high)


def _outermost(found: Histogram) -> tuple[float, float]:
    """The outer edges of the outermost bins that are more than noise; all of it if none is."""
    clear = np.flatnonzero(found.counts > found.noise)
    if not len(clear):
        return found.edges[0], found.edges[-1]
    return found.edges[clear[0]], found.edges[clear[-1] + 1]


def _inside(column: Number, rough: tuple[float, float], bins: int) -> tuple[float, ...]:
    """Equal cuts between the rough bounds, and the bounds themselves where they are cuts of the column."""
    low, high = rough
    cuts = np.linspace(low, high, bins + 1)
    return tuple(float(cut) for cut in np.unique(cuts) if column.low < cut < column.high)


def _settled(column: Number, rough: tuple[float, float], found: Histogram) -> tuple[Any, Any]:
    low, high = _outermost(found)
    low, high = max(low, rough[0]), min(high, rough[1])
    if column.integer:
        low, high = float(np.floor(low)), float(np.ceil(high))
    elif abs(low) <= 2.0 ** (_POWERS.start + 1) < high:
        low = min(low, 0.0) if low < 0 else 0.0
    if not low < high:
        low, high = float(column.low), float(column.high)
    return max(low, float(column.low)), min(high, float(column.high))
