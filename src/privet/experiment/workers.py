"""Workers of this machine: processes that do cells of public data, begun warm and told in small batches.

Loading the libraries and the first call of a compiled kernel take seconds, and a small cell milliseconds. So
the first cell of each algorithm is done before there are workers; these are copies (``fork``) of a program
that has loaded everything, tables included. Only a program without other threads of its own is copied: one
that has some gets workers from a server that has loaded the libraries (``forkserver``).
"""

from __future__ import annotations

import gc
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

__all__ = ["Batches", "warmed", "workers"]

Task = TypeVar("Task")
Found = TypeVar("Found")
Batches = Callable[[list[Any]], Iterable[list[Any]]]
#: A batch should take about so long: what is done is kept soon, and handing it out costs next to nothing.
BATCH_SECONDS = 0.3
MOST_IN_A_BATCH = 128
#: Warming stops at a cell that takes longer: others could have begun meanwhile.
WARM_SECONDS = 2.0


def warmed(work: Callable[[Task], Found], firsts: Iterable[Task]) -> Iterator[Found]:
    """Do the first cells here, so that what they load is there when workers are begun."""
    for task in firsts:
        start = time.process_time()
        yield work(task)
        if time.process_time() - start > WARM_SECONDS:
            return


@contextmanager
def workers(work: Callable[[Any], Any], processes: int, seconds: float) -> Iterator[Batches]:
    """Processes that do tasks, each of which takes about so many seconds; results come as they are ready."""
    from multiprocessing import get_context

    size = max(1, min(MOST_IN_A_BATCH, int(BATCH_SECONDS / max(seconds, 1e-6))))
    alone = threading.active_count() == 1
    context: Any = get_context("fork" if alone else "forkserver")
    if alone:
        gc.freeze()  # else the first collection of each worker would copy all that it shares
    else:
        context.set_forkserver_preload(["privet.experiment.running"])

    try:
        with context.Pool(processes, _begin, (work,)) as pool:

            def spread(tasks: list[Any]) -> Iterable[list[Any]]:
                # Towards the end batches are small, so that no worker waits long for another.
                batches = list(_batches(tasks, size, processes))
                return pool.imap_unordered(_do, batches)

            yield spread
    finally:
        if alone:
            gc.unfreeze()


def _batches(tasks: list[Any], size: int, processes: int) -> Iterator[list[Any]]:
    """Tasks in batches of a size, the last ones smaller.

    >>> [len(batch) for batch in _batches(list(range(20)), 8, 2)]
    [5, 3, 3, 2, 1, 1, 1, 1, 1, 1, 1]
    """
    begin = 0
    while begin < len(tasks):
        now = max(1, min(size, (len(tasks) - begin) // (2 * processes)))
        yield tasks[begin : begin + now]
        begin += now


_WORK: list[Callable[[Any], Any]] = []


def _begin(work: Callable[[Any], Any]) -> None:
    """A worker does one cell at a time with one thread, and ends with the program that began it."""
    import pyarrow as pa
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    threadpool_limits(1)
    pa.set_cpu_count(1)
    _WORK[:] = [work]

    def watch() -> None:
        from multiprocessing import connection, parent_process

        begun_by = parent_process()
        assert begun_by is not None
        connection.wait([begun_by.sentinel])  # a program that was killed cannot end its workers
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _do(batch: list[Any]) -> list[Any]:
    return [_WORK[0](task) for task in batch]
