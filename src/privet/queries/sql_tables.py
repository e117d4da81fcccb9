"""FROM in SQL: one table, tables that are joined or put one after the other, and a record for each person."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from privet.errors import ParameterError
from privet.queries.sql_expressions import called, condition, refuse
from privet.queries.table import Query
from privet.queries.tables import Tables
from privet.queries.terms import Term

__all__ = ["Named", "from_clause", "person_of", "require_clauses"]

_CLAUSES = {
    "having": "Filter the rows of the answer yourself: they are released, so that costs nothing.",
    "distinct": "Group by the column, and count.",
    "with": "Write the inner SELECT after FROM, in parentheses.",
}
_KNOWN = {"expressions", "from", "joins", "where", "group", "order", "limit", "kind"}
_AGGREGATES = {"COUNT": "count", "SUM": "sum", "AVG": "mean", "MIN": "min", "MAX": "max"}


@dataclass(frozen=True)
class Named:
    """The tables that a SELECT may name: the private one (also as its data set), others, and public ones.

    ``most`` says how many records of each key a private table keeps in a join: 1, unless it is said.
    """

    table: Query
    public: Mapping[str, Any] = field(default_factory=dict)
    private: Mapping[str, Query] = field(default_factory=dict)
    most: Mapping[str, int] = field(default_factory=dict)


def require_clauses(select: Any, known: set[str] = _KNOWN) -> None:
    """Refuse what stands in a SELECT and is not understood: nothing is passed over."""
    for word, held in select.args.items():
        clause = word.rstrip("_")
        if held and clause not in known:
            shown = clause.replace("_", " ").upper()
            raise ParameterError(f"{shown} is not answered here.", _CLAUSES.get(clause, ""))


def person_of(asked: Query) -> str | None:
    """The column that says whose a record is."""
    data = asked.data
    return data.relation.facts.person if isinstance(data, Tables) else asked.schema.unit.id


def from_clause(select: Any, named: Named) -> Query:
    """What FROM and JOIN stand for."""
    from sqlglot import exp

    source = select.args.get("from") or select.args.get("from_")
    if source is None or not isinstance(source.this, exp.Table | exp.Subquery):
        raise ParameterError("FROM must name one table.", "For example: SELECT COUNT(*) FROM data.")
    asked, left = _source(source.this, named)
    tables = {source.this.alias_or_name: _columns(asked)}
    for join in select.args.get("joins") or ():
        asked, columns = _joined(asked, left, join, named)
        tables[join.this.alias_or_name] = columns
    _require_columns_of(select, tables)
    return asked


def _columns(asked: Query) -> set[str]:
    person = person_of(asked)
    return {*asked.seen.names, *(() if person is None else (person,))}


def _require_columns_of(select: Any, tables: Mapping[str, set[str]]) -> None:
    """Refuse a column of a table that is not named after FROM, or has no such column."""
    from sqlglot import exp

    for column in select.find_all(exp.Column):
        inside = column.find_ancestor(exp.Select) is select
        if inside and column.table and column.name not in tables.get(column.table, ()):
            refuse(column)


def _source(node: Any, named: Named) -> tuple[Query, str]:
    """A table or a subquery, and its name."""
    from sqlglot import exp

    if isinstance(node, exp.Table):
        plain = isinstance(node.this, exp.Identifier)
        if not plain or any(held for word, held in node.args.items() if word not in ("this", "alias")):
            refuse(node)
        if node.name in named.public:
            raise ParameterError(
                f"'{node.name}' is a public table, and FROM names a private one.", "Join it to one."
            )
        known = {"data": named.table, **named.private}
        known.setdefault(named.table.schema.dataset or "data", named.table)
        if node.name not in known:
            raise ParameterError(
                f"There is no private table '{node.name}' here.", f"FROM can name: {', '.join(known)}."
            )
        return known[node.name], node.name
    inner = node.this
    if isinstance(inner, exp.Union):
        return _union(inner, named), node.alias
    if not isinstance(inner, exp.Select):
        refuse(inner)
    return _inner(inner, named), node.alias


def _union(node: Any, named: Named) -> Query:
    from sqlglot import exp

    if node.args.get("distinct") or type(node) is not exp.Union:
        raise ParameterError("Only UNION ALL is answered.", "Write UNION ALL: no record is left out.")
    require_clauses(node, {"this", "expression", "distinct"})
    sides = [
        _union(side, named) if isinstance(side, exp.Union) else _inner(side, named)
        for side in (node.this, node.expression)
    ]
    return sides[0].union(sides[1])


def _inner(select: Any, named: Named) -> Query:
    """``SELECT * FROM …``, or a record for each person: ``SELECT id, COUNT(*) AS n … GROUP BY id``."""
    from sqlglot import exp

    if not isinstance(select, exp.Select):
        refuse(select)
    require_clauses(select, {"expressions", "from", "joins", "where", "group"})
    asked = from_clause(select, named)
    if where := select.args.get("where"):
        asked = asked.where(Term(condition(where.this, asked.seen)))
    group = select.args.get("group")
    if group is None:
        if len(select.expressions) != 1 or not isinstance(select.expressions[0], exp.Star):
            raise ParameterError("An inner SELECT takes whole records.", "Write SELECT * FROM … inside.")
        return asked
    return _each_person(select, group, asked)


def _each_person(select: Any, group: Any, asked: Query) -> Query:
    from sqlglot import exp

    require_clauses(group, {"expressions"})
    person = person_of(asked)
    names = [key.name for key in group.expressions if isinstance(key, exp.Column)]
    if len(names) < len(group.expressions) or person is None or person not in names:
        raise ParameterError(
            "An inner SELECT is grouped by the person whose the records are"
            + ("." if person is None else f": by '{person}', and by categories."),
            "Group by the id that the schema declares under [unit].",
        )
    made: dict[str, Any] = {}
    for chosen in select.expressions:
        node = chosen.this if isinstance(chosen, exp.Alias) else chosen
        if isinstance(node, exp.Column) and node.name in names and not chosen.alias.strip(node.name):
            continue
        how = _AGGREGATES.get(called(node))
        if how is None or not chosen.alias or chosen.alias in made:
            raise ParameterError(
                f"'{chosen.sql()}' is not understood for each person.",
                "Use COUNT, SUM, AVG, MIN or MAX of a column, each with a name: SUM(cost) AS spent.",
            )
        if isinstance(node.this, exp.Star):
            made[chosen.alias] = how
        elif isinstance(node.this, exp.Column):
            made[chosen.alias] = (how, node.this.name)
        else:
            refuse(node)
    return asked.per_person(*(name for name in names if name != person), **made)


def _joined(asked: Query, left: str, join: Any, named: Named) -> tuple[Query, set[str]]:
    """The query with one more table, and the columns of that table."""
    from sqlglot import exp

    require_clauses(join, {"this", "side", "kind", "using", "on"})
    side, kind = (join.side or "").upper(), (join.kind or "").upper()
    name = join.this.name if isinstance(join.this, exp.Table) else join.this.alias
    known = isinstance(join.this, exp.Subquery) or name in named.public or name in named.private
    if not known:
        raise ParameterError(
            f"There is no public table '{name}' to join, and no other private one of that name.",
            "Name the tables that are joined, and which of them are public.",
        )
    keys = _keys(join)
    if isinstance(join.this, exp.Table) and name in named.public:
        if side not in ("", "LEFT") or kind not in ("", "INNER", "OUTER"):
            raise ParameterError("This kind of JOIN is not answered.", "Use JOIN or LEFT JOIN … USING (key).")
        if len(keys) > 1:
            raise ParameterError("A public table is joined by one key.", "Write JOIN … USING (key).")
        asked = asked.join_public(named.public[name], on=keys[0])
        said = _names(named.public[name])
        made = [column for column in said if column != keys[0]]
        if side != "LEFT" and made:
            asked = asked.where(~asked[made[0]].is_missing())
        return asked, set(said)
    if side or kind not in ("", "INNER"):
        raise ParameterError("Private tables are joined by pairs of records only.", "Use JOIN … USING (key).")
    other, right = _source(join.this, named)
    columns = _columns(other)
    return asked.join(other, keys, (named.most.get(left, 1), named.most.get(right, 1))), columns


def _keys(join: Any) -> list[str]:
    if using := join.args.get("using"):
        return [str(key.name) for key in using]
    return [_equal_key(join.args.get("on"))]


def _equal_key(on: Any) -> str:
    from sqlglot import exp

    sides = (on.this, on.expression) if isinstance(on, exp.EQ) else ()
    names = {side.name for side in sides if isinstance(side, exp.Column)}
    tables = {side.table for side in sides if isinstance(side, exp.Column) and side.table}
    if len(tables) != 2 or len(names) != 1:
        raise ParameterError("Tables are joined by a key with one name in both.", "Write JOIN … USING (key).")
    return str(names.pop())


def _names(table: Any) -> list[str]:
    return [str(name) for name in (table.column_names if hasattr(table, "column_names") else table)]
