"""Caveats of how a table is read and counted, and how those of a rehearsal differ from a run's."""

from __future__ import annotations

from privet.schema import Schema

__all__ = ["OF_THE_WHOLE", "UNCOUNTED", "of_reading", "when_counted"]

_REFUSES = "A table that does not fit its schema is refused, and the refusal itself is not protected."
_UNREADABLE = "A damaged file is refused, and the refusal itself is not protected."
UNCOUNTED = "Other releases from the same people: no ledger kept count of them."
#: Whether a ledger kept count, and how a table is read, is known of the whole, not of its parts.
OF_THE_WHOLE = (UNCOUNTED, _REFUSES, _UNREADABLE)


def of_reading(schema: Schema) -> str:
    """What a refusal of the table gives away: odd cells are refused, unless the owner wants them counted."""
    counts = schema.outside == "count" and schema.missing == "skip"
    return _UNREADABLE if counts else _REFUSES


def when_counted(caveats: tuple[str, ...], schema: Schema | None = None) -> tuple[str, ...]:
    """A rehearsal's caveats as those of a run that a ledger counts and reads by ``schema``, if given.

    >>> when_counted((UNCOUNTED, "How long it took."), Schema.of({"age": (0, 120)}))
    ('How long it took.',)
    """
    reading = {} if schema is None else dict.fromkeys((_REFUSES, _UNREADABLE), of_reading(schema))
    found = (reading.get(caveat, caveat) for caveat in caveats)
    return tuple(dict.fromkeys(caveat for caveat in found if caveat != UNCOUNTED))
