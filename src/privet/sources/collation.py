"""Texts that a database compares byte by byte, so that different ones are never counted as one.

Under a collation that ignores case or accents, ``GROUP BY`` puts "a" and "A" in one group, and makes two
people one. DuckDB's collations belong to columns, which lose them here, or to the whole database, which is
refused.
"""

from __future__ import annotations

from typing import Any

from privet.errors import DataError

__all__ = ["by_bytes", "compares_bytes"]

#: Backends of Ibis whose texts are bytes, unless a collation is named. Of others the rows are read here.
_BY_BYTES = frozenset({"duckdb", "datafusion", "polars"})


def compares_bytes(table: Any) -> bool:
    """Whether grouping in the database keeps apart what differs."""
    return all(backend.name in _BY_BYTES for backend in table._find_backends()[0])


def by_bytes(table: Any) -> Any:
    """The table, with texts that have no collation.

    >>> import ibis
    >>> database = ibis.duckdb.connect()
    >>> _ = database.raw_sql("CREATE TABLE t AS SELECT unnest(['a', 'A']) COLLATE NOCASE AS w")
    >>> table = database.table("t")
    >>> [each.distinct().to_pyarrow().num_rows for each in (table, by_bytes(table))]
    [1, 2]
    """
    backends, _ = table._find_backends()
    if len(backends) != 1 or backends[0].name != "duckdb":
        return table
    connection = backends[0].con
    [(everywhere,)] = connection.execute("SELECT current_setting('default_collation')").fetchall()
    if str(everywhere).lower() not in ("", "binary", "c", "posix"):
        raise DataError(
            "This database takes different texts for the same one, by its setting default_collation.",
            "Run  SET default_collation = ''  first.",
        )
    return _without_collations(table) if _has_collations(connection, table) else table


def _has_collations(connection: Any, table: Any) -> bool:
    """Whether any table or view, or the question itself, names one: DuckDB does not say which columns do."""
    import ibis.expr.operations as ops

    texts = [node.query for node in table.op().find((ops.SQLQueryResult, ops.SQLStringView))]
    found = connection.execute(
        "SELECT sql FROM duckdb_tables() UNION ALL SELECT sql FROM duckdb_views() WHERE NOT internal"
    ).fetchall()
    return any("collate" in str(text).lower() for text in (*texts, *(sql for (sql,) in found)))


def _without_collations(table: Any) -> Any:
    import ibis

    @ibis.udf.scalar.builtin(name="encode")
    def encode(text: str) -> bytes:  # DuckDB's own functions
        raise NotImplementedError

    @ibis.udf.scalar.builtin(name="decode")
    def decode(text: bytes) -> str:
        raise NotImplementedError

    texts = [name for name, kind in table.schema().items() if kind.is_string()]
    return table.mutate(**{name: decode(encode(table[name])) for name in texts}) if texts else table
