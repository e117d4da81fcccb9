"""Where a number is cut into bins, from what is public about it alone."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from privet.schema import Column, Number

__all__ = ["bin_labels", "public_cuts"]


def public_cuts(column: Column, bins: int) -> tuple[float, ...]:
    """The declared cuts; else a bin for each whole number, if they are few; else equal bins.

    >>> public_cuts(Number("age", 0, 120, cuts=(18, 65)), bins=4)
    (18.0, 65.0)
    >>> public_cuts(Number("grade", 1, 4, integer=True), bins=16)
    (1.5, 2.5, 3.5)
    >>> public_cuts(Number("height", 1.0, 2.0), bins=4)
    (1.25, 1.5, 1.75)
    """
    if not isinstance(column, Number):
        return ()
    if column.cuts:
        return column.cuts
    if column.integer and column.high - column.low < bins:
        return tuple(float(cut) for cut in np.arange(column.low, column.high) + 0.5)
    return tuple(float(cut) for cut in np.linspace(column.low, column.high, bins + 1)[1:-1])


def bin_labels(column: Column, cuts: Sequence[float]) -> tuple[str, ...]:
    """Each value of a category, or each bin of a number, in a few characters.

    >>> bin_labels(Number("age", 0, 120), (18.0, 65.0))
    ('0 – 18', '18 – 65', '65 – 120')
    """
    if not isinstance(column, Number):
        return tuple(map(str, column.labels))
    edges = [column.low, *cuts, column.high]
    return tuple(f"{low:.4g} – {high:.4g}" for low, high in pairwise(edges))
