"""Additive model for a number: a shape per attribute and per chosen pair, boosted over noisy histograms.

A noisy histogram of the target gives the mean to start from, how far values usually lie from it (to which
residuals are held), and the number of records; counts of attributes whose codes must be joined give their
cells. Then rounds follow, as in ``learning.additive.boosting``, with the proof of privacy.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from privet.curator import Curator, Measure
from privet.estimator import PrivateRegressor, numeric_target
from privet.learning.additive.boosting import MOST_HELD, Kept, rounds_for
from privet.learning.additive.numbers import NumberBoosting
from privet.learning.additive.options import AdditiveOptions
from privet.learning.additive.shapes import in_words, model_of, pictures, shapes_of
from privet.learning.regress.middle import (
    LEAST_SPREAD,
    close_together,
    closer_mean,
    error_of,
    histogram_of,
    is_far_off,
    mean_alone,
    mean_and_records,
    number_of,
    places,
    small_budget,
    sum_of,
)
from privet.parameters import with_parameters
from privet.release import Release
from privet.stats import CrossTable, Rows
from privet.stats.boosting import Additive

if TYPE_CHECKING:
    from privet.report import Chart

__all__ = ["AdditiveRegressor"]

Table = NDArray[np.float64]

TARGET = Fraction(1, 5)  # the share of the target's mean (three fifths of it), histogram and count
MEAN = Fraction(1, 20)  # what these cost at least, in ε; a third of it at most
CLOSER = Fraction(1, 4)  # of what is left, for a mean that noise hides
NEEDED = 250  # records times ε, below which all of the budget is worth more for the mean


@with_parameters
class AdditiveRegressor(AdditiveOptions, PrivateRegressor):
    """Differentially private additive regression for nominal, numeric and mixed tables.

    The whole fit is (ε, δ)-differentially private for the schema's unit of privacy, under either neighbour
    relation; with δ = 0 it is pure ε. ``shapes_`` holds the terms in the target's own unit, the strongest
    first, with error bars for the privacy noise.

    >>> import numpy as np
    >>> from privet.schema import Schema
    >>> generator = np.random.default_rng(0)
    >>> hours = generator.uniform(0, 10, 20_000)
    >>> wage = np.where(hours < 5, 10, 20) + generator.normal(0, 1, 20_000)
    >>> schema = Schema.of({"hours": (0.0, 10.0), "wage": (0.0, 30.0)}, target="wage")
    >>> model = AdditiveRegressor(epsilon=1.0, schema=schema).fit(hours[:, None], wage)
    >>> bool(np.abs(model.predict([[2.0], [8.0]]) - [10, 20]).max() < 1)
    True
    """

    def _fit(self, curator: Curator) -> None:
        curator.hold(MOST_HELD)
        schema = curator.schema
        target = numeric_target(schema)
        self._require_directions(schema, True)
        telling, needy = self._telling(schema), self._needy(schema)
        shares = self._shares(curator, needy)
        # At a small ε the mean is most of what can be known, so it gets more.
        share = max(TARGET, min(Fraction(1, 3), MEAN / curator.amount.epsilon)) if telling else Fraction(1)
        number = curator.ask(number_of(target), share / 5)
        if telling and small_budget(curator) and float(number.value[0]) < self._least(curator):
            mean, records, _ = mean_alone(curator, target, number)
            self.start_, self.shapes_ = [float(target.midpoint + target.half_range * mean)], []
            self.explanation_ = self._explained(1, records, [])
            return
        asked = [(histogram_of(target), share / 5), (sum_of(target), 3 * share / 5)]
        for name, code in needy.items():
            asked.append((Measure(CrossTable((code,)), f"a histogram of '{name}'"), shares[name]))
        histogram, total, *released = curator.ask_together(asked)
        records, mean, spread, close = _summary(histogram, total, number)
        off = error_of(total, mean, records)
        # A rehearsal has noise alone, which now and then looks like values that lie close together.
        if telling and not curator.rehearsing and close is not None and is_far_off(off, close):
            mean = closer_mean(curator, target.name, mean, off, spread, records, curator.left * CLOSER)
        kept, rounds = Kept(Additive(np.array([mean]))), 0
        if telling:
            counts = {name: release.value for name, release in zip(needy, released, strict=True)}
            rounds = self.rounds or rounds_for(records - 2 * number.standard_deviation, curator.amount)
            limit = min(1.0, 2 * spread)
            attributes = self._attributes(schema, counts)
            boosting = NumberBoosting(curator, attributes, self.pairs, target.name, limit, spread**2)
            kept = boosting.run(kept, rounds, records, np.array([spread**2]))
        self.start_ = [float(target.midpoint + target.half_range * mean)]
        scale = target.half_range
        terms = tuple((grouping, scale * table) for grouping, table in kept.model.terms)
        scaled = Kept(Additive(np.zeros(1), terms), [scale**2 * squared for squared in kept.errors])
        self.shapes_ = self._directed(shapes_of(scaled))
        self.explanation_ = self._explained(rounds, records, self.shapes_)

    @staticmethod
    def _least(curator: Curator) -> float:
        """The least number of records that is enough: ``NEEDED`` at ε = 1 for each record."""
        return NEEDED * curator.schema.unit.most / float(curator.amount.epsilon)

    def _predictions(self, rows: Rows) -> NDArray[np.float64]:
        target = numeric_target(self.schema_)
        return np.clip(model_of(self.start_, self.shapes_).margins(rows)[:, 0], target.low, target.high)

    def in_words(self) -> str:
        """The strongest terms and where each is highest and lowest."""
        head = f"What is added to '{self.schema_.target}', strongest first (± the error from noise):"
        return in_words(self.shapes_, self.schema_, head, ()) or self.explanation_

    def pictures(self) -> tuple[Chart, ...]:
        """The shapes as curves, bars and heatmaps of released values, the strongest first."""
        name = str(self.schema_.target)
        return pictures(self.shapes_, self.schema_, [name], name)


def _summary(histogram: Release, total: Release, number: Release) -> tuple[float, float, float, float | None]:
    """Records, mean and spread of the target in half ranges, and the spread if values lie close together."""
    counts = histogram.value[:-1].astype(float)
    mean, records = mean_and_records(total, number)
    close = close_together(histogram, records, float(number.standard_deviation))
    if close is not None:
        return records, mean, close.spread, close.spread
    # The noise of all bins together could pass for a spread that is not there: what is below it is left out.
    clear = np.maximum(counts - histogram.standard_deviation, 0)
    if not clear.any():
        return records, mean, 0.5, None
    spread = float(np.sqrt(clear @ (places(counts) - mean) ** 2 / clear.sum()))
    return records, mean, float(np.clip(spread, LEAST_SPREAD, 1.0)), None
