"""Laplace noise for real numbers, safe against attacks on the low bits of floats."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from privet.budget.amounts import Pure, exact
from privet.budget.events import PureEvent
from privet.mechanisms.checking import confident, positive, real_numbers, scale_fits
from privet.mechanisms.rounding import down, up
from privet.randomness import FloatArray, Randomness

__all__ = ["Laplace"]


@dataclass(frozen=True)
class Laplace:
    """Adds noise of density exp(−|x|/s)/(2s) to each coordinate, s = Δ/ε: ε-differentially private.

    ``sensitivity`` is Δ, the largest L1 distance between the answers on two neighbours (of either relation:
    the statistic says which). Prefer ``GeometricNoise`` for whole numbers: exact, and three times faster.

    *Proof.* log(p(y|a)/p(y|b)) = Σᵢ (|yᵢ − bᵢ| − |yᵢ − aᵢ|)/s ≤ ‖a − b‖₁/s ≤ Δ/s ≤ ε, since ``scale`` is
    rounded up from Δ, rounded up, over ε, rounded down. The sampler does not add floats, whose low bits
    would tell neighbours apart: every double is a multiple of g = 2⁻¹⁰⁷⁴, so it adds g times a discrete
    Laplace of scale s/g to the exact multiple, for which the same bound holds (see ``GeometricNoise``), and
    rounds the sum to a double once: post-processing.

    *Reference.* Dwork, McSherry, Nissim, Smith (2006); Mironov (2012), On significance of the least
    significant bits for differential privacy.

    >>> from privet.randomness import seeded
    >>> noise = Laplace(epsilon=Fraction(1, 2), sensitivity=Fraction(3, 2))
    >>> noise.scale, round(noise.error(0.95), 2)
    (3.0, 8.99)
    >>> noise.randomise([0.25, 0.5], seeded(7)).shape
    (2,)
    """

    epsilon: Fraction
    sensitivity: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", exact(self.epsilon))
        object.__setattr__(self, "sensitivity", positive("sensitivity", self.sensitivity))
        Pure(self.epsilon)
        scale_fits(self.scale, "epsilon")

    @cached_property
    def scale(self) -> float:
        largest = up(self.sensitivity)
        return up(Fraction(largest) / Fraction(down(self.epsilon))) if math.isfinite(largest) else math.inf

    @property
    def event(self) -> PureEvent:
        return PureEvent(self.epsilon, "laplace")

    def randomise(self, value: ArrayLike, randomness: Randomness) -> FloatArray:
        return randomness.add_laplace(real_numbers(value), self.scale)

    @property
    def standard_deviation(self) -> float:
        return math.sqrt(2.0) * self.scale

    def error(self, confidence: float = 0.95) -> float:
        return -self.scale * math.log(confident(confidence))

    def log_probability(self, noise: ArrayLike) -> FloatArray:
        distance = np.abs(np.asarray(noise, dtype=np.float64))
        with np.errstate(over="ignore"):
            return -distance / self.scale - math.log(2.0) - math.log(self.scale)
