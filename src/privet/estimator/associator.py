"""Base of the miners of associations: which values occur together, and how often."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from privet.estimator.whole_table import WholeTableEstimator
from privet.parameters import with_parameters

__all__ = ["NOTHING", "Itemset", "PrivateAssociator"]


# What a model without any says; sets that are split at the wrong sign end here, too.
NOTHING = (
    "No {} is frequent and clear enough at this budget. If that is a surprise: are the schema's values those"
    " of the table, and is  between  what stands between a set's items?"
)


@dataclass(frozen=True)
class Itemset:
    """Values that occur together in about ``support`` records, off by at most ``error`` in 95 % of cases.

    >>> print(Itemset({"smoker": "yes", "ill": "yes"}, 120.0, 9.0))
    smoker = yes, ill = yes: 120 ± 9 records
    """

    items: Mapping[str, Any]
    support: float
    error: float

    def __str__(self) -> str:
        return self.told(
            column if value is True else f"{column} = {value}" for column, value in self.items.items()
        )

    def told(self, words: Iterable[str]) -> str:
        """The same, with these words for its items."""
        return f"{', '.join(words)}: {self.support:,.0f} ± {self.error:,.3g} records"


@with_parameters
class PrivateAssociator(WholeTableEstimator):
    """Base of the miners: subclasses write ``_fit``, which ends in ``_keep``."""

    family: ClassVar[str] = "associate"

    def _keep(self, itemsets: Iterable[Itemset]) -> None:
        """Remember the released itemsets, the most frequent first."""
        ordered = sorted(itemsets, key=lambda each: -each.support)
        self.itemsets_: list[dict[str, Any]] = [
            {"items": dict(each.items), "support": each.support, "error": each.error} for each in ordered
        ]

    def in_words(self) -> str:
        """The released itemsets, one per line."""
        if not self.itemsets_:
            return NOTHING.format("set")
        return "\n".join(map(str, self.itemsets))

    @property
    def itemsets(self) -> list[Itemset]:
        """The released itemsets, the most frequent first."""
        return [Itemset(**each) for each in self.itemsets_]
