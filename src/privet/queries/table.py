"""A table to ask, step by step: where, with columns, group by, and then what of each group."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from privet.budget import Ledger
from privet.errors import ParameterError
from privet.queries.answer import Answer
from privet.queries.measures import (
    Count,
    CountDistinct,
    CountOf,
    Mean,
    MeasureOf,
    Quantile,
    StandardDeviation,
    Sum,
    Variance,
)
from privet.queries.program import Program
from privet.queries.selection import Selection, key_of
from privet.queries.tables import Tables
from privet.queries.terms import Term
from privet.release import Guarantee
from privet.schema import Number, Schema, read_schema
from privet.stats.relations import Aggregate, Joined, PerPerson, Relation, Union
from privet.stats.views import Field, LookedUp, View
from privet.stats.views.listed import unlisted

__all__ = ["Query", "query"]


@dataclass(frozen=True, eq=False)
class Query:
    """A table, and what is asked of it so far. Each method gives a new one; nothing is read or spent.

    >>> import pyarrow as pa
    >>> people = pa.table({"age": [30, 70, 80] * 500, "ward": ["a", "b", "b"] * 500})
    >>> asked = query(people, {"age": (0, 120), "ward": ["a", "b"]})
    >>> old = asked.where(asked["age"] > 60).group_by("ward").count()
    >>> old.plan(epsilon=1.0).epsilon
    1.0
    >>> answer = old.release(epsilon=1.0, random_state=1)
    >>> answer.header
    ['ward', 'count']
    """

    data: Any
    schema: Schema
    ledger: Ledger | None = None
    selection: Selection = field(default_factory=Selection)

    @property
    def seen(self) -> Schema:
        """What is public about the records as they are now, with the columns that were made."""
        return self.selection.view.schema(self.schema)

    def __getitem__(self, name: str) -> Term:
        """A column, to compare and compute with."""
        _ = self.seen[name]
        return Term(Field(name))

    def where(self, *conditions: Term) -> Query:
        """The records for which all of these conditions hold."""
        view = self.selection.view
        return self._with(view=View(view.made, (*view.where, *(c.expression for c in conditions))))

    def with_columns(self, **made: Term) -> Query:
        """The same records with more columns; a condition becomes a category of yes and no."""
        view = self.selection.view
        for name, term in made.items():
            condition = term.expression.domain(name, view.schema(self.schema)) is None
            expression = term.labelled().expression if condition else term.expression
            view = View((*view.made, (name, expression)), view.where)
        return self._with(view=view)

    def join_public(self, table: Any, on: str) -> Query:
        """The same records with what a *public* table says of each, found by a category.

        The table (a frame, an Arrow table or a dictionary of columns) must have each key once. Records whose
        key it does not have get missing values. Nobody in it is protected.
        """
        columns = _plain_columns(table)
        if on not in columns:
            raise ParameterError(f"The public table has no column '{on}'.", "Check its spelling.")
        made = self
        for name, values in columns.items():
            if name == on:
                continue
            entries = tuple((k, v) for k, v in zip(columns[on], values, strict=True) if v is not None)
            numeric = all(isinstance(v, int | float) and not isinstance(v, bool) for _, v in entries)
            within = None
            if numeric and len({v for _, v in entries}) > 1:
                within = (float(min(v for _, v in entries)), float(max(v for _, v in entries)))
            elif numeric:
                entries = tuple((k, str(v)) for k, v in entries)
            made = made.with_columns(**{name: Term(LookedUp(Field(on), entries, within))})
        return made

    def join(self, other: Query, on: str | Sequence[str], most: int | tuple[int, int] = 1) -> Query:
        """Every pair of a record here and one of another private table that have the same key.

        If the key says who a person is in both tables, all of a person's records are paired. Else at most
        ``most`` records of each key are kept, here and in the other table (or ``(here, there)``), and one
        unit can change as many pairs as that allows: the fewer, the less noise.
        """
        keys = (on,) if isinstance(on, str) else tuple(on)
        kept = (most, most) if isinstance(most, int) else tuple(most)
        return self._together(other, lambda one, two: Joined(one, two, keys, kept))  # type: ignore[arg-type]

    def union(self, other: Query) -> Query:
        """The records of both tables, in the columns that both have."""
        return self._together(other, Union)

    def per_person(self, *keys: str, **columns: str | tuple[str, str]) -> Query:
        """A record for each person, or for each person and each combination of the keys that they have.

        Its columns are made of the person's records: ``visits="count"``, ``spent=("sum", "cost")``, and so
        with mean, min and max.
        """
        made = tuple(
            (name, Aggregate(how) if isinstance(how, str) else Aggregate(*how))  # type: ignore[arg-type]
            for name, how in (columns or {"records": "count"}).items()
        )
        tables = self._tables()
        return _asking(Tables(PerPerson(tables.relation, keys, made), tables.tables), self.ledger)

    def _tables(self) -> Tables:
        if self.selection.keys or self.selection.measures:
            raise ParameterError(
                "Groups and figures are asked of tables once they are put together, not before.",
                "Join first, then group and count.",
            )
        return Tables.of(self.data, self.schema, self.selection.view)

    def _together(self, other: Query, how: Callable[[Relation, Relation], Relation]) -> Query:
        if self.ledger is not other.ledger:
            raise ParameterError(
                "Both tables must be paid for from one ledger: only then is it all or nothing.",
                "Give both queries the same ledger.",
            )
        one, two = self._tables(), other._tables()
        return _asking(Tables(how(one.relation, two.relation), {**one.tables, **two.tables}), self.ledger)

    def group_by(self, *keys: str | tuple[str, int | Sequence[float]], find: Sequence[str] = ()) -> Query:
        """A group for each combination of the values of these columns.

        A number is given with its cuts, or with how many equal bins it has: ``("age", [18, 65])``.

        ``find`` are those keys whose frequent values are to be found, besides the listed ones: for half of ε
        and for δ. Only a value that so many records have that no single person makes it appear is named.
        """
        for name in find:
            unlisted(name, self.schema)
        made, coded = self, []
        for key in keys:
            name, how = key if isinstance(key, tuple) else (key, None)
            if isinstance(how, Sequence):
                column = self.seen[name]
                inside = isinstance(column, Number) and all(column.low < cut < column.high for cut in how)
                if not inside or list(how) != sorted(set(how)):
                    raise ParameterError(f"The cuts of '{name}' must rise and lie within its bounds.")
                coded.append(replace(key_of(name, self.seen, 1), cuts=tuple(map(float, how))))
            else:
                coded.append(key_of(name, self.seen, how))
        return made._with(keys=tuple(coded), found=tuple(find))

    def with_total(self) -> Query:
        """Ask the same of all groups together; counts and sums of the groups add up to the total."""
        return self._with(total=True)

    def measure(self, *measures: MeasureOf) -> Query:
        """Ask for these figures of each group, besides those that were asked for."""
        return self._with(measures=(*self.selection.measures, *measures))

    def count(self, column: str | None = None) -> Query:
        """The number of records, or of those that have a value of a column."""
        return self.measure(Count() if column is None else CountOf(column))

    def distinct(self, column: str) -> Query:
        """How many values of a category occur."""
        return self.measure(CountDistinct(column))

    def sum(self, column: str) -> Query:
        """The sum of a number."""
        return self.measure(Sum(column))

    def mean(self, column: str) -> Query:
        """The mean of a number."""
        return self.measure(Mean(column))

    def variance(self, column: str) -> Query:
        """The variance of a number."""
        return self.measure(Variance(column))

    def deviation(self, column: str) -> Query:
        """The standard deviation of a number."""
        return self.measure(StandardDeviation(column))

    def quantile(self, column: str, *quantiles: float) -> Query:
        """Quantiles of a number: 0.5 is the median."""
        return self.measure(*(Quantile(column, Fraction(str(each))) for each in quantiles or (0.5,)))

    def histogram(self, column: str, bins: int | None = None) -> Query:
        """The number of records with each value of a category, or in each bin of a number."""
        number = isinstance(self.seen[column], Number)
        return self.group_by((column, bins or 10) if number else column).count()

    def plan(self, epsilon: float, delta: float = 0.0) -> Guarantee:
        """What it would cost, and how large its errors would be; nothing is read or spent."""
        return self.program().plan(epsilon, delta)

    def release(
        self,
        epsilon: float,
        delta: float = 0.0,
        random_state: int | None = None,
        until: float | None = None,
    ) -> Answer:
        """The answer, paid for; with ``until`` as little of ε as makes every figure that exact (95 %)."""
        [answer] = self.program().release(epsilon, delta, random_state, until)
        return answer

    def epsilon_for(self, *, error: float, delta: float = 0.0) -> float:
        """The smallest ε with which no figure is off by more than ``error`` (95 %); nothing is read."""
        from privet.queries.goal import epsilon_for_error

        return epsilon_for_error(self.program(), error, delta)

    def program(self) -> Program:
        """The query by itself, as a program."""
        return Program(self.data, self.schema, (self.selection,), ledger=self.ledger)

    def _with(self, **changes: Any) -> Query:
        changed = replace(self, selection=replace(self.selection, **changes))
        changed.selection.group(self.schema)  # what does not fit is said at once
        return changed


def query(data: Any, schema: Any, *, ledger: Ledger | None = None) -> Query:
    """Begin a query: a table (a frame, a file, a database table), and what is public about it."""
    if isinstance(schema, Mapping):
        schema = Schema.from_plain(schema)
    elif not isinstance(schema, Schema):
        schema = read_schema(schema)
    return Query(data, schema, ledger)


def _asking(tables: Tables, ledger: Ledger | None) -> Query:
    return Query(tables, tables.relation.facts.schema, ledger)


def _plain_columns(table: Any) -> dict[str, list[Any]]:
    if isinstance(table, Mapping):
        return {str(name): list(values) for name, values in table.items()}
    if hasattr(table, "to_pydict"):
        return dict(table.to_pydict())
    if hasattr(table, "to_dict") and hasattr(table, "columns"):
        return {str(name): list(table[name]) for name in table.columns}
    raise ParameterError("A public table is a frame, an Arrow table or a dictionary of columns.")
