"""Whether a part of a question is Privet's own, or was proved by its author: nothing else sees an answer.

A statistic, the scores and associations made of its answers, and all that they hold must be values: plain
numbers and texts, public declarations, and classes of ``privet.stats``, or of an author who has marked them
(``privet.stats.proved``). A function is none of these.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from privet.errors import ParameterError
from privet.stats.base import is_proved

__all__ = ["authors_of"]

_PLAIN = frozenset((type(None), bool, int, float, str, bytes, Fraction))


def authors_of(parts: Iterable[Any]) -> dict[str, None]:
    """The names of the marked classes among these parts and in them; anything else foreign is refused.

    >>> from privet.stats import Contingency
    >>> authors_of([Contingency(None, "ill")])
    {}
    >>> authors_of([lambda rows: rows])
    Traceback (most recent call last):
    ...
    privet.errors.ParameterError: A question may not hold a function: it would see exact answers.
      What to do: Ask with the statistics of privet.stats, or mark your own with @proved.
    """
    found: dict[str, None] = {}
    kinds: dict[type, tuple[str, ...]] = {}  # those allowed in this call, with the fields to look into
    seen: dict[int, Any] = {}  # by its id what was looked at: held, so that no other object can get that id
    left = list(parts)
    while left:
        value = left.pop()
        kind = type(value)
        if kind in _PLAIN or id(value) in seen:
            continue
        seen[id(value)] = value
        if kind in (tuple, list, frozenset):
            if not _PLAIN.issuperset(map(type, value)):
                left.extend(value)
        elif kind in kinds:
            left.extend([getattr(value, name) for name in kinds[kind]])
        elif kind is dict:
            left.extend(value.items())
        elif not (isinstance(value, np.generic) or (kind is np.ndarray and value.dtype != object)):
            kinds[kind] = _allowed(value, kind, found)
            left.append(value)
            del seen[id(value)]
    return found


def _allowed(value: Any, kind: type, found: dict[str, None]) -> tuple[str, ...]:
    """The fields in which to look further, if this class may be in a question at all."""
    if is_proved(kind):
        found[kind.__name__] = None
    elif not _defined_in(kind, "privet.stats") and not _defined_in(kind, "privet.schema"):
        _refuse(value)
    return _looked_into(kind)


def _looked_into(kind: type) -> tuple[str, ...]:
    """The fields of a class; but a released model may be anybody's (``stats.Predictor``)."""
    if not is_dataclass(kind):
        return ()
    return tuple(field.name for field in fields(kind) if not field.metadata.get("released"))


def _defined_in(kind: type, package: str) -> bool:
    """Whether a module of the package defines this very class: a class can claim any module as its own."""
    if kind.__module__ != package and not kind.__module__.startswith(f"{package}."):
        return False
    home: Any = sys.modules.get(kind.__module__)
    for name in kind.__qualname__.split("."):
        home = getattr(home, name, None)
    return home is kind


def _refuse(value: Any) -> None:
    named = "a function" if callable(value) and not isinstance(value, type) else f"a {type(value).__name__}"
    if isinstance(value, Mapping):
        named = "a mapping of its own kind"
    raise ParameterError(
        f"A question may not hold {named}: it would see exact answers.",
        "Ask with the statistics of privet.stats, or mark your own with @proved.",
    )
