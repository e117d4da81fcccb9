"""Every registered algorithm passes every check: registering one is enough to have it tested."""

from __future__ import annotations

import pytest

from privet.checks import CHECKS
from privet.registry import ALGORITHMS


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("entry", ALGORITHMS, ids=lambda entry: entry.name)
def test_registered(entry, check):
    check(entry.load())
