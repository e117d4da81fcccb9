"""The compiled loop behind sums of products: numbers in fixed point, in one pass over each column."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["fixed_numbers", "one_thread"]


@njit(nogil=True, cache=True)
def fixed_numbers(
    values: NDArray[np.float64], low: float, high: float, scale: float, result: NDArray[np.float64]
) -> int:  # pragma: no cover
    """result[i] = ⌊scale·z + ½⌋ as a whole float, 0 where missing. How many are there; -1 on ∞.

    Computed in the order of the SQL rendering, so that both round alike.
    """
    middle = low + (high - low) / 2
    factor, shift = scale / ((high - low) / 2), scale + 0.5
    there = 0
    finite = True
    for i in range(values.size):  # without branches, so that it becomes vector instructions
        value = values[i]
        known = value == value
        there += known
        finite &= abs(value) != np.inf
        clamped = high if value > high else value
        clamped = low if clamped < low else clamped
        q = np.floor((clamped - middle) * factor + shift) - scale
        # Rounding in the line above can pass the ends by one unit where the range is enormous.
        q = scale if q > scale else q
        q = -scale if q < -scale else q
        result[i] = q if known else 0.0
    return there if finite else -1


class _OneThread:
    """While anyone is inside, BLAS uses one thread: the engine's workers have a core each already.

    The limit is global to the process, so it is set by the first who enters and lifted by the last who
    leaves.
    """

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
