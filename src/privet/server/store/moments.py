"""Times as they are kept and shown."""

from __future__ import annotations

from datetime import UTC, datetime

__all__ = ["iso", "now"]


def now() -> str:
    """This moment, to the second, in UTC."""
    return iso(datetime.now(UTC))


def iso(moment: datetime | float) -> str:
    """
    >>> iso(0.0)
    '1970-01-01T00:00:00Z'
    """
    if not isinstance(moment, datetime):
        moment = datetime.fromtimestamp(moment, UTC)
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
