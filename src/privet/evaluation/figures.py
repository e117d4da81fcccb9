"""Figures with error bars out of noisy counts: what a noisy confusion matrix and noisy sums say.

Everything here is post-processing of released numbers. A released number is true value plus noise of a known
distribution, so true value = released − noise: drawing the noise many times and computing each figure from
(released − drawn noise) shows where the true figure may be. For a count that statement is exact; for a
quotient it is as good as the noise is small beside the number of records.

Figures are computed from the noisy counts as they are, negative ones included, and then held to their range:
sums and margins are without bias that way, while cutting single cells at 0 first would add records.
The drawn figures are *not* held to it. Where a released figure lies outside its range, nearly all of the
draws would be moved onto the same end as the figure, and the bar would be of no width. Left where they are,
they are at least as far from the held figure as the noise is wide; and the true figure, which is within the
range, is nearer to the held one than to the released one. So the bar covers as often as without a range.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privet.evaluation import metrics
from privet.release import Release

__all__ = ["RANGES", "Figure", "Measured", "Sums", "figures", "half_width", "nonnegative", "root"]

#: Between which ends a figure can lie; None is an end that is open.
RANGES: dict[str, tuple[float | None, float | None]] = {
    "accuracy": (0, 1),
    "kappa": (-1, 1),
    "r2": (None, 1),
    "log_loss": (0, None),
    "mean_absolute_error": (0, None),
    "root_mean_squared_error": (0, None),
    "relative_absolute_error": (0, None),
    "root_relative_squared_error": (0, None),
}

Numbers = NDArray[np.float64]

CONFIDENCE = 0.95
MOST_DRAWS = 4000
# Drawn cells at a time: the memory of the simulation stays below some 40 MB for any number of classes.
MOST_CELLS = 4_000_000


@dataclass(frozen=True)
class Figure:
    """A figure and how far the noise may have moved it: in 95 % of cases at most ``error``.

    >>> print(Figure(0.912, 0.0042))
    0.912 ± 0.0042
    """

    value: float
    error: float

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        if not math.isfinite(self.value):
            return "unknown"
        return f"{self.value:.4g}" + (f" ± {self.error:.2g}" if self.error else "")

    def as_count(self) -> str:
        """The same for a number of records: whole, with a separator.

        >>> Figure(48842.2, 12.7).as_count()
        '48,842 ± 13'
        """
        if not math.isfinite(self.value):
            return "unknown"
        return f"{self.value:,.0f}" + (f" ± {math.ceil(self.error):,}" if self.error else "")

    def to_dict(self) -> dict[str, float | None]:
        """For JSON, which has no NaN: an unknown figure is null."""
        return {"value": _finite(self.value), "error": _finite(self.error)}


@dataclass(frozen=True)
class Measured:
    """One answer of several equal measurements (repeats), averaged; or an exact one, which has none."""

    value: Numbers
    releases: tuple[Release, ...] = ()

    @classmethod
    def of(cls, release: Release) -> Measured:
        """One measurement, or an exact answer about public data."""
        return cls.mean([release]) if release.step is not None else cls(np.asarray(release.value))

    @classmethod
    def mean(cls, releases: Sequence[Release]) -> Measured:
        return cls(np.mean([np.asarray(r.value, float) for r in releases], axis=0), tuple(releases))

    @property
    def error(self) -> float | None:
        """How far off one number may be in 95 % of cases; None if it is exact."""
        return max(r.error for r in self.releases) / math.sqrt(len(self.releases)) if self.releases else None

    def draws(self, generator: np.random.Generator, number: int) -> Numbers:
        """Where the true value may be: the value without newly drawn noise, ``number`` times."""
        shape = (number, *self.value.shape)
        noise = sum((_noise(r, generator, shape) for r in self.releases), start=np.zeros(shape))
        return self.value - noise / max(1, len(self.releases))


def _noise(release: Release, generator: np.random.Generator, shape: tuple[int, ...]) -> Numbers:
    deviation = release.standard_deviation
    counts = release.value.dtype.kind == "i"
    if release.step is not None and "gaussian" in release.step.mechanism:
        noise = generator.normal(0, deviation, shape)
        return np.round(noise) if counts else noise
    if not counts or deviation > 100:  # so wide that whole numbers are as good as reals
        return generator.laplace(0, deviation / math.sqrt(2), shape)
    if deviation < 1e-3:  # other than 0 less than once in a million draws
        return np.zeros(shape)
    # The difference of two geometric numbers; their r solves variance = 2r / (1 − r)².
    inverse = 1 / deviation**2
    success = min(math.sqrt((1 + inverse) ** 2 - 1) - inverse, 1.0)
    return (generator.geometric(success, shape) - generator.geometric(success, shape)).astype(float)


@dataclass(frozen=True)
class Sums:
    """The sums of ``stats.PredictionErrors``, their cut of the log loss, and the prior to compare with.

    Without a ``prior`` it is that of the evaluated records, with one added to each class, as WEKA does.
    """

    measured: Measured
    bound: float
    prior: Numbers | None = None


def figures(confusion: Measured, sums: Sums | None) -> dict[str, tuple[Figure, ...]]:
    """Every figure by its name; those of single classes have one entry per class, the others one."""
    classes = confusion.value.shape[-1]
    exact = not confusion.releases
    # A fixed seed: the same release always gets the same error bars. Nothing secret is drawn here.
    generator = np.random.default_rng(0)
    number = 1 if exact else int(np.clip(MOST_CELLS // classes**2, 200, MOST_DRAWS))
    found: dict[str, tuple[Figure, ...]] = {}
    centre = _compute(confusion.value, None if sums is None else sums.measured.value, sums, held=True)
    drawn = _compute(
        confusion.draws(generator, number),
        None if sums is None else sums.measured.draws(generator, number),
        sums,
        held=False,
    )
    for name, value in centre.items():
        error = np.zeros(value.shape) if exact else half_width(value, drawn[name], _width(name))
        if name in _ROOTS:
            value, error = root(value, error)
        found[name] = tuple(Figure(float(v), float(e)) for v, e in zip(value, error, strict=True))
    return found


def half_width(value: Numbers, drawn: Numbers, width: float = np.inf) -> Numbers:
    """How far the noise may have moved figures in 95 % of cases, from draws of where the true ones may be.

    ``width`` is that of the figures' range, and so the largest error bar that says anything.
    """
    distance = np.abs(drawn - value)
    # A draw without a value (nothing to divide by) may be anywhere in the range.
    distance[np.isnan(distance)] = np.inf
    bars: Numbers = np.minimum(np.quantile(distance, CONFIDENCE, axis=0, method="higher"), width)
    return bars


_BY_CLASS: dict[str, Callable[[Numbers], Numbers]] = {
    "precision": metrics.precision,
    "recall": metrics.recall,
    "f1": metrics.f1,
}


def _width(name: str) -> float:
    """How wide the range of a figure is, and so the largest error bar that says anything."""
    return {"kappa": 2.0, "accuracy": 1.0, **dict.fromkeys(_BY_CLASS, 1.0)}.get(name, np.inf)


_ROOTS = ("root_mean_squared_error", "root_relative_squared_error")


def root(square: Numbers, error: Numbers) -> tuple[Numbers, Numbers]:
    """The root of a figure that is at least 0, with a bar that covers wherever that of the square does.

    >>> [each.tolist() for each in root(np.array([4.0, 1.0, 0.0]), np.array([0.41, 3.0, 1.0]))]
    [[2.0, 1.0, 0.0], [0.105..., 1.0, 1.0]]
    """
    middle = np.sqrt(square)
    return middle, np.maximum(
        np.sqrt(square + error) - middle, middle - np.sqrt(np.maximum(square - error, 0))
    )


def _compute(
    confusion: Numbers, centred: Numbers | None, sums: Sums | None, *, held: bool
) -> dict[str, Numbers]:
    """All figures of one confusion matrix, or of many: entries in the last dimension, none of it lost.

    Of those in ``_ROOTS`` the squares. ``held``: to the range that is possible.
    """

    def within(values: Numbers, low: float, high: Numbers | float) -> Numbers:
        return np.clip(values, low, high) if held else values

    classes = confusion.shape[-1]
    records = confusion.sum(axis=(-2, -1))
    found = {
        "records": within(records, 0, np.inf)[..., None],
        "accuracy": within(metrics.accuracy(confusion), 0, 1)[..., None],
        "kappa": within(metrics.kappa(confusion), -1, 1)[..., None],
        **{name: within(metric(confusion), 0, 1) for name, metric in _BY_CLASS.items()},
    }
    if sums is None or centred is None:
        return found
    # The statistic took ½ off for each record; an error is between 0 and 1 for each.
    errors = within(centred + records[..., None] / 2, 0, np.maximum(records, 0)[..., None])
    absolute, square, loss = 2 * errors[..., 0], 2 * errors[..., 1], sums.bound * errors[..., 2]
    totals = np.maximum(confusion.sum(axis=-1), 0)
    prior = sums.prior
    if prior is None:
        prior = (totals + 1) / (totals + 1).sum(axis=-1, keepdims=True)
    prior_absolute, prior_square = metrics.prior_errors(totals, prior)
    others = {
        "mean_absolute_error": metrics.mean_absolute_error(absolute, records, classes),
        "root_mean_squared_error": metrics.mean_squared_error(square, records, classes),
        "relative_absolute_error": metrics.relative_absolute_error(absolute, prior_absolute),
        "root_relative_squared_error": metrics.relative_squared_error(square, prior_square),
        "log_loss": metrics.log_loss(loss, records),
    }
    return found | {name: value[..., None] for name, value in others.items()}


def nonnegative(counts: Numbers) -> Numbers:
    """The nearest table (least squares) without negative counts that has the same total.

    >>> nonnegative(np.array([[90.0, -4.0], [2.0, 40.0]])).tolist()
    [[88.66..., 0.0], [0.66..., 38.66...]]
    """
    total = max(float(counts.sum()), 0.0)
    falling = -np.sort(-counts.ravel())
    excess = (falling.cumsum() - total) / np.arange(1, counts.size + 1)
    level = excess[(falling - excess > 0).sum() - 1] if total > 0 else np.inf
    return np.maximum(counts - level, 0.0)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
