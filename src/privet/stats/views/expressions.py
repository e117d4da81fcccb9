"""Expressions of one record: what a query computes from a record's own values and public constants.

Every expression is *total*: it has a value, or is missing, for every record that the schema admits, and
never fails because of what a cell holds. So there is no division and no conversion, and whether a query can
run is known without the data. Its public bounds or domain follow from those of the columns: ``domain`` gives
them as a column, or None for a condition.

Numbers are clamped to their public bounds when they are read, and arithmetic widens the bounds exactly as far
as it must. Conditions have three values, as in SQL: a comparison with a missing value is neither true nor
false, and a record for which a condition is not true is left out.

>>> from privet.schema import Schema
>>> schema = Schema.of({"age": (0, 120), "ward": ["a", "b"]})
>>> decades = Arithmetic("*", Field("age"), Constant(0.1))
>>> decades.domain("decades", schema)
Number(name='decades', low=0.0, high=12.0, integer=False, cuts=(), origin='declared')
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from privet.errors import ParameterError
from privet.schema import Category, Number, Schema
from privet.schema.columns import Column, Value
from privet.stats import kernels
from privet.stats.rows import Rows

__all__ = [
    "Arithmetic",
    "Compare",
    "Connect",
    "Constant",
    "Expression",
    "Field",
    "IsIn",
    "IsMissing",
    "Labelled",
    "LookedUp",
    "Not",
]

Values = NDArray[Any]
#: The three values of a condition.
FALSE, TRUE, UNKNOWN = 0, 1, 2
#: Whether a comparison holds of a number that is less, equal or more.
_SIGNS = {
    "<": (1, 0, 0),
    "<=": (1, 1, 0),
    "=": (0, 1, 0),
    "!=": (1, 0, 1),
    ">": (0, 0, 1),
    ">=": (0, 1, 1),
}


class Expression(ABC):
    """Something that one record says. Subclasses are frozen dataclasses and hold no function."""

    @property
    def parts(self) -> list[Expression]:
        """The expressions that it is made of."""
        return [each for each in vars(self).values() if isinstance(each, Expression)]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it reads: those of its parts, unless it is one."""
        return tuple(dict.fromkeys(name for each in self.parts for name in each.columns))

    @abstractmethod
    def domain(self, name: str, schema: Schema) -> Column | None:
        """What is public about its values, as a column of this name; None for a condition."""

    @abstractmethod
    def of(self, rows: Rows) -> Values:
        """Its value in each record: a number (NaN if missing), a code (the size if missing), or a truth."""


@dataclass(frozen=True)
class Field(Expression):
    """A column of the table."""

    name: str

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.name,)

    def domain(self, name: str, schema: Schema) -> Column:
        column = schema[self.name]
        if isinstance(column, Number):
            return Number(name, column.low, column.high, column.integer, column.cuts)
        return Category(name, column.values, column.other)

    def of(self, rows: Rows) -> Values:
        column = rows.schema[self.name]
        if isinstance(column, Category):
            return rows.codes(self.name)
        return np.clip(rows.numbers(self.name), column.low, column.high)


@dataclass(frozen=True)
class Constant(Expression):
    """A public number, the same for every record."""

    value: float

    def __post_init__(self) -> None:
        if isinstance(self.value, bool) or not math.isfinite(float(self.value)):
            raise ParameterError("A constant in a query must be a finite number.")
        object.__setattr__(self, "value", float(self.value))

    def domain(self, name: str, schema: Schema) -> Column:
        raise ParameterError("A constant alone is no column.", "Compute it from a column, or leave it out.")

    def of(self, rows: Rows) -> Values:
        return np.full(rows.size, self.value)


@dataclass(frozen=True)
class Arithmetic(Expression):
    """A sum, difference or product of two numbers, with bounds that follow from theirs."""

    sign: Literal["+", "-", "*"]
    one: Expression
    other: Expression

    def domain(self, name: str, schema: Schema) -> Column:
        (a, b), (c, d) = bounds(self.one, schema), bounds(self.other, schema)
        ends = {
            "+": (a + c, b + d),
            "-": (a - d, b - c),
            "*": (min(a * c, a * d, b * c, b * d), max(a * c, a * d, b * c, b * d)),
        }[self.sign]
        if not all(map(math.isfinite, ends)) or ends[0] >= ends[1]:
            raise ParameterError(
                f"'{name}' has the same value for every record, or none that can be computed with.",
                "Compute it from a column that has an effect on it.",
            )
        return Number(name, *ends)

    def of(self, rows: Rows) -> Values:
        one, other = self.one.of(rows), self.other.of(rows)
        made = {"+": np.add, "-": np.subtract, "*": np.multiply}[self.sign](one, other)
        result: Values = made
        return result


@dataclass(frozen=True)
class Compare(Expression):
    """Whether one number is less than (at most, equal to …) another."""

    sign: Literal["<", "<=", "=", "!=", ">", ">="]
    one: Expression
    other: Expression

    def domain(self, name: str, schema: Schema) -> None:
        bounds(self.one, schema)
        bounds(self.other, schema)

    def of(self, rows: Rows) -> Values:
        if isinstance(self.one, Field) and isinstance(self.other, Constant):
            column = rows.schema[self.one.name]
            assert isinstance(column, Number)
            truth = np.empty(rows.size, np.int8)
            bounds_ = float(column.low), float(column.high), self.other.value
            kernels.compare(rows.stored_numbers(self.one.name), *bounds_, _SIGNS[self.sign], truth)
            return truth
        one, other = self.one.of(rows), self.other.of(rows)
        made = {
            "<": np.less,
            "<=": np.less_equal,
            "=": np.equal,
            "!=": np.not_equal,
            ">": np.greater,
            ">=": np.greater_equal,
        }[self.sign](one, other)
        return _truth(made, np.isnan(one) | np.isnan(other))


@dataclass(frozen=True)
class IsIn(Expression):
    """Whether a category has one of these values, by their texts. Others than its own are never met."""

    one: Expression
    values: tuple[Value, ...]

    def __post_init__(self) -> None:
        # As texts, as which they are compared: 1 and True are equal, and expressions that are equal share
        # what was found for one of them.
        object.__setattr__(self, "values", tuple(map(str, self.values)))

    def domain(self, name: str, schema: Schema) -> None:
        column = _category(self.one, schema)
        for value in self.values:
            if str(value) not in map(str, column.labels):
                raise ParameterError(
                    f"'{column.name}' has no value {value!r} in the schema.",
                    f"It can be {', '.join(map(str, column.labels[:12]))}.",
                )

    def of(self, rows: Rows) -> Values:
        column, codes = _category(self.one, rows.schema), self.one.of(rows)
        wanted = [place for place, label in enumerate(column.labels) if str(label) in map(str, self.values)]
        return _truth(np.isin(codes, wanted), codes == column.size)


@dataclass(frozen=True)
class IsMissing(Expression):
    """Whether a record has no value here. This is true or false, never unknown."""

    one: Expression

    def domain(self, name: str, schema: Schema) -> None:
        self.one.domain(name, schema)

    def of(self, rows: Rows) -> Values:
        values, column = self.one.of(rows), self.one.domain("it", rows.schema)
        if column is None:
            return (values == UNKNOWN).astype(np.int8)
        missing = values == column.size if isinstance(column, Category) else np.isnan(values)
        return np.asarray(missing, np.int8)


@dataclass(frozen=True)
class Not(Expression):
    """The opposite of a condition."""

    one: Expression

    def domain(self, name: str, schema: Schema) -> None:
        _condition(self.one, schema)

    def of(self, rows: Rows) -> Values:
        truth = self.one.of(rows)
        return np.where(truth == UNKNOWN, UNKNOWN, 1 - truth)


@dataclass(frozen=True)
class Connect(Expression):
    """Two conditions, both or at least one of which must hold (Kleene's logic, as in SQL)."""

    word: Literal["and", "or"]
    one: Expression
    other: Expression

    def domain(self, name: str, schema: Schema) -> None:
        _condition(self.one, schema)
        _condition(self.other, schema)

    def of(self, rows: Rows) -> Values:
        one, other = self.one.of(rows), self.other.of(rows)
        decides = FALSE if self.word == "and" else TRUE
        unknown = (one == UNKNOWN) | (other == UNKNOWN)
        return np.where(
            (one == decides) | (other == decides), decides, np.where(unknown, UNKNOWN, 1 - decides)
        )


@dataclass(frozen=True)
class Labelled(Expression):
    """A category made of conditions: the label of the first that is true, else ``otherwise`` (or missing)."""

    cases: tuple[tuple[Expression, str], ...]
    otherwise: str | None = None

    @property
    def parts(self) -> list[Expression]:
        return [condition for condition, _ in self.cases]

    @property
    def labels(self) -> tuple[str, ...]:
        named = [label for _, label in self.cases]
        return tuple(dict.fromkeys(named if self.otherwise is None else [*named, self.otherwise]))

    def domain(self, name: str, schema: Schema) -> Column:
        for condition, _ in self.cases:
            _condition(condition, schema)
        return Category(name, self.labels)

    def of(self, rows: Rows) -> Values:
        labels = self.labels
        last = len(labels) if self.otherwise is None else labels.index(self.otherwise)
        codes = np.full(rows.size, last, np.int64)
        for condition, label in reversed(self.cases):
            codes[condition.of(rows) == TRUE] = labels.index(label)
        return codes


@dataclass(frozen=True)
class LookedUp(Expression):
    """What a public table says of a record, found by a category: the join with a public table of unique keys.

    ``entries`` are pairs of a key and its value; a key without an entry gives a missing value. Values are
    texts, or numbers within ``within``.
    """

    key: Expression
    entries: tuple[tuple[Value, Value], ...]
    within: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        # Keys and labels are texts, as in ``IsIn``.
        entries = ((str(key), str(value) if self.within is None else value) for key, value in self.entries)
        object.__setattr__(self, "entries", tuple(entries))

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(str(value) for _, value in self.entries))

    def domain(self, name: str, schema: Schema) -> Column:
        _category(self.key, schema)
        if len({str(key) for key, _ in self.entries}) < len(self.entries):
            raise ParameterError(
                "The public table has a key twice.", "Join with a table that has each key once."
            )
        return Category(name, self.labels) if self.within is None else Number(name, *self.within)

    def of(self, rows: Rows) -> Values:
        column = _category(self.key, rows.schema)
        known = {str(key): value for key, value in self.entries}
        found = [known.get(str(label)) for label in column.labels]
        if self.within is not None:
            numbers = [np.nan if value is None else float(value) for value in found]
            return np.array([*numbers, np.nan])[self.key.of(rows)]
        labels = self.labels
        codes = [len(labels) if value is None else labels.index(str(value)) for value in found]
        return np.array([*codes, len(labels)])[self.key.of(rows)]


def bounds(one: Expression, schema: Schema) -> tuple[float, float]:
    """The public bounds of a number."""
    if isinstance(one, Constant):
        return one.value, one.value
    column = one.domain("it", schema)
    if not isinstance(column, Number):
        what = "a condition" if column is None else f"the category {_called(one)}"
        raise ParameterError(
            f"A number is needed here, and there is {what}.",
            "Compare a category with one of its values by = or IN.",
        )
    return float(column.low), float(column.high)


def _category(one: Expression, schema: Schema) -> Category:
    column = one.domain(_called(one), schema)
    if not isinstance(column, Category):
        raise ParameterError("A category is needed here.", "Compare a number with numbers.")
    return column


def _called(one: Expression) -> str:
    return one.name if isinstance(one, Field) else "it"


def _condition(one: Expression, schema: Schema) -> None:
    if isinstance(one, Constant) or one.domain("it", schema) is not None:
        raise ParameterError("A condition is needed here.", "For example: age > 60.")


def _truth(holds: Any, missing: Any) -> Values:
    return np.where(missing, UNKNOWN, np.asarray(holds, np.int8))
