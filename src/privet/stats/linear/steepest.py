"""Scores of the directions in which single weights could move: for a private choice of the steepest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privet.schema import Schema
from privet.stats.base import Answer, Statistic
from privet.stats.kernels import FIXED
from privet.stats.linear.gradient import Gradient
from privet.stats.scores import Scores

__all__ = ["SteepestCoordinate"]


@dataclass(frozen=True, eq=False)
class SteepestCoordinate(Scores):
    """How much the loss falls, to first order, if one weight moves up (first half) or down (second half).

    Candidates are all weights of the gradient, row by row, then all again for the other direction.

    **Spread.** One more record changes an entry of the gradient by its residual times its coordinate, so by
    at most S = 2^20 up or down (``stats.linear.gradient``; the intercept's entry is the sum of one category's
    cells, of which the record is in one). Every score moves within [−S, S]: R = 2S. The published enhanced
    exponential mechanism has a sensitivity of 4σ for the moves ±σ; the factor σ is common to all candidates
    and cancels. The slope of the L2 penalty, ``ridge`` times the weights (but not the intercepts), is the
    same for all tables.
    """

    gradient: Gradient
    ridge: float = 0.0

    spread = 2 * FIXED
    scale = FIXED

    @property
    def statistics(self) -> tuple[Statistic, ...]:
        return (self.gradient,)

    def groups(self, answers: Sequence[Answer], schema: Schema) -> list[NDArray[np.int64]]:
        slope = (self.gradient.coordinates(answers[0]) + self._pull).ravel()
        return [np.concatenate([-slope, slope])]

    @property
    def _pull(self) -> NDArray[np.int64]:
        pull = self.ridge * self.gradient.weights * FIXED
        pull[:, 0] = 0.0
        return np.rint(np.clip(pull, -(2.0**60), 2.0**60)).astype(np.int64)
