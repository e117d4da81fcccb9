"""What is public about one column: its kind, and its bounds or its domain.

``origin`` says where that knowledge came from. A column whose entry was read off the data (``DRAFTED``)
is not public until a person confirms it; nothing private runs on it before.
"""

from __future__ import annotations

import math
import numbers
import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from privet.errors import SchemaError

__all__ = ["BOUGHT", "DECLARED", "DRAFTED", "HEADER", "WHOLESALE", "Category", "Column", "Number", "Value"]

Value = str | int | float | bool

DECLARED = "declared"
CONFIRMED = "read off the data, then confirmed by a person"
HEADER = "declared by the file's header"
WHOLESALE = "read off the data, then declared public wholesale"
DRAFTED = "read off the data"
BOUGHT = "measured privately, with a guarantee of its own"
_LARGEST = sys.float_info.max
_SMALLEST_HALF = 1e-280  # fixed-point scales are divided by half a range
ORIGINS = (DECLARED, CONFIRMED, HEADER, WHOLESALE, BOUGHT, DRAFTED)


def _named(name: str, origin: str) -> None:
    if not isinstance(name, str):
        raise SchemaError("A column's name must be text.", "Write it in quotes.")
    if origin not in ORIGINS:
        raise SchemaError(f"Column '{name}': unknown origin {origin!r}.", f"Use one of {list(ORIGINS)}.")


def _plain(value: Any) -> Any:
    """NumPy's numbers and texts as Python's own, which print and compare as what they are."""
    return value.item() if hasattr(value, "item") else value


@dataclass(frozen=True)
class Number:
    """A number within public bounds; values outside are clamped to them.

    >>> Number("age", 0, 120, integer=True).midpoint
    60.0
    """

    name: str
    low: float
    high: float
    integer: bool = False
    cuts: tuple[float, ...] = ()
    origin: str = DECLARED

    def __post_init__(self) -> None:
        _named(self.name, self.origin)
        object.__setattr__(self, "low", _plain(self.low))
        object.__setattr__(self, "high", _plain(self.high))
        for side, bound in (("low", self.low), ("high", self.high)):
            if not _is_number(bound) or not -_LARGEST <= bound <= _LARGEST:
                raise SchemaError(
                    f"Column '{self.name}' has no finite {side} bound.",
                    f"Add to the schema what is public about it, for example:\n"
                    f"      [columns.{toml_key(self.name)}]\n"
                    '      kind = "number"\n      low = 0\n      high = 100',
                )
        if self.low >= self.high:
            raise SchemaError(
                f"Column '{self.name}': low ({self.low:g}) must be below high ({self.high:g}).",
                "Swap them, or leave a column with one possible value out of the schema.",
            )
        # Half the range divides, so one that floats cannot divide by is as useless as an infinite one.
        if not math.isfinite(float(self.high) - float(self.low)) or self.half_range < _SMALLEST_HALF:
            raise SchemaError(
                f"Column '{self.name}': the range from low to high is not a number to compute with.",
                "Give bounds that are less far apart, or less close.",
            )
        try:
            cuts = tuple(float(cut) for cut in self.cuts)
        except (TypeError, ValueError):
            raise SchemaError(
                f"Column '{self.name}': cuts must be a list of numbers.",
                f"For example: cuts = [{self.midpoint:g}]",
            ) from None
        if list(cuts) != sorted(set(cuts)) or any(not self.low < cut < self.high for cut in cuts):
            raise SchemaError(
                f"Column '{self.name}': cuts must rise and lie strictly between low and high.",
                f"For example: cuts = [{self.midpoint:g}]",
            )
        object.__setattr__(self, "cuts", cuts)

    @property
    def midpoint(self) -> float:
        return self.low + (self.high - self.low) / 2

    @property
    def half_range(self) -> float:
        return (self.high - self.low) / 2

    def to_dict(self) -> dict[str, Any]:
        data: dict[str, Any] = {
            "kind": "integer" if self.integer else "number",
            "low": self.low,
            "high": self.high,
        }
        if self.cuts:
            data["cuts"] = list(self.cuts)
        return data | {"origin": self.origin}


@dataclass(frozen=True)
class Category:
    """A value out of a public domain; with ``other`` set, every unlisted value counts as that one.

    Where nothing is known about a domain, the list is empty and ``other`` is all there is: values can be
    bought (``learning.prepare.Domain``).

    >>> Category("smoker", ("no", "yes"), other="unknown").labels
    ('no', 'yes', 'unknown')
    """

    name: str
    values: tuple[Value, ...]
    other: str | None = None
    origin: str = DECLARED

    def __post_init__(self) -> None:
        _named(self.name, self.origin)
        if isinstance(self.values, str) or not isinstance(self.values, Iterable):
            raise SchemaError(
                f"Column '{self.name}': values must be a list.", 'For example: values = ["no", "yes"]'
            )
        values = tuple(_plain(value) for value in self.values)
        object.__setattr__(self, "values", values)
        if not values and self.other is None:
            raise SchemaError(
                f"Column '{self.name}' has no domain.",
                f"Add to the schema the values that are publicly known to be possible, for example:\n"
                f"      [columns.{toml_key(self.name)}]\n"
                '      kind = "category"\n      values = ["no", "yes"]',
            )
        if not all(isinstance(value, str | int | float) for value in values):
            raise SchemaError(
                f"Column '{self.name}': its values must be texts, numbers or booleans.",
                "Write them all as text.",
            )
        if self.other is not None and not isinstance(self.other, str):
            raise SchemaError(
                f"Column '{self.name}': `other` must be text.", 'For example: other = "another"'
            )
        # 1 and 1.0 are one number; 1 and "1" would be one text in a file.
        texts = [str(value) for value in values]
        if min(len(set(texts)), len(set(values))) < len(values) or self.other in texts:
            raise SchemaError(
                f"Column '{self.name}': its values (and `other`) must all be different.",
                "Keep one entry for each value.",
            )
        if any(isinstance(v, float) and not math.isfinite(v) for v in values):
            raise SchemaError(
                f"Column '{self.name}': a value of its domain is not a finite number.",
                "Leave it out: a missing value needs no entry, and infinities are refused.",
            )
        kinds = {str if isinstance(v, str) else bool if isinstance(v, bool) else float for v in values}
        if len(kinds) > 1:
            raise SchemaError(
                f"Column '{self.name}': its values mix text, numbers or booleans.", "Write them all as text."
            )

    @property
    def labels(self) -> tuple[Value, ...]:
        """The domain in code order, the `other` cell last."""
        return self.values if self.other is None else (*self.values, self.other)

    @property
    def size(self) -> int:
        return len(self.labels)

    def to_dict(self) -> dict[str, Any]:
        data: dict[str, Any] = {"kind": "category", "values": list(self.values)}
        if self.other is not None:
            data["other"] = self.other
        return data | {"origin": self.origin}


Column = Number | Category


def toml_key(name: str) -> str:
    """A column's name as a TOML key: bare where that is possible, else quoted."""
    bare = name and all(c.isascii() and (c.isalnum() or c in "-_") for c in name)
    return name if bare else toml_text(name)


def toml_text(text: str) -> str:
    """Text as a TOML basic string."""
    escapes = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r", "\b": "\\b", "\f": "\\f"}
    return (
        '"'
        + "".join(escapes.get(c, c if c.isprintable() or ord(c) > 127 else f"\\u{ord(c):04x}") for c in text)
        + '"'
    )


def column_from_dict(name: str, data: dict[str, Any]) -> Column:
    """A column from its entry in a schema file."""
    if not isinstance(data, dict):
        raise SchemaError(
            f"Column '{name}': its entry must be a section.",
            f"Write  [columns.{toml_key(name)}]  with  kind,  and  low  and  high,  or  values,  under it.",
        )
    known = {"kind", "low", "high", "cuts", "values", "other", "most", "between", "origin"}
    if surplus := sorted(set(data) - known):
        raise SchemaError(f"Column '{name}': unknown entries {surplus}.", f"Known ones are {sorted(known)}.")
    kind, origin = data.get("kind"), data.get("origin", DECLARED)
    if kind in ("number", "integer"):
        return Number(
            name,
            data.get("low", math.nan),
            data.get("high", math.nan),
            integer=kind == "integer",
            cuts=data.get("cuts", ()),
            origin=origin,
        )
    if kind == "category":
        return Category(name, data.get("values", ()), other=data.get("other"), origin=origin)
    if kind == "items":
        from privet.schema.item_sets import items_from_dict  # which is a kind of category

        return items_from_dict(name, data)
    raise SchemaError(
        f'Column \'{name}\': kind must be "number", "integer", "category" or "items".',
        f'Add the line  kind = "number"  under [columns.{toml_key(name)}].',
    )


def in_words(column: Column) -> str:
    """A column in a few words.

    >>> in_words(Number("age", 0, 120)), in_words(Category("ward", ("a", "b", "c", "d", "e")))
    ('age: 0 to 120', 'ward: a | b | c | …')
    """
    if isinstance(column, Number):
        return f"{column.name}: {column.low:g} to {column.high:g}"
    shown = [str(label) for label in column.labels[:3]]
    return f"{column.name}: {' | '.join([*shown, *(['…'] if column.size > 3 else [])])}"


def column_of(name: str, short: Any) -> Column:
    """A column from its short form: (low, high) for a number, a list for a category."""
    if isinstance(short, Number | Category):
        return replace(short, name=name)
    if isinstance(short, tuple) and len(short) == 2 and all(map(_is_number, short)):
        return Number(name, short[0], short[1], integer=all(isinstance(b, numbers.Integral) for b in short))
    if short is None:
        raise SchemaError(
            f"Column '{name}' has neither bounds nor a domain.",
            f"Declare what is public about it: {name!r}: (0, 100) for a number, or {name!r}: ['no', 'yes'].",
        )
    return Category(name, short)


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)
