"""The mean of a target from released numbers: what is predicted where nothing else is known."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from privet.curator import Curator, Measure
from privet.release import Release
from privet.schema import Number
from privet.schema.bins import public_cuts
from privet.stats import Coded, CrossTable
from privet.stats.boosting import Additive, Grouping, NumberResiduals
from privet.stats.kernels import FIXED

__all__ = [
    "LEAST_SPREAD",
    "close_together",
    "closer_mean",
    "error_of",
    "histogram_of",
    "is_far_off",
    "mean_alone",
    "mean_and_records",
    "number_of",
    "places",
    "small_budget",
    "sum_of",
]

CLOSE = 0.15  # of the spread: errors of the mean below this cost hardly any accuracy
BINS = 16
CLEAR = 4.7  # deviations: Laplace noise alone puts one of the bins above them once in a hundred tables
MOST = 0.7  # of the records must be in bins that stand out, for their spread to be known
LEAST_SPREAD = 1 / 32  # of the target, in half ranges
SMALL = Fraction(1, 4)  # ε, below which a thousand records may tell nothing beyond the mean


@dataclass(frozen=True)
class Close:
    """The middle of values that lie close together, and how far they are from it, in half ranges."""

    middle: float
    spread: float


def small_budget(curator: Curator) -> bool:
    """Whether it is asked if there is anything to learn: public. A rehearsal takes the longer way."""
    return curator.amount.epsilon < SMALL * curator.schema.unit.most and not curator.rehearsing


def number_of(target: Number, again: str = "") -> Measure:
    what = f"the number of records with a '{target.name}'{again}"
    return Measure(CrossTable((Coded(target.name),)), what)


def sum_of(target: Number) -> Measure:
    everyone = NumberResiduals(Additive(np.zeros(1)), Grouping(()), target.name, FIXED)
    return Measure(everyone, f"the sum of '{target.name}'")


def histogram_of(target: Number) -> Measure:
    """By equal bins, whatever cuts the schema declares."""
    cuts = public_cuts(Number(target.name, target.low, target.high), BINS)
    return Measure(CrossTable((Coded(target.name, cuts),)), f"a histogram of '{target.name}'")


def mean_alone(curator: Curator, target: Number, counted: Release) -> tuple[float, float, float]:
    """The mean for all that is left, the number of records, and how far the mean may be off (95 %).

    In half ranges. If a histogram shows that values lie close together, their middle is put right by what
    values are off from it; otherwise they are added up. A rehearsal does not come here.

    **Privacy.** Shares add up to what is left; which way is taken depends on what was released.
    """
    about = max(float(counted.value[0]), 1.0)
    histogram = curator.ask(histogram_of(target), curator.left / 8)
    close = close_together(histogram, about, float(counted.standard_deviation))
    left, summed = curator.left, sum_of(target)
    mechanism = summed.mechanism(curator.currency.share(2 * left / 3), curator.schema)
    noise = mechanism.standard_deviation / summed.statistic.scale
    if close is not None and is_far_off(noise / about, close.spread):
        off = 1 / BINS  # half a bin
        mean = closer_mean(curator, target.name, close.middle, off, close.spread, about, left)
        return mean, about, off
    asked = [(summed, 2 * left / 3), (number_of(target, ", again"), left / 3)]
    total, number = curator.ask_together(asked)
    mean, records = mean_and_records(total, number)
    return mean, records, min(1.0, 2 * error_of(total, mean, records))


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
    records = max(records, float(release.value[0, 1]))  # beside the sum: how many are near the mean
    missed = bound * float(release.value[0, 0]) / records
    noise = bound * float(release.standard_deviation) / records
    return float(np.clip(mean + missed * off**2 / (off**2 + noise**2), -1, 1))


def close_together(histogram: Release, records: float, noise: float) -> Close | None:
    """Where values lie, unless few bins hold most of them.

    ``noise`` is that of the number of records: bins need to hold most of them as far as noise lets one see.
    """
    counts, deviation = histogram.value[:-1].astype(float), float(histogram.standard_deviation)
    clear = np.where(counts > CLEAR * deviation, counts, 0)
    unsure = 2 * math.hypot(deviation * math.sqrt(np.count_nonzero(clear)), MOST * noise)
    if not clear.any() or clear.sum() < MOST * records - unsure:
        return None
    middle = float(clear @ places(counts) / clear.sum())
    spread = np.sqrt(clear @ (places(counts) - middle) ** 2 / clear.sum())
    return Close(middle, float(np.clip(spread, LEAST_SPREAD, 1.0)))


def places(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """The middles of the bins, in half ranges."""
    return np.asarray((np.arange(len(counts)) + 0.5) * 2 / len(counts) - 1)
