"""Conditions on one attribute, as values: is it one of these, or does its number lie in this range?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.schema import Category, Number
from privet.schema.columns import Value
from privet.stats.rows import Rows

__all__ = ["Between", "Condition", "OneOf", "all_hold", "condition_from_dict", "readable"]


@dataclass(frozen=True)
class OneOf:
    """The attribute has one of these values; ``None`` among them means that it is missing.

    >>> print(OneOf("odour", ("none", None)))
    odour is none or missing
    """

    column: str
    values: tuple[Value | None, ...]

    def holds(self, rows: Rows) -> NDArray[np.bool_]:
        """Of which records it is true."""
        column = rows.schema[self.column]
        if not isinstance(column, Category):
            return np.isnan(rows.numbers(self.column)) & (None in self.values)
        wanted = np.zeros(column.size + 1, bool)
        for value in self.values:
            wanted[column.size if value is None else column.labels.index(value)] = True
        return wanted[rows.codes(self.column)]

    def __str__(self) -> str:
        words = ["missing" if value is None else str(value) for value in self.values]
        if not words:
            return f"{self.column} is nothing"
        return f"{self.column} is {' or '.join([', '.join(words[:-1])] * (len(words) > 1) + words[-1:])}"

    def to_dict(self) -> dict[str, Any]:
        return {"column": self.column, "values": list(self.values)}


@dataclass(frozen=True)
class Between:
    """The number lies from ``low`` to ``high``, after clamping to the public bounds; ``None`` is no limit.

    ``below`` leaves ``high`` itself out, as in bins that share their borders. Missing numbers lie nowhere.

    >>> print(Between("age", 18, 65, below=True), "|", Between("age", None, 1 / 3))
    18 ≤ age < 65 | age ≤ 0.3333
    """

    column: str
    low: float | None
    high: float | None
    below: bool = False

    def holds(self, rows: Rows) -> NDArray[np.bool_]:
        """Of which records it is true."""
        column = rows.schema[self.column]
        assert isinstance(column, Number)
        numbers = np.clip(rows.numbers(self.column), column.low, column.high)
        true: NDArray[np.bool_] = ~np.isnan(numbers)
        if self.low is not None:
            true &= numbers >= self.low
        if self.high is not None:
            true &= (numbers < self.high) if self.below else (numbers <= self.high)
        return true

    def __str__(self) -> str:
        sign = "<" if self.below else "≤"
        if self.low is None and self.high is None:
            return f"{self.column} is known"
        if self.low is None:
            return f"{self.column} {sign} {readable(self.high)}"
        if self.high is None:
            return f"{self.column} ≥ {readable(self.low)}"
        return f"{readable(self.low)} ≤ {self.column} {sign} {readable(self.high)}"

    def to_dict(self) -> dict[str, Any]:
        return {"column": self.column, "low": self.low, "high": self.high, "below": self.below}


Condition = OneOf | Between


def all_hold(conditions: Iterable[Condition], rows: Rows) -> NDArray[np.bool_]:
    """Of which records all of these conditions are true."""
    true = np.ones(rows.size, bool)
    for condition in conditions:
        true &= condition.holds(rows)
    return true


def condition_from_dict(data: dict[str, Any]) -> Condition:
    """The condition that ``to_dict`` wrote."""
    if "values" in data:
        return OneOf(data["column"], tuple(data["values"]))
    return Between(data["column"], data["low"], data["high"], data["below"])


def readable(number: float | None) -> str:
    """A number to four digits, without the noise of floats.

    >>> [readable(x) for x in (2.8256568, 100000.0, 1.5, 0.1 + 0.2)]
    ['2.826', '100000', '1.5', '0.3']
    """
    if number is None:
        return "?"
    return f"{number:.0f}" if float(number).is_integer() and abs(number) < 1e15 else f"{number:.4g}"
