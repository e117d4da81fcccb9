"""Every registered algorithm passes its family's checks: registering one is enough to have it tested."""

from __future__ import annotations

import pytest

from privet.registry import ALGORITHMS


@pytest.mark.parametrize(
    ("entry", "check"),
    [
        pytest.param(entry, check, id=f"{entry.name}-{check.__name__}")
        for entry in ALGORITHMS
        for check in entry.checks()
    ],
)
def test_registered(entry, check):
    check(entry.load())
