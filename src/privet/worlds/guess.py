"""What a person guesses about a table that they have not looked into."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from privet.errors import ParameterError
from privet.schema import Category, Schema

__all__ = ["ASSUMED_RECORDS", "Guess"]

#: How many records are assumed where nobody says.
ASSUMED_RECORDS = 5000
_MOST = 10_000_000_000
_SHARE = "share:"


@dataclass(frozen=True)
class Guess:
    """Guesses, each of which may be left open: then worlds differ in it, and a forecast's band is wider.

    ``records`` is how many there are, ``shares`` how large a share of them each class has, ``attainable`` how
    accurate a good model would be without any privacy (the share of right predictions, or R²).

    >>> Guess.from_text({"records": "20000", "attainable": "0.85", "share:yes": "0.2"})
    Guess(records=20000, attainable=0.85, shares={'yes': 0.2})
    """

    records: int | None = None
    attainable: float | None = None
    shares: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.records is not None and not (_whole(self.records) and 10 <= self.records <= _MOST):
            raise ParameterError(
                "The guess of how many records there are must be a whole number of at least 10."
            )
        if self.attainable is not None and not (_number(self.attainable) and 0 < self.attainable <= 1):
            raise ParameterError("What is attainable must be guessed as a number above 0 and at most 1.")
        if not all(_number(share) and 0 < share < 1 for share in self.shares.values()):
            raise ParameterError("Guessed shares of classes must be numbers between 0 and 1.")
        if sum(self.shares.values()) > 1 + 1e-9:
            raise ParameterError("The guessed shares of the classes add up to more than 1.")

    @classmethod
    def from_text(cls, given: Mapping[str, Any]) -> Guess:
        """Guesses as they are typed: ``records``, ``attainable``, and ``share:CLASS`` for a class."""
        found: dict[str, Any] = {}
        shares: dict[str, float] = {}
        for name, text in given.items():
            try:
                value = float(text)
            except (TypeError, ValueError):
                raise ParameterError(f"The guess '{name}' must be a number.") from None
            if name.startswith(_SHARE):
                shares[name.removeprefix(_SHARE)] = value
            elif name in ("records", "attainable"):
                found[name] = int(value) if name == "records" and value.is_integer() else value
            else:
                raise ParameterError(
                    f"There is no guess '{name}'.",
                    "Guess  records,  attainable,  or  share:CLASS  of a class.",
                )
        return cls(**found, shares=shares)

    @property
    def size(self) -> int:
        """How many records to reckon with."""
        return ASSUMED_RECORDS if self.records is None else int(self.records)

    def class_shares(self, target: Category) -> dict[int, float]:
        """The guessed shares by the code of their class; what is left over is shared among the others."""
        labels = [str(label) for label in target.labels]
        if unknown := [name for name in self.shares if name not in labels]:
            raise ParameterError(
                f"The target '{target.name}' has no class '{unknown[0]}'.",
                f"Its classes: {', '.join(labels[:10])}.",
            )
        return {labels.index(name): float(share) for name, share in self.shares.items()}

    def in_words(self, schema: Schema) -> tuple[str, ...]:
        """What a forecast rests on, a sentence for each guess, and for each that was not made."""
        by_default = f"Nobody said how many records there are: {ASSUMED_RECORDS:,} were assumed."
        words = [by_default if self.records is None else f"About {self.records:,} records, as guessed."]
        if self.attainable is None:
            words.append("What is attainable was not guessed: worlds differ in it, and the level is open.")
        else:
            words.append(f"A good model without privacy reaches {self.attainable:g}, as guessed.")
        if self.shares:
            told = ", ".join(f"{name} {share:g}" for name, share in self.shares.items())
            words.append(f"Shares of the classes, as guessed: {told}.")
        elif schema.target is not None and isinstance(schema[schema.target], Category):
            words.append("The shares of the classes were not guessed: worlds differ in them.")
        return tuple(words)

    def to_dict(self) -> dict[str, Any]:
        return {"records": self.records, "attainable": self.attainable, "shares": dict(self.shares)}


def _number(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool) and math.isfinite(float(value))


def _whole(value: Any) -> bool:
    return _number(value) and float(value) == int(value)
