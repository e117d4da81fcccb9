"""How every planted wrong version and its right one are judged.

*False alarms.* Each right version passes its audit with probability at least the confidence: 1 − 10⁻⁸. There
are fewer than 100 of them, so a false alarm in a whole test run has probability below 10⁻⁶. In ``make test``
a right version gets a short look as well, at the most promising pair, unless its bound is looked at
(``whole``): it would see a gross fault; ``make audit`` sees more, here (``AUDIT_DEEP``) and in its report.

*Misses.* A wrong version that shows an exact value, or the same noise twice, is told apart by every run: a
short look refutes it. The others get all their runs, so many that the bound that is to be expected exceeds
the claim by five of its standard deviations or more; each case says what its true ε is.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from privet.audit import Audit, audit
from privet.audit.subjects import subject_of

CONFIDENCE = 1 - 1e-8
USUAL = {"runs": 1_500, "search_runs": 24, "confidence": CONFIDENCE}
DEEP = bool(os.environ.get("AUDIT_DEEP"))
PROMISING = 4  # pairs: the first of all candidates


def brief(thing: Any, how: dict[str, Any]) -> dict[str, Any]:
    """A short look: at the first of the pairs, with runs that refute if nearly every one tells them apart.

    If all of n runs on one table, and none of n on the other, show an event, its probabilities are at least
    1 − x and at most x with x = 1 − (1 − confidence)^(1/n): ε is refuted where x < 1 / (1 + exp ε). A quarter
    of the runs is tested on each table; a third more than that leaves room for some that do not tell.
    """
    claim = {name: how[name] for name in ("schema", "epsilon", "delta") if name in how}
    subject = subject_of(thing, **claim)
    tested = math.log(1 - CONFIDENCE) / math.log1p(-1 / (1 + math.exp(subject.epsilon)))
    pairs = how.get("pairs") or subject.pairs(np.random.default_rng(0))[:PROMISING]
    runs = min(how["runs"], max(40, math.ceil(4 / 3 * 4 * tested)))
    return how | {"pairs": pairs, "runs": runs, "search_runs": 8}


@pytest.fixture(scope="session")
def caught() -> Callable[..., Audit]:
    """The audit must refute the claim."""

    def judge(thing: Any, **how: Any) -> Audit:
        how = USUAL | how
        if not DEEP and (found := audit(thing, **brief(thing, how))).violated:
            return found
        found = audit(thing, **how)
        assert found.violated, found.text()
        return found

    return judge


@pytest.fixture(scope="session")
def passed() -> Callable[..., Audit]:
    """The audit must not refute the claim."""

    def judge(thing: Any, whole: bool = False, **how: Any) -> Audit:
        how = USUAL | how
        if not (whole or DEEP):
            how = brief(thing, how)
            how["pairs"] = how["pairs"][:1]
        found = audit(thing, **how)
        assert not found.violated, found.text()
        return found

    return judge
