"""What every private classifier that ends in a rule list shares: prediction, explanation, printing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privet.estimator import PrivateClassifier
from privet.learning.first_look import FirstLook
from privet.learning.rules.rule import Rule, RuleList
from privet.schema import Category
from privet.stats import FirstThatHolds, Rows

if TYPE_CHECKING:
    from privet.report import Chart

__all__ = ["RuleClassifier"]


class RuleClassifier(PrivateClassifier):
    """Base of the rule learners: subclasses write ``_fit`` and end it with ``_keep``."""

    rules_: dict[str, Any]

    def _keep(self, rules: RuleList) -> None:
        """What was learned, as plain data: it travels in the model's JSON."""
        self.classes_ = np.array(rules.classes)
        self.rules_ = rules.to_dict()

    def _keep_largest(self, look: FirstLook, target: Category) -> None:
        """No rule but the default: the class that is the largest by a first look."""
        sizes = look.sizes
        label = target.labels[int(sizes.argmax())]
        self.explanation_ = look.explanation
        otherwise = Rule((), label, tuple(sizes.tolist()), 1.96 * look.deviation)
        self._keep(RuleList(tuple(target.labels), (), otherwise, target.name))

    @property
    def rules(self) -> RuleList:
        """The learned rules as values: iterate over ``.rules``, or print them."""
        return RuleList.from_dict(self.rules_)

    @staticmethod
    def _shown(listed: RuleList) -> tuple[Rule, ...]:
        """The rules that cover more than the noise could."""
        return tuple(r for r in listed.rules if r.coverage > r.error * len(listed.classes) ** 0.5)

    def in_words(self) -> str:
        """The rules, one per line, but for those that cover nothing beyond the noise."""
        listed = self.rules
        kept = self._shown(listed)
        left = len(listed.rules) - len(kept)
        more = f"\n({left} more cover nothing beyond the noise and are not shown.)" if left else ""
        return f"{replace(listed, rules=kept)}{more}"

    def pictures(self) -> tuple[Chart, ...]:
        """What each rule that is shown covers, by class."""
        from privet.report.charts import Bars, Series, numbers

        listed = self.rules
        every = (*self._shown(listed), listed.default)
        if not all(rule.counts for rule in every):
            return ()
        series = tuple(
            Series(
                f"'{listed.target}' is {label}",
                numbers(rule.counts[place] for rule in every),
                numbers(rule.error for rule in every) if any(rule.error for rule in every) else None,
                (0, None),
            )
            for place, label in enumerate(listed.classes)
        )
        texts = tuple(rule.text(listed.target) for rule in every)
        note = "The first rule that applies decides. Bars are for the privacy noise (95 %)."
        return (Bars("Records that each rule covers", texts, series, y="records", note=note),)

    def decision_path(self, X: Any) -> NDArray[np.int64]:
        """Which rule decided each record: its place in the list; the number of rules means the default."""
        listed = self.rules
        parts = [listed.fired(rows) for rows in self._rows(X)]
        return np.concatenate(parts) if parts else np.empty(0, np.int64)

    def explain(self, X: Any) -> list[str]:
        """The rule that decided each record, in words."""
        listed = self.rules
        every: tuple[Rule, ...] = (*listed.rules, listed.default)
        return [str(every[place]) for place in self.decision_path(X)]

    def _counted_parts(self) -> tuple[FirstThatHolds, list[tuple[float, ...]]]:
        """What each rule covers that no rule before it does, and the noisy class counts of that."""
        listed = self.rules
        none = (0.0,) * len(listed.classes)
        return listed.assignment, [rule.counts or none for rule in (*listed.rules, listed.default)]

    def _log_scores(self, rows: Rows) -> NDArray[np.float64]:
        listed = self.rules
        scores: NDArray[np.float64] = np.log(listed.probabilities())[listed.fired(rows)]
        return scores
