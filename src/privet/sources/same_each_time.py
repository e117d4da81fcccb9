"""Whether an Ibis table is the same each time it is read: several questions must be about the same records.

A view with ``random()``, a sample or a limit is not. A record would then be counted in one answer and not in
another, and which records of a person are kept would depend on others. A window function gives a record a
value that depends on other records, and of a first one, or of a list, it is open which comes first. So it is
of those that share the greatest value of another column or are equally frequent, of quantiles by a sketch,
and of a list that is ordered by something else than its own values.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from privet.errors import DataError

__all__ = ["require_same_each_time"]

_NULLS = ("", "_null", "_nulls_last")


def require_same_each_time(table: Any) -> None:
    """Refuse an expression, a view or SQL text that is random, a sample, limited, or knows the time."""
    import ibis.expr.operations as ops

    tree = table.op()
    backends, _ = table._find_backends()
    duckdb = len(backends) == 1 and backends[0].name == "duckdb"
    shaky = tree.find((ops.Impure, ops.Sample, ops.Limit, ops.TimestampNow, ops.DateNow, ops.WindowFunction))
    shaky += tree.find((ops.ArgMax, ops.ArgMin, ops.Mode, ops.ApproxMedian, ops.ApproxQuantile))
    shaky += tree.find(ops.ApproxMultiQuantile)
    shaky += [*tree.find(ops.RowID), *(node for node in tree.find(ops.JoinLink) if node.how == "asof")]
    chance = tree.find((ops.First, ops.Last, ops.Arbitrary, ops.ArrayCollect, ops.GroupConcat))
    shaky += [
        node for node in chance if node.arg not in [key.args[0] for key in getattr(node, "order_by", ())]
    ]
    # A function of the database by its name, as files are read with; DuckDB says below whether it is random.
    called = [node.__func_name__ for node in shaky if duckdb and _is_called(node)]
    if len(called) < len(shaky):
        raise _refused()
    if duckdb:
        texts = [node.query for node in tree.find((ops.SQLQueryResult, ops.SQLStringView))]
        names = [node.name for node in tree.find(ops.DatabaseTable)]
        _require_views(backends[0].con, names, texts, called)


#: Functions of DuckDB whose value depends on the order of rows, on chance or on the session, though it says
#: that they are always the same.
_OPEN = {
    *("arbitrary", "mode", "max_by", "min_by", "approx_quantile", "approx_top_k", "reservoir_quantile"),
    *("getvariable", "json_group_array", "json_group_object", "json_group_structure"),
    *(f"arg{bar}{end}{nulls}" for bar in ("", "_") for end in ("max", "min") for nulls in _NULLS),
}


def _is_called(node: Any) -> bool:
    from ibis.expr.operations.udf import InputType

    return getattr(node, "__input_type__", None) is InputType.BUILTIN


def _require_views(connection: Any, names: list[str], texts: list[str], called: list[str]) -> None:
    """DuckDB knows the text of its views, and which of its functions are not always the same."""
    views = dict(
        connection.execute("SELECT view_name, sql FROM duckdb_views() WHERE NOT internal").fetchall()
    )
    if not texts and not called and not any(name in views for name in names):
        return
    found = connection.execute(
        "SELECT DISTINCT lower(function_name) FROM duckdb_functions() "
        "WHERE stability IN ('VOLATILE', 'CONSISTENT_WITHIN_QUERY') "
        "OR (NOT internal AND function_type LIKE '%macro%')"
    ).fetchall()
    # "error" ends a query, and has no value.
    shaky, seen = {name for (name,) in found} - {"error"} | _OPEN, set()
    if any(name.lower() in shaky or _now(name) for name in called):
        raise _refused()
    left = [*texts, *(views[name] for name in names if name in views)]
    while left:
        text = left.pop()
        for kind, name in _mentioned(text):
            if kind == "table" and name in views and name not in seen:
                seen.add(name)
                left.append(views[name])
            elif kind == "limit" or (kind == "function" and (name.lower() in shaky or _now(name))):
                raise _refused()


def _now(name: str) -> bool:
    """Whether this is one of SQL's own words for the time or the user, which are no functions to DuckDB."""
    return name.upper().startswith(("CURRENT_", "LOCALTIME"))


def _mentioned(text: str) -> Iterator[tuple[str, str]]:
    """The tables, functions and limits in a statement. What cannot be parsed is refused."""
    import sqlglot
    from sqlglot import exp

    try:
        trees = [tree for tree in sqlglot.parse(text, dialect="duckdb") if tree is not None]
    except sqlglot.errors.SqlglotError:
        raise _refused() from None
    for node in (node for tree in trees for node in tree.walk()):
        if _depends_on_others(node):
            yield "limit", ""
        elif isinstance(node, exp.Table):
            yield "table", node.name
        elif isinstance(node, exp.Anonymous):
            # The age at a time, or today.
            known = node.name.lower() != "age" or len(node.expressions) == 2
            yield "function" if known else "limit", node.name
        elif isinstance(node, exp.Func):
            for name in (*node.sql_names(), node.sql(dialect="duckdb").partition("(")[0]):
                yield "function", name


def _depends_on_others(node: Any) -> bool:
    """Whether other records, or the order in which they are read, decide what this part of a statement is."""
    from sqlglot import exp

    if isinstance(node, exp.AnyValue | exp.First | exp.Last | exp.ArrayAgg | exp.GroupConcat | exp.List):
        return not _ordered_by_itself(node.this or next(iter(node.expressions), None))
    if isinstance(node, exp.Distinct):
        return node.args.get("on") is not None
    if isinstance(node, exp.Join):
        return node.method in ("POSITIONAL", "ASOF")
    # A summary has approximate quantiles.
    if isinstance(node, exp.Limit | exp.Offset | exp.TableSample | exp.Fetch | exp.Window | exp.Summarize):
        return True
    return isinstance(node, exp.Column) and node.name.lower() == "rowid"


def _ordered_by_itself(of: Any) -> bool:
    """Whether the values of a list decide its order: by another column, records may share a place."""
    from sqlglot import exp

    if not isinstance(of, exp.Order):
        return False
    values = of.this.expressions[0] if isinstance(of.this, exp.Distinct) else of.this
    return any(key.this == values for key in of.expressions)


def _refused() -> DataError:
    return DataError(
        "This table is not the same each time it is read: it is random, limited, a sample, has the time, or "
        "numbers, first ones or lists that depend on the order of rows.",
        "Write it to a table first, and pass that.",
    )
