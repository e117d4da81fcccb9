"""Loops that are compiled, wherever Privet is installed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

__all__ = ["njit"]


def njit(*, cache: bool, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Numba's ``njit``, which works where machine code cannot be kept.

    Numba keeps it beside the module or in the user's cache, and refuses if it may write to neither (a service
    whose user has no home, say). Then the loops are compiled anew in each process.
    """

    def compiled(function: Callable[..., Any]) -> Any:
        try:
            return numba.njit(cache=cache, **options)(function)
        except RuntimeError:
            return numba.njit(**options)(function)

    return compiled
