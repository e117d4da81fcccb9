"""Asks a database, through Ibis, to answer where the rows are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from privet.engines.memory import MemoryEngine
from privet.errors import DataError, PrivetError
from privet.schema import Schema
from privet.sources.base import Source
from privet.stats import Answer, Statistic
from privet.stats.contribution import bound_table, resolved

__all__ = ["SqlEngine"]


class SqlEngine:
    """Answers by Ibis expressions. If a question has none, all are folded in one read of the rows."""

    def answer(self, statistics: Sequence[Statistic], source: Source, schema: Schema) -> list[Answer]:
        table = source.table()
        if table is None:
            raise DataError("This source cannot be read by a database.", "Use the memory engine.")
        _require(statistics, table)
        unit = resolved(schema.unit, source)
        results = []
        for statistic in statistics:
            try:
                expression = statistic.expression(bound_table(table, unit, schema.names), schema)
                result = None if expression is None else _result(source, expression, statistic)
            except _NotInSql:
                result = None
            if result is None:
                return MemoryEngine().answer(statistics, source, schema)
            results.append(result)
        return [s.collect(result, schema) for s, result in zip(statistics, results, strict=True)]


class _NotInSql(Exception):
    """This database has no words for a question."""


def _require(statistics: Sequence[Statistic], table: Any) -> None:
    for name in {name: None for statistic in statistics for name in statistic.columns}:
        if name not in table.columns:
            raise DataError(
                f"The table has no column '{name}', though the schema names it.",
                "Check the spelling, or remove the column from the schema.",
            )


def _result(source: Any, expression: Any, statistic: Statistic) -> Any:
    from ibis.common.exceptions import OperationNotDefinedError, UnsupportedOperationError

    try:
        run = getattr(source, "execute", None)
        return expression.to_pyarrow() if run is None else run(expression)
    except PrivetError:
        raise
    except (OperationNotDefinedError, UnsupportedOperationError):
        raise _NotInSql from None
    except Exception:  # whatever the database says may quote a cell, so none of it is passed on
        named = " and ".join(f"'{name}'" for name in statistic.columns)
        raise DataError(
            f"The database could not answer a question about {named}.",
            "Check that the table holds there what the schema says: numbers, or text from the domain.",
        ) from None
