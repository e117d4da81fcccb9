"""Sums of the encoded records within each class: the first thing every method here measures.

One table for each attribute, as for naive Bayes: counts of a category's values within each class
(``Contingency``), sums of z and z² of a number within each class (``Moments``). A record is in one class, so
the classes cost nothing extra. From these sums follow, without any further spending, the class totals, the
gradient of the logistic loss where all weights but the intercepts are 0, and a *model of the second moments*
in which attributes are independent. That model serves as the curvature that the methods divide by.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from privet.curator import Curator, Measure
from privet.release import Release
from privet.schema import Category
from privet.stats import Contingency, Moments, Statistic
from privet.stats.linear.encoding import Encoding

__all__ = ["ClassSums", "measure_class_sums"]

Matrix = NDArray[np.float64]

# A number's variance and a value's frequency are at least this, in units of the squared half range and of the
# records: below, noise alone decides, and a division by it would blow the noise up.
LEAST_VARIANCE = 1e-3


@dataclass(frozen=True)
class ClassSums:
    """Noisy ``sums`` (classes × width), ``totals`` (class sizes), and the deviation of their ``noise``."""

    encoding: Encoding
    sums: Matrix
    squares: Matrix
    totals: Matrix
    noise: float

    @property
    def size(self) -> float:
        """About how many records there are."""
        return float(self.totals.sum())

    @property
    def mean(self) -> Matrix:
        """The mean encoded record, without the impossible."""
        mean = np.clip(self.sums.sum(axis=0) / self.size, -1, 1)
        least = self.noise / self.size / 4 + 1e-9
        for block in self.encoding.blocks:
            if block.nominal:
                frequency = np.maximum(mean[block.place], least)
                mean[block.place] = frequency / max(frequency.sum(), 1.0)
        mean[0] = 1.0
        return mean

    def second_moments(self) -> Matrix:
        """E[x xᵀ] if attributes were independent: positive semi-definite by construction."""
        mean = self.mean
        moments = np.outer(mean, mean)
        square = self.squares.sum(axis=0) / self.size
        for block in self.encoding.blocks:
            if block.nominal:
                moments[block.place, block.place] = np.diag(mean[block.place])
            else:
                j = block.start
                moments[j, j] = min(max(square[j], mean[j] ** 2 + LEAST_VARIANCE), 1 + LEAST_VARIANCE)
        return moments


def _plan(encoding: Encoding, target: Category) -> list[Statistic]:
    """One table for each attribute, and the class counts where no category's table would give them."""
    plan: list[Statistic] = [
        Contingency(block.column.name, target.name, block.cuts)
        if block.nominal
        else Moments(block.column.name, target.name)
        for block in encoding.blocks
    ]
    if not any(block.nominal for block in encoding.blocks):
        plan.append(Contingency(None, target.name))
    return plan


def measure_class_sums(curator: Curator, encoding: Encoding, target: Category, share: Fraction) -> ClassSums:
    """Measure with this share of the budget, split so that every entry gets the same noise."""
    plan = _measurements(curator, encoding, target, share)
    statistics = [question.statistic for question, _ in plan]
    return _collected(encoding, target, statistics, curator.ask_together(plan))


def _measurements(
    curator: Curator, encoding: Encoding, target: Category, share: Fraction
) -> list[tuple[Measure, Fraction]]:
    """What is to be measured for this share."""
    plan = _plan(encoding, target)
    norms = [statistic.norms(curator.schema) for statistic in plan]
    if curator.amount.delta == 0:
        weights = [Fraction(n.l1, s.scale) for s, n in zip(plan, norms, strict=True)]
    else:
        weights = [Fraction(n.squared_l2, s.scale**2) for s, n in zip(plan, norms, strict=True)]
    whole = share / sum(weights)
    return [
        (Measure(s, f"'{s.columns[0]}' within each '{target.name}'"), whole * w)
        for s, w in zip(plan, weights, strict=True)
    ]


def _collected(
    encoding: Encoding, target: Category, statistics: Sequence[Statistic], releases: Sequence[Release]
) -> ClassSums:
    """The class sums from what was released for each statistic."""
    measured = list(zip(statistics, releases, strict=True))
    sums = np.zeros((target.size, encoding.width))
    squares = np.zeros_like(sums)
    weighted, precision = np.zeros(target.size), 0.0
    blocks = {block.column.name: block for block in encoding.blocks}
    for statistic, release in measured:
        if isinstance(statistic, Contingency):  # its columns add up to the class totals
            weighted += release.value.sum(axis=0) / len(release.value)
            precision += 1 / len(release.value)
            if statistic.row is not None:
                sums[:, blocks[statistic.row].place] = release.value[:-1].T
    totals = np.maximum(weighted / precision, 1.0)
    for statistic, release in measured:
        if isinstance(statistic, Moments):
            first, square, missing = release.value.T
            there = totals - np.clip(missing * Moments.scale / Moments.missing_weight, 0, totals)
            start = blocks[statistic.number].start
            sums[:, start], squares[:, start] = first, square + there / 2
    sums[:, 0] = totals
    noise = max(release.standard_deviation for _, release in measured)
    return ClassSums(encoding, sums, squares, totals, noise)
