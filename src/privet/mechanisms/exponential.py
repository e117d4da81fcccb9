"""The exponential mechanism: a private choice with probability growing exponentially in the score."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from privet.budget.amounts import Pure, exact
from privet.budget.events import PureEvent
from privet.mechanisms.checking import confident, positive, scale_fits, whole
from privet.mechanisms.checking import scores as checked
from privet.mechanisms.rounding import down, up
from privet.randomness import FloatArray, Noise, Randomness

__all__ = ["Exponential", "NoisyMax", "acceptance", "selection_scale"]


def selection_scale(epsilon: Fraction, sensitivity: Fraction, monotonic: bool) -> float:
    """2Δ/ε, or Δ/ε where all scores move the same way; rounded up."""
    largest = up(sensitivity)
    if not math.isfinite(largest):
        return math.inf
    return up((1 if monotonic else 2) * Fraction(largest) / Fraction(down(epsilon)))


def acceptance(values: FloatArray, scale: float) -> FloatArray:
    """exp((score − best)/scale): 1 for the best candidate, and less for the others."""
    with np.errstate(over="ignore", under="ignore"):
        return np.exp((values - values.max()) / scale)


@dataclass(frozen=True)
class NoisyMax:
    """A choice of the largest score after noise of scale 2Δ/ε: what the private choices have in common."""

    epsilon: Fraction
    sensitivity: Fraction = Fraction(1)
    monotonic: bool = False

    name: ClassVar[str]
    noise: ClassVar[Noise]

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", exact(self.epsilon))
        object.__setattr__(self, "sensitivity", positive("sensitivity", self.sensitivity))
        Pure(self.epsilon)
        scale_fits(self.scale, "epsilon")

    @cached_property
    def scale(self) -> float:
        return selection_scale(self.epsilon, self.sensitivity, self.monotonic)

    @property
    def event(self) -> PureEvent:
        return PureEvent(self.epsilon, self.name)

    def choose(self, scores: ArrayLike, randomness: Randomness) -> int:
        return randomness.noisy_max(checked(scores), self.scale, self.noise)

    def error(self, candidates: int, confidence: float = 0.95) -> float:
        # Exponential: all candidates more than t below the best weigh at most n·exp(-t/s) of the best one's
        # weight. Permute-and-flip's error is stochastically smaller.
        return self.scale * math.log(whole("number of candidates", candidates) / confident(confidence))


@dataclass(frozen=True)
class Exponential(NoisyMax):
    """Picks candidate i with probability ∝ exp(qᵢ/s), s = 2Δ/ε: ε-differentially private.

    ``sensitivity`` is Δ, the most that any one score differs between two neighbours. ``monotonic`` promises
    that from one neighbour to the other no score rises while another falls, as when records are added or
    removed and each can only add to scores; then s = Δ/ε. Replacing a record removes one and adds one, so
    such scores are *not* monotonic under ``replace``. Prefer ``PermuteAndFlip``, which is never worse.

    *Proof.* Let q, q' be the scores on neighbours and Z = Σⱼ exp(qⱼ/s). Then P(i|q)/P(i|q') =
    exp((qᵢ − q'ᵢ)/s) · Z'/Z. The first factor is at most exp(Δ/s), and Z'/Z ≤ exp(Δ/s) since each term is:
    together exp(2Δ/s) ≤ exp(ε). If all scores rise from q' to q, Z'/Z ≤ 1, and if all fall, the first factor
    is at most 1: exp(Δ/s) is enough. Δ and s are rounded up and ε down, so this survives the last digit.

    *Reference.* McSherry, Talwar (2007), Mechanism design via differential privacy.

    >>> from privet.randomness import seeded
    >>> best = Exponential(epsilon=Fraction(1), sensitivity=Fraction(1))
    >>> best.probabilities([0, 0, 100]).round(3).tolist()
    [0.0, 0.0, 1.0]
    >>> best.choose([0, 0, 100], seeded(7))
    2
    """

    name = "exponential"
    noise = "gumbel"

    def probabilities(self, scores: ArrayLike) -> FloatArray:
        weights = acceptance(checked(scores).astype(np.float64), self.scale)
        return weights / weights.sum()
