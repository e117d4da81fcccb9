"""Loops that are compiled, wherever Privet is installed."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from typing import Any

import numba

__all__ = ["njit"]

# At the level DEBUG, Numba logs what it compiles when a loop first runs. Which loop runs, and on which types,
# can follow a cell's value, and a log is not a release.
logging.getLogger("numba").setLevel(logging.WARNING)


def njit(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Numba's ``njit``, which keeps its machine code, runs without the interpreter's lock and works anywhere.

    Numba keeps it beside the module or in the user's cache, and refuses if it may write to neither (a service
    whose user has no home, say). Then the loops are compiled anew in each process.
    """
    if function is None:
        return partial(njit, **options)
    options = {"nogil": True, "cache": True} | options
    try:
        return numba.njit(**options)(function)
    except RuntimeError:
        return numba.njit(**options | {"cache": False})(function)
