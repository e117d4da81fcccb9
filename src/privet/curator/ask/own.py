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
from functools import lru_cache
from typing import Any, NoReturn

import numpy as np

from privet.errors import ParameterError
from privet.stats.base import is_proved

__all__ = ["authors_of"]

_PLAIN = frozenset((type(None), bool, int, float, str, bytes, Fraction))


#: What a guarantee says of them.
_STATED = "The sensitivity of {} is its author's word: Privet has not proved it."
_PREDICTS = (
    "The code of {} saw the records that it predicted. That it predicts each by that record alone, and keeps "
    "none, is its author's word: Privet has not proved it."
)


_Fields = tuple[tuple[str, ...], tuple[str, ...]]
Seen = dict[int, Any]  # what was looked at, by its id: held, so that no other object can get that id


def authors_of(parts: Iterable[Any], plain: Seen | None = None, seen: Seen | None = None) -> dict[str, None]:
    """What is to be said of the marked classes among these parts and in them, and of models of others.

    Anything else foreign is refused.

    ``plain`` keeps tuples of nothing but plain values for later calls: they cannot change. ``seen`` keeps all
    that was looked at, for another call about the same question.

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
    kinds: dict[type, _Fields] = {}  # those allowed in this call
    plain = {} if plain is None else plain
    seen = {} if seen is None else seen
    left = list(parts)
    while left:
        value = left.pop()
        kind = type(value)
        place = id(value)
        if kind in _PLAIN or place in plain or place in seen:
            continue
        seen[place] = value
        if kind is tuple or kind is list or kind is frozenset:
            if not _PLAIN.issuperset(map(type, value)):
                left.extend(value)
            elif kind is tuple:
                plain[place] = value
        elif kind in kinds:
            looked_into, released = kinds[kind]
            left.extend([getattr(value, name) for name in looked_into])
            for held in released:
                foreign = _foreign(getattr(value, held))
                found |= dict.fromkeys(_PREDICTS.format(name) for name in foreign)
        elif kind is dict:
            left.extend(value.items())
        elif not (isinstance(value, np.generic) or (kind is np.ndarray and value.dtype != object)):
            kinds[kind] = _allowed(value, kind, found)
            left.append(value)
            del seen[place]
    return found


def _allowed(value: Any, kind: type, found: dict[str, None]) -> _Fields:
    """The fields of this class, if it may be in a question at all."""
    if is_proved(kind):
        found[_STATED.format(kind.__name__)] = None
        return _fields(kind)
    known = _fields_of_own(kind)
    if known is None:
        _refuse(value)
    return known


@lru_cache(maxsize=1024)
def _fields_of_own(kind: type) -> _Fields | None:
    """The same for a class of Privet's own, of which there are few; None for any other."""
    own = _defined_in(kind, "privet.stats") or _defined_in(kind, "privet.schema")
    return _fields(kind) if own else None


def _fields(kind: type) -> _Fields:
    """The fields of a class to look into, and those that hold a released model: that may be anybody's.

    See ``stats.Predictor``.
    """
    if not is_dataclass(kind):
        return (), ()
    released = {field.name: bool(field.metadata.get("released")) for field in fields(kind)}
    return tuple(n for n, r in released.items() if not r), tuple(n for n, r in released.items() if r)


def _foreign(model: Any) -> set[str]:
    """The names of the classes whose code predicts and is not Privet's: a model may hold others."""
    names: set[str] = set()
    left, seen = [model], set()
    while left:
        one = left.pop()
        if type(one) in (tuple, list):
            left.extend(one)
        elif one is not None and id(one) not in seen:
            seen.add(id(one))
            if not _defined_in(type(one), "privet"):
                names.add(type(one).__name__)
            inside = vars(one).values() if hasattr(one, "__dict__") else ()
            left.extend(each for each in inside if _predicts(each))
    return names


def _predicts(value: Any) -> bool:
    return callable(getattr(value, "_log_scores", None)) or callable(getattr(value, "_predictions", None))


def _defined_in(kind: type, package: str) -> bool:
    """Whether a module of the package defines this very class: a class can claim any module as its own."""
    if kind.__module__ != package and not kind.__module__.startswith(f"{package}."):
        return False
    home: Any = sys.modules.get(kind.__module__)
    for name in kind.__qualname__.split("."):
        home = getattr(home, name, None)
    return home is kind


def _refuse(value: Any) -> NoReturn:
    named = "a function" if callable(value) and not isinstance(value, type) else f"a {type(value).__name__}"
    if isinstance(value, Mapping):
        named = "a mapping of its own kind"
    raise ParameterError(
        f"A question may not hold {named}: it would see exact answers.",
        "Ask with the statistics of privet.stats, or mark your own with @proved.",
    )
