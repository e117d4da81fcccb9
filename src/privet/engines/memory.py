"""Folds Arrow batches, in constant memory, on as many cores as help."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain, islice
from queue import SimpleQueue

import pyarrow as pa

from privet.schema import Schema
from privet.sources.base import Source
from privet.stats import Answer, Rows, Statistic
from privet.stats.contribution import bound_batches

__all__ = ["MemoryEngine", "fold"]

# The kernels are bound by memory: more threads than this no longer help, and each costs a state.
MOST_WORKERS = min(4, os.cpu_count() or 1)


class MemoryEngine:
    """Answers by one pass over the batches of a source, however large."""

    def answer(self, statistics: Sequence[Statistic], source: Source, schema: Schema) -> list[Answer]:
        unit = schema.unit
        columns = {name for statistic in statistics for name in statistic.columns}
        if unit.id is not None:
            columns.add(unit.id)
        batches = source.batches([name for name in source.names if name in columns])
        return fold(statistics, bound_batches(batches, unit), schema)


def fold(
    statistics: Sequence[Statistic], batches: Iterable[pa.RecordBatch], schema: Schema
) -> list[Answer]:
    """Fold every statistic over the batches in one pass. The order does not matter: answers are integers."""
    iterator = iter(batches)
    head = list(islice(iterator, 2))
    # Threads cost more than they save on a table of one batch.
    workers = MOST_WORKERS if len(head) > 1 else 1
    states: SimpleQueue[list[Answer]] = SimpleQueue()  # one for each worker, handed from batch to batch
    for _ in range(workers):
        states.put([statistic.start(schema) for statistic in statistics])

    def work(batch: pa.RecordBatch) -> None:
        state = states.get()
        try:
            rows = Rows(batch, schema)
            state = [s.fold(part, rows) for s, part in zip(statistics, state, strict=True)]
        finally:  # a worker that failed must not leave the others waiting for its state
            states.put(state)

    if workers == 1:
        for batch in head:
            work(batch)
    else:
        _in_threads(work, chain(head, iterator), workers)
    total = states.get()
    while not states.empty():
        total = [s.merge(one, other) for s, one, other in zip(statistics, total, states.get(), strict=True)]
    return [s.finish(state, schema) for s, state in zip(statistics, total, strict=True)]


def _in_threads(
    work: Callable[[pa.RecordBatch], None], batches: Iterable[pa.RecordBatch], workers: int
) -> None:
    waiting: deque[Future[None]] = deque()
    with ThreadPoolExecutor(workers) as pool:
        for batch in batches:
            if len(waiting) >= 2 * workers:  # a bounded queue keeps the memory constant
                waiting.popleft().result()
            waiting.append(pool.submit(work, batch))
        for future in waiting:
            future.result()
