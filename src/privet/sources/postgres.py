"""A table, view or query of PostgreSQL: one snapshot, read where it is or in constant memory.

The whole run sees one snapshot (a read-only transaction at REPEATABLE READ): who changes the table meanwhile
changes nothing here, and who wants to alter it waits. Rows come by COPY, on a connection of their own that
takes part in the snapshot. No error passes on what the database says: its messages quote cells.
"""

from __future__ import annotations

import re
import weakref
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import pyarrow as pa

from privet.errors import DataError, MissingExtra, SchemaError
from privet.schema import Schema
from privet.sources.address import address_of
from privet.sources.files import FilePath
from privet.sources.postgres_columns import Column, columns_of, quoted
from privet.sources.postgres_plan import (
    functions_in,
    operators_in,
    unsteady_literal,
    unsteady_node,
    unsteady_word,
)
from privet.sources.projection import chosen, distinct
from privet.sources.sql import TableSource

__all__ = ["PostgresSource"]

_OWN = 16384  # numbers below are what PostgreSQL itself brings
_NAME = re.compile(r'"(?:[^"]|"")+"|[^".]+')
_QUOTED_NAMES = re.compile(rf"(?:{_NAME.pattern})(?:\.(?:{_NAME.pattern}))*")
_BLOCK = 1 << 23  # bytes of text that are read at a time
_SETTINGS = (
    "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY",
    "SET TIME ZONE 'UTC'",
    "SET DateStyle = 'ISO, YMD'",
    "SET IntervalStyle = 'iso_8601'",
    "SET extra_float_digits = 1",
    "SET client_encoding = 'UTF8'",
    "SET standard_conforming_strings = on",
    "SET idle_in_transaction_session_timeout = 0",  # the snapshot must live while Privet computes
)


class PostgresSource(TableSource):
    """The rows at an address such as ``postgresql://server/clinic?table=patients``.

    ``table`` names a table or a view, with its schema before a point if it has one; ``query`` is a SELECT
    instead. Each row is a record. The password is best left to PGPASSWORD or a password file.
    """

    def __init__(self, address: FilePath, schema: Schema | None = None) -> None:
        self._address, relation, self.title = _parsed(str(address_of(address)))
        self._connection = _connected(self._address)
        weakref.finalize(self, self._connection.close)
        try:
            self._look(relation, schema)
        except BaseException:
            self._connection.close()  # else whoever keeps the error keeps the table locked
            raise

    def _look(self, relation: str, schema: Schema | None) -> None:
        with explained(self.title), self._connection.cursor() as cursor:
            cursor.execute(f"SELECT * FROM {relation} LIMIT 0", prepare=True)
            self._columns = columns_of(cursor.description or (), schema)
            self._names = distinct(column.name for column in self._columns)
            self._rows = self._select(self._columns, relation)
            # Without indexes, so that the plan shows by what the records of a DISTINCT are sorted.
            cursor.execute("SET LOCAL enable_indexscan = off")
            cursor.execute("SET LOCAL enable_indexonlyscan = off")
            [(plan,)] = cursor.execute(
                f"EXPLAIN (VERBOSE, FORMAT JSON) {self._rows}", prepare=True
            ).fetchall()
            cursor.execute("SET LOCAL enable_indexscan TO DEFAULT")
            cursor.execute("SET LOCAL enable_indexonlyscan TO DEFAULT")
            self._require_steady(cursor, relation, plan)
            [(self._snapshot,)] = cursor.execute("SELECT pg_export_snapshot()").fetchall()
        if schema is not None:
            self.require_exact(schema.unit.id)

    def table(self) -> Any:
        try:
            import ibis
        except ImportError:
            raise MissingExtra.of("postgres", "Reading a table of PostgreSQL") from None
        return ibis.table({column.name: column.kind for column in self._columns}, name="privet_rows")

    def execute(self, expression: Any) -> pa.Table:
        """The result of an Ibis expression on ``table()``, computed by the database."""
        import ibis

        question = str(ibis.to_sql(expression, dialect="postgres"))
        rows = f'"privet_rows" AS NOT MATERIALIZED ({self._rows})'
        if question.lstrip().upper().startswith("WITH "):
            question = f"WITH {rows}, {question.lstrip()[5:]}"
        else:
            question = f"WITH {rows} {question}"
        kinds = expression.schema().to_pyarrow()
        # A savepoint, so that a question that fails does not end the snapshot of those that follow.
        with explained(self.title), self._connection.transaction(), self._connection.cursor() as cursor:
            found = cursor.execute(question, prepare=False).fetchall()
        columns = list(zip(*found, strict=True)) or [()] * len(kinds)
        return pa.table([_array(cells, f) for cells, f in zip(columns, kinds, strict=True)], schema=kinds)

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        wanted = chosen(self._names, columns)
        read = [column for column in self._columns if column.name in (wanted or self._names[:1])]
        with explained(self.title), _connected(self._address) as connection, connection.cursor() as cursor:
            cursor.execute(f"SET TRANSACTION SNAPSHOT '{self._snapshot}'")
            texts = [quoted(column.name) for column in read if column.kind == "string"]
            force = f", FORCE_QUOTE ({', '.join(texts)})" if texts else ""
            inner = f"SELECT {', '.join(quoted(c.name) for c in read)} FROM ({self._rows}) AS privet_rows"
            with cursor.copy(f"COPY ({inner}) TO STDOUT (FORMAT csv{force})") as copy:
                for batch in _parsed_rows(copy, read):
                    yield batch.select(wanted)

    def require_exact(self, name: str | None) -> None:
        """Refuse as a person's id a column of decimals that were rounded: two people might become one."""
        if any(column.rounded and column.name == name for column in self._columns):
            raise SchemaError(
                f"Column '{name}' holds decimals, which cannot tell people apart once they are rounded.",
                "Open the table with its schema, or cast the column to text in a view.",
            )

    @staticmethod
    def _select(columns: Sequence[Column], relation: str) -> str:
        cells = ", ".join(f"{column.cast} AS {quoted(column.name)}" for column in columns)
        return f"SELECT {cells} FROM {relation}"

    def _require_steady(self, cursor: Any, relation: str, plan: Any) -> None:
        why = unsteady_node(plan) or unsteady_word(plan) or unsteady_literal(relation)
        if why is None:
            functions = sorted(functions_in(plan))
            volatile = cursor.execute(
                "SELECT proname FROM pg_proc WHERE provolatile = 'v' AND (proname = ANY(%s) OR oid IN "
                "(SELECT oprcode FROM pg_operator WHERE oprname = ANY(%s))) "
                # Whether an aggregate of somebody's own depends on the order of rows is not declared.
                "OR prokind = 'a' AND oid >= %s AND proname = ANY(%s)",
                [functions, sorted(operators_in(plan)), _OWN, functions],
            ).fetchall()
            why = (
                f"the function {volatile[0][0]}, which may give other values each time" if volatile else None
            )
        if why is not None:
            raise DataError(
                f"What {self.title} holds is not the same each time it is read: it uses {why}.",
                "Name a table, or a view or query of records that stay the same.",
            )


def _parsed(address: str) -> tuple[str, str, str]:
    """The address of the database, the relation in SQL, and what to call it."""
    parts = urlsplit(address)
    given = dict(parse_qsl(parts.query, keep_blank_values=True))
    table, query = given.pop("table", None), given.pop("query", None)
    if (table is None) == (query is None):
        raise DataError(
            "The address of a database must name one table, or one query.",
            "For example: postgresql://server/clinic?table=patients",
        )
    server = urlunsplit(parts._replace(query=urlencode(given)))
    if query is not None:
        return server, f"({query.strip().rstrip(';')}\n) AS privet_query", "the query"
    assert table is not None
    return server, ".".join(quoted(name) for name in _names(table)), f"the table {table}"


def _names(table: str) -> list[str]:
    """The name of a table, and of its schema before it; one that holds a point is in quotes, as in SQL.

    >>> _names('clinic.Patients'), _names('clinic."old ""p"".tients"'), _names('od"d')
    (['clinic', 'Patients'], ['clinic', 'old "p".tients'], ['od"d'])
    """
    if not _QUOTED_NAMES.fullmatch(table):
        return table.split(".")
    return [each[1:-1].replace('""', '"') if each.startswith('"') else each for each in _NAME.findall(table)]


def _connected(address: str) -> Any:
    try:
        import psycopg
    except ImportError:
        raise MissingExtra.of("postgres", "Reading a table of PostgreSQL") from None
    with explained("the database"):
        connection = psycopg.connect(address, autocommit=True)
        for setting in _SETTINGS:
            connection.execute(setting)
        connection.autocommit = False
        return connection


@contextmanager
def explained(title: str) -> Iterator[None]:
    """Turn the database's errors, which may quote a cell, into ones that do not."""
    import psycopg
    from psycopg import errors

    try:
        yield
    except (errors.UndefinedTable, errors.InvalidSchemaName):
        raise DataError(f"There is no such thing in the database as {title}.", "Check its name.") from None
    except errors.InsufficientPrivilege:
        raise DataError(f"You may not read {title}.", "Ask its owner for permission.") from None
    except errors.QueryCanceled:
        raise DataError(
            "The database stopped the question.", "Ask its administrator for more time."
        ) from None
    except (psycopg.OperationalError, psycopg.InterfaceError):
        raise DataError(
            "The database cannot be reached, or the connection to it was lost.",
            "Check the address, the password (PGPASSWORD or a password file) and that the server runs.",
        ) from None
    except psycopg.Error:
        raise DataError(
            f"The database could not answer a question about {title}.",
            "Check that it holds what the schema says: numbers, or text from the domain.",
        ) from None
    except pa.ArrowException:
        raise DataError(f"What the database sent of {title} could not be read.", "Run it again.") from None


def _parsed_rows(rows: Iterable[Any], columns: Sequence[Column]) -> Iterator[pa.RecordBatch]:
    """Rows of CSV as batches. Only whole rows are parsed at a time, so no cell is too long for a block."""
    from pyarrow import csv

    names, nothing = [column.name for column in columns], True
    parse = csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False)
    convert = csv.ConvertOptions(
        column_types={column.name: column.arrow for column in columns},
        null_values=[""],
        strings_can_be_null=True,
        quoted_strings_can_be_null=False,
        true_values=["t"],
        false_values=["f"],
    )
    for block in _blocks(rows):
        nothing = False
        read = csv.ReadOptions(column_names=names, block_size=len(block))
        yield from csv.read_csv(pa.BufferReader(block), read, parse, convert).to_batches()
    if nothing:
        yield pa.RecordBatch.from_arrays([pa.array([], column.arrow) for column in columns], names)


def _blocks(rows: Iterable[Any]) -> Iterator[bytes]:
    """Rows one after the other, some megabytes at a time: the driver hands over each as a whole."""
    held = bytearray()
    for row in rows:
        held += row
        if len(held) >= _BLOCK:
            yield bytes(held)
            held.clear()
    if held:
        yield bytes(held)


def _array(cells: Sequence[Any], field: pa.Field) -> pa.Array:
    if pa.types.is_integer(field.type):  # sums are decimals to PostgreSQL
        cells = [None if cell is None else int(cell) for cell in cells]
        if any(cell is not None and not -(2**63) <= cell < 2**63 for cell in cells):
            raise DataError("A sum is too large for 64 bits.", "Check the bounds in the schema.")
    return pa.array(cells, field.type)
