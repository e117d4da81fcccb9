"""Compiled loops where no compiled code can be kept."""

from __future__ import annotations

import numba
import pytest

from privet.compiled import njit


def test_loops_are_compiled_where_nothing_can_be_kept():
    place: dict = {}
    exec(compile("def twice(x):\n    return 2 * x", "/nowhere/loops.py", "exec"), place)
    with pytest.raises(RuntimeError, match="no locator"):
        numba.njit(cache=True)(place["twice"])
    for twice in (njit(place["twice"]), njit(fastmath=True)(place["twice"])):
        assert twice(21) == 42
        assert twice.signatures  # compiled, not interpreted
