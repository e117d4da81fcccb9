"""Keeps the coded records in memory, for a search that asks of them thousands of times."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import reduce

from privet.schema import Schema
from privet.sources.base import Source
from privet.stats import Answer, Rows, Statistic
from privet.stats.contribution import bounded

__all__ = ["HeldEngine"]

WORKERS = min(2, os.cpu_count() or 1)


class HeldEngine:
    """Reads its source once, whole, and answers every question from what it holds.

    One engine serves one curator, so its source and schema never change.
    """

    def __init__(self) -> None:
        self._rows: list[Rows] | None = None

    def answer(self, statistics: Sequence[Statistic], source: Source, schema: Schema) -> list[Answer]:
        if self._rows is None:
            wanted = {*schema.names, schema.unit.id}
            names = [name for name in source.names if name in wanted]
            self._rows = [Rows(batch, schema) for batch in bounded(source, names, schema)]
        if len(self._rows) > 1:
            return self._in_threads(statistics, schema)
        return [s.finish(self._fold(s, self._rows, schema), schema) for s in statistics]

    def _in_threads(self, statistics: Sequence[Statistic], schema: Schema) -> list[Answer]:
        """Every worker folds its own part; answers are integers, so how rows are split is no matter."""
        parts = [(self._rows or [])[worker::WORKERS] for worker in range(WORKERS)]
        answers = []
        with ThreadPoolExecutor(WORKERS) as pool:
            for statistic in statistics:
                states = pool.map(lambda rows, s=statistic: self._fold(s, rows, schema), parts)
                answers.append(statistic.finish(reduce(statistic.merge, states), schema))
        return answers

    @staticmethod
    def _fold(statistic: Statistic, rows: Sequence[Rows], schema: Schema) -> Answer:
        state = statistic.start(schema)
        for part in rows:
            state = statistic.fold(state, part)
        return state
