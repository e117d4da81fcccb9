"""Odds ratios from noisy 2 × 2 tables, with intervals that account for the noise: post-processing."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

__all__ = ["OddsRatioEstimate", "odds_ratio"]


@dataclass(frozen=True)
class OddsRatioEstimate:
    """An odds ratio and an interval that holds the true one in about ``confidence`` of all studies."""

    value: float
    low: float
    high: float
    confidence: float

    def __str__(self) -> str:
        return f"{self.value:.3g} ({self.low:.3g} to {self.high:.3g})"


def odds_ratio(
    cases: float,
    controls: float,
    all_cases: int,
    all_controls: int,
    deviation: float,
    confidence: float = 0.95,
) -> OddsRatioEstimate:
    """Odds of the value among cases over its odds among controls, from two noisy counts out of public totals.

    The log odds of a count n out of m have a variance of 1/n + 1/(m − n) from sampling (Woolf). Noise of
    variance σ² on n moves them by (1/n + 1/(m − n))·noise to first order, which adds σ²·(1/n + 1/(m − n))².
    Counts are first cut to where a count can be, half a record from its ends. Where the noise is as large
    as a count, the interval is opened on that side: such a table does not bound the ratio.

    >>> str(odds_ratio(120, 60, 300, 300, deviation=4.0))
    '2.67 (1.76 to 4.04)'
    """
    quantile = NormalDist().inv_cdf(0.5 + confidence / 2)
    log_ratio, variance = 0.0, 0.0
    open_low = open_high = False
    for sign, count, total in ((1, cases, all_cases), (-1, controls, all_controls)):
        inside = float(np.clip(count, 0.5, total - 0.5))
        log_ratio += sign * math.log(inside / (total - inside))
        slope = 1 / inside + 1 / (total - inside)
        variance += slope + (deviation * slope) ** 2
        few, nearly_all = inside <= quantile * deviation, total - inside <= quantile * deviation
        open_low |= few if sign > 0 else nearly_all
        open_high |= nearly_all if sign > 0 else few
    half = quantile * math.sqrt(variance)
    return OddsRatioEstimate(
        math.exp(log_ratio),
        0.0 if open_low else math.exp(log_ratio - half),
        math.inf if open_high else math.exp(log_ratio + half),
        confidence,
    )
