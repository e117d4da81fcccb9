"""Itemsets of a set-valued column: supports of all small sets of the privately chosen items.

1. The most frequent items are chosen privately, whatever the number of items in the public list.
2. Every record is cut to the chosen items, and then to the schema's ``most`` of them; each set of at most two
   of them is counted once, and of three where there is a δ, for then the noise grows with the square root of
   the number of sets that a record has, and not with this number.

**Privacy.** ``stats.item_sets``: the choice's scores have spread 1 without any cut; the counts' sensitivity
is that of a record that has all sets of ``most`` items. The shares add up to 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from privet.curator import ChooseSeveral, Curator, Measure
from privet.errors import SchemaError
from privet.learning.associate.supports import fieller
from privet.schema.item_sets import Items, set_columns
from privet.stats.item_sets import LARGEST, FrequentItems, SetCounts

__all__ = ["SparseSupports", "set_column"]

CHOICE = Fraction(3, 10)


def set_column(columns: Any) -> Items | None:
    """The one column that holds sets; None if none does."""
    found = set_columns(columns)
    if len(found) > 1:
        raise SchemaError(
            f"The columns '{found[0].name}' and '{found[1].name}' hold sets, and one is mined at a time.",
            "Leave all but one of them out of the schema.",
        )
    return found[0] if found else None


@dataclass(frozen=True)
class SparseSupports:
    """Released supports by set of items; the noise of each is independent, with this standard deviation.

    A support is off by at most ``error`` in 95 % of cases, apart from what was cut.
    """

    supports: dict[frozenset[str], float]
    deviation: float
    error: float
    records: float
    cut: float
    explanation: str

    @classmethod
    def ask(cls, curator: Curator, column: Items, items: int, largest: int) -> SparseSupports:
        """Choose the most frequent items, and count the sets of them."""
        number, left = min(items, column.size), Fraction(1)
        chosen = tuple(range(column.size))
        if number < column.size:
            question = ChooseSeveral(FrequentItems(column.name), number, "the most frequent items")
            chosen = tuple(sorted(curator.ask(question, CHOICE).chosen))
            left -= CHOICE
        size = min(largest, LARGEST if curator.amount.delta > 0 else 2)
        counts = SetCounts(column.name, chosen, size)
        release = curator.ask(Measure(counts, "records with each small set of the chosen items"), left)
        values = np.asarray(release.value, float)
        names = [str(column.labels[code]) for code in chosen]
        supports = {
            frozenset(names[place] for place in places): float(value)
            for places, value in zip(counts.sets, values[2:], strict=True)
        }
        told = (
            f"{number} of {column.size} items, sets of at most {size} of them; a support is off by at most "
            f"{release.error:.3g} records in 95 % of cases. Of records with more than {column.most} of these "
            f"items, {column.most} are counted, so supports are too low if there are many."
        )
        records, cut = (max(float(value), 0.0) for value in values[:2])
        return cls(supports, release.standard_deviation, release.error, records, cut, told)

    def frequent(self, least: float, most: int) -> list[frozenset[str]]:
        """The sets that a share of the records have and that are more than noise, the most frequent first."""
        limit = max(least * max(self.records, 1.0), 2 * self.error)
        found = [held for held, support in self.supports.items() if support >= limit]
        return sorted(found, key=lambda held: (-self.supports[held], sorted(held)))[:most]

    def rules(self, held: frozenset[str]) -> list[dict[str, Any]]:
        """All rules of one set with one item to conclude, or one to conclude from."""
        if len(held) < 2:
            return []
        sides = [frozenset({item}) for item in sorted(held)]
        parts = sides if len(held) == 2 else [*sides, *(held - side for side in sides)]
        found = []
        variance, records = self.deviation**2, max(self.records, 1.0)
        for given in parts:
            then = held - given
            both, whole, other = (max(self.supports[part], 0.0) for part in (held, given, then))
            if whole <= self.error or other <= self.error:
                continue
            low, high = ratio_interval(both, whole, variance)
            found.append(
                {
                    "antecedents": sorted(given),
                    "consequents": sorted(then),
                    "support": both / records,
                    "antecedent support": whole / records,
                    "consequent support": other / records,
                    "confidence": min(both / whole, 1.0),
                    "confidence_low": low,
                    "confidence_high": high,
                    "lift": both * records / (whole * other),
                    "lift_low": low * records / (other + self.error),
                    "lift_high": high * records / max(other - self.error, 1.0),
                }
            )
        return found


def ratio_interval(above: float, below: float, variance: float) -> tuple[float, float]:
    """Fieller's interval of a ratio of two supports whose noise is independent, each with this variance.

    >>> low, high = ratio_interval(50.0, 100.0, 4.0)
    >>> round(low, 3), round(high, 3)
    (0.457, 0.545)
    """
    return fieller(above, below, variance, variance, shared=0.0)
