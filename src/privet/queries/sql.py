"""SQL text as a selection: ``SELECT ward, COUNT(*), AVG(age) FROM data WHERE age > 60 GROUP BY ward``.

sqlglot parses the text; what is understood here becomes the same values as in Python, and everything else is
refused with the words at fault. Nothing of the text reaches a database.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from privet.errors import MissingExtra, ParameterError
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
from privet.queries.selection import Selection
from privet.queries.sql_expressions import called, condition, refuse, value
from privet.queries.sql_parts import require_understood
from privet.queries.sql_tables import Named, from_clause, person_of, require_clauses
from privet.queries.table import Query
from privet.queries.terms import Term
from privet.schema import Category
from privet.stats.views import Constant, Field

__all__ = ["from_sql"]

_EXAMPLE = "For example: SELECT COUNT(*) FROM data."
LONGEST = 20_000
DIGITS = 9


def from_sql(
    text: str,
    table: Query,
    public: Mapping[str, Any] | None = None,
    private: Mapping[str, Query] | None = None,
    most: Mapping[str, int] | None = None,
) -> Query:
    """The query that a SELECT asks of the table, which is called ``data``, or as its data set.

    ``public`` tables may be joined, by their names, and so may other ``private`` ones; ``most`` is how many
    records of each key a table keeps in such a join.

    >>> import pyarrow as pa
    >>> from privet.queries import query
    >>> people = query(pa.table({"age": [], "ward": []}), {"age": (0, 120), "ward": ["a", "b"]})
    >>> asked = from_sql("SELECT ward, COUNT(*) AS n FROM data WHERE age > 60 GROUP BY ward", people)
    >>> asked.selection.labels
    ('n',)
    >>> from_sql("SELECT MAX(age) FROM data", people)
    Traceback (most recent call last):
    ...
    privet.errors.ParameterError: MAX(age) cannot be answered: a largest value is one person's.
      What to do: Ask for a quantile, such as QUANTILE(age, 0.99).
    """
    try:
        import sqlglot
    except ImportError:
        raise MissingExtra.of("sql", "Questions in SQL") from None
    if len(text) > LONGEST:
        raise ParameterError(f"A question has at most {LONGEST:,} characters.", "Ask less at a time.")
    try:
        return _asked(sqlglot.parse(text), Named(table, public or {}, private or {}, most or {}))
    except RecursionError:
        raise ParameterError("This question is nested too deeply.", "Ask with fewer parentheses.") from None
    except sqlglot.errors.SqlglotError:
        raise ParameterError("This is not SQL that can be read.", _EXAMPLE) from None


def _asked(statements: Sequence[Any], named: Named) -> Query:
    from sqlglot import exp

    if len(statements) != 1 or not isinstance(statements[0], exp.Select):
        raise ParameterError("One SELECT is answered at a time.", _EXAMPLE)
    select = statements[0]
    require_clauses(select)
    require_understood(select)
    asked = from_clause(select, named)
    if where := select.args.get("where"):
        asked = asked.where(Term(condition(where.this, asked.seen)))
    asked, keys = _grouped(select, asked)
    if _counts_persons(select, asked):
        asked = _of_persons(asked)
    return _measured(select, asked, keys)


def _counts_persons(select: Any, asked: Query) -> bool:
    """Whether all that is asked is how many different persons there are."""
    from sqlglot import exp

    nodes = [each.this if isinstance(each, exp.Alias) else each for each in select.expressions]
    measures = [node for node in nodes if isinstance(node, exp.AggFunc)]
    person = person_of(asked)
    counted = [_counted(node) for node in measures]
    if person is None or person in asked.seen or person not in counted:
        return False
    if set(counted) != {person}:
        raise ParameterError(
            f"How many different '{person}' there are is asked by itself.",
            "Ask the other figures separately.",
        )
    return True


def _counted(node: Any) -> str | None:
    """The column whose different values are counted."""
    from sqlglot import exp

    if isinstance(node, exp.Count) and isinstance(node.this, exp.Distinct):
        columns = node.this.expressions
        if len(columns) == 1 and isinstance(columns[0], exp.Column):
            return str(columns[0].name)
    return None


def _of_persons(asked: Query) -> Query:
    """A record for each person and group: to count them is to count persons."""
    keys = asked.selection.keys
    records = replace(asked, selection=replace(asked.selection, keys=()))
    names = [key.column for key in keys]
    return records.per_person(*names).group_by(*names)


def _grouped(select: Any, asked: Query) -> tuple[Query, list[tuple[str, Any]]]:
    """The query with its groups, and the keys: the name of each, and the expression that it is."""
    from sqlglot import exp

    aliases = {e.alias: e.this for e in select.expressions if isinstance(e, exp.Alias)}
    keys: list[Any] = []
    names: list[tuple[str, Any]] = []
    found: list[str] = []
    group = select.args.get("group")
    rolled = list(group.args.get("rollup") or ()) if group else []
    if group:
        require_clauses(group, {"expressions", "rollup"})
    if rolled and (len(rolled) > 1 or group.expressions or len(rolled[0].expressions) != 1):
        raise ParameterError(
            "ROLLUP is answered for a single key only.",
            "For example: GROUP BY ROLLUP (ward), for all wards, too.",
        )
    for key in rolled[0].expressions if rolled else group.expressions if group else ():
        if isinstance(key, exp.Literal) and not key.is_string:
            place = _whole(key, "GROUP BY")
            if place > len(select.expressions):
                refuse(key)
            chosen = select.expressions[place - 1]
            key = chosen.this if isinstance(chosen, exp.Alias) else chosen
        alias = next((name for name, each in aliases.items() if each == key), "")
        if isinstance(key, exp.Column) and key.name in aliases and key.name not in asked.seen:
            alias, key = key.name, aliases[key.name]
        if any(key == each for _, each in names):
            continue
        if isinstance(key, exp.Column):
            name = key.name
            keys.append(name)
        elif called(key) == "BINS":
            column, bins = _arguments(key, 2)
            name = column.name
            keys.append((name, _whole(bins, "BINS")))
        elif called(key) == "FREQUENT":
            [column] = _arguments(key, 1)
            name = column.name
            keys.append(name)
            found.append(name)
        else:
            name = alias or f"key_{len(names) + 1}"
            asked = _made(asked, name, key)
            keys.append(name)
        if name in (each for each, _ in names):
            raise ParameterError(f"'{name}' is grouped by twice, in two ways.", "Group by it once.")
        names.append((name, key))
    asked = asked.group_by(*keys, find=found) if keys else asked
    return (asked.with_total() if rolled else asked), names


def _made(asked: Query, name: str, node: Any) -> Query:
    """The query with a column that an expression makes; a condition becomes yes or no."""
    try:
        return asked.with_columns(**{name: Term(value(node, asked.seen))})
    except ParameterError as error:
        try:
            return asked.with_columns(**{name: Term(condition(node, asked.seen))})
        except ParameterError:
            raise error from None


def _measured(select: Any, asked: Query, keys: list[tuple[str, Any]]) -> Query:
    from sqlglot import exp

    measures: list[MeasureOf] = []
    names: list[str] = []
    sorts = {name: name for name, _ in keys}  # what the answer may be sorted by, and what it is called there
    for chosen in select.expressions:
        node = chosen.this if isinstance(chosen, exp.Alias) else chosen
        if key := _key(node, keys):
            sorts[chosen.alias or key] = key
            continue
        if isinstance(node, exp.Column | exp.Star):
            raise ParameterError(
                f"{node.sql()} would show records, and records are never shown.",
                "Group by it, or ask for a count, a sum, a mean or a quantile of it.",
            )
        asked, measure = _measure(node, asked)
        measures.append(measure)
        names.append(chosen.alias or measure.name)
        sorts[node.sql()] = names[-1]
    if taken := {name for name, _ in keys} & set(names):
        raise ParameterError(f"'{min(taken)}' is a key and a figure too.", "Give the figure another name.")
    sorts |= {name: name for name in names}
    order = [_order(each, sorts) for each in (select.args.get("order") or exp.Order()).expressions]
    limit = select.args.get("limit")
    selection = replace(
        asked.selection,
        measures=tuple(measures),
        names=tuple(names),
        order=tuple(order),
        most=_whole(limit.expression, "LIMIT") if limit else None,
    )
    return replace(asked, selection=_checked(selection))


def _checked(selection: Selection) -> Selection:
    if len(set(selection.names)) < len(selection.names):
        raise ParameterError("Two figures have the same name.", "Give each a name with AS.")
    return selection


def _measure(node: Any, asked: Query) -> tuple[Query, MeasureOf]:
    """A measure, and the query with the column that it is of, if that had to be made."""
    from sqlglot import exp

    name = called(node)
    if isinstance(node, exp.Count):
        if node.this is None:
            return refuse(node)
        if isinstance(node.this, exp.Star | exp.Literal):
            return asked, Count()
        if isinstance(node.this, exp.Distinct):
            if (counted := _counted(node)) is None:
                return refuse(node)
            if counted not in asked.seen and counted == person_of(asked):
                return asked, Count()  # one record for each by now
            _ = asked[counted]
            return asked, CountDistinct(counted)
        asked, column = _column(node.this, asked)
        return asked, CountOf(column)
    simple: dict[str, Any] = {
        "SUM": Sum,
        "AVG": Mean,
        "VARIANCE": Variance,
        "VARIANCE_POP": Variance,
        "VAR_SAMP": Variance,
        "VAR_POP": Variance,
        "STDDEV": StandardDeviation,
        "STDDEV_SAMP": StandardDeviation,
        "STDDEV_POP": StandardDeviation,
    }
    if name in simple:
        asked, column = _column(node.this, asked)
        return asked, simple[name](column)
    if name == "MEDIAN":
        asked, column = _column(_arguments(node, 1)[0], asked)
        return asked, Quantile(column, Fraction(1, 2))
    if name == "QUANTILE":
        one, share = _arguments(node, 2)
        asked, column = _column(one, asked)
        if not isinstance(share, exp.Literal) or share.is_string:
            return refuse(node)
        return asked, Quantile(column, _share(share))
    if name in ("MIN", "MAX"):
        which, share = ("smallest", "0.01") if name == "MIN" else ("largest", "0.99")
        raise ParameterError(
            f"{node.sql()} cannot be answered: a {which} value is one person's.",
            f"Ask for a quantile, such as QUANTILE({node.this.sql()}, {share}).",
        )
    return refuse(node)


def _column(node: Any, asked: Query) -> tuple[Query, str]:
    """The column that a measure is of; an expression becomes one."""
    from sqlglot import exp

    if isinstance(node, exp.Column):
        _ = asked[node.name]
        return asked, str(node.name)
    expression = value(node, asked.seen)
    if isinstance(expression, Constant | Field):
        return refuse(node)
    if isinstance(expression.domain(node.sql(), asked.seen), Category):
        raise ParameterError(
            f"'{node.sql()}' is a category, and numbers are needed.", "Group by it, and count."
        )
    name = f"computed_{len(asked.selection.view.made) + 1}"
    return asked.with_columns(**{name: Term(expression)}), name


def _key(node: Any, keys: list[tuple[str, Any]]) -> str | None:
    """The name of the key that this is; None if it is none."""
    from sqlglot import exp

    column = node.name if isinstance(node, exp.Column) else None
    return next((name for name, key in keys if node == key or column == name), None)


def _order(node: Any, sorts: Mapping[str, str]) -> str:
    """A column of the answer to sort by, with a minus if the largest comes first."""
    from sqlglot import exp

    wanted, largest_first = node.this, bool(node.args.get("desc"))
    name = wanted.name if isinstance(wanted, exp.Column) else wanted.sql()
    if name not in sorts:
        raise ParameterError(
            f"{wanted.sql()} is no column of the answer.", "Name it with AS, and sort by that name."
        )
    if bool(node.args.get("nulls_first")) is largest_first:  # the parser says so where nothing is said
        refuse(node)
    return f"{'-' if largest_first else ''}{sorts[name]}"


def _arguments(node: Any, number: int) -> list[Any]:
    from sqlglot import exp

    found = list(node.expressions) if isinstance(node, exp.Anonymous) else [node.this]
    if not isinstance(node, exp.Anonymous):
        found += [each for key in ("quantile", "expression") if (each := node.args.get(key)) is not None]
    if len(found) != number:
        return refuse(node)
    return found


def _share(node: Any) -> Fraction:
    """The share of a quantile. As a float first: 1e-99999999 as a fraction would take hours to write down."""
    try:
        return Fraction(float(node.name)).limit_denominator(1000)
    except (ValueError, OverflowError):
        return refuse(node)


def _whole(node: Any, word: str) -> int:
    """A whole number above 0, written as such. Of too many digits Python makes no number."""
    from sqlglot import exp

    whole = isinstance(node, exp.Literal) and str(node.name).isdigit() and len(node.name) <= DIGITS
    if not whole or int(node.name) < 1:
        raise ParameterError(
            f"{word} takes a whole number above 0, of at most {DIGITS} digits.", f"For example: {word} 10."
        )
    return int(node.name)
