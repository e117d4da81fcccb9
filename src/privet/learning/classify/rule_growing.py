"""Rules grown by private choices: every rule is refined by one more condition, level by level.

The list starts with one rule without conditions. At each level every rule is split in two by a condition that
is chosen privately among all candidates: the rule with the condition, and right after it the rule without,
for the records that the condition has not caught. After ``depth`` levels the coverage of all rules is
released as one noisy table; rules that it does not justify are joined again.

**Privacy.** The rules of a level are a partition of the records, and it was released before. A record takes
part in the choice of one rule only, so a level costs one share *for all its choices together*, whatever the
number of rules (proofs: ``stats.scores`` for the groups, ``stats.choices.refinements`` for the scores). The
coverage table has sensitivity 1 (``stats.coverage``). Shares add up to 1. Joining and printing is
post-processing.

Compared with mining perturbed records, where the noise on every single value hides the records themselves,
the noise here is on counts of many records: at the same ε it is smaller by orders of magnitude.

``conditions="shared"`` refines all rules of a level by the same condition. Its score is the sum over the
rules, so it grows with all records while the noise stays: better for small tables, where a rule's own
condition would be chosen by few records. ``conditions="together"`` goes further: one choice among all
combinations of ``depth`` conditions (at most 3), by how many records they get right
(``stats.choices.joint``).

Reference: the greedy choices follow Friedman and Schuster (2010); the ordered list with its short rules, the
purity of sensitivity 1 and the joining are Privet's.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Literal

import numpy as np
from annotated_types import Ge, Gt, Le, Lt
from numpy.typing import NDArray

from privet.budget import Approximate, Pure, budget
from privet.curator import Choose, Curator, Measure
from privet.learning.first_look import FirstLook, LookFirst, first_look, plenty
from privet.learning.rules.classifier import RuleClassifier
from privet.learning.rules.rule import Rule, RuleList
from privet.parameters import Bins, Records, with_parameters
from privet.release import Release
from privet.schema import Category, Schema
from privet.schema.bins import public_cuts
from privet.stats import Contingency, Coverage
from privet.stats.choices.joint import JointCorrect
from privet.stats.choices.refinements import Quality, Refinements, Shared
from privet.stats.conditions import Between, Condition, OneOf

__all__ = ["RuleMiner"]

Table = NDArray[np.float64]
Conditions = tuple[Condition, ...]
DEEP = 7
SEEMING = 0.8  # what noise alone would often seem to gain by a split, in deviations of what it covers
NEEDED = 40  # records times ε, below which whatever is learned is noise


@with_parameters
class RuleMiner(RuleClassifier):
    """Differentially private rule lists for nominal, numeric and mixed tables; a missing value is a value.

    The whole fit is (ε, δ)-differentially private for the schema's unit of privacy, under either neighbour
    relation; with δ = 0 it is pure ε.

    >>> import numpy as np
    >>> from privet.schema import Schema
    >>> generator = np.random.default_rng(0)
    >>> X = generator.uniform(0, 1, (5000, 2))
    >>> y = np.where((X[:, 0] > 0.5) & (X[:, 1] > 0.5), "both", "no")
    >>> schema = Schema.of({"p": (0.0, 1.0), "q": (0.0, 1.0), "y": ["no", "both"]}, target="y")
    >>> model = RuleMiner(epsilon=2.0, schema=schema, depth=2).fit(X, y)
    >>> sorted(set(model.explain(X)))
    ['IF p < 0.5 THEN no', 'IF q < 0.5 THEN no', 'OTHERWISE both']
    """

    depth: Annotated[
        int | None,
        Ge(1),
        Le(12),
        "How many conditions a rule may have; each costs a share. By default as many as the budget allows.",
    ] = None
    records: Records = None
    quality: Annotated[
        Quality, "What a condition is chosen by: purity of the classes, or how many records are right."
    ] = "purity"
    conditions: Annotated[
        Literal["own", "shared", "together"],
        "Each rule has its own condition at a level, or all share one, or all (3 at most) at once.",
    ] = "own"
    coverage_share: Annotated[
        float, Gt(0), Lt(1), "The part of the budget for the noisy coverage of the rules."
    ] = 0.3
    bins: Bins = 16

    look_first: LookFirst = True

    @property
    def _depth(self) -> int:
        """Every level halves what a rule covers and costs a share: more of both carry more levels.

        Undeclared, 4: that loses least on tables of all sizes.

        >>> [RuleMiner(epsilon=e, records=n)._depth for e, n in ((0.1, 700), (1.0, 12_000), (3.0, 12_000))]
        [3, 6, 7]
        """
        if self.depth is not None:
            return self.depth
        if self.records is None or self.conditions == "together":
            return 4 if self.records is None else 3
        return int(np.clip(round(np.log2(max(self.records * self.epsilon, 1)) / 2.2), 2, 8))

    def _amount(self) -> Pure | Approximate:
        """Pure ε for few levels: a share of (ε, δ) buys a better choice from seven on."""
        return super()._amount() if self._depth >= DEEP else budget(float(self.epsilon))

    def _fit(self, curator: Curator) -> None:
        schema = curator.schema
        target = schema.nominal_target()
        # A condition on an attribute with a single possible value tells nothing.
        tables = tuple(
            Contingency(column.name, target.name, public_cuts(column, self.bins))
            for column in schema.attributes
            if not isinstance(column, Category) or column.size > 1
        )
        look = None
        if self.look_first and tables and target.size > 1 and not plenty(curator, target, NEEDED):
            look = first_look(curator, target, NEEDED)
            if not look.enough:
                self._keep_largest(look, target)
                return
        left = curator.left
        share = Fraction(self.coverage_share).limit_denominator(1000) * left if tables else left
        leaves: list[Conditions] = [()]
        if tables and self.conditions == "together":
            leaves = _together(curator, tables, self._depth, left - share)
        for level in range(self._depth if tables and self.conditions != "together" else 0):
            kind, whom = (Refinements, "each rule") if self.conditions == "own" else (Shared, "all rules")
            question = kind(_listed(leaves, target).assignment, tables, self.quality)
            candidates = question.candidates(schema)
            choice = Choose(question, f"a condition for {whom}, level {level + 1}")
            chosen = curator.ask(choice, (left - share) / self._depth).chosen
            if kind is Shared:
                chosen = chosen * len(leaves)
            conditions = [_condition(tables, candidates[place], schema) for place in chosen]
            pairs = zip(leaves, conditions, strict=True)
            leaves = [leaf for old, new in pairs for leaf in (_refined(old, new), old)]
        coverage = Coverage(_listed(leaves, target).assignment, target.name)
        release = curator.ask(Measure(coverage, "what each rule covers"), share)
        self._keep(_joined(leaves, release, target, look))


def _together(
    curator: Curator, tables: tuple[Contingency, ...], depth: int, share: Fraction
) -> list[Conditions]:
    """The rules of one choice: every way in which its conditions hold or do not."""
    schema = curator.schema
    places = [(t, row) for t, table in enumerate(tables) for row in range(_telling(table, schema))]
    conditions = tuple(_condition(tables, place, schema) for place in places)
    question = JointCorrect(conditions, tables[0].column, min(depth, 3, len(conditions)))
    [chosen] = curator.ask(Choose(question, "the conditions of all rules, at once"), share).chosen
    leaves: list[Conditions] = [()]
    for place in question.combinations[chosen]:
        leaves = [leaf for old in leaves for leaf in (_refined(old, conditions[place]), old)]
    return leaves


def _telling(table: Contingency, schema: Schema) -> int:
    """Conditions that differ: every cut; every value, but one of two, which is the other's opposite."""
    column = schema[str(table.row)]
    return len(table.cuts) if not isinstance(column, Category) else max(1, column.size - (column.size == 2))


def _listed(leaves: list[Conditions], target: Category) -> RuleList:
    rules = [Rule(conditions, target.labels[0]) for conditions in leaves]
    return RuleList(tuple(target.labels), tuple(rules[:-1]), rules[-1], target.name)


def _condition(tables: tuple[Contingency, ...], candidate: tuple[int, int], schema: Schema) -> Condition:
    place, row = candidate
    table = tables[place]
    column = schema[str(table.row)]
    if isinstance(column, Category):
        return OneOf(column.name, ((*column.labels, None)[row],))
    return Between(column.name, None, table.cuts[row], below=True)


def _refined(conditions: Conditions, new: Condition) -> Conditions:
    """The conditions and a new one; of two upper limits of a number the lower one says it all."""
    if isinstance(new, Between):
        limits = [c.high for c in conditions if isinstance(c, Between) and c.column == new.column]
        high = min(limit for limit in (*limits, new.high) if limit is not None)
        rest = tuple(c for c in conditions if not (isinstance(c, Between) and c.column == new.column))
        return (*rest, Between(new.column, None, high, below=True))
    return conditions if new in conditions else (*conditions, new)


def _joined(leaves: list[Conditions], release: Release, target: Category, look: FirstLook | None) -> RuleList:
    """Join the halves of a split, from the bottom up, where they agree or only noise tells them apart."""
    parts = [
        (conditions, row, 1) for conditions, row in zip(leaves, release.value.astype(float), strict=True)
    ]
    listed = _join(parts, release.standard_deviation)
    if len(listed) == 1 and look is not None:  # the classes of all records were counted before, too
        [(conditions, counts, height)] = listed
        both = look.with_more(counts, release.standard_deviation * height**0.5)
        listed = [
            (conditions, both.counts, max(1, round((both.deviation / release.standard_deviation) ** 2)))
        ]
    rules = [
        Rule(
            conditions,
            target.labels[int(counts.argmax())],
            tuple(counts.tolist()),
            release.error * height**0.5,
        )
        for conditions, counts, height in listed
    ]
    return RuleList(tuple(target.labels), tuple(rules[:-1]), rules[-1], target.name)


Part = tuple[Conditions, Table, int]


def _join(parts: list[Part], deviation: float) -> list[Part]:
    if len(parts) == 1:
        return parts
    half = len(parts) // 2
    one, other = _join(parts[:half], deviation), _join(parts[half:], deviation)
    height = len(parts)
    together: Part = (parts[-1][0], np.sum([part[1] for part in parts], axis=0), height)
    # What the split gets right beyond the joined rule, against what noise alone would seem to gain.
    apart = sum(part[1].max() for part in (*one, *other))
    gain = apart - together[1].max()
    if gain <= deviation * height**0.5 * SEEMING:
        return [together]
    return [*one, *other]
