"""What can be asked of each group of a query: which questions that takes, and what follows from the answers.

A measure names the *needs* it has: a table of counts, sums, a choice. Needs that several measures share are
asked once. From there on everything is post-processing of what was released.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privet.curator import Choose, Measure, Question
from privet.errors import ParameterError
from privet.schema import Category, Number, Schema
from privet.schema.bins import public_cuts
from privet.stats import Coded, CrossTable
from privet.stats.choices.quantiles import QuantileRanks
from privet.stats.distinct import Distinct
from privet.stats.group_sums import GroupSums
from privet.stats.views import View, Viewed

__all__ = [
    "Count",
    "CountDistinct",
    "CountOf",
    "Mean",
    "MeasureOf",
    "Quantile",
    "StandardDeviation",
    "Sum",
    "Variance",
]

Found = tuple[NDArray[Any], NDArray[Any]]
Told = Mapping[Any, Any]

# A quantile is no finer than its grid, and a finer one costs time for each group, but no accuracy: a private
# choice among many bins of little width is as good as one among few.
FINEST_GRID, COARSEST_GRID, MOST_BINS = 1 << 14, 1 << 10, 1 << 20
FURTHEST = 1e154  # about the root of the largest float


@dataclass(frozen=True)
class Group:
    """Where a measure is taken: the view's records, and the keys that divide them."""

    view: View
    keys: tuple[Coded, ...]
    schema: Schema  # the view's

    def viewed(self, statistic: Any) -> Viewed:
        return Viewed(statistic, self.view)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(key.size(self.schema) for key in self.keys)

    def number(self, name: str) -> Number:
        column = self.schema[name]
        if not isinstance(column, Number):
            raise ParameterError(
                f"'{name}' is a category, and this is asked of numbers.", "Count it instead."
            )
        return column


class MeasureOf(ABC):
    """One figure for each group. Subclasses are frozen dataclasses."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Its name in the answer, such as ``mean_age``."""

    @abstractmethod
    def needs(self, group: Group) -> dict[Any, Question[Any]]:
        """The questions that must be asked, each under the value that identifies it."""

    @abstractmethod
    def found(self, group: Group, told: Told) -> Found:
        """The figure of each group, and the half width of its 95 % error bar."""


@dataclass(frozen=True)
class OfColumn(MeasureOf):
    """A figure of the values of one column, named by a word and the column."""

    word: ClassVar[str]

    column: str

    @property
    def name(self) -> str:
        return f"{self.word}_{self.column}"


@dataclass(frozen=True)
class Count(MeasureOf):
    """How many records there are."""

    @property
    def name(self) -> str:
        return "count"

    def needs(self, group: Group) -> dict[Any, Question[Any]]:
        table = CrossTable(group.keys)
        return {table: Measure(group.viewed(table), "the number of records in each group")}

    def found(self, group: Group, told: Told) -> Found:
        table = told.get(CrossTable(group.keys))
        if table is not None:
            return _filled(table.value.reshape(group.shape), table.error)
        # Counted already, by whether some number is there.
        table = next(t for key, t in told.items() if _is_presence(key, group))
        places = table.value.shape[-1]
        return _filled(table.value.sum(axis=-1).reshape(group.shape), table.error * np.sqrt(places))


@dataclass(frozen=True)
class CountOf(OfColumn):
    """How many records have a value of this column."""

    word: ClassVar[str] = "count"

    def needs(self, group: Group) -> dict[Any, Question[Any]]:
        return _presence(group, self.column)

    def found(self, group: Group, told: Told) -> Found:
        return _present(group, self.column, told)


@dataclass(frozen=True)
class CountDistinct(OfColumn):
    """How many values of a category occur."""

    word: ClassVar[str] = "distinct"

    def _statistic(self, group: Group) -> Distinct:
        if not isinstance(group.schema[self.column], Category):
            raise ParameterError(
                f"'{self.column}' is a number, and different values are counted of categories.",
                "Cut it into intervals first.",
            )
        return Distinct(group.keys, Coded(self.column))

    def needs(self, group: Group) -> dict[Any, Question[Any]]:
        statistic = self._statistic(group)
        return {statistic: Measure(group.viewed(statistic), f"the number of values of '{self.column}'")}

    def found(self, group: Group, told: Told) -> Found:
        release = told[self._statistic(group)]
        most = group.schema[self.column].size  # type: ignore[union-attr]
        return _filled(np.clip(release.value.reshape(group.shape), 0, most), release.error)


@dataclass(frozen=True)
class Sum(OfColumn):
    """The sum of a number. Its error follows from the public bound that is farther from 0."""

    word: ClassVar[str] = "sum"

    def _statistic(self, group: Group) -> GroupSums:
        group.number(self.column)
        return GroupSums(group.keys, self.column, centre=0.0)

    def needs(self, group: Group) -> dict[Any, Question[Any]]:
        statistic = self._statistic(group)
        return {statistic: Measure(group.viewed(statistic), f"the sum of '{self.column}' in each group")}

    def found(self, group: Group, told: Told) -> Found:
        statistic = self._statistic(group)
        release, reach = told[statistic], statistic.reach(group.schema)
        return _filled(release.value.reshape(group.shape) * reach, release.error * reach)


@dataclass(frozen=True)
class Mean(OfColumn):
    """The mean of a number: a sum around the middle of its bounds, and a count."""

    word: ClassVar[str] = "mean"

    def _statistic(self, group: Group) -> GroupSums:
        group.number(self.column)
        return GroupSums(group.keys, self.column)

    def needs(self, group: Group) -> dict[Any, Question[Any]]:
        statistic = self._statistic(group)
        asked = Measure(group.viewed(statistic), f"the sum of '{self.column}' around its middle")
        return {statistic: asked} | _presence(group, self.column)

    def found(self, group: Group, told: Told) -> Found:
        column, statistic = group.number(self.column), self._statistic(group)
        if statistic in told:
            release = told[statistic]
            total = release.value.reshape(group.shape)
        else:  # measured together with its square
            release = told[replace(statistic, squares=True)]
            total = release.value.reshape(*group.shape, 2)[..., 0]
        z, error = _ratio(total, release.error, *_present(group, self.column, told))
        return column.midpoint + column.half_range * z, column.half_range * error


@dataclass(frozen=True)
class Variance(OfColumn):
    """The variance of a number: sums of it and of its square around the middle of its bounds, and a count."""

    word: ClassVar[str] = "variance"

    def _statistic(self, group: Group) -> GroupSums:
        if group.number(self.column).half_range > FURTHEST:
            raise ParameterError(
                f"The bounds of '{self.column}' are so far apart that no number holds their square.",
                "Declare closer bounds, or ask for another measure.",
            )
        return GroupSums(group.keys, self.column, squares=True)

    def needs(self, group: Group) -> dict[Any, Question[Any]]:
        statistic = self._statistic(group)
        asked = Measure(group.viewed(statistic), f"the sums of '{self.column}' and of its square")
        return {statistic: asked} | _presence(group, self.column)

    def found(self, group: Group, told: Told) -> Found:
        release, half = told[self._statistic(group)], group.number(self.column).half_range
        first, second = np.moveaxis(release.value.reshape(*group.shape, 2), -1, 0)
        number, off = _present(group, self.column, told)
        mean, mean_error = _ratio(first, release.error, number, off)
        square, square_error = _ratio(second, release.error, number, off, within=0.5)
        variance = np.clip(square + 0.5 - mean**2, 0, 1)
        error = np.minimum(np.hypot(square_error, 2 * np.abs(mean) * mean_error), 1.0)
        return half**2 * variance, half**2 * error


@dataclass(frozen=True)
class StandardDeviation(OfColumn):
    """The square root of the variance."""

    word: ClassVar[str] = "deviation"

    def needs(self, group: Group) -> dict[Any, Question[Any]]:
        return Variance(self.column).needs(group)

    def found(self, group: Group, told: Told) -> Found:
        variance, error = Variance(self.column).found(group, told)
        root = np.sqrt(variance)
        return root, np.sqrt(variance + error) - root + (root - np.sqrt(np.maximum(variance - error, 0)))


@dataclass(frozen=True)
class Quantile(OfColumn):
    """A value with about this share of the records below it, chosen among the bins of a fine public grid.

    What is off is its rank: the error says by how many records at most (95 %).
    """

    quantile: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "quantile", Fraction(self.quantile).limit_denominator(1000))
        if not 0 < self.quantile < 1:
            raise ParameterError("A quantile lies between 0 and 1.", "The median is 0.5.")

    @property
    def word(self) -> str:  # type: ignore[override]  # it follows from the value
        return "median" if self.quantile == Fraction(1, 2) else f"quantile_{float(self.quantile):g}"

    def _cuts(self, group: Group) -> tuple[float, ...]:
        bins = max(COARSEST_GRID, min(FINEST_GRID, MOST_BINS // max(1, math.prod(group.shape))))
        return public_cuts(replace(group.number(self.column), cuts=()), bins)

    def needs(self, group: Group) -> dict[Any, Question[Any]]:
        table = CrossTable((*group.keys, Coded(self.column, self._cuts(group))))
        scores = QuantileRanks(group.viewed(table), self.quantile)
        return {self: Choose(scores, f"the quantile {float(self.quantile):g} of '{self.column}'")}

    def found(self, group: Group, told: Told) -> Found:
        column, choice = group.number(self.column), told[self]
        edges = np.array([column.low, *self._cuts(group), column.high])
        middles = (edges[:-1] + edges[1:]) / 2
        values = middles[np.array(choice.chosen)].reshape(group.shape)
        if column.integer:
            values = np.round(values)
        return _filled(values, choice.step.error)


def _presence_table(group: Group, column: str) -> CrossTable:
    return CrossTable((*group.keys, Coded(column, ())))


def _presence(group: Group, column: str) -> dict[Any, Question[Any]]:
    """How many records have a value of this column, and how many have none, in each group."""
    table = _presence_table(group, column)
    return {table: Measure(group.viewed(table), f"the number of records with and without '{column}'")}


def _is_presence(key: Any, group: Group) -> bool:
    return (
        isinstance(key, CrossTable) and key.coded[:-1] == group.keys and len(key.coded) == len(group.keys) + 1
    )


def _present(group: Group, column: str, told: Told) -> Found:
    release = told[_presence_table(group, column)]
    there = release.value.reshape(*group.shape, -1)[..., :-1].sum(axis=-1)
    cells = release.value.shape[-1] - 1
    return _filled(there, release.error * np.sqrt(cells))


def _ratio(
    total: NDArray[Any], off: float, number: NDArray[Any], number_off: NDArray[Any], within: float = 1.0
) -> Found:
    """A mean of values in [−within, within], and its error: all of the range where noise hides the number."""
    count = np.maximum(number.astype(float), 1.0)
    ratio = np.clip(total / count, -within, within)
    error = np.hypot(off / count, np.abs(ratio) * number_off / count)
    hidden = number < 2 * number_off
    return np.where(hidden, 0.0, ratio), np.where(hidden, within, np.minimum(error, 2 * within))


def _filled(values: NDArray[Any], error: Any) -> Found:
    values = np.asarray(values)
    return values, np.full(values.shape, float(error))
