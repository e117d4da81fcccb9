"""Measure: a statistic with noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.budget import Pure, Zcdp
from privet.curator.ask.question import Exact, Question
from privet.mechanisms import noise_for
from privet.release import Release, Step
from privet.schema import Schema
from privet.stats import Statistic

__all__ = ["Measure"]


@dataclass(frozen=True)
class Measure(Question[Release]):
    """The answer to a statistic, with integer noise calibrated to its sensitivity for the unit of privacy.

    Proof: ``stats.base``, and the mechanism that ``mechanisms.calibration`` chooses.
    """

    statistic: Statistic
    what: str

    @property
    def statistics(self) -> tuple[Statistic, ...]:
        return (self.statistic,)

    def mechanism(self, amount: Pure | Zcdp, schema: Schema) -> Any:
        sensitivity = self.statistic.sensitivity(schema)
        return noise_for(amount, sensitivity.l1, sensitivity.squared_l2)

    def release(self, exact: Exact, amount: Pure | Zcdp, mechanism: Any) -> Release:
        scale = self.statistic.scale
        error = mechanism.error(0.95) / scale
        step = Step(self.what, f"{mechanism.event.mechanism} noise", amount, error, self.statistic.unit)
        noisy: NDArray[Any] = mechanism.randomise(exact.answers[0], exact.randomness)
        if scale != 1:
            noisy = noisy / scale
        return Release(noisy, mechanism.standard_deviation / scale, error, step)

    def log_ratio(self, first: Exact, second: Exact, amount: Pure | Zcdp, mechanism: Any, told: Any) -> float:
        noisy = np.rint(np.asarray(told.value, float) * self.statistic.scale)
        likely = [mechanism.log_probability(noisy - exact.answers[0]).sum() for exact in (first, second)]
        return float(likely[0] - likely[1])
