"""Folds Arrow batches, in constant memory.

One thread folds. More were tried: readers decode files on all cores by themselves, the kernels are bound by
memory, and handing batches between threads cost more than it saved.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import pyarrow as pa

from privet.schema import Schema
from privet.sources import ArraySource
from privet.sources.base import Source
from privet.stats import Answer, Rows, Statistic
from privet.stats.contribution import bounded

__all__ = ["MemoryEngine", "fold"]


class MemoryEngine:
    """Answers by one pass over the batches of a source, however large."""

    def answer(self, statistics: Sequence[Statistic], source: Source, schema: Schema) -> list[Answer]:
        unit = schema.unit
        columns = {name for statistic in statistics for name in statistic.columns}
        if unit.id is not None:
            columns.add(unit.id)
        wanted = [name for name in source.names if name in columns]
        by_rows = any(statistic.by_rows for statistic in statistics) and unit.id is None
        if by_rows and isinstance(source, ArraySource) and source.matrix is not None:
            blocks = source.blocks(wanted)
            return fold_rows(statistics, (Rows(b, schema, matrix=m, places=p) for b, m, p in blocks), schema)
        return fold(statistics, bounded(source, wanted, schema), schema)


def fold(statistics: Sequence[Statistic], batches: Iterable[pa.RecordBatch], schema: Schema) -> list[Answer]:
    """Fold every statistic over the batches in one pass."""
    return fold_rows(statistics, _rows(batches, schema), schema)


def _rows(batches: Iterable[pa.RecordBatch], schema: Schema) -> Iterator[Rows]:
    for batch in batches:
        rows = Rows(batch, schema)
        del batch  # here and below: what is read next then goes where this was, which is in the cache
        yield rows
        del rows


def fold_rows(statistics: Sequence[Statistic], parts: Iterable[Rows], schema: Schema) -> list[Answer]:
    """Fold every statistic over all rows. The order does not matter: answers are integers."""
    states = [statistic.start(schema) for statistic in statistics]
    for rows in parts:
        states = [s.fold(state, rows) for s, state in zip(statistics, states, strict=True)]
        del rows
    return [s.finish(state, schema) for s, state in zip(statistics, states, strict=True)]
