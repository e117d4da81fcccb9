"""Rules mined by an artificial bee colony (Zorarpacı's thesis, section 4.1): for tables that are public.

Three ways, with the thesis's measures and defaults: ``"covering"`` learns rules for a class with wLap and
takes what they cover out of the table, until at most 5 % of the class is left; ``"several"`` learns
``per_class`` rules for each class with wLapMS, new ones unlike the earlier; ``"one"`` learns one with wMS.

The search reads the exact records hundreds of times, so it is **not private**: ``guarantee_`` says so. Mine
private tables with ``RuleMiner``, or perturb the records first.

The thesis leaves open what happens when rules of several classes cover a record. Here the rules are ordered
by their precision on the whole table, as Laplace estimates it, (p + 1)/(p + n + 2), and the first decides;
records that none covers get the class that is most frequent among such records. Covered records of *all*
classes leave the table for the rest of a class's turn, and are back for the next class. How this compares
with the thesis's table 5.1 is in ``docs/concepts/rules.md``.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import field
from os import cpu_count
from typing import Annotated, Any, Literal

import numpy as np
from annotated_types import Ge, Le
from numpy.typing import NDArray

from privet.curator import Curator
from privet.errors import DataError
from privet.estimator import LedgerParameter, SchemaParameter
from privet.estimator.tables import refuse_weights
from privet.learning.public.rule_quality import check_weights
from privet.learning.public.rule_space import RuleProblem, Table, covered
from privet.learning.rules.classifier import RuleClassifier
from privet.learning.rules.rule import Rule, RuleList
from privet.parameters import Delta, Epsilon, validate, with_parameters
from privet.release import Guarantee, public_knowledge
from privet.schema import Category
from privet.search import BeeColony
from privet.stats import Rows
from privet.stats.conditions import Condition

__all__ = ["BeeRules"]

Positions = NDArray[np.float64]
_PUBLIC = "Rules were mined from exact records: this is for tables that are public."
LEFT = 0.05  # a class is done when at most this part of it is uncovered
SHRINK = 0.8  # the table is made anew without covered records when less than this part of it is left
MEASURES: dict[str, Any] = {"covering": "wLap", "several": "wLapMS", "one": "wMS"}


@with_parameters
class BeeRules(RuleClassifier):
    """Rule lists for *public* tables, by artificial bee colony. There is no guarantee.

    >>> import numpy as np
    >>> from privet.schema import Schema
    >>> X = np.random.default_rng(0).uniform(0, 1, (300, 2))
    >>> y = np.where(X[:, 0] < 0.3, "low", "high")
    >>> schema = Schema.of({"p": (0.0, 1.0), "q": (0.0, 1.0), "y": ["low", "high"]}, target="y")
    >>> model = BeeRules(schema=schema, method="one", iterations=200, random_state=0).fit(X, y)
    >>> bool(np.mean(model.predict(X) == y) > 0.95), model.guarantee_.holds
    (True, False)
    """

    method: Annotated[
        Literal["covering", "several", "one"], "Sequential covering, several rules a class, or one."
    ] = "covering"
    per_class: Annotated[int, Ge(1), Le(1000), "Rules for each class, where there are several."] = 4
    alpha: Annotated[float, Ge(0), Le(1), "Weight of the class size in wMS: more means more coverage."] = 0.4
    beta: Annotated[float, Ge(0), Le(1), "Weight of wrong records in wMS: more means more precision."] = 0.6
    factor: Annotated[float, Ge(0), Le(1), "F, how readily a condition comes or goes."] = 0.6
    swarm: Annotated[int, Ge(4), Le(10_000), "Bees; half are employed, half look on."] = 20
    limit: Annotated[int, Ge(1), "Tries without gain before a bee leaves its source."] = 100
    iterations: Annotated[int, Ge(1), "Iterations for each rule."] = 500
    most_rules: Annotated[int, Ge(1), "Rules for each class at most, in sequential covering."] = 200
    schema: SchemaParameter = "infer"
    random_state: Annotated[Any, "A seed, or None."] = None
    # A public table costs nothing, so there is no budget to give.
    epsilon: Epsilon = field(init=False)
    delta: Delta = field(init=False)
    ledger: LedgerParameter = field(init=False)

    def fit(self, X: Any, y: Any = None, **more: Any) -> BeeRules:
        """Mine the rules of a public table: arrays or frames (X, y), or a file that holds the target."""
        refuse_weights(more)
        validate(self)
        check_weights(float(self.alpha), float(self.beta))
        source, schema = self._table(X, y)
        target = schema.nominal_target()
        if not schema.attributes:
            raise DataError("There is no attribute to make rules of.", "Declare one besides the target.")
        table = Table.of([Rows(batch, schema) for batch in source.batches(list(schema.names))], schema)
        generators = np.random.default_rng(self.random_state).spawn(target.size)
        # Classes are mined apart, each from its own seed; the compiled search leaves other threads free.
        with ThreadPoolExecutor(min(target.size, cpu_count() or 1)) as pool:
            mined = pool.map(lambda label: self._mine(table, label, generators[label]), range(target.size))
        found = [(label, position) for label, positions in enumerate(mined) for position in positions]
        self._keep(_ordered(table, found, target))
        self.schema_ = schema
        self.guarantee_ = Guarantee.none([_PUBLIC], schema.unit, public=public_knowledge(schema))
        return self

    def _fit(self, curator: Curator) -> None:
        raise NotImplementedError("BeeRules mines public tables, and has no use for a curator.")

    def _mine(self, table: Table, label: int, generator: np.random.Generator) -> list[Positions]:
        """The rules of one class; none for a class without records."""
        own = int((table.classes == label).sum())
        if own == 0:
            return []
        most = {"covering": self.most_rules, "several": self.per_class, "one": 1}[self.method]
        covering = self.method == "covering"
        found: list[Positions] = []
        known: set[tuple[Condition, ...]] = set()
        left = np.ones(len(table.classes), bool)
        while len(found) < most and (left & (table.classes == label)).sum() > LEFT * own:
            if left.mean() < SHRINK:  # what is gone need not be counted any more
                table, left = table.only(left), left[left]
            # With covering the records themselves are gone; else new rules must not resemble earlier ones.
            earlier = [] if covering else found
            problem = RuleProblem(
                table, left, label, MEASURES[self.method], self.alpha, self.beta, self.factor, earlier
            )
            best = problem.best(
                BeeColony(self.swarm, self.limit, self.iterations, target=problem.most), generator
            )
            conditions = table.conditions(best.position)
            # Nothing covers any of what is left, or the search has no more rules to offer: fewer, not worse.
            if best.fitness == 0 or conditions in known:
                break
            found.append(best.position)
            known.add(conditions)
            if covering:
                left &= ~covered(table, best.position)
        return found


def _ordered(table: Table, found: list[tuple[int, Positions]], target: Category) -> RuleList:
    """The rules by falling precision on the whole table, with what each decides, and the default."""
    ranked = []
    for label, position in found:
        covers = covered(table, position)
        own = table.classes == label
        p, n = int((covers & own).sum()), int((covers & ~own).sum())
        ranked.append(((p + 1) / (p + n + 2), label, covers, table.conditions(position)))
    ranked.sort(key=lambda entry: -entry[0])
    rules: list[Rule] = []
    open_ = np.ones(len(table.classes), bool)
    for _, label, covers, conditions in ranked:
        first = covers & open_
        if not first.any():  # earlier rules decide all of it
            continue
        counts = np.bincount(table.classes[first], minlength=target.size)
        rules.append(Rule(conditions, target.labels[label], tuple(map(float, counts))))
        open_ &= ~covers
    rest = table.classes[open_] if open_.any() else table.classes
    common = int(np.bincount(rest, minlength=target.size).argmax())
    counts = np.bincount(table.classes[open_], minlength=target.size)
    default = Rule((), target.labels[common], tuple(map(float, counts)))
    return RuleList(tuple(target.labels), tuple(rules), default, target.name)
