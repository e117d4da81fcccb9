"""Things that the audit's own tests share."""

from __future__ import annotations

import pytest

from privet.schema import Schema


@pytest.fixture(scope="session")
def schema() -> Schema:
    return Schema.of({"smoker": ["no", "yes"], "ill": ["no", "yes"]}, target="ill")
