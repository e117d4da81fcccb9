"""Whose record it is, and whether it may still count: at most ``most`` records of each person in a stream.

**Proof.** Whether a record counts depends on how many records of the same person came before it, and on
nothing else. So with and without one person, all others count for the same records. A record that names
nobody (None, NaN, NaT, NA) never counts, which depends on that record alone: were each of them a person of
its own, as NaN differs from NaN, one person could leave any number.

Ids are compared as text, as those of a table's one column would be: 1, 1.0 and "1" are one person. What is
held is a keyed digest of each, not the id.
"""

from __future__ import annotations

import hashlib
import math
import secrets
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Any
from uuid import UUID

import numpy as np

from privet.errors import DataError
from privet.schema import Unit

__all__ = ["Persons", "is_missing", "name_of"]


class Persons:
    """Counts the records of each person, up to the ``most`` of the unit.

    >>> persons = Persons(Unit(id="who", most=2))
    >>> [persons.admit({"who": who}) for who in (7, 7.0, "7", 8, float("nan"), None)]
    [True, True, False, True, False, False]
    """

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._key = secrets.token_bytes(32)
        self._seen: dict[str, int] = {}

    def admit(self, record: Mapping[str, Any]) -> bool:
        """Whether the record counts; without persons, always."""
        unit = self._unit
        if unit.id is None:
            return True
        if unit.id not in record:
            raise DataError(
                f"A record has no '{unit.id}', which says whose it is.", "Give it with every record."
            )
        name = name_of(record[unit.id])
        if name is None:
            return False
        digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), key=self._key, digest_size=16)
        seen = self._seen.get(digest.hexdigest(), 0)
        if seen < unit.most:
            self._seen[digest.hexdigest()] = seen + 1
        return seen < unit.most

    def state(self) -> dict[str, Any]:
        """What a checkpoint must keep. Whoever has it can try out names: it is for the owner alone."""
        return {"key": self._key.hex(), "seen": self._seen}

    def take_up(self, state: Mapping[str, Any]) -> None:
        """Go on from a state instead of from nobody."""
        self._key = bytes.fromhex(state["key"])
        self._seen = {str(person): int(count) for person, count in state["seen"].items()}


def is_missing(value: Any) -> bool:
    """Whether this stands for no value: None, NaN, NaT, NA.

    >>> is_missing(float("nan")), is_missing(None), is_missing(0), is_missing("")
    (True, True, False, False)
    """
    if value is None:
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError, ArithmeticError):  # the NA of pandas has no truth; signalling NaN
        return True


def name_of(value: Any) -> str | None:
    """The text that a person's id is compared by; None if it names nobody."""
    if is_missing(value):
        return None
    if isinstance(value, np.generic):
        value = value.item()
        if is_missing(value):  # an empty time of NumPy
            return None
    if isinstance(value, str | bytes):
        return value if isinstance(value, str) else value.decode("utf-8", "surrogateescape")
    if isinstance(value, int | float | Decimal | Fraction):
        whole = isinstance(value, int) or (math.isfinite(value) and value == int(value))
        return str(int(value)) if whole else str(float(value))
    if isinstance(value, date | UUID):
        return str(value)
    # Whatever else it is may differ from itself, or be equal to what looks different.
    raise DataError("The id of a person must be text, a number or a date.", "Give it as text.")
