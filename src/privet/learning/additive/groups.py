"""Which codes of an attribute form a cell: few cells that are about equally full, by what was released."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privet.schema import Category, Column
from privet.schema.bins import public_cuts
from privet.stats import Coded
from privet.stats.boosting import Grouped

__all__ = ["coded", "grouped", "needs_counts"]

Counts = NDArray[np.float64]


def coded(column: Column, bins: int) -> Coded:
    """The column by its values, or by the intervals between public cuts."""
    return Coded(column.name, public_cuts(column, bins))


def needs_counts(column: Column, cells: int, most: int) -> bool:
    """Whether an attribute has so many codes that they must be joined, for which their counts are needed."""
    return cells > (most + 1 if not isinstance(column, Category) else 2 * most)


def grouped(column: Column, code: Coded, cells: int, counts: Counts | None, most: int) -> Grouped:
    """The codes in at most ``most`` groups, and one for missing values.

    Neighbouring intervals of a number are joined until they are about equally full; of a category the largest
    values stay, and the rest is one group. ``counts`` are released, or None if nothing needs joining.

    >>> from privet.schema import Number
    >>> age = Number("age", 0, 80)
    >>> grouped(age, coded(age, 4), 5, np.array([90.0, 2.0, 3.0, 90.0, 0.0]), 2).groups
    (0, 0, 0, 1, 2)
    """
    if counts is None or cells - 1 <= most:
        return Grouped(code, tuple(range(cells)))
    known = np.maximum(counts[:-1], 0)
    if isinstance(column, Category):
        groups = np.full(cells, most - 1)
        groups[np.argsort(-known, kind="stable")[: most - 1]] = np.arange(most - 1)
    else:
        groups = np.append(_runs(known, most), 0)
    groups[-1] = groups[:-1].max() + 1
    return Grouped(code, tuple(int(group) for group in groups))


def _runs(counts: Counts, most: int) -> NDArray[np.int64]:
    """Runs of neighbours, each with its part of what is left."""
    groups = np.zeros(len(counts), np.int64)
    rest, left, full, now = float(counts.sum()), most, 0.0, 0
    for place, count in enumerate(counts):
        groups[place] = now
        full += float(count)
        if left > 1 and full >= 0.999 * rest / left and place < len(counts) - 1 and full > 0:
            rest, left, full, now = rest - full, left - 1, 0.0, now + 1
    return groups
