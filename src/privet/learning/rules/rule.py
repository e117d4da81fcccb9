"""Rules as values: rules and ordered rule lists that print, travel as JSON and classify.

A condition (``stats.conditions``) asks one attribute. A rule is a
conjunction of conditions with a class; an ordered list of rules with a default is a whole classifier, in
which a record belongs to the first rule whose conditions all hold. Nothing here reads private data: counts
in a rule are whatever was released of them, with the error of that release.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.errors import ModelError
from privet.schema.columns import Value
from privet.stats import FirstThatHolds, Rows
from privet.stats.conditions import Condition, all_hold, condition_from_dict

__all__ = ["Rule", "RuleList"]


@dataclass(frozen=True)
class Rule:
    """IF all conditions hold THEN the class. ``counts`` are records of each class that the rule covers.

    ``error`` is how far off each count may be (95 %) where noise was added: 0 for public data.
    """

    conditions: tuple[Condition, ...]
    label: Value
    counts: tuple[float, ...] = ()
    error: float = 0.0

    @property
    def coverage(self) -> float:
        """How many records the rule covers; noise may have made a count negative, which counts as none."""
        return float(sum(max(count, 0.0) for count in self.counts))

    def precision(self, classes: Sequence[Value]) -> float:
        """Which part of the covered records are of the rule's class; 0 where nothing is covered."""
        own = max(self.counts[list(classes).index(self.label)], 0.0) if self.counts else 0.0
        return own / self.coverage if self.coverage else 0.0

    def holds(self, rows: Rows) -> NDArray[np.bool_]:
        """Of which records all conditions are true."""
        return all_hold(self.conditions, rows)

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(condition.column for condition in self.conditions))

    def text(self, target: str | None = None) -> str:
        """The rule in words; with the target's name, if it is given."""
        then = str(self.label) if target is None else f"{target} = {self.label}"
        if not self.conditions:
            return f"OTHERWISE {then}"
        return f"IF {' AND '.join(map(str, self.conditions))} THEN {then}"

    def __str__(self) -> str:
        return self.text()

    def to_dict(self) -> dict[str, Any]:
        return {
            "conditions": [condition.to_dict() for condition in self.conditions],
            "label": self.label,
            "counts": list(self.counts),
            "error": self.error,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Rule:
        conditions = tuple(condition_from_dict(entry) for entry in data["conditions"])
        return cls(conditions, data["label"], tuple(data["counts"]), data["error"])


@dataclass(frozen=True)
class RuleList:
    """Rules in order, and a default for the records that none of them covers.

    >>> from privet.stats.conditions import Between
    >>> young = Rule((Between("age", None, 40, below=True),), "no", (300.0, 20.0), error=6.0)
    >>> rules = RuleList(("no", "yes"), (young,), Rule((), "yes", (80.0, 250.0), error=6.0), target="ill")
    >>> print(rules)
    IF age < 40 THEN ill = no        covers 320 ± 8, of which 94 % (± 2.7) are right
    OTHERWISE ill = yes              covers 330 ± 8, of which 76 % (± 2.6) are right
    >>> RuleList.from_dict(rules.to_dict()) == rules
    True
    """

    classes: tuple[Value, ...]
    rules: tuple[Rule, ...]
    default: Rule
    target: str = "class"

    def fired(self, rows: Rows) -> NDArray[np.int64]:
        """The place of the first rule that covers each record; the number of rules means the default."""
        return self.assignment.part_of(rows)

    @property
    def assignment(self) -> FirstThatHolds:
        """The list as a partition of the records, for questions about what its rules cover."""
        return FirstThatHolds(tuple(rule.conditions for rule in self.rules))

    def probabilities(self, smoothing: float = 1.0) -> NDArray[np.float64]:
        """P(class | rule) for each rule and the default, from their counts; the rule's own class leads."""
        table = np.zeros((len(self.rules) + 1, len(self.classes)))
        for row, rule in zip(table, (*self.rules, self.default), strict=True):
            row += np.maximum(rule.counts or np.zeros(len(row)), 0) + max(smoothing, 1e-9)
            own = self.classes.index(rule.label)
            # Noise may have put another class ahead; the rule predicts its own all the same.
            row[own] = max(row[own], row.max() * (1 + 1e-9))
        return np.asarray(table / table.sum(axis=1, keepdims=True))

    def __str__(self) -> str:
        texts = [rule.text(self.target) for rule in (*self.rules, self.default)]
        width = max(map(len, texts)) + 4
        lines = []
        for text, rule in zip(texts, (*self.rules, self.default), strict=True):
            lines.append(f"{text:<{width}}{self._support(rule)}".rstrip())
        return "\n".join(lines)

    def _support(self, rule: Rule) -> str:
        if not rule.counts:
            return ""
        spread = rule.error * len(self.classes) ** 0.5  # independent noise on each class's count
        share = rule.precision(self.classes)
        covered = f"covers {rule.coverage:,.0f}" + (f" ± {spread:,.0f}" if rule.error else "")
        if rule.coverage <= spread:
            return f"{covered}: too few to tell how many are right"
        # First order: the share moves by the own count's noise over the coverage.
        off = f" (± {min(100.0, 100 * spread / rule.coverage):.2g})" if rule.error else ""
        return f"{covered}, of which {100 * share:.0f} %{off} are right"

    def to_dict(self) -> dict[str, Any]:
        return {
            "classes": list(self.classes),
            "target": self.target,
            "rules": [rule.to_dict() for rule in self.rules],
            "default": self.default.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> RuleList:
        try:
            rules = tuple(Rule.from_dict(entry) for entry in data["rules"])
            listed = cls(tuple(data["classes"]), rules, Rule.from_dict(data["default"]), data["target"])
            [listed.classes.index(rule.label) for rule in (*rules, listed.default)]
        except (LookupError, TypeError, ValueError):
            raise ModelError(
                "These are not the rules of a list: a part is missing or has the wrong form."
            ) from None
        return listed
