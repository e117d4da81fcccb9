"""Keeps the coded records in memory, for a search that asks of them many times."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from itertools import accumulate

from privet.engines.memory import MemoryEngine
from privet.engines.slices import InSlices
from privet.schema import Schema
from privet.sources import ArraySource
from privet.sources.base import BATCH_ROWS, Source
from privet.stats import Answer, Contingency, Rows, Statistic, Within
from privet.stats.coded_rows import Key, coded_room
from privet.stats.contribution import bounded
from privet.stats.slices import Sliced

__all__ = ["HeldEngine"]

WORKERS = min(2, os.cpu_count() or 1)
IN_SLICE, MOST_SLICES = 4000, 1 << 10  # how finely records are told apart, if not more finely is asked for


class HeldEngine:
    """Reads its source once, whole, and answers every question from what it holds.

    One engine serves one curator, so its source and schema never change. A table with more than ``most``
    values is not held, but read again for every question: the answers are the same.
    """

    def __init__(self, most: float | None = None) -> None:
        self._rows: list[Rows] | None = None
        self._most = most
        self._reads_again = False
        self._by: tuple[str, ...] = ()
        self._coded: set[Key] = set()
        self._in_slices: dict[tuple[str, ...], InSlices] = {}

    def by_slices_of(self, columns: tuple[str, ...]) -> None:
        """Slices by these columns will be asked about: numbers are coded in such an order."""
        self._by = columns

    def answer(self, statistics: Sequence[Statistic], source: Source, schema: Schema) -> list[Answer]:
        if self._rows is None and not self._reads_again:
            self._rows = self._held(source, schema)
            self._reads_again = self._rows is None
        if self._rows is None:
            return MemoryEngine().answer(statistics, source, schema)
        sliced = [each for each in statistics if isinstance(each, Sliced)]
        if self._rows and len(sliced) == len(statistics) and len({each.slices for each in sliced}) == 1:
            asked = [each.statistic for each in sliced]
            taken = self._of(sliced[0], self._rows)
            taken.code_together(_coded(asked))
            states = _fold(asked, [taken], schema)
            return [s.finish(state, schema) for s, state in zip(asked, states, strict=True)]
        rows = self._with_codes(statistics, self._rows)
        workers = min(WORKERS, len(rows))
        if workers < 2:
            states = _fold(statistics, rows, schema)
        else:
            states = self._in_threads(statistics, rows, schema, workers)
        return [s.finish(state, schema) for s, state in zip(statistics, states, strict=True)]

    def _held(self, source: Source, schema: Schema) -> list[Rows] | None:
        """All rows; None as soon as there are too many."""
        rows: list[Rows] = []
        values = 0
        for part in _read(source, schema):
            rows.append(part)
            values += part.size * len(schema.names)
            if self._most is not None and values > self._most:
                return None
        return rows

    def _with_codes(self, statistics: Sequence[Statistic], rows: Sequence[Rows]) -> Sequence[Rows]:
        """All rows; numbers that are asked for in bins become bins, once and all together."""
        keys = list(dict.fromkeys(_coded(statistics)))
        tables = all(isinstance(statistic, Contingency) for statistic in statistics)
        if self._by and tables and len(keys) > 1 and rows and rows[0].lie_together(keys):
            held = self._slices(self._by, 1, rows)
            if new := [key for key in keys if not held.is_coded(key)]:
                with ThreadPoolExecutor(WORKERS) as pool:
                    held.code_together(new, pool)
            return held.pieces()
        keys = [key for key in keys if key not in self._coded]
        self._coded |= set(keys)
        if len(keys) > 1:
            sizes = [part.size for part in rows]
            room, begins = coded_room(sum(sizes), len(keys)), accumulate(sizes, initial=0)
            with ThreadPoolExecutor(WORKERS) as pool:
                list(pool.map(lambda part, begin: part.code_together(keys, room, begin), rows, begins))
        return rows

    def _of(self, asked: Sliced, rows: Sequence[Rows]) -> Rows:
        """The records of the slices that are asked about."""
        slices, around = asked.slices, asked.around
        same = around is not None and (around.columns, around.many) == (slices.columns, slices.many)
        return self._slices(slices.columns, slices.many, rows).of(slices, around if same else None)

    def _slices(self, columns: tuple[str, ...], many: int, rows: Sequence[Rows]) -> InSlices:
        """The records in so many slices or more, which those are made of."""
        held = self._in_slices.get(columns)
        if held is None or held.many < many:
            records = sum(part.size for part in rows)
            usual = 1 << max(0, min(records // IN_SLICE, MOST_SLICES).bit_length() - 1)
            held = self._in_slices[columns] = InSlices(rows, columns, max(many, usual))
        return held

    @staticmethod
    def _in_threads(
        statistics: Sequence[Statistic], rows: Sequence[Rows], schema: Schema, workers: int
    ) -> list[Answer]:
        """Every worker folds its own part; answers are integers, so how rows are split is no matter."""
        parts = [rows[worker::workers] for worker in range(workers)]
        with ThreadPoolExecutor(workers) as pool:
            folded = list(pool.map(lambda part: _fold(statistics, part, schema), parts))
        return [
            reduce(s.merge, states) for s, states in zip(statistics, zip(*folded, strict=True), strict=True)
        ]


def _fold(statistics: Sequence[Statistic], parts: Sequence[Rows], schema: Schema) -> list[Answer]:
    states = [statistic.start(schema) for statistic in statistics]
    for rows in parts:
        states = [s.fold(state, rows) for s, state in zip(statistics, states, strict=True)]
        rows.let_go()
    return states


def _coded(statistics: Sequence[Statistic]) -> list[tuple[str, tuple[float, ...]]]:
    """The columns of tables, to be coded together."""
    tables = [s.table if isinstance(s, Within) else s for s in statistics]
    return [(t.row, t.cuts) for t in tables if isinstance(t, Contingency) and t.row is not None]


def _read(source: Source, schema: Schema) -> Iterator[Rows]:
    wanted = {*schema.names, schema.unit.id}
    names = [name for name in source.names if name in wanted]
    if schema.unit.id is None and isinstance(source, ArraySource) and source.matrix is not None:
        # Nothing is copied here: every worker turns its own part into columns.
        for batch, matrix, places in source.blocks(names, BATCH_ROWS):
            yield Rows(batch, schema, matrix=matrix, places=places)
    else:
        yield from (Rows(batch, schema) for batch in bounded(source, names, schema))
