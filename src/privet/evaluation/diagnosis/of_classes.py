"""ROC curve, AUC, calibration and lift of a classifier, all from one released table of classes × scores.

Everything here is post-processing of that table. Scores count by their bin: two records in the same bin are
tied, so the AUC is that of the binned scores. Error bars come from drawing the noise again (``figures``).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privet.evaluation.diagnosis.value import Diagnosis
from privet.evaluation.figures import Figure, Measured, half_width
from privet.release import Guarantee

if TYPE_CHECKING:
    from privet.report import Chart

__all__ = ["ClassDiagnosis", "log_odds_cuts", "sampling_error"]

Numbers = NDArray[np.float64]

#: Log odds beyond this (a probability of 0.1 %, or of 99.9 %) are in the first and the last bin.
_EXTREME = 7.0
_DRAWS = 1000
_RATES = np.array([0.01, 0.02, *np.linspace(0.05, 1, 20)])
_PARTS = np.array([0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0])
_TENTH = 1  # the place of 0.1 in _PARTS
_GROUPS = 12


def log_odds_cuts(bins: int) -> tuple[float, ...]:
    """Where bins of the log odds end: equal steps, which are finest where probabilities are near 0 and 1.

    >>> log_odds_cuts(4)
    (-7.0, 0.0, 7.0)
    """
    return tuple(float(each) for each in np.linspace(-_EXTREME, _EXTREME, bins - 1))


def sampling_error(auc: float, positives: float, negatives: float) -> float:
    """How far the choice of so many records may move an AUC in 95 % of cases (Hanley, McNeil 1982).

    >>> round(sampling_error(0.9, 100, 100), 3)
    0.044
    """
    if not math.isfinite(auc) or positives < 1 or negatives < 1:
        return math.inf
    one, two = auc / (2 - auc), 2 * auc**2 / (1 + auc)
    spread = auc * (1 - auc) + (positives - 1) * (one - auc**2) + (negatives - 1) * (two - auc**2)
    return 1.96 * math.sqrt(max(spread, 0.0) / (positives * negatives))


@dataclass(frozen=True)
class Curve:
    """Values with error bars along a number."""

    at: tuple[float, ...]
    values: tuple[float, ...]
    errors: tuple[float, ...]

    @property
    def known(self) -> bool:
        """Whether every value is a number."""
        return bool(self.at) and bool(np.isfinite([*self.at, *self.values, *self.errors]).all())


@dataclass(frozen=True)
class ClassDiagnosis(Diagnosis):
    """How well a classifier's probabilities of one class order and predict the records of that class.

    ``auc`` is the chance that a record of the class gets a higher score than another, and ``in_all`` how far
    noise and the choice of test records together may have moved it. ``roc`` has the share of the class that
    is found against the share of the others that is taken for it, ``calibration`` the share observed against
    the probability predicted, ``lift`` how much denser the class is among the records with the highest
    scores; ``top`` is the lift of the highest tenth. ``noisy`` is what was released: classes × bins.
    """

    positive: Any
    bins: int
    noisy: NDArray[Any]
    records: Figure
    share: Figure
    auc: Figure
    in_all: float
    top: Figure
    roc: Curve
    calibration: Curve
    lift: Curve
    guarantee: Guarantee

    @classmethod
    def of(
        cls, labels: tuple[Any, ...], place: int, cuts: tuple[float, ...], table: Measured, said: Guarantee
    ) -> ClassDiagnosis:
        """What a measured table (noisy, or exact for public data) amounts to."""
        number = _DRAWS if table.releases else 1
        drawn = _Split.of(table.draws(np.random.default_rng(0), number), place)
        seen = _Split.of(table.value[None].astype(float), place)

        def figure(name: str, low: float, high: float) -> Figure:
            value = np.clip(getattr(seen, name)(), low, high)[0]
            error = half_width(np.asarray(value), getattr(drawn, name)(), high - low)
            return Figure(float(value), float(error))

        def curve(name: str, at: Numbers, high: float) -> Curve:
            value = np.clip(getattr(seen, name)(at), 0, high)[0]
            return _curve(at, value, half_width(value, getattr(drawn, name)(at), high))

        auc = figure("auc", 0, 1)
        lift = curve("lift", _PARTS, np.inf)
        positives, negatives = float(seen.positives[0].sum()), float(seen.negatives[0].sum())
        chosen = sampling_error(auc.value, positives, negatives)
        return cls(
            positive=labels[place],
            bins=len(cuts) + 1,
            noisy=table.value,
            records=figure("records", 0, np.inf),
            share=figure("share", 0, 1),
            auc=auc,
            in_all=min(math.hypot(auc.error, chosen), 1.0),
            top=Figure(lift.values[_TENTH], lift.errors[_TENTH]),
            roc=curve("found_at", _RATES, 1.0),
            calibration=_calibration(table, seen, drawn, cuts),
            lift=lift,
            guarantee=said,
        )

    @property
    def title(self) -> str:  # type: ignore[override]
        return f"How well the scores of the class '{self.positive}' tell it from the rest"

    @property
    def headline(self) -> Figure:
        return self.auc

    def lines(self) -> list[tuple[str, str]]:
        auc = str(self.auc)
        if math.isfinite(self.auc.value):
            auc += f"  (± {self.in_all:.2g} with the choice of test records)"
        return [
            ("Records", self.records.as_count()),
            (f"Share of '{self.positive}'", str(self.share)),
            ("AUC", auc),
            ("Lift of the highest tenth", str(self.top)),
        ]

    def in_words(self) -> str:
        if not math.isfinite(self.auc.value) or self.auc.error > 0.5:
            return "At this budget the noise hides the curve: more records or a larger epsilon are needed."
        return (
            f"A record of the class '{self.positive}' gets a higher score than another one in about "
            f"{100 * self.auc.value:.0f} of 100 cases."
        )

    def charts(self) -> tuple[Chart, ...]:
        return tuple(self._charts())

    def _charts(self) -> Iterator[Chart]:
        from privet.report.charts import Lines, Series

        note = "Bands are for the privacy noise (95 %), not for the choice of test records."
        names: dict[str, Any]
        if self.roc.known:
            found = Series("found", self.roc.values, self.roc.errors, (0, 1))
            names = {"x": "share of the others taken for it", "y": f"share of '{self.positive}' found"}
            yield Lines("ROC curve", self.roc.at, (found,), **names, note=note, diagonal="by chance")
        if self.calibration.known:
            one = Series("observed", self.calibration.values, self.calibration.errors, (0, 1))
            names = {"x": "probability predicted", "y": "share observed"}
            at = self.calibration.at
            yield Lines("Calibration", at, (one,), **names, note=note, diagonal="as predicted")
        if self.lift.known:
            one = Series("lift", self.lift.values, self.lift.errors, (0, None))
            names = {"x": "share of the records, highest scores first", "y": "times as many as by chance"}
            yield Lines("Lift", self.lift.at, (one,), levels=(("by chance", 1.0),), **names, note=note)

    def to_dict(self) -> dict[str, Any]:
        plain = {"positive": self.positive, "bins": self.bins, "auc_error_in_all": self.in_all}
        return plain | super().to_dict() | {"noisy": self.noisy.tolist()}


@dataclass(frozen=True)
class _Split:
    """Tables of records of the class and of all others by bin: one, or many draws of it."""

    positives: Numbers
    negatives: Numbers

    @classmethod
    def of(cls, tables: Numbers, place: int) -> _Split:
        return cls(tables[:, place], np.delete(tables, place, axis=1).sum(axis=1))

    @property
    def _sizes(self) -> tuple[Numbers, Numbers]:
        """How many there are of each; NaN where noise has left none."""
        one, two = self.positives.sum(axis=1), self.negatives.sum(axis=1)
        return np.where(one > 0, one, np.nan), np.where(two > 0, two, np.nan)

    def records(self) -> Numbers:
        return self.positives.sum(axis=1) + self.negatives.sum(axis=1)

    def share(self) -> Numbers:
        total = self.records()
        return self.positives.sum(axis=1) / np.where(total > 0, total, np.nan)

    def auc(self) -> Numbers:
        one, two = self._sizes
        below = self.negatives.cumsum(axis=1) - self.negatives / 2
        return (self.positives * below).sum(axis=1) / (one * two)

    def found_at(self, rates: Numbers) -> Numbers:
        """The share of the class that is found where these shares of the others are taken for it."""
        one, two = self._sizes
        return _along(_falling(self.negatives) / two[:, None], _falling(self.positives) / one[:, None], rates)

    def lift(self, parts: Numbers) -> Numbers:
        """How much denser the class is among these parts of the records than among all."""
        one, two = self._sizes
        total = _falling(self.positives + self.negatives) / (one + two)[:, None]
        return _along(total, _falling(self.positives) / one[:, None], parts) / parts


def _falling(counts: Numbers) -> Numbers:
    """Cumulated from the highest bin on, with nothing before it."""
    return np.pad(counts[:, ::-1].cumsum(axis=1), ((0, 0), (1, 0)))


def _along(x: Numbers, y: Numbers, at: Numbers) -> Numbers:
    """Curves that can only rise, at these places."""
    x, y = np.maximum.accumulate(x, axis=1), np.maximum.accumulate(y, axis=1)
    return np.array([np.interp(at, one, two) for one, two in zip(x, y, strict=True)])


def _calibration(table: Measured, seen: _Split, drawn: _Split, cuts: tuple[float, ...]) -> Curve:
    """The share observed in groups of bins that hold enough records beside the noise."""
    step = cuts[1] - cuts[0]
    middles = np.array([cuts[0] - step / 2, *(np.array(cuts) + step / 2)])
    predicted = 1 / (1 + np.exp(-middles))
    weights = np.maximum((seen.positives + seen.negatives)[0], 0)
    deviation = max((r.standard_deviation for r in table.releases), default=0.0)
    groups = _groups(weights, deviation * math.sqrt(table.value.shape[0]))
    if not groups:
        return Curve((), (), ())
    at = np.array([np.average(predicted[part], weights=weights[part]) for part in groups])

    def observed(split: _Split) -> Numbers:
        totals = np.stack([(split.positives + split.negatives)[:, p].sum(axis=1) for p in groups], axis=1)
        positives = np.stack([split.positives[:, part].sum(axis=1) for part in groups], axis=1)
        return np.asarray(positives / np.where(totals > 0, totals, np.nan))

    value = np.clip(observed(seen), 0, 1)[0]
    return _curve(at, value, half_width(value, observed(drawn), 1.0))


def _groups(weights: Numbers, deviation: float) -> list[slice]:
    """Neighbouring bins, together until they hold a fair share of the records and exceed the noise."""
    least = weights.sum() / _GROUPS
    groups, start = [], 0
    for end in range(1, len(weights) + 1):
        held = weights[start:end].sum()
        if held > 0 and held >= max(least, 10 * deviation * math.sqrt(end - start)):
            groups.append(slice(start, end))
            start = end
    if groups and start < len(weights) and weights[start:].sum() > 0:
        groups[-1] = slice(groups[-1].start, len(weights))
    return groups


def _curve(at: Numbers, values: Numbers, errors: Numbers) -> Curve:
    return Curve(*(tuple(float(each) for each in part) for part in (at, values, errors)))
