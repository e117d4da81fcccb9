"""How every planted wrong version and its right one are judged.

*False alarms.* Each right version passes its audit with probability at least the confidence: 1 − 10⁻⁸. There
are fewer than 100 of them, so a false alarm in a whole test run has probability below 10⁻⁶. In ``make test``
a right version gets a quarter of its runs, unless its bound is looked at (``whole``): that it passes says
little, and ``make audit`` says more, here (``AUDIT_DEEP``) and in its report.

*Misses.* A wrong version that shows an exact value, or the same noise twice, is told apart by every run. For
the others the number of runs is such that the bound that is to be expected exceeds the claim by five of its
standard deviations or more; each case says what its true ε is.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest

from privet.audit import Audit, audit

CONFIDENCE = 1 - 1e-8
USUAL = {"runs": 1_500, "search_runs": 24, "confidence": CONFIDENCE}
PART = 1 if os.environ.get("AUDIT_DEEP") else 4
LEAST = 160  # runs


@pytest.fixture(scope="session")
def caught() -> Callable[..., Audit]:
    """The audit must refute the claim."""

    def judge(thing: Any, **how: Any) -> Audit:
        found = audit(thing, **(USUAL | how))
        assert found.violated, found.text()
        return found

    return judge


@pytest.fixture(scope="session")
def passed() -> Callable[..., Audit]:
    """The audit must not refute the claim."""

    def judge(thing: Any, whole: bool = False, **how: Any) -> Audit:
        how = USUAL | how
        if not whole:
            how["runs"] = max(LEAST, how["runs"] // PART)
            how["search_runs"] = max(8, how["search_runs"] // PART)
        found = audit(thing, **how)
        assert not found.violated, found.text()
        return found

    return judge
