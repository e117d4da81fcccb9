"""Frequent itemsets from noisy tables of the most frequent items.

1. The most frequent items are chosen privately, by rounds of a private choice (never by the sparse vector
   technique, most printed variants of which are not private).
2. They make *bases* of up to twelve items: the six most frequent, with six others each. One noisy count for
   each combination of a basis's items gives the support of every set of them, as a sum of cells.

**Privacy.** The choice's scores have spread 1, and a record is in one cell of each table (``stats.items``).
The shares add up to 1. Supports, confidences and lifts are computed from the released cells.

Reference: Li, Qardaji, Su and Cao (2012), PrivBasis, which pays for a choice of pairs to find its bases. Here
they follow from the items' order, so that a plan can name them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from annotated_types import Ge, Gt, Le

from privet.curator import ChooseSeveral, Curator, Measure
from privet.errors import SchemaError
from privet.estimator import Itemset, PrivateAssociator
from privet.learning.associate.sparse import SparseSupports, set_column
from privet.learning.associate.supports import Supports
from privet.learning.synthesise.shrinking import proportions
from privet.parameters import with_parameters
from privet.schema import Category, Items, Schema
from privet.stats import CrossTable
from privet.stats.items import Basis, Item, ItemCounts, items_of

if TYPE_CHECKING:
    from privet.report import Chart

__all__ = ["FrequentItemsets"]

COUNT, CHOICE = Fraction(3, 100), Fraction(15, 100)
# The first items are in all bases, others in one, with so many of their kind.
CORE, BLOCK = 6, 6


@with_parameters
class FrequentItemsets(PrivateAssociator):
    """The most frequent sets of items. An item is a value of a category: ``milk = 1``, ``colour = red``.

    Of a column that says whether something is there (0 and 1, no and yes), only that it is there is an item:
    a table with one such column for each article is a table of baskets. Whole numbers from 0 to 1 say so,
    too; other numbers are left out. Where the schema has a set-valued column (``schema.Items``), its items
    alone are mined (``associate.sparse``).

    >>> import numpy as np, pyarrow as pa
    >>> draw = np.random.default_rng(0)
    >>> bread = draw.random(5000) < 0.6
    >>> butter = bread & (draw.random(5000) < 0.7)
    >>> table = pa.table({"bread": bread.astype(int), "butter": butter.astype(int)})
    >>> schema = {"bread": [0, 1], "butter": [0, 1]}
    >>> model = FrequentItemsets(epsilon=1.0, schema=schema, most=3).fit(table)
    >>> [sorted(each.items) for each in model.itemsets][0]
    ['bread']
    """

    most: Annotated[int, Ge(1), Le(65_535), "How many sets are kept at most: the most frequent."] = 100
    items: Annotated[int, Ge(1), Le(200), "How many different items are looked at: the most frequent."] = 18
    largest: Annotated[int, Ge(1), Le(16), "How many items a set has at most."] = 16
    least: Annotated[float, Gt(0), Le(1), "The least support, as a share of the records."] = 0.01

    takes_sets: ClassVar[bool] = True

    def _fit(self, curator: Curator) -> None:
        if (column := set_column(curator.schema.columns)) is not None:
            sparse = self._sparse(curator, column)
            self._keep(
                Itemset(dict.fromkeys(sorted(held), True), sparse.supports[held], sparse.error)
                for held in sparse.frequent(self.least, self.most)
            )
            return
        estimates: dict[frozenset[Item], tuple[float, float]] = {}
        order: dict[frozenset[Item], tuple[float, float]] = {}
        for basis, supports, likely in self._released(curator):
            for pattern in self._frequent(basis, likely):
                own = float(supports.values[pattern]), supports.variance(pattern)
                held = frozenset(item for place, item in enumerate(basis) if pattern >> place & 1)
                estimates[held] = _combined(estimates.get(held), own)
                probable = float(likely.values[pattern]), supports.variance(pattern)
                order[held] = _combined(order.get(held), probable)
        kept = sorted(order, key=lambda held: -order[held][0])[: self.most]
        found = []
        for held in kept:
            value, variance = estimates[held]
            found.append(Itemset(_named(held, curator.schema), value, 1.96 * math.sqrt(variance)))
        self._keep(found)

    def _sparse(self, curator: Curator, column: Items) -> SparseSupports:
        """What is released of a set-valued column."""
        sparse = SparseSupports.ask(curator, column, self.items, self.largest)
        self.records_, self.cut_ = sparse.records, sparse.cut
        self.explanation_ = sparse.explanation
        return sparse

    def _frequent(self, basis: tuple[Item, ...], supports: Supports) -> list[int]:
        """The patterns of a basis that a record can have and that are frequent enough."""
        least = self.least * max(self.records_, 1.0)
        return [
            pattern
            for pattern in np.flatnonzero(supports.values >= least).tolist()
            if 0 < pattern.bit_count() <= self.largest and _possible(pattern, basis)
        ]

    def _released(self, curator: Curator) -> list[tuple[tuple[Item, ...], Supports, Supports]]:
        """Bases of chosen items, each with the supports of all sets of its items: released, and likely.

        No cell is negative, and together they are all records. Cells that fit this lose most of the noise of
        empty ones, and find the frequent sets better; but they are biased, so what is reported, with its
        error, is what was released.
        """
        items = items_of(curator.schema)
        if not items:
            raise SchemaError(
                "The schema has no category, and items are values of categories.",
                "Declare the columns with their values, such as  values = [0, 1].",
            )
        left = 1 - COUNT
        if len(items) > self.items or len(items) > CORE + BLOCK:
            number = min(self.items, len(items))
            question = ChooseSeveral(ItemCounts(items), number, "the most frequent items")
            chosen = curator.ask(question, CHOICE).chosen
            items, left = tuple(items[place] for place in chosen), left - CHOICE
        bases = _bases(items)
        asked = [
            (Measure(Basis(basis), "records with each combination of some items"), left / len(bases))
            for basis in bases
        ]
        counted = (Measure(CrossTable((items[0].coded,)), "the number of records"), COUNT)
        everyone, *releases = curator.ask_together([counted, *asked])
        self.records_ = max(float(everyone.value.sum()), 0.0)
        found = [Supports.of(each.value.astype(float), each.standard_deviation) for each in releases]
        likely = [
            Supports.of(self.records_ * proportions(each.value, self.records_), each.standard_deviation)
            for each in releases
        ]
        self.explanation_ = (
            f"{len(items)} items in {len(bases)} noisy table{'s' if len(bases) > 1 else ''}; the support of "
            f"a single item is off by at most {found[0].error(1):.3g} records in 95 % of cases, that of "
            "larger sets by less. What fewer records have than that is not told from noise."
        )
        return list(zip(bases, found, likely, strict=True))

    def in_words(self) -> str:
        """The released itemsets, one per line, with the same words as in the picture and the frame."""
        if not self.itemsets_:
            return super().in_words()
        return "\n".join(each.told(_words(each.items, self.schema_)) for each in self.itemsets)

    def frame(self) -> Any:
        """A pandas frame as mlxtend has it: ``support`` as a share, ``itemsets``; and the errors."""
        import pandas as pd

        records = max(self.records_, 1.0)
        return pd.DataFrame(
            {
                "support": [min(each.support / records, 1.0) for each in self.itemsets],
                "itemsets": [frozenset(_words(each.items, self.schema_)) for each in self.itemsets],
                "error": [each.error / records for each in self.itemsets],
            }
        )

    def pictures(self) -> tuple[Chart, ...]:
        """The supports of the most frequent sets."""
        from privet.report.charts import Bars, Series

        shown = self.itemsets[:25]
        labels = tuple(", ".join(_words(each.items, self.schema_)) for each in shown)
        values = Series("records", tuple(e.support for e in shown), tuple(e.error for e in shown), (0, None))
        return (Bars("The most frequent sets", labels, (values,), y="records"),) if shown else ()


def _bases(items: tuple[Item, ...]) -> list[tuple[Item, ...]]:
    """Groups of items whose combinations are counted: the first few with each block of the others.

    The sets that are most frequent hold mostly the most frequent items, with few of the rarer ones; a set
    with rarer items of two blocks is not looked at.
    """
    if len(items) <= CORE + BLOCK:
        return [items]
    return [items[:CORE] + items[start : start + BLOCK] for start in range(CORE, len(items), BLOCK)]


def _combined(one: tuple[float, float] | None, other: tuple[float, float]) -> tuple[float, float]:
    """Two independent estimates as one, each weighted by its precision."""
    if one is None:
        return other
    total = one[1] + other[1]
    if total <= 0:
        return one
    return (one[0] * other[1] + other[0] * one[1]) / total, one[1] * other[1] / total


def _named(held: Iterable[Item], schema: Schema) -> dict[str, Any]:
    found = {}
    for item in held:
        column = schema[item.column]
        found[item.column] = column.labels[item.code] if isinstance(column, Category) else item.code
    return found


def _possible(pattern: int, basis: tuple[Item, ...]) -> bool:
    """Whether a record can have all of these items: a column has one value."""
    columns = [item.column for place, item in enumerate(basis) if pattern >> place & 1]
    return len(set(columns)) == len(columns)


def _words(items: Mapping[str, Any], schema: Schema) -> list[str]:
    """Each item in a word: by its column alone where no other value of that is an item, else with both.

    >>> schema = Schema.of({"milk": [0, 1], "ill": ["no", "yes", "unknown"]})
    >>> _words({"milk": 1, "ill": "yes"}, schema)
    ['ill = yes', 'milk']
    """
    several = Counter(item.column for item in items_of(schema))
    return sorted(
        name if value is True or several[name] == 1 else f"{name} = {value}" for name, value in items.items()
    )
