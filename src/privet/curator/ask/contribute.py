"""Contribute: one party's part of a sum over several, with its share of the noise, under its masks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.budget import Pure, Zcdp
from privet.curator.ask.question import Exact, Question
from privet.errors import ParameterError
from privet.masking import Masks
from privet.mechanisms.noise_shares import GeometricShare
from privet.release import Step
from privet.schema import Schema
from privet.stats import Statistic

__all__ = ["Contribute", "Contribution"]


@dataclass(frozen=True)
class Contribution:
    """Numbers modulo 2^64 that say nothing by themselves: only the sum of all parties' can be read."""

    masked: NDArray[np.uint64]
    step: Step

    @property
    def steps(self) -> tuple[Step, ...]:
        return (self.step,)

    @property
    def told(self) -> tuple[Any, ...]:
        return (self.masked,)


@dataclass(frozen=True)
class Contribute(Question[Contribution]):
    """A statistic of this party's table, as its part of the sum over all parties.

    ``reach`` is at how many parties one unit of privacy may be at most: its contributions to the sum add up,
    so the sum's sensitivity is ``reach`` times that of the statistic. ``honest`` shares of noise are
    calibrated to that.

    **Privacy.** To everybody who lacks the masks, what leaves is uniform (``masking.streams``). Whoever
    learns the sum over the parties, and the shares of all but ``honest`` of them, sees the sum of at least
    ``honest`` parties' tables with discrete Laplace noise for the whole of ε (``mechanisms.noise_shares``).
    """

    statistic: Statistic
    what: str
    part: int
    masks: Masks
    honest: int
    reach: int = 1

    @property
    def statistics(self) -> tuple[Statistic, ...]:
        return (self.statistic,)

    def mechanism(self, amount: Pure | Zcdp, schema: Schema) -> GeometricShare:
        if not isinstance(amount, Pure):
            raise ParameterError("Noise in shares is for a pure epsilon.", "Leave out delta.")
        if type(self.masks) is not Masks or len(self.masks.shared) + 1 < max(2, self.honest):
            raise ParameterError("A contribution needs masks with at least as many parties as are honest.")
        return GeometricShare(amount.epsilon, self.reach * self.statistic.sensitivity(schema).l1, self.honest)

    def release(self, exact: Exact, amount: Pure | Zcdp, mechanism: GeometricShare) -> Contribution:
        noisy = mechanism.randomise(exact.answers[0], exact.randomness)
        parties = len(self.masks.shared) + 1
        error = mechanism.error_of(parties) / self.statistic.scale
        kind = f"a share of geometric noise, masked among {parties} parties"
        step = Step(self.what, kind, amount, error, self.statistic.unit)
        return Contribution(self.masks.add(noisy.ravel().astype(np.uint64), self.part), step)
