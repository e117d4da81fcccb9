"""The residuals of a regression: a histogram of true less predicted numbers, from one released table.

The table has fine bins over all that a residual can be; what is shown is the part of it that holds nearly all
records, with neighbouring bins taken together. That is post-processing and costs nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privet.evaluation.diagnosis.value import Diagnosis
from privet.evaluation.figures import Figure, Measured, half_width, nonnegative
from privet.release import Guarantee
from privet.schema import Number

if TYPE_CHECKING:
    from privet.report import Chart

__all__ = ["BINS", "ResidualDiagnosis"]

Numbers = NDArray[np.float64]

BINS = 256
_SHOWN = 24
_NEARLY_ALL = 0.995
_DRAWS = 1000


@dataclass(frozen=True)
class ResidualDiagnosis(Diagnosis):
    """How far a regression is off: too low above 0, too high below, in the target's unit.

    Half of the residuals are below ``median``; ``half_within`` and ``nine_tenths_within`` are how far off
    half and nine tenths of the predictions are at most. ``noisy`` is what was released, in bins of equal
    width over all that a residual can be.
    """

    target: str
    limit: float
    noisy: NDArray[Any]
    deviation: float
    records: Figure
    median: Figure
    half_within: Figure
    nine_tenths_within: Figure
    guarantee: Guarantee

    @classmethod
    def of(cls, column: Number, table: Measured, guarantee: Guarantee) -> ResidualDiagnosis:
        """What a measured histogram (noisy, or exact for public data) amounts to."""
        limit = 2 * float(column.half_range)
        drawn = table.draws(np.random.default_rng(0), _DRAWS if table.releases else 1)
        seen = table.value[None].astype(float)
        wide = limit * 2 / len(table.value)
        value, draws = _figures(seen, limit)[0], _figures(drawn, limit)
        # Within its bin a residual may be anywhere: that is not noise, but no figure is surer than it.
        errors = np.minimum(half_width(value, draws) + np.array([0, wide / 2, wide / 2, wide / 2]), 2 * limit)
        errors[0] = half_width(value[:1], draws[:, :1])[0]
        records, median, half, nine = (Figure(float(v), float(e)) for v, e in zip(value, errors, strict=True))
        deviation = max((release.standard_deviation for release in table.releases), default=0.0)
        held = Figure(max(records.value, 0.0), records.error)
        return cls(column.name, limit, table.value, deviation, held, median, half, nine, guarantee)

    @property
    def title(self) -> str:  # type: ignore[override]
        return f"How far off the predicted '{self.target}' is"

    @property
    def headline(self) -> Figure:
        return self.half_within

    def lines(self) -> list[tuple[str, str]]:
        return [
            ("Records", self.records.as_count()),
            ("Median residual", str(self.median)),
            ("Half are off by at most", str(self.half_within)),
            ("Nine tenths are off by at most", str(self.nine_tenths_within)),
        ]

    def in_words(self) -> str:
        if not math.isfinite(self.half_within.value):
            return "At this budget the noise hides the residuals: take more records or a larger epsilon."
        return f"Half of the predictions are off by at most {self.half_within}."

    def charts(self) -> tuple[Chart, ...]:
        from privet.report.charts import Bars, Series, numbers

        counts = nonnegative(self.noisy.astype(float))
        if counts.sum() <= 0:
            return ()
        first, last, width = _shown(self.noisy.astype(float), self.deviation)
        edges = np.linspace(-self.limit, self.limit, len(counts) + 1)
        groups = [slice(start, min(start + width, last)) for start in range(first, last, width)]
        bars = numbers(counts[each].sum() for each in groups)
        errors = numbers(1.96 * self.deviation * math.sqrt(each.stop - each.start) for each in groups)
        labels = tuple(f"{edges[each.start]:.3g} to {edges[each.stop]:.3g}" for each in groups)
        series = Series("records", bars, errors if self.deviation else None)
        note = "Right of 0 the truth was higher than the prediction. Bars are for the privacy noise (95 %)."
        return (Bars("Residuals", labels, (series,), x="true less predicted", y="records", note=note),)

    def to_dict(self) -> dict[str, Any]:
        return {"target": self.target} | super().to_dict() | {"noisy": self.noisy.tolist()}


def _figures(tables: Numbers, limit: float) -> Numbers:
    """Records, median residual, and how far off half and nine tenths are; a row for each table."""
    middles = (np.arange(tables.shape[1]) + 0.5) / tables.shape[1] * 2 * limit - limit
    order = np.argsort(np.abs(middles), kind="stable")
    away = tables[:, order]
    return np.stack(
        [
            tables.sum(axis=1),
            _quantile(tables, middles, 0.5),
            _quantile(away, np.abs(middles)[order], 0.5),
            _quantile(away, np.abs(middles)[order], 0.9),
        ],
        axis=1,
    )


def _quantile(tables: Numbers, values: Numbers, part: float) -> Numbers:
    totals = tables.sum(axis=1, keepdims=True)
    reached = np.maximum.accumulate(tables.cumsum(axis=1), axis=1) >= part * totals
    return np.where(totals[:, 0] > 0, values[reached.argmax(axis=1)], np.nan)


def _shown(counts: Numbers, deviation: float) -> tuple[int, int, int]:
    """The part around 0 beyond which there is little but noise, and how many bins a bar stands for."""
    half, total = len(counts) // 2, counts.sum()
    for reach in range(1, half + 1):
        outside = total - counts[half - reach : half + reach].sum()
        noise = 2 * deviation * math.sqrt(len(counts) - 2 * reach)
        if outside <= max((1 - _NEARLY_ALL) * total, noise):
            break
    width = max(1, math.ceil(2 * reach / _SHOWN))
    reach = min(half, math.ceil(reach / width) * width)
    return half - reach, half + reach, width
