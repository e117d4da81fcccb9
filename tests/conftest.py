"""What all tests share."""

from __future__ import annotations

from hypothesis import settings

from tests.postgres import postgres, postgres_url
from tests.spark import spark

__all__ = ["postgres", "postgres_url", "spark"]  # fixtures

# No test is timed: on a busy machine a deadline says nothing about the code.
settings.register_profile("privet", parent=settings(), deadline=None)
settings.load_profile("privet")
