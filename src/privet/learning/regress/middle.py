"""The mean of a target from released numbers: what is predicted where nothing else is known."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from privet.curator import Curator
from privet.release import Release

__all__ = ["mean_and_records", "small_budget"]

SMALL = Fraction(1, 4)  # ε, below which a thousand records may tell nothing beyond the mean


def small_budget(curator: Curator) -> bool:
    """Whether it is asked if there is anything to learn: public. A rehearsal takes the longer way."""
    return curator.amount.epsilon < SMALL * curator.schema.unit.most and not curator.rehearsing


def mean_and_records(summed: Release, counted: Release) -> tuple[float, float]:
    """The mean in half ranges from the middle of the bounds, and about how many records there are.

    ``summed`` (``stats.boosting.NumberResiduals`` around the middle, held to one half range) tells S = Σz and
    B = Σ(1 − |z|), and B + Σ|z| is the number of records. Where the bounds are far wider than the data, most
    z have the same sign, Σ|z| is |S|, and B + |S| counts the records with the noise of S. Where signs differ,
    B + |S| is too small; if the count shows that it is, the count is taken.
    """
    total, beside = (float(each) for each in summed.value[0])
    noise, count = float(summed.standard_deviation), float(counted.value[0])
    other, variances = beside + abs(total), (2 * noise**2, float(counted.standard_deviation) ** 2)
    records = count
    if abs(count - other) <= 3 * math.sqrt(sum(variances)):
        weights = [1 / max(each, 1e-12) for each in variances]
        records = (weights[0] * other + weights[1] * count) / sum(weights)
    records = max(records, 1.0)
    # Where noise may rule, the mean is drawn to the middle of the bounds.
    return float(np.clip(total / (records + noise), -1, 1)), records
