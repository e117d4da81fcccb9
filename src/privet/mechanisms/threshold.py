"""Which values occur often: for a domain that nobody knows beforehand."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from privet.budget.amounts import Approximate, exact
from privet.budget.events import ApproximateEvent
from privet.mechanisms.geometric import GeometricNoise
from privet.randomness import Randomness

__all__ = ["Threshold"]


@dataclass(frozen=True)
class Threshold:
    """The values whose count with discrete Laplace noise reaches a threshold τ, with these noisy counts.

    ``sensitivity`` is c: by how many records, gone or come, neighbours differ.

    *Proof.* Let T and T' be neighbours and U all values that occur in either: their counts over U differ by
    at most c in L1, and at most c values of U occur in only one of them. Let M* add noise of scale s = c/ε
    to the count of *every* value of U, 0 if it is absent, and tell the noisy counts that reach τ, with their
    values: ε-differentially private (``geometric``, and post-processing). What is done here, M, never names
    an absent value. So M and M* on one table give the same unless an absent value reaches τ: with a absent in
    T and a' in T', a + a' ≤ c, that has probability at most a·p or a'·p, where p = P(X ≥ τ) = r^τ/(1 + r),
    r = exp(−1/s). Hence for every S P[M(T') ∈ S] ≤ P[M*(T') ∈ S] + a'p ≤ e^ε P[M*(T) ∈ S] + a'p ≤
    e^ε (P[M(T) ∈ S] + ap) + a'p, and e^ε·ap + a'p ≤ e^ε·c·p ≤ δ by the choice of τ, which has a margin of
    one record for rounding.

    *Reference.* Korolova, Kenthapadi, Mishra, Ntoulas (2009), Releasing search queries and clicks privately.

    >>> from privet.randomness import seeded
    >>> threshold = Threshold(Fraction(1), Fraction(1, 10**6))
    >>> threshold.least, threshold.named({"flu": 500, "a rare disease": 1}, seeded(1))
    (16, {'flu': 501})
    """

    epsilon: Fraction
    delta: Fraction
    sensitivity: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", exact(self.epsilon))
        object.__setattr__(self, "delta", exact(self.delta))
        Approximate(self.epsilon, self.delta)

    @cached_property
    def _noise(self) -> GeometricNoise:
        return GeometricNoise(self.epsilon, self.sensitivity)

    @cached_property
    def least(self) -> int:
        """τ: the least whole number with e^ε·c·P(X ≥ τ) ≤ δ, and one more."""
        scale = self._noise.scale
        spread = math.log1p(math.exp(-1.0 / scale))
        needed = float(self.epsilon) + math.log(self.sensitivity) - math.log(float(self.delta)) - spread
        return max(1, math.ceil(scale * needed * (1 + 1e-12))) + 1

    @property
    def event(self) -> ApproximateEvent:
        return ApproximateEvent(self.epsilon, self.delta, "threshold")

    @property
    def standard_deviation(self) -> float:
        """That of the noise of a count."""
        return self._noise.standard_deviation

    def error(self, confidence: float = 0.95) -> float:
        """A value with so many records is named with at least this probability."""
        return self.least + self._noise.error(confidence)

    def named(self, counts: Mapping[str, int], randomness: Randomness) -> dict[str, int]:
        """The values that reach the threshold, in the order of the alphabet, with their noisy counts."""
        values = sorted(counts)
        if not values:
            return {}
        noisy = self._noise.randomise(np.array([counts[value] for value in values], np.int64), randomness)
        return {value: int(count) for value, count in zip(values, noisy, strict=True) if count >= self.least}

    def log_probability(self, counts: Mapping[str, int], told: Mapping[str, int]) -> float:
        """The logarithm of the probability of this answer, if these are the counts: for audits."""
        if any(value not in counts for value in told):
            return -math.inf
        known = [told[value] - counts[value] for value in told]
        short = [self.least - count for value, count in counts.items() if value not in told]
        return float(self._noise.log_probability(known).sum()) + sum(map(self._below, short))

    def _below(self, bound: int) -> float:
        """log P(X < bound): P(X ≥ t) = r^t/(1 + r) for t ≥ 0, and X is symmetric about 0."""
        ratio = math.exp(-1.0 / self._noise.scale)
        if bound > 0:
            return math.log1p(-(ratio**bound) / (1 + ratio))
        return (1 - bound) * math.log(ratio) - math.log1p(ratio)
