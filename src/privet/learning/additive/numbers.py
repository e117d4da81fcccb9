"""Steps of an additive model for a number: one margin, in half ranges of the target."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from privet.curator import Curator
from privet.learning.additive.boosting import Attribute, Boosting, Move, stands_out
from privet.learning.additive.steps import step
from privet.release import Release
from privet.stats.boosting import Additive, Grouping, NumberResiduals, Residuals
from privet.stats.kernels import FIXED

__all__ = ["NumberBoosting"]

MOVES = np.geomspace(0.02, 1, 6)  # the variances that a move may have, as parts of that of the residuals


class NumberBoosting(Boosting):
    """The next steps towards a number whose residuals have about this ``variance`` and are held to ``limit``.

    A cell of n records, whose residuals have variance v, has a sum of variance n·v beside the noise s². Moves
    have a variance of at most v, which the residuals themselves tell (``learning.additive.steps``).
    """

    def __init__(
        self,
        curator: Curator,
        attributes: Sequence[Attribute],
        pairs: bool,
        target: str,
        limit: float,
        variance: float,
    ) -> None:
        super().__init__(curator, attributes, pairs)
        self.target, self.limit, self.variance = target, max(1, int(limit * FIXED)), variance

    def question(self, model: Additive, grouping: Grouping) -> Residuals:
        return NumberResiduals(model, grouping, self.target, self.limit)

    def move(self, release: Release, grouping: Grouping) -> Move:
        bound = self.limit / FIXED
        s, told = bound * release.standard_deviation, bound * release.value
        residual = told[:, :1]
        # Σ (c − |r|) is about n times c less the mean of |r|, which is about 0.8 deviations, cut at c.
        mean = min(0.8 * float(np.sqrt(self.variance)), bound / 2)
        number = np.maximum(told[:, 1:], 0) / (bound - mean)
        number = np.maximum(number, np.abs(residual) / bound) + s / bound / 4
        variance = s**2 + number * self.variance
        table, error = step(residual, number, variance, s, grouping, MOVES * self.variance)
        table = np.clip(table, -bound, bound)
        clear = stands_out(residual, variance, 1.0)
        return Move(table, 1.96 * error, np.array([self.variance]), clear)
