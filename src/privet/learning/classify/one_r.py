"""1R: the one attribute that predicts best, and a rule for each of its values (Holte 1993).

``selection="choice"``: the attribute is chosen by permute-and-flip with a part of the budget, and one noisy
table of it, bought with the rest, gives the rules. ``selection="tables"``: a noisy table of every attribute,
and everything else is read off these.

**Privacy.** An attribute's score is how many records its own majority rule gets right. A new record raises
every score by 0 or 1, so the choice needs noise of scale 1/ε' only, without the usual factor 2 (under
``replace``, and for persons with several records: ``stats.scores``). The chosen table has sensitivity 1
(``stats.contingency``). Shares add up to 1. Which rules are made of the table, where neighbouring bins are
joined and which values fall to the default is computed from released numbers and the schema.

**Choice or tables?** With m attributes, ``"tables"`` has noise of scale m/ε in every cell, and the choice is
made by sums over such cells; ``"choice"`` has a scale of about 2/ε for both. By these scales the choice is
better from m = 3 on, and for m = 2 its smaller noise in choosing stands against a slightly noisier table;
that is an argument by scales, not a measurement. ``"auto"`` takes the choice from m = 2 on. A single
attribute needs none, and its table gets all of the budget.

**Public or private cuts?** Equal bins of the public bounds cost nothing, and are blind where the bounds are
far wider than the data. ``cuts="private"`` finds the cuts in the table (``learning.rules.private_cuts``,
with the proof), for a share of the budget: the attribute is then chosen by what its best four intervals get
right, and the one that is chosen is cut privately before its table is bought. Where a category is chosen, or
a number with declared cuts, the table gets that share too; which it is was released, so the shares may
depend on it.

References: Holte (1993). Zorarpacı's thesis (Algorithm 4.3) splits ε over every single count, which wastes it
(``docs/concepts/rules.md``).
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Annotated, Any, Literal

import numpy as np
from annotated_types import Ge, Gt, Le, Lt
from numpy.typing import NDArray

from privet.budget import Approximate, Pure, budget
from privet.curator import Choose, Curator, Measure
from privet.learning.first_look import FirstLook, LookFirst, first_look, plenty
from privet.learning.rules.classifier import RuleClassifier
from privet.learning.rules.private_cuts import private_cuts
from privet.learning.rules.rule import Rule, RuleList
from privet.parameters import Bins, with_parameters
from privet.release import Release
from privet.schema import Category, Number, Schema
from privet.schema.bins import public_cuts
from privet.stats import Contingency, MajorityCorrect
from privet.stats.choices.intervals import IntervalsCorrect
from privet.stats.conditions import Between, Condition, OneOf

__all__ = ["OneR"]

Table = NDArray[np.float64]
MANY_TABLES = 14  # from which on a share of (ε, δ) buys less noise than a share of ε
NEEDED = 30  # records times ε, below which whatever is learned is noise
LEVELS = 2  # of private cuts: at most four intervals


@with_parameters
class OneR(RuleClassifier):
    """Differentially private 1R for nominal, numeric and mixed tables; a missing value is a value.

    The whole fit is (ε, δ)-differentially private for the schema's unit of privacy, under either neighbour
    relation; with δ = 0 it is pure ε. Numbers are cut at the schema's public cuts or into equal bins;
    neighbouring bins are then joined by the noisy table, so where a rule's range ends is paid for.

    >>> import numpy as np
    >>> from privet.schema import Schema
    >>> generator = np.random.default_rng(0)
    >>> ill = generator.integers(0, 2, 5000)
    >>> fever = 36.5 + 2 * ill + generator.normal(0, 0.3, 5000)
    >>> schema = Schema.of({"fever": (35.0, 42.0), "age": (0, 120), "ill": [0, 1]}, target="ill")
    >>> X = np.column_stack([fever, generator.integers(0, 120, 5000)])
    >>> model = OneR(epsilon=1.0, schema=schema).fit(X, ill)
    >>> model.explain([[36.6, 30]]), model.predict([[38.9, 30]])
    (['IF fever < 37.33 THEN 0'], array([1]))
    >>> model.guarantee_.epsilon, model.guarantee_.holds
    (1.0, True)
    """

    selection: Annotated[
        Literal["auto", "choice", "tables"],
        "How the attribute is found: by a private choice, from noisy tables of all, or the better one.",
    ] = "auto"
    selection_share: Annotated[
        float,
        Gt(0),
        Lt(1),
        "The part of the budget that the private choice gets; the table gets the rest.",
    ] = 0.55
    bins: Bins = 6
    cuts: Annotated[
        Literal["public", "private"],
        "Whether numbers are cut into equal bins, or where the private table says, which costs a share.",
    ] = "public"
    cuts_share: Annotated[
        float, Gt(0), Lt(1), "The part of the budget that private cuts get, before the rest is shared."
    ] = 0.3
    grid: Annotated[
        int, Ge(2), Le(10_000), "Between how many equal cells of the bounds a private cut may lie."
    ] = 128

    look_first: LookFirst = True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # one attribute is not enough for every table
        return tags

    def _amount(self) -> Pure | Approximate:
        """Pure ε for a choice and a table, and for few tables: Gaussian noise pays from 14 shares on."""
        schema = self._declared()
        many = schema is not None and self.selection == "tables" and len(schema.attributes) >= MANY_TABLES
        return super()._amount() if many or schema is None else budget(float(self.epsilon))

    def _fit(self, curator: Curator) -> None:
        schema = curator.schema
        target = schema.nominal_target()
        # An attribute with a single possible value predicts nothing that the class counts do not.
        telling = [c for c in schema.attributes if not isinstance(c, Category) or c.size > 1]
        private = self.cuts == "private"
        bins = self.grid if private else self.bins
        tables = tuple(Contingency(column.name, target.name, public_cuts(column, bins)) for column in telling)
        tables = tables or (Contingency(None, target.name),)
        look = None
        if self.look_first and telling and target.size > 1 and not plenty(curator, target, NEEDED):
            look = first_look(curator, target, NEEDED)
            if not look.enough:
                self.attribute_ = None
                self._keep_largest(look, target)
                return
        left = curator.left
        if self.selection == "tables" or len(tables) == 1:
            bought = [self._bought(curator, table, left / len(tables)) for table in tables]
            asked = [(Measure(t, f"'{t.columns[0]}' within each class"), share) for t, share in bought]
            releases = curator.ask_together(asked)
            best = int(np.argmax([_right(release) for release in releases]))
            table, release = bought[best][0], releases[best]
        else:
            share = Fraction(self.selection_share).limit_denominator(1000) * left
            if private:
                share *= 1 - self._cutting
            scores = IntervalsCorrect(tables, 2**LEVELS) if private else MajorityCorrect(tables)
            [best] = curator.ask(Choose(scores, "the attribute whose rule is right most often"), share).chosen
            table, rest = self._bought(curator, tables[best], left - share, self._cutting * left)
            release = curator.ask(Measure(table, "the chosen attribute within each class"), rest)
        self.attribute_ = table.row
        self._keep(_rules(table, release, schema, target, look))

    @property
    def _cutting(self) -> Fraction:
        return Fraction(self.cuts_share).limit_denominator(1000)

    def _bought(
        self, curator: Curator, table: Contingency, share: Fraction, cutting: Fraction | None = None
    ) -> tuple[Contingency, Fraction]:
        """The table that is measured, and what is left of the share after its cuts were found."""
        column = curator.schema[table.row] if table.row is not None else None
        if self.cuts == "public" or not isinstance(column, Number) or column.cuts:
            return table, share
        cutting = self._cutting * share if cutting is None else cutting
        return replace(table, cuts=private_cuts(curator, table, LEVELS, cutting)), share - cutting


def _right(release: Release) -> float:
    """How many records a noisy table gets right; rows in which the noise may rule count less."""
    return float(np.maximum(release.value.max(axis=1) - release.standard_deviation, 0).sum())


def _rules(
    table: Contingency, release: Release, schema: Schema, target: Category, look: FirstLook | None
) -> RuleList:
    """The rules of a noisy table. A value predicts another class than the default only above the noise."""
    counts = release.value.astype(float)
    totals = counts.sum(axis=0)
    if look is not None:
        totals = look.with_more(totals, release.standard_deviation * len(counts) ** 0.5).counts
    default = int(totals.argmax())
    rules = []
    rest = np.zeros(counts.shape[1])
    rest_rows = 0
    for condition, first, last in _parts(table, counts, release.standard_deviation, schema):
        part = counts[first:last].sum(axis=0)
        height = last - first
        best = int(part.argmax())
        deviation = release.standard_deviation * height**0.5
        if part[best] <= 1.4 * deviation:  # nobody there, as far as one can tell
            rest, rest_rows = rest + part, rest_rows + height
            continue
        lead = part[best] - part[default]
        label = best if lead >= 0.7 * deviation else default
        rules.append(
            Rule((condition,), target.labels[label], tuple(part.tolist()), release.error * height**0.5)
        )
    otherwise = Rule(
        (), target.labels[default], tuple(rest.tolist()), release.error * max(rest_rows, 1) ** 0.5
    )
    return RuleList(tuple(target.labels), tuple(rules), otherwise, target.name)


def _parts(
    table: Contingency, counts: Table, deviation: float, schema: Schema
) -> list[tuple[Condition, int, int]]:
    """Conditions with the rows of the table that they stand for: values, or runs of neighbouring bins."""
    if table.row is None:
        return []
    column = schema[table.row]
    missing: tuple[Condition, int, int] = (OneOf(table.row, (None,)), len(counts) - 1, len(counts))
    if isinstance(column, Category):
        values = [(OneOf(table.row, (label,)), row, row + 1) for row, label in enumerate(column.labels)]
        return [*values, missing]
    runs = joined(counts[:-1], 2 * deviation)
    edges: list[float | None] = [None, *table.cuts, None]
    return [
        *((Between(table.row, edges[first], edges[last], below=True), first, last) for first, last in runs),
        missing,
    ]


def joined(counts: Table, price: float) -> list[tuple[int, int]]:
    """Runs of rows whose majorities get the most records right, each run costing ``price`` records.

    Dynamic programming over where the last run begins; O(rows² · classes).

    >>> joined(np.array([[9.0, 0.0], [8.0, 1.0], [0.0, 7.0], [1.0, 9.0]]), price=2.0)
    [(0, 2), (2, 4)]
    """
    sums = np.vstack([np.zeros(counts.shape[1]), counts.cumsum(axis=0)])
    best = np.zeros(len(sums))
    begin = np.zeros(len(sums), int)
    for end in range(1, len(sums)):
        gain = best[:end] + (sums[end] - sums[:end]).max(axis=1) - price
        begin[end] = int(gain.argmax())
        best[end] = gain[begin[end]]
    runs = []
    end = len(counts)
    while end > 0:
        runs.append((int(begin[end]), end))
        end = int(begin[end])
    return runs[::-1]
