"""Association rules: ratios of released supports, with Fieller's intervals. All of it is post-processing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from annotated_types import Ge, Gt, Le

from privet.curator import Curator
from privet.estimator.associator import NOTHING
from privet.learning.associate.itemsets import FrequentItemsets, _named, _words
from privet.learning.associate.sparse import set_column
from privet.learning.associate.supports import Supports, fieller
from privet.parameters import with_parameters
from privet.schema import Schema
from privet.stats.items import Item

if TYPE_CHECKING:
    from privet.report import Chart

__all__ = ["AssociationRules"]


@with_parameters
class AssociationRules(FrequentItemsets):
    """Rules IF … THEN … over the most frequent itemsets, with confidence and lift.

    Privacy is that of ``FrequentItemsets``: nothing more is asked. The intervals hold the noise in both parts
    of each ratio, and that they share cells.

    >>> import numpy as np, pyarrow as pa
    >>> draw = np.random.default_rng(0)
    >>> bread = draw.random(5000) < 0.5
    >>> butter = bread & (draw.random(5000) < 0.8)
    >>> table = pa.table({"bread": bread.astype(int), "butter": butter.astype(int)})
    >>> schema = {"bread": [0, 1], "butter": [0, 1]}
    >>> model = AssociationRules(epsilon=1.0, schema=schema).fit(table)
    >>> print(model.in_words().splitlines()[0].split(":")[0])
    IF butter THEN bread
    """

    confidence: Annotated[float, Gt(0), Le(1), "The least confidence of a rule."] = 0.6
    rules: Annotated[int, Ge(1), Le(10_000), "How many rules are kept at most: those of highest lift."] = 100

    def _fit(self, curator: Curator) -> None:
        found: list[dict[str, Any]] = []
        if (column := set_column(curator.schema.columns)) is not None:
            sparse = self._sparse(curator, column)
            for names in sparse.frequent(self.least, self.most):
                found += sparse.rules(names)
            self._keep_rules(found)
            return
        seen: set[frozenset[Item]] = set()
        for basis, supports, likely in self._released(curator):
            frequent = sorted(self._frequent(basis, likely), key=lambda p: -likely.values[p])[: self.most]
            for pattern in frequent:
                held = frozenset(_held(pattern, basis))
                if held not in seen:  # sets of the items that all bases have come once
                    seen.add(held)
                    found += self._of(pattern, basis, supports, curator.schema)
        self._keep_rules(found)

    def _keep_rules(self, found: list[dict[str, Any]]) -> None:
        found = [rule for rule in found if rule["confidence"] >= self.confidence]
        self.rules_ = sorted(found, key=lambda rule: -rule["lift"])[: self.rules]
        self._keep([])

    @staticmethod
    def _of(
        pattern: int, basis: tuple[Item, ...], supports: Supports, schema: Schema
    ) -> list[dict[str, Any]]:
        """All rules of one itemset."""
        records = max(float(supports.values[0]), 1.0)
        found: list[dict[str, Any]] = []
        if supports.values[pattern] <= supports.error(pattern):
            return found
        part = (pattern - 1) & pattern
        while part:
            given, then = part, pattern & ~part
            part = (part - 1) & pattern
            both, whole, other = (max(float(supports.values[p]), 0.0) for p in (pattern, given, then))
            if whole <= supports.error(given) or other <= supports.error(then):  # not told from none
                continue
            low, high = fieller(both, whole, supports.variance(pattern), supports.variance(given))
            error = supports.error(then)
            found.append(
                {
                    "antecedents": _words(_named(_held(given, basis), schema), schema),
                    "consequents": _words(_named(_held(then, basis), schema), schema),
                    "support": both / records,
                    "antecedent support": whole / records,
                    "consequent support": other / records,
                    "confidence": min(both / whole, 1.0),
                    "confidence_low": low,
                    "confidence_high": high,
                    "lift": both * records / (whole * other),
                    "lift_low": low * records / (other + error),
                    "lift_high": high * records / max(other - error, 1.0),
                }
            )
        return found

    def frame(self) -> Any:
        """A pandas frame with the columns that mlxtend's users know, and the intervals beside them."""
        import pandas as pd

        frame = pd.DataFrame(self.rules_)
        if not frame.empty:
            for side in ("antecedents", "consequents"):
                frame[side] = frame[side].map(frozenset)
            frame["leverage"] = frame["support"] - frame["antecedent support"] * frame["consequent support"]
        return frame

    def in_words(self) -> str:
        """The rules, one per line."""
        if not self.rules_:
            return NOTHING.format("rule")
        return "\n".join(
            f"IF {', '.join(r['antecedents'])} THEN {', '.join(r['consequents'])}: "
            f"confidence {r['confidence']:.2f} ({r['confidence_low']:.2f} to {r['confidence_high']:.2f}), "
            f"lift {r['lift']:.2f} ({r['lift_low']:.2f} to {r['lift_high']:.2f}), support {r['support']:.3f}"
            for r in self.rules_
        )

    def pictures(self) -> tuple[Chart, ...]:
        """The rules by support and confidence."""
        from privet.report.charts import Points

        if not self.rules_:
            return ()
        shown = tuple((float(r["support"]), float(r["confidence"])) for r in self.rules_)
        bars = tuple(float(r["confidence_high"] - r["confidence_low"]) / 2 for r in self.rules_)
        labels = tuple(f"{', '.join(r['antecedents'])} → {', '.join(r['consequents'])}" for r in self.rules_)
        return (
            Points(
                "Rules", ("rules",), (shown,), errors=(bars,), labels=(labels,), x="support", y="confidence"
            ),
        )


def _held(pattern: int, basis: tuple[Item, ...]) -> list[Item]:
    return [item for place, item in enumerate(basis) if pattern >> place & 1]
