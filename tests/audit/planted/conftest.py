"""How every planted wrong version and its right one are judged.

*False alarms.* Each right version passes its audit with probability at least the confidence: 1 − 10⁻⁸. There
are fewer than 100 of them, so a false alarm in a whole test run has probability below 10⁻⁶.

*Misses.* A wrong version that shows an exact value, or the same noise twice, is told apart by every run. For
the others the number of runs is such that the bound that is to be expected exceeds the claim by five of its
standard deviations or more; each case says what its true ε is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from privet.audit import Audit, audit

CONFIDENCE = 1 - 1e-8


def _judge(thing: Any, **how: Any) -> Audit:
    return audit(thing, **({"runs": 1_500, "search_runs": 24, "confidence": CONFIDENCE} | how))


@pytest.fixture(scope="session")
def caught() -> Callable[..., Audit]:
    """The audit must refute the claim."""

    def judge(thing: Any, **how: Any) -> Audit:
        found = _judge(thing, **how)
        assert found.violated, found.text()
        return found

    return judge


@pytest.fixture(scope="session")
def passed() -> Callable[..., Audit]:
    """The audit must not refute the claim."""

    def judge(thing: Any, **how: Any) -> Audit:
        found = _judge(thing, **how)
        assert not found.violated, found.text()
        return found

    return judge
