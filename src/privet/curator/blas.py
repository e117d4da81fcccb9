"""BLAS on one thread while somebody is inside: small products on many threads wait for each other."""

from __future__ import annotations

import threading
from typing import Any

__all__ = ["one_thread"]


class _OneThread:
    """The limit is global to the process: the first who enters sets it, the last who leaves lifts it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._limit: Any = None
        self._controller: Any = None

    def __enter__(self) -> None:
        with self._lock:
            self._inside += 1
            if self._inside == 1:
                if self._controller is None:  # finding the libraries takes milliseconds: once
                    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

                    self._controller = ThreadpoolController()
                self._limit = self._controller.limit(limits=1, user_api="blas")

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                self._limit.restore_original_limits()


one_thread = _OneThread()
