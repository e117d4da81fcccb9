"""Whose turn it is: which records each round looks at, and for which shares of the budget.

With very many records a round needs only a part of them. Parts take turns, and so do smaller parts of these
for the choice of a term. A record is asked in its own turns only, so what a round may cost grows as the part
gets smaller (``curator.by_slice``): noise is as small beside what it is added to as if all records were asked
in every round, and only chance weighs more.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from privet.schema import Schema
from privet.stats.slices import Slices, halvings_for

__all__ = ["Turns"]

CHOICE = Fraction(1, 5)  # of all that the rounds spend
MEASURED = 125_000  # records whose chance no longer matters in the cells of a term,
LOOKED_AT = 16_000  # or in the choice of one,
PER_EPSILON = 2500  # where noise does not ask for more: times 1 / ε of a choice


@dataclass(frozen=True)
class Turns:
    """Rounds that spend ``whole`` between them, over some parts, each with some smaller ones to look at."""

    columns: tuple[str, ...]
    rounds: int
    whole: Fraction
    parts: int = 1
    looks: int = 1

    @classmethod
    def of(
        cls,
        schema: Schema,
        names: tuple[str, ...],
        rounds: int,
        whole: Fraction,
        records: float,
        epsilon: float,
    ) -> Turns:
        """Parts and looks as small as they may be, by what is public or released."""
        halvings = min(halvings_for(records, MEASURED, schema, names), rounds.bit_length() - 1)
        part = records / 2**halvings
        seen = max(LOOKED_AT, PER_EPSILON / (epsilon * float(whole * CHOICE)))
        looks = halvings_for(part, seen, schema, names)
        return cls(names, rounds, whole, 2**halvings, 2**looks)

    @staticmethod
    def taken(schema: Schema, names: tuple[str, ...], records: float) -> bool:
        """Whether records are so many that some may be looked at for others."""
        return halvings_for(records, LOOKED_AT, schema, names) > 0

    @property
    def _visits(self) -> int:
        """How often each part has its turn, at most."""
        return -(-self.rounds // self.parts)

    @property
    def measured(self) -> Fraction:
        """The share of a round's residuals."""
        return self.whole * (1 - CHOICE) / self._visits

    @property
    def chosen(self) -> Fraction:
        """The share of a round's choice."""
        return self.whole * CHOICE / -(-self._visits // self.looks)

    @property
    def unchosen(self) -> Fraction:
        """The share of a round's residuals where there is nothing to choose."""
        return self.whole / self._visits

    def part(self, number: int) -> Slices | None:
        """The records whose residuals are measured in this round; None for all."""
        first = number % self.parts * self.looks
        return self._slices(first, first + self.looks) if self.parts > 1 else None

    def look(self, number: int) -> Slices | None:
        """The records by which its term is chosen: some of them."""
        first = number % self.parts * self.looks + number // self.parts % self.looks
        return self._slices(first, first + 1)

    def _slices(self, first: int, last: int) -> Slices | None:
        many = self.parts * self.looks
        return Slices(self.columns, many, first, last) if many > 1 else None
