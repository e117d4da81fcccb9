"""Columns and conditions in Python: ``query["age"] > 60`` as a value, with Python's own operators."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from privet.errors import ParameterError
from privet.schema.columns import Value
from privet.stats.views import (
    Arithmetic,
    Compare,
    Connect,
    Constant,
    Expression,
    IsIn,
    IsMissing,
    Labelled,
    Not,
)

__all__ = ["Term", "cut_labels"]


@dataclass(frozen=True, eq=False)
class Term:
    """Something that one record says: a column, what is computed from columns, or a condition.

    >>> from privet.stats.views import Field
    >>> age = Term(Field("age"))
    >>> ((age > 60) & ~age.is_missing()).expression.columns
    ('age',)
    """

    expression: Expression

    def _number(self, other: Any) -> Expression:
        if isinstance(other, Term):
            return other.expression
        if isinstance(other, bool) or not isinstance(other, int | float):
            raise ParameterError(
                f"A column cannot be combined with a {type(other).__name__} here.",
                "Compare a number with numbers, and a category with its values by == or is_in.",
            )
        return Constant(float(other))

    def __add__(self, other: Any) -> Term:
        return Term(Arithmetic("+", self.expression, self._number(other)))

    def __radd__(self, other: Any) -> Term:
        return Term(Arithmetic("+", self._number(other), self.expression))

    def __sub__(self, other: Any) -> Term:
        return Term(Arithmetic("-", self.expression, self._number(other)))

    def __rsub__(self, other: Any) -> Term:
        return Term(Arithmetic("-", self._number(other), self.expression))

    def __mul__(self, other: Any) -> Term:
        return Term(Arithmetic("*", self.expression, self._number(other)))

    __rmul__ = __mul__

    def __lt__(self, other: Any) -> Term:
        return Term(Compare("<", self.expression, self._number(other)))

    def __le__(self, other: Any) -> Term:
        return Term(Compare("<=", self.expression, self._number(other)))

    def __gt__(self, other: Any) -> Term:
        return Term(Compare(">", self.expression, self._number(other)))

    def __ge__(self, other: Any) -> Term:
        return Term(Compare(">=", self.expression, self._number(other)))

    def __eq__(self, other: Any) -> Term:  # type: ignore[override]
        if isinstance(other, str | bool):
            return Term(IsIn(self.expression, (other,)))
        return Term(Compare("=", self.expression, self._number(other)))

    def __ne__(self, other: Any) -> Term:  # type: ignore[override]
        if isinstance(other, str | bool):
            return ~(self == other)
        return Term(Compare("!=", self.expression, self._number(other)))

    __hash__ = None  # type: ignore[assignment]  # == makes a condition

    def __and__(self, other: Term) -> Term:
        return Term(Connect("and", self.expression, other.expression))

    def __or__(self, other: Term) -> Term:
        return Term(Connect("or", self.expression, other.expression))

    def __invert__(self) -> Term:
        return Term(Not(self.expression))

    def __bool__(self) -> bool:
        raise ParameterError(
            "A condition of a query is neither true nor false before records are seen.",
            "Combine conditions with & and |, in parentheses, and write ~ for not.",
        )

    def is_in(self, values: Iterable[Value]) -> Term:
        """Whether a category has one of these values."""
        return Term(IsIn(self.expression, tuple(values)))

    def is_missing(self) -> Term:
        """Whether a record has no value here."""
        return Term(IsMissing(self.expression))

    def between(self, low: float, high: float) -> Term:
        """Whether a number is at least ``low`` and at most ``high``."""
        return (self >= low) & (self <= high)

    def labelled(self, yes: str = "yes", no: str = "no") -> Term:
        """A condition as a category, missing where the condition is neither true nor false."""
        return Term(Labelled(((self.expression, yes), (Not(self.expression), no))))

    def cut(self, cuts: Sequence[float]) -> Term:
        """The intervals between public cuts, as a category."""
        rising = sorted(cuts)
        if not rising or list(cuts) != rising:
            raise ParameterError("Cuts must rise.", "For example: cut([18, 65]).")
        labels = cut_labels(rising)
        below = [((self < cut).expression, label) for cut, label in zip(rising, labels, strict=False)]
        return Term(Labelled((*below, ((self >= rising[-1]).expression, labels[-1]))))


def cut_labels(cuts: Sequence[float]) -> list[str]:
    """Names of the intervals between cuts.

    >>> cut_labels([18, 65])
    ['below 18', '18 to 65', '65 or more']
    """
    between = [f"{low:g} to {high:g}" for low, high in pairwise(cuts)]
    return [f"below {cuts[0]:g}", *between, f"{cuts[-1]:g} or more"]
