"""Steps of an additive model for classes: one margin for two classes, a margin per class for more."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from privet.curator import Curator
from privet.learning.additive.boosting import LARGEST_MOVE, Attribute, Boosting, Move, stands_out
from privet.learning.additive.steps import step
from privet.release import Release
from privet.schema import Category
from privet.stats.boosting import Additive, ClassResiduals, Grouping, Residuals
from privet.stats.kernels import FIXED

__all__ = ["HELD_TO", "ClassBoosting", "own_probabilities", "start_for"]

Table = NDArray[np.float64]

HELD_TO = 0.5  # how wrong a record can be at most
#: The variances that a move may have, in log odds (tried: from 0.0001, 0.01, 0.03, 0.1; to 0.3, 1).
SPREADS = np.array([0.1, 0.17, 0.3])


class ClassBoosting(Boosting):
    """The next steps towards the classes of ``target``, whose shares are about ``prior``."""

    def __init__(
        self, curator: Curator, attributes: Sequence[Attribute], pairs: bool, target: Category, prior: Table
    ) -> None:
        super().__init__(curator, attributes, pairs)
        self.target, self.prior = target, prior

    def question(self, model: Additive, grouping: Grouping) -> Residuals:
        return ClassResiduals(model, grouping, self.target.name, int(HELD_TO * FIXED))

    def move(self, release: Release, grouping: Grouping) -> Move:
        told, s = release.value, release.standard_deviation
        if self.target.size == 2:
            residual, curvature = told[:, :1], np.maximum(told[:, 1:], 0)
        else:
            size = self.target.size
            residual, counts = told[:, :size], np.maximum(4 * told[:, size:], 0)
            number = np.maximum(counts.sum(axis=1, keepdims=True), 1)
            expected = np.maximum(counts - residual, 0)
            share = (expected + (s + 1) * self.prior) / (number + s + 1)
            curvature = number * share * (1 - share)
        height = np.maximum(curvature, np.abs(residual) / 4) + s / 2
        table, error = step(residual, height, s**2 + height, s, grouping, SPREADS)
        table = np.clip(table, -LARGEST_MOVE, LARGEST_MOVE)
        clear = stands_out(residual, s**2 + curvature, max(1, self.target.size - 1) / residual.shape[1])
        if self.target.size > 2:  # margins matter by their differences only
            table = table - table @ self.prior[:, None]
        return Move(table, 1.96 * error, curvature.sum(axis=0) / self.records, clear)


def start_for(prior: Table) -> Table:
    """The margins at which a model that knows nothing else tells the prior, residuals being held to a limit.

    >>> start = start_for(np.array([0.75, 0.25]))
    >>> own_probabilities(np.array([[0.0, start[0]]])).round(3).tolist()
    [[0.75, 0.25]]
    """
    p = prior
    for _ in range(200):
        p = prior / np.maximum(1, (1 - p) / HELD_TO)
        p = p / p.sum()
    log = np.log(p)
    return np.asarray(log[1:] - log[:1] if len(p) == 2 else log)


def own_probabilities(margins: Table) -> Table:
    """The class probabilities that margins stand for.

    Steps end where residuals, held to c, balance: where π_y·min(1, c/(1 − p_y)) ∝ p_y for the softmax p. So
    the shares π of the classes are p_y·max(1, (1 − p_y)/c), normalised. Their order is that of p.
    """
    p = np.exp(margins - margins.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    shares = p * np.maximum(1, (1 - p) / HELD_TO)
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))
