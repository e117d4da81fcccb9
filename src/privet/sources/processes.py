"""A ``map`` over processes of this machine."""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import Any

from privet.errors import DataError

__all__ = ["Processes"]


class Processes:
    """Worker processes, started at the first use and kept until ``close``.

    They come from a fork server, which has loaded the kernels once; nothing of this process's memory is
    copied into them.
    """

    def __init__(self, number: int | None = None) -> None:
        self.number = number or os.cpu_count() or 1
        self._pool: ProcessPoolExecutor | None = None

    def __call__(self, function: Callable[[Any], Any], parts: Iterable[Any]) -> list[Any]:
        try:
            return list(self._workers().map(function, parts))
        except BrokenProcessPool:
            self.close()
            raise DataError(
                "A worker process ended before its part was read.", "Check that there is memory for it."
            ) from None

    def _workers(self) -> ProcessPoolExecutor:
        if self._pool is None:
            context = get_context("forkserver")
            context.set_forkserver_preload(["privet.stats.kernels", "pyarrow.parquet"])
            self._pool = ProcessPoolExecutor(self.number, mp_context=context)
            atexit.register(self.close)
        return self._pool

    def close(self) -> None:
        """End the workers."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None
            atexit.unregister(self.close)
