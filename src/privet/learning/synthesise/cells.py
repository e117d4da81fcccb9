"""A column as cells: fine ones, by which it is drawn, and groups of them, by which it is tied to others.

Cuts come from the schema; how fine cells are put together follows from released counts.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from privet.schema import Category, Column, Number

__all__ = ["fine_cuts", "group_of", "grouped", "values_within"]


def fine_cuts(column: Column, bins: int) -> tuple[float, ...]:
    """Public cuts of a number into about so many bins; its bounds have bins of their own.

    Values beyond a bound are clamped to it, and many columns have most of their values at one (no income, no
    loss): a bin that holds nothing else keeps them together.

    >>> fine_cuts(Number("rooms", 1, 5, integer=True), 16)
    (1.5, 2.5, 3.5, 4.5)
    >>> [round(cut, 3) for cut in fine_cuts(Number("share", 0.0, 1.0), 2)]
    [0.0, 0.5, 1.0]
    """
    if isinstance(column, Category):
        return ()
    if column.cuts:
        return column.cuts
    if column.integer and column.high - column.low < 2**40:
        width = -(-(column.high - column.low - 1) // bins)
        inner = np.arange(column.low + 1, column.high, max(width, 1)) - 0.5
        return tuple(float(cut) for cut in [*inner, column.high - 0.5])
    inner = np.linspace(column.low, column.high, bins + 1)[1:-1]
    first = float(np.nextafter(column.low, column.high))
    return tuple(sorted({first, *(float(cut) for cut in inner), float(column.high)}))


def grouped(
    column: Column, cuts: tuple[float, ...], counts: NDArray[np.float64], noise: float, most: int
) -> tuple[float, ...]:
    """Those of the fine cuts that leave at most ``most`` groups.

    A group gets about the same sum of √count: many small groups for the bulk would leave the tail in one, and
    it is the tail that often says something about other columns (a large gain, a high age).

    >>> grouped(Number("x", 0, 9), (1, 2, 3, 4), np.array([1e4, 400.0, 400.0, 400.0, 400.0, 0.0]), 1.0, 3)
    (1, 3)
    """
    if isinstance(column, Category) or len(cuts) < most:
        return cuts
    weight = np.sqrt(np.maximum(counts[:-1] - 2 * noise, 0))  # the last cell is for missing values
    if weight.sum() <= 0:
        return tuple(cuts[len(cuts) * k // most] for k in range(1, most))
    kept: list[float] = []
    held, left = 0.0, float(weight.sum())
    for place, cut in enumerate(cuts):
        held += weight[place]
        share = left / (most - len(kept))
        after = weight[place + 1]
        if len(kept) < most - 1 and held > 0 and (held >= share or held + after / 2 > share):
            kept.append(cut)
            left -= held
            held = 0.0
    return tuple(kept)


def values_within(
    column: Number, cuts: tuple[float, ...], cells: NDArray[np.int64], draw: np.random.Generator
) -> NDArray[np.float64]:
    """A number within each cell, all equally likely; NaN for the cell of missing values.

    >>> rooms = Number("rooms", 1, 5, integer=True)
    >>> values_within(rooms, (1.5, 2.5, 3.5, 4.5), np.array([0, 4, 5]), np.random.default_rng(0)).tolist()
    [1.0, 5.0, nan]
    """
    half = 0.5 if column.integer else 0.0
    edges = np.array([column.low - half, *cuts, column.high + half])
    ends = np.array([*pairwise(edges), (np.nan, np.nan)])[cells]
    values = ends[:, 0] + draw.random(len(cells)) * (ends[:, 1] - ends[:, 0])
    # A bound's own cell holds one number: beside 0, half of what is drawn would be the next one.
    alone = ends[:, 1] <= np.nextafter(ends[:, 0], np.inf)
    values = np.where(alone, ends[:, 0], values)
    return np.clip(np.rint(values) if column.integer else values, column.low, column.high)


def group_of(fine: tuple[float, ...], coarse: tuple[float, ...]) -> NDArray[np.int64]:
    """The group of each fine cell of a number, that of missing values last."""
    starts = np.concatenate([[-np.inf], fine])
    return np.append(np.searchsorted(coarse, starts, side="right"), len(coarse) + 1)
