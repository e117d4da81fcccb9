"""Asks a database, through Ibis, to answer where the rows are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from privet.engines.joint_counts import Bundle, bundled
from privet.engines.memory import MemoryEngine
from privet.errors import DataError, PrivetError
from privet.schema import Schema
from privet.sources.base import Source
from privet.stats import Answer, Statistic, sql
from privet.stats.contribution import bound_table, resolved

__all__ = ["SqlEngine"]


class SqlEngine:
    """Answers by Ibis expressions, tables of counts several at a time.

    If a question has no expression, or its answer has too many lines, all are folded in one read of the rows.
    """

    def answer(self, statistics: Sequence[Statistic], source: Source, schema: Schema) -> list[Answer]:
        table = source.table()
        if table is None:
            raise DataError("This source cannot be read by a database.", "Use the memory engine.")
        _require(statistics, table)
        rows = bound_table(table, resolved(schema.unit, source), schema.names)
        try:
            counted, others = _rendered(statistics, rows, schema)
            results = _counts(counted, source, rows, schema)
            for place, expression in others.items():
                results[place] = _result(source, expression, statistics[place].columns)
        except _NotInSql:
            return MemoryEngine().answer(statistics, source, schema)
        return [statistic.collect(results[place], schema) for place, statistic in enumerate(statistics)]


def _rendered(
    statistics: Sequence[Statistic], rows: Any, schema: Schema
) -> tuple[dict[int, tuple[sql.Key, ...]], dict[int, Any]]:
    """By what records are counted, and the other expressions, by the places of the statistics."""
    counted, others = {}, {}
    for place, statistic in enumerate(statistics):
        if (keys := statistic.counted_by(rows, schema)) is not None:
            counted[place] = keys
        elif (expression := statistic.expression(rows, schema)) is not None:
            others[place] = expression
        else:
            raise _NotInSql
    return counted, others


def _counts(wanted: dict[int, tuple[sql.Key, ...]], source: Any, rows: Any, schema: Schema) -> dict[int, Any]:
    """The counts, by the places of the statistics that want them."""
    results: dict[int, Any] = {}
    left = bundled(wanted, schema)[::-1]
    while left:
        bundle = left.pop()
        counted = sql.grouped(rows, schema, bundle.keys).limit(bundle.lines + 1)
        found = _result(source, counted, [name for name, _ in bundle.keys])
        if found.num_rows <= bundle.lines:
            results |= {place: bundle.table(found, wanted[place]) for place in bundle.places}
        elif len(bundle.places) == 1:
            raise _NotInSql
        else:  # many values that the schema does not list: one table at a time, from here on
            left = [Bundle(wanted[place], (place,)) for each in (*left, bundle) for place in each.places]
    return results


class _NotInSql(Exception):
    """This database has no words for a question, or too many for its answer."""


def _require(statistics: Sequence[Statistic], table: Any) -> None:
    for name in {name: None for statistic in statistics for name in statistic.columns}:
        if name not in table.columns:
            raise DataError(
                f"The table has no column '{name}', though the schema names it.",
                "Check the spelling, or remove the column from the schema.",
            )


def _result(source: Any, expression: Any, columns: Sequence[str]) -> Any:
    from ibis.common.exceptions import OperationNotDefinedError, UnsupportedOperationError

    try:
        run = getattr(source, "execute", None)
        return expression.to_pyarrow() if run is None else run(expression)
    except PrivetError:
        raise
    except (OperationNotDefinedError, UnsupportedOperationError):
        raise _NotInSql from None
    except Exception:  # whatever the database says may quote a cell, so none of it is passed on
        named = " and ".join(f"'{name}'" for name in columns)
        raise DataError(
            f"The database could not answer a question about {named}.",
            "Check that the table holds there what the schema says: numbers, or text from the domain.",
        ) from None
