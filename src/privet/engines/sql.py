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
    """Answers by Ibis expressions; a question that has none is folded over the rows the database sends."""

    def answer(self, statistics: Sequence[Statistic], source: Source, schema: Schema) -> list[Answer]:
        table = source.table()
        if table is None:
            raise DataError("This source cannot be read by a database.", "Use the memory engine.")
        table = bound_table(table, resolved(schema.unit, source), schema.names)
        answers: list[Answer] = []
        for statistic in statistics:
            for name in statistic.columns:
                if name not in table.columns:
                    raise DataError(
                        f"The table has no column '{name}', though the schema names it.",
                        "Check the spelling, or remove the column from the schema.",
                    )
            expression = statistic.expression(table, schema)
            if expression is None:
                answers += MemoryEngine().answer([statistic], source, schema)
            else:
                answers.append(statistic.collect(_result(expression, statistic), schema))
        return answers


def _result(expression: Any, statistic: Statistic) -> Any:
    try:
        return expression.to_pyarrow()
    except PrivetError:
        raise
    except Exception:  # whatever the database says may quote a cell, so none of it is passed on
        named = " and ".join(f"'{name}'" for name in statistic.columns)
        raise DataError(
            f"The database could not answer a question about {named}.",
            "Check that the table holds there what the schema says: numbers, or text from the domain.",
        ) from None
