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
    seen: dict[int, Any] = {}
    kinds: dict[type, tuple[str, ...]] = {}
    for part in parts:
        _look(part, found, seen, kinds)
    return found


def _look(
    value: Any, found: dict[str, None], seen: dict[int, Any], kinds: dict[type, tuple[str, ...]]
) -> None:
    """``seen`` holds what was looked at, by its id: held, so that no other object can get that id.

    ``kinds`` holds the classes that were allowed in this call, with the fields in which to look further.
    """
    kind = type(value)
    if kind in _PLAIN or isinstance(value, np.generic):
        return
    if kind is np.ndarray and value.dtype != object:
        return
    if id(value) in seen:
        return
    seen[id(value)] = value
    if kind in (tuple, list, frozenset):
        if not _PLAIN.issuperset(map(type, value)):
            for entry in value:
                _look(entry, found, seen, kinds)
        return
    if kind is dict:
        _look(tuple(value.items()), found, seen, kinds)
        return
    if kind not in kinds:
        if is_proved(kind):
            found[kind.__name__] = None
        elif not _defined_in(kind, "privet.stats") and not _defined_in(kind, "privet.schema"):
            _refuse(value)
        kinds[kind] = _looked_into(kind)
    for name in kinds[kind]:
        _look(getattr(value, name), found, seen, kinds)


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
