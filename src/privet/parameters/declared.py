"""Parameters, declared once: as ``Annotated`` types of a dataclass's fields or a constructor's arguments.

From one declaration follow the check in ``fit``, the command line's option, the JSON Schema, the property
sheet, the table in the docs and the tests with bad values. The metadata are a line of help (a string),
bounds from ``annotated_types`` and ``markers``; a ``Literal`` lists the choices, ``tuple[kind, …]`` is a
list, and a ``Path`` is a file.

>>> @with_parameters
... class Toy:
...     bins: Annotated[int, Ge(2), "How many bins."] = 16
>>> parameters_of(Toy)[0].describe()
'bins: whole number, at least 2 (default 16). How many bins.'
>>> validate(Toy(bins=1))
Traceback (most recent call last):
...
privet.errors.ParameterError: Toy: bins must be at least 2, but is 1.
"""

from __future__ import annotations

import inspect
import math
import numbers
import types
from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from typing import (
    Annotated,
    Any,
    Literal,
    TypeVar,
    Union,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

from annotated_types import Ge, Gt, Le, Lt

from privet.errors import ParameterError
from privet.parameters.markers import Alias, File, IfAlgorithm, IfTaken

__all__ = [
    "Bins",
    "Confidence",
    "Delta",
    "Epsilon",
    "Parameter",
    "Records",
    "Seed",
    "parameters_of",
    "validate",
    "with_parameters",
]

Epsilon = Annotated[
    float, Gt(0), Le(1_000_000), "Privacy loss of the whole run: smaller is more private and noisier."
]
Delta = Annotated[
    float, Ge(0), Lt(1), "Probability that the epsilon bound fails; 0 gives pure differential privacy."
]
Seed = Annotated[
    Any, "None for secure noise. A seed makes the run repeatable and voids its guarantee: for tests only."
]
Bins = Annotated[int, Ge(2), Le(1000), "How many equal bins a number gets where the schema declares no cuts."]
Records = Annotated[
    int | None,
    Ge(1),
    "About how many records there are, if that is public: tunes the run; never read off the table.",
]
Confidence = Annotated[float, Gt(0), Lt(1), "Probability with which an error bar holds the true value."]

_KINDS: dict[type, str] = {
    float: "number",
    int: "whole number",
    bool: "yes or no",
    str: "text",
    Path: "file",
    dict: "names with values",
}
Marker = TypeVar("Marker")
_BOUNDS = ((Gt, "gt", "above"), (Ge, "ge", "at least"), (Lt, "lt", "below"), (Le, "le", "at most"))


#: The default of a parameter that must be given.
REQUIRED = inspect.Parameter.empty


@dataclass(frozen=True)
class Parameter:
    """One declared parameter.

    ``kind`` is float, int, bool, str, Path, dict, or object for what only Python can give. ``many`` says that
    it is a list of these; ``markers`` hold what else the declaration says.
    """

    name: str
    kind: type
    default: Any
    help: str
    choices: tuple[Any, ...] = ()
    bounds: tuple[Any, ...] = ()
    optional: bool = False
    many: bool = False
    markers: tuple[Any, ...] = ()

    @property
    def required(self) -> bool:
        return self.default is REQUIRED

    def marker(self, kind: type[Marker]) -> Marker | None:
        """The first marker of this kind; None if there is none."""
        return next((each for each in self.markers if isinstance(each, kind)), None)

    @property
    def typed(self) -> bool:
        """Whether it can be given as text: what only Python can give can still be named by a file."""
        return self.kind is not object or self.marker(File) is not None

    @property
    def flags(self) -> list[str]:
        """The names of its option on the command line: a letter, if it has one, and the long name last."""
        aliases = [each.name for each in self.markers if isinstance(each, Alias)]
        long = next((name for name in aliases if len(name) > 1), self.name)
        letters = dict.fromkeys(name for name in (*aliases, long) if len(name) == 1)
        return [*(f"-{letter}" for letter in letters), f"--{long.replace('_', '-')}"]

    def applies_to(self, algorithm: type, commands: tuple[str, ...]) -> bool:
        """Whether a use case's parameter applies if this is the algorithm, and these commands take it."""
        only, taken = self.marker(IfAlgorithm), self.marker(IfTaken)
        return (taken is None or taken.by in commands) and (
            only is None
            or hasattr(algorithm, only.has)
            or any(each.name == only.has for each in parameters_of(algorithm))
        )

    @property
    def limits(self) -> list[str]:
        """The bounds in words."""
        return [
            f"{word} {getattr(bound, key):g}"
            for bound in self.bounds
            for cls, key, word in _BOUNDS
            if isinstance(bound, cls)
        ]

    @property
    def kind_in_words(self) -> str:
        kind = (
            "one of " + ", ".join(map(str, self.choices)) if self.choices else _KINDS.get(self.kind, "object")
        )
        return f"list: {kind}" if self.many else kind

    def describe(self) -> str:
        default = "required" if self.required else f"default {self.default}"
        return f"{', '.join([f'{self.name}: {self.kind_in_words}', *self.limits])} ({default}). {self.help}"

    def fault(self, value: Any) -> str | None:
        """What is wrong with a value, in words; None if it is fine."""
        if value is None and self.optional:
            return None
        if self.many:
            if isinstance(value, str) or not isinstance(value, list | tuple):
                return "must be a list"
            one = replace(self, many=False)
            return next(
                (f"holds an entry that {fault}" for each in value if (fault := one.fault(each))), None
            )
        if self.choices:
            known = any(type(value) is type(choice) and value == choice for choice in self.choices)
            return None if known else f"must be one of {', '.join(map(repr, self.choices))}"
        number = isinstance(value, numbers.Real) and not isinstance(value, bool)
        if self.kind is bool and not isinstance(value, bool):
            return "must be True or False"
        if self.kind is str and not isinstance(value, str):
            return "must be text"
        if self.kind is Path and not isinstance(value, str | Path):
            return "must be the path of a file"
        if self.kind is dict and not isinstance(value, Mapping):
            return "must be a mapping of names to values"
        if self.kind is int and not (number and isinstance(value, numbers.Integral)):
            return "must be a whole number"
        if self.kind is float and not (number and _is_finite(value)):
            return "must be a finite number"
        if self.kind in (int, float):
            for bound in self.bounds:
                if not _within(bound, value):
                    return f"must be {Parameter(self.name, self.kind, None, '', bounds=(bound,)).limits[0]}"
        return None


def _is_finite(value: Any) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number that no float can hold
        return False


def _within(bound: Any, value: Any) -> bool:
    match bound:
        case Gt(gt=limit):
            return bool(value > limit)
        case Ge(ge=limit):
            return bool(value >= limit)
        case Lt(lt=limit):
            return bool(value < limit)
        case Le(le=limit):
            return bool(value <= limit)
    return True


Declaring = TypeVar("Declaring", bound=type)


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(field, Field))
def with_parameters(cls: Declaring) -> Declaring:
    """Make parameters of a class's fields: its constructor takes them by keyword, and stores them.

    It is a dataclass that keeps scikit-learn's ``repr`` and is equal to itself alone, as scikit-learn's
    contract wants it. The signature names a class's own parameters before those of its base.
    ``field(kw_only=False)`` makes a parameter positional; ``field(init=False)`` takes one of the base away.

    >>> @with_parameters
    ... class Base:
    ...     epsilon: Epsilon = 1.0
    >>> @with_parameters
    ... class Toy(Base):
    ...     bins: Annotated[int, Ge(2), "How many bins."] = 16
    >>> [parameter.name for parameter in parameters_of(Toy)], Toy(bins=4).bins
    (['bins', 'epsilon'], 4)
    """
    made: Any = dataclass(kw_only=True, eq=False, repr=False)(cls)
    signature = inspect.signature(made.__init__)
    places = {name: place for place, name in enumerate(("self", *inspect.get_annotations(cls)))}
    ordered = sorted(signature.parameters.values(), key=lambda p: (p.kind, places.get(p.name, len(places))))
    made.__init__.__signature__ = signature.replace(parameters=ordered)
    return cls


def parameters_of(algorithm: type) -> tuple[Parameter, ...]:
    """The declared parameters of a class, in the order of its constructor."""
    return _parameters_of(algorithm)


@cache
def _parameters_of(algorithm: Any) -> tuple[Parameter, ...]:
    constructor = algorithm.__init__
    maker = next(cls for cls in algorithm.__mro__ if "__init__" in vars(cls))
    # The fields of a dataclass may come from other modules, whose names only the class itself can resolve.
    declaring = maker if "__dataclass_fields__" in vars(maker) else constructor
    hints = get_type_hints(declaring, include_extras=True)
    made = {f.name: f.default_factory() for f in _fields(algorithm) if f.default_factory is not MISSING}
    found = [
        _parameter(name, hints.get(name, Any), made.get(name, signature.default))
        for name, signature in inspect.signature(constructor).parameters.items()
        if name != "self" and signature.kind is not inspect.Parameter.VAR_KEYWORD
    ]
    # What a class declares itself comes before what it inherits: that is what its readers came for.
    return tuple(sorted(found, key=lambda parameter: _generation(maker, parameter.name)))


def _generation(cls: Any, name: str) -> int:
    """How far above a class the one is that declares this field; 0 where there are no fields."""
    kin = [each for each in cls.__mro__ if name in vars(each).get("__annotations__", {})]
    return cls.__mro__.index(kin[0]) if kin else 0


def _fields(cls: Any) -> tuple[Field[Any], ...]:
    return fields(cls) if is_dataclass(cls) else ()


def _parameter(name: str, hint: Any, default: Any) -> Parameter:
    metadata: tuple[Any, ...] = ()
    if get_origin(hint) is Annotated:
        hint, *extra = get_args(hint)
        metadata = tuple(extra)
    optional = False
    if get_origin(hint) in (Union, types.UnionType) and type(None) in get_args(hint):
        rest = [part for part in get_args(hint) if part is not type(None)]
        optional, hint = True, rest[0] if len(rest) == 1 else Any
    many = get_origin(hint) is tuple
    if many:
        hint = get_args(hint)[0]
    if get_origin(hint) in (dict, Mapping):
        hint = dict
    choices = get_args(hint) if get_origin(hint) is Literal else ()
    bounds = tuple(cls for cls, _, _ in _BOUNDS)
    return Parameter(
        name,
        kind=type(choices[0]) if choices else hint if hint in _KINDS else object,
        default=default,
        # The last line of help: one that is put around a shared declaration says it for the special case.
        help=next((item for item in reversed(metadata) if isinstance(item, str)), ""),
        choices=choices,
        bounds=tuple(item for item in metadata if isinstance(item, bounds)),
        optional=optional,
        many=many,
        markers=tuple(item for item in metadata if not isinstance(item, (str, *bounds))),
    )


def validate(algorithm: Any) -> None:
    """Check the stored parameters of an object against their declaration."""
    for parameter in parameters_of(type(algorithm)):
        value = getattr(algorithm, parameter.name)
        if fault := parameter.fault(value):
            shown = f", but is {value!r}" if isinstance(value, int | float | str) else ""
            raise ParameterError(f"{type(algorithm).__name__}: {parameter.name} {fault}{shown}.")
