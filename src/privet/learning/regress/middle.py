"""The mean of a target from released numbers: what is predicted where nothing else is known."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from privet.curator import Curator, Measure
from privet.release import Release
from privet.stats.boosting import Additive, Grouping, NumberResiduals
from privet.stats.kernels import FIXED

__all__ = ["closer_mean", "error_of", "is_far_off", "mean_and_records", "small_budget"]

CLOSE = 0.15  # of the spread: errors of the mean below this cost hardly any accuracy
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


def is_far_off(off: float, spread: float) -> bool:
    """Whether a mean that is off by so much should be measured again, more closely."""
    return off > CLOSE * spread


def error_of(summed: Release, mean: float, records: float) -> float:
    """How far such a mean is off, in half ranges: by noise, and by being drawn to the middle."""
    return float(summed.standard_deviation) / records * math.hypot(1, mean)


def closer_mean(
    curator: Curator, target: str, mean: float, off: float, spread: float, records: float, share: Fraction
) -> float:
    """A mean that is off by about ``off``, put right by what values are off from it.

    They are held to a limit beyond which few lie, so noise is smaller in the same proportion. Bounds that are
    far wider than the values cost little then.

    **Privacy.** One question (``stats.boosting.residuals``) about a mean that was released, for ``share``.
    """
    limit = max(1, int(min(1.0, 2 * spread + 2 * off) * FIXED))
    residuals = NumberResiduals(Additive(np.array([mean])), Grouping(()), target, limit)
    release = curator.ask(Measure(residuals, f"how far '{target}' is from its noisy mean"), share)
    bound = limit / FIXED
    missed = bound * float(release.value[0, 0]) / records
    noise = bound * float(release.standard_deviation) / records
    return float(np.clip(mean + missed * off**2 / (off**2 + noise**2), -1, 1))
