"""Whether an Ibis table is the same each time it is read: several questions must be about the same records.

A view with ``random()``, a sample or a limit is not. A record would then be counted in one answer and not in
another, and which records of a person are kept would depend on others.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from privet.errors import DataError

__all__ = ["require_same_each_time"]


def require_same_each_time(table: Any) -> None:
    """Refuse an expression, a view or SQL text that is random, a sample, limited, or knows the time."""
    import ibis.expr.operations as ops

    tree = table.op()
    backends, _ = table._find_backends()
    duckdb = len(backends) == 1 and backends[0].name == "duckdb"
    shaky = tree.find((ops.Impure, ops.Sample, ops.Limit, ops.TimestampNow, ops.DateNow))
    # A function of the database by its name, as files are read with; DuckDB says below whether it is random.
    called = [node.__func_name__ for node in shaky if duckdb and _is_called(node)]
    if len(called) < len(shaky):
        raise _refused()
    if duckdb:
        texts = [node.query for node in tree.find((ops.SQLQueryResult, ops.SQLStringView))]
        names = [node.name for node in tree.find(ops.DatabaseTable)]
        _require_views(backends[0].con, names, texts, called)


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
    shaky, seen = {name for (name,) in found} - {"error"}, set()  # it ends a query, and has no value
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
        if isinstance(node, exp.Limit | exp.TableSample | exp.Fetch):
            yield "limit", ""
        elif isinstance(node, exp.Table):
            yield "table", node.name
        elif isinstance(node, exp.Anonymous):
            yield "function", node.name
        elif isinstance(node, exp.Func):
            for name in (*node.sql_names(), node.sql(dialect="duckdb").partition("(")[0]):
                yield "function", name


def _refused() -> DataError:
    return DataError(
        "This table is not the same each time it is read: it is random, limited, a sample, or has the time.",
        "Write it to a table first, and pass that.",
    )
