"""Additive model for classes: a shape per attribute and per chosen pair, boosted over noisy histograms.

It starts from the class shares and, with half the weight, from naive Bayes's own tables of the attributes
whose codes must be joined into cells (numbers, and categories with many values). Then rounds follow: a term
is chosen privately among all attributes and all pairs, and what the model misses in its cells is measured and
put right (``learning.additive.boosting``, with the proof of privacy).

Pairs are what carries interactions, and a pair costs no more than an attribute: noise is added to every cell,
however many there are.

References: Nori et al. (2021) boost shapes on noisy histograms in a fixed order, without pairs; the private
choice of terms, residuals held to a limit, the free curvature and the noise-aware step are Privet's
(``docs/concepts/additive-models.md``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from privet.curator import Curator, Measure
from privet.estimator import PrivateClassifier
from privet.learning.additive.boosting import MOST_HELD, Attribute, Kept, rounds_for
from privet.learning.additive.classes import ClassBoosting, own_probabilities, start_for
from privet.learning.additive.options import AdditiveOptions
from privet.learning.additive.shapes import in_words, model_of, pictures, shapes_of
from privet.learning.additive.turns import Turns
from privet.learning.first_look import FirstLook, LookFirst, first_look
from privet.parameters import with_parameters
from privet.release import Release
from privet.schema import Category
from privet.stats import Contingency, Rows
from privet.stats.boosting import Additive, Grouping

if TYPE_CHECKING:
    from privet.report import Chart

__all__ = ["AdditiveModel"]

Table = NDArray[np.float64]

TOTALS = Fraction(1, 20)  # what the class counts cost in all, in ε
LEAST_TOTALS, MOST_TOTALS = Fraction(1, 20), Fraction(1, 3)
NEEDED = 60  # records times ε, below which whatever is learned is noise


@with_parameters
class AdditiveModel(AdditiveOptions, PrivateClassifier):
    """Differentially private additive model for nominal, numeric and mixed tables; any number of classes.

    The whole fit is (ε, δ)-differentially private for the schema's unit of privacy, under either neighbour
    relation; with δ = 0 it is pure ε. A missing value is a cell like any other. ``shapes_`` holds the terms,
    the strongest first, with error bars for the privacy noise.

    >>> import numpy as np
    >>> from privet.schema import Schema
    >>> generator = np.random.default_rng(0)
    >>> X = generator.integers(0, 2, (5000, 2))
    >>> odd = X[:, 0] ^ X[:, 1]
    >>> schema = Schema.of({"a": [0, 1], "b": [0, 1], "odd": [0, 1]}, target="odd")
    >>> model = AdditiveModel(epsilon=1.0, schema=schema).fit(X, odd)
    >>> model.predict([[0, 0], [0, 1]])
    array([0, 1])
    >>> model.shapes_[0]["columns"]
    ['a', 'b']
    """

    look_first: LookFirst = True

    def _fit(self, curator: Curator) -> None:
        curator.hold(MOST_HELD)
        target = curator.schema.nominal_target()
        self._require_directions(curator.schema, target.size == 2)
        telling = self._telling(curator.schema)
        self.classes_ = np.array(target.labels)
        look = (
            first_look(curator, target, NEEDED if self.look_first else 0)
            if target.size > 1 and telling
            else None
        )
        if look is not None and not look.enough:
            self.class_count_, self.shapes_ = np.maximum(look.counts, 0), []
            self.start_ = start_for(look.shares).tolist()
            self.explanation_ = look.explanation
            return
        names = tuple(column.name for column in telling)
        if look is not None and Turns.taken(curator.schema, names, float(look.counts.sum())):
            curator.hold(MOST_HELD, by_slices_of=names)
        counted, totals, deviation = self._counts(curator, target, look)
        records = max(float(totals.sum()), 1.0)
        prior = np.maximum(totals, 0) + 0.5
        prior = prior / prior.sum()
        self.class_count_ = np.maximum(totals, 0)
        kept, rounds = Kept(Additive(start_for(prior))), 0
        if target.size > 1 and telling:
            counts = {name: release.value.sum(axis=1) for name, release in counted.items()}
            attributes = self._attributes(curator.schema, counts)
            rounds = self.rounds or rounds_for(records - 2 * deviation, curator.amount)
            boosting = ClassBoosting(curator, attributes, self.pairs, target, prior)
            doubt = prior[1:] * prior[:1] if target.size == 2 else prior * (1 - prior)
            kept = boosting.run(half_bayes(kept.model, attributes, counted, prior), rounds, records, doubt)
        self.start_ = kept.model.start.tolist()
        self.shapes_ = self._directed(shapes_of(kept))
        self.explanation_ = self._explained(rounds, records, self.shapes_)

    def _counts(
        self, curator: Curator, target: Category, look: FirstLook | None
    ) -> tuple[dict[str, Release], Table, float]:
        """The tables of attributes whose codes must be joined, class totals, and the noise of their sum."""
        if look is None:  # nothing to learn: all of the budget says how many there are
            question = Measure(Contingency(None, target.name), "the number of records")
            release = curator.ask(question, curator.left)
            return {}, release.value[0].astype(float), release.standard_deviation * target.size**0.5
        needy = self._needy(curator.schema)
        tables = {name: Contingency(name, target.name, code.cuts) for name, code in needy.items()}
        shares = self._shares(curator, needy)
        asked = [(Measure(t, f"'{n}' within each '{target.name}'"), shares[n]) for n, t in tables.items()]
        # At a small ε the largest class is most of what can be known, so it is counted once more.
        more = min(MOST_TOTALS, TOTALS / curator.amount.epsilon) - (1 - curator.left)
        if more > LEAST_TOTALS:
            what = f"the number of records of each '{target.name}', again"
            asked.append((Measure(Contingency(None, target.name), what), more))
        releases = curator.ask_together(asked) if asked else []
        # The tables' column totals estimate the class totals, too.
        squared = [look.deviation**2, *(r.standard_deviation**2 * len(r.value) for r in releases)]
        precision = 1 / np.maximum(squared, 1e-9)
        margins = np.stack([look.counts, *(r.value.sum(axis=0) for r in releases)]).astype(float)
        spread = float(np.sqrt(target.size / precision.sum()))
        return dict(zip(tables, releases, strict=False)), precision @ margins / precision.sum(), spread

    def _log_scores(self, rows: Rows) -> NDArray[np.float64]:
        margins = model_of(self.start_, self.shapes_).margins(rows)
        if len(self.classes_) == 2:
            margins = np.hstack([np.zeros_like(margins), margins])
        return np.asarray(np.log(np.maximum(own_probabilities(margins), 1e-300)))

    @property
    def _outputs(self) -> list[str]:
        named = [str(label) for label in self.classes_]
        return named[1:] if len(named) == 2 else named

    def in_words(self) -> str:
        """The strongest terms and where each is highest and lowest, or that nothing stands out."""
        whose = f"'{self._outputs[0]}'" if len(self.classes_) == 2 else "a class"
        head = f"What multiplies the odds of {whose}, strongest first (in brackets: the range noise leaves):"
        return in_words(self.shapes_, self.schema_, head, self._outputs) or self.explanation_

    def pictures(self) -> tuple[Chart, ...]:
        """The shapes as curves, bars and heatmaps of released values, the strongest first."""
        return pictures(self.shapes_, self.schema_, self._outputs, "log odds")


def half_bayes(
    model: Additive, attributes: Sequence[Attribute], counted: Mapping[str, Release], prior: Table
) -> Kept:
    """The model with half of naive Bayes's log ratios, for attributes whose tables stand out from noise.

    Its error is half of how far a count's logarithm moves from 1.96 deviations below it to as many above.
    """
    errors: list[Table] = []
    for each in attributes:
        name = each.alone.coded.column
        if name not in counted:
            continue
        release, groups = counted[name], np.array(each.alone.groups)
        counts = np.zeros((each.alone.size, len(prior)))
        np.add.at(counts, groups, release.value)
        squared = release.standard_deviation**2 * np.bincount(groups)[:, None]
        expected = np.outer(np.maximum(counts.sum(axis=1), 0), prior)
        beyond = (((counts - expected) ** 2 - squared - expected) / (expected + squared + 5)).sum()
        if beyond <= 3 * np.sqrt(counts.size):  # as much as noise and chance would often show
            continue
        more = (np.sqrt(squared) + 2) * prior * len(prior)
        known, off = _log_known(counts, more, np.sqrt(squared))
        if len(prior) == 2:
            ratio = known - np.log(prior)
            table, error = ratio[:, 1:] - ratio[:, :1], (off**2).sum(axis=1, keepdims=True)
        else:
            total, off_total = _log_known(
                np.maximum(counts, 0).sum(axis=1, keepdims=True),
                more.sum(axis=1, keepdims=True),
                np.sqrt(squared * len(prior)),
            )
            table, error = known - total - np.log(prior), off**2 + off_total**2
        model = model.plus(Grouping((each.alone,)), table / 2)
        errors.append(error / 4)
    return Kept(model, errors)


def _log_known(counts: Table, more: Table, deviation: Table) -> tuple[Table, Table]:
    """The logarithm of noisy counts, of which none is below 0, with ``more`` added to each; and its error."""
    low, known, high = (
        np.log(np.maximum(counts + times * deviation, 0) + more) for times in (-1.96, 0, 1.96)
    )
    return known, (high - low) / 2
