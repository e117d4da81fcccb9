"""Whether all that a question holds is Privet's own, or proved by its author: nothing else sees an answer.

A statistic, the scores and associations made of its answers, and all that they hold must be values: plain
numbers and texts, public declarations, and classes of ``privet.stats``, or of an author who has marked them
(``privet.stats.proved``). A function is none of these. A number of somebody's own kind is none either: it
could be one number where it is paid for and another where noise is drawn. Nor is what is no field: it would
be found in the place of a method. Only a function that runs in a closed cell is not looked at.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from types import FunctionType
from typing import Any, NoReturn

import numpy as np

from privet.errors import ParameterError
from privet.stats.base import is_proved

__all__ = ["authors_of"]

_PLAIN = frozenset((type(None), bool, int, float, str, bytes, Fraction, *np.sctypeDict.values()))
_KNOWN = ("privet", "numpy", "builtins", "pathlib", "fractions", "decimal", "datetime")
_OWN = ("privet.stats", "privet.schema", "privet.curator.ask", "privet.masking")


#: What a guarantee says of them.
_STATED = "The sensitivity of {} is its author's word: Privet has not proved it."
_PREDICTS = (
    "The code of {} saw the records that it predicted. That it predicts each by that record alone, and keeps "
    "none, is its author's word: Privet has not proved it."
)


#: The fields to look into, those that hold a released model, and all names that an object may have.
_Fields = tuple[tuple[str, ...], tuple[str, ...], frozenset[str] | None]
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
            looked_into, released, known = kinds[kind]
            if known is not None and not vars(value).keys() <= known:
                raise ParameterError(f"A {kind.__name__} holds something beside its fields.", "Make another.")
            left.extend([getattr(value, name) for name in looked_into])
            for held in released:
                foreign = _foreign(getattr(value, held))
                found |= dict.fromkeys(_PREDICTS.format(name) for name in foreign)
        elif kind is dict:
            left.extend(value.items())
        elif not (kind is np.ndarray and not value.dtype.hasobject):
            kinds[kind] = _allowed(value, kind, found)
            left.append(value)
            del seen[place]
    return found


def _allowed(value: Any, kind: type, found: dict[str, None]) -> _Fields:
    """The fields of this class, if it may be in a question at all."""
    if is_proved(kind):
        found[_STATED.format(kind.__name__)] = None
        looked_into, released, _ = _fields(kind)
        return looked_into, released, None
    known = _fields_of_own(kind)
    if known is None:
        _refuse(value)
    return known


@lru_cache(maxsize=1024)
def _fields_of_own(kind: type) -> _Fields | None:
    """The same for a class of Privet's own, of which there are few; None for any other."""
    return _fields(kind) if any(_defined_in(kind, package) for package in _OWN) else None


def _fields(kind: type) -> _Fields:
    """The fields of a class. A released model may be anybody's: see ``stats.Predictor``."""
    if not is_dataclass(kind):
        return (), (), None
    released = tuple(each.name for each in fields(kind) if each.metadata.get("released"))
    closed = {each.name for each in fields(kind) if each.metadata.get("closed")}
    names = tuple(each.name for each in fields(kind))
    made = (n for base in kind.__mro__ for n, each in vars(base).items() if isinstance(each, cached_property))
    looked_into = tuple(name for name in names if name not in (*released, *closed))
    return looked_into, released, frozenset((*names, *made))


def _foreign(model: Any) -> set[str]:
    """The names of the classes whose code predicts and is not Privet's: a model may hold others.

    What it has learned sees codes of the records, too: it must be of a kind that everybody knows. And where
    something is in the place of a method, the class's own code is not what predicts.
    """
    names: set[str] = set()
    left, seen = [model], set()
    while left:
        one = left.pop()
        kind = type(one)
        if kind in _PLAIN or id(one) in seen:
            continue
        seen.add(id(one))
        if kind in (tuple, list, set, frozenset):
            left.extend(one)
        elif kind is dict:
            left.extend(one.values())
        elif kind is np.ndarray:
            left.extend(one.ravel().tolist() if one.dtype.hasobject else ())
        elif not _is_known(kind) or any(callable(getattr(kind, name, None)) for name in _held(one)):
            names.add(kind.__name__)
        if one is model or _predicts(one):
            left.extend(_held(one).values())
    return names


def _held(one: Any) -> Mapping[str, Any]:
    return vars(one) if hasattr(one, "__dict__") else {}


def _is_known(kind: type) -> bool:
    """Whether it is a class of Privet's, or one of those that parameters of models are of."""
    home = kind.__module__.partition(".")[0]
    return kind is FunctionType or (home in _KNOWN and _defined_in(kind, home))


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
