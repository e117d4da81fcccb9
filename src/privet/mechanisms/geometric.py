"""Discrete Laplace noise for whole numbers: the noise for counts under pure ε."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from privet.budget.amounts import Pure, exact
from privet.budget.events import PureEvent
from privet.mechanisms.checking import LARGEST_WHOLE_SCALE, confident, scale_fits, whole, whole_numbers
from privet.mechanisms.rounding import down, up
from privet.randomness import FloatArray, IntegerArray, Randomness

__all__ = ["GeometricNoise"]


@dataclass(frozen=True)
class GeometricNoise:
    """Adds X with P(x) = tanh(1/(2s))·exp(−|x|/s) to each coordinate, s = Δ/ε: ε-differentially private.

    ``sensitivity`` is Δ, the largest L1 distance between the answers on two neighbours. The proof does not
    ask what neighbours are: a table of counts in which a record lies in one cell has Δ = 1 when a record is
    added or removed and Δ = 2 when one is replaced, and it is for the statistic to say which.

    *Proof.* For answers a, b on neighbours and any output y, coordinates are independent and the normalising
    factors cancel: log(P(y|a)/P(y|b)) = Σᵢ (|yᵢ − bᵢ| − |yᵢ − aᵢ|)/s ≤ ‖a − b‖₁/s ≤ Δ/s. The float ``scale``
    is rounded up from Δ over ε rounded down, so Δ/s ≤ ε holds exactly, and so does OpenDP's own bound,
    which is Δ/s rounded up to a float. Stopping at the ends of 64 bits is post-processing.

    *Reference.* Ghosh, Roughgarden, Sundararajan (2009), Universally utility-maximizing privacy mechanisms.

    >>> from privet.randomness import seeded
    >>> noise = GeometricNoise(epsilon=Fraction(1, 2), sensitivity=1)
    >>> noise.randomise([120, 0, 33], seeded(7)).shape
    (3,)
    >>> round(noise.standard_deviation, 2), noise.error(0.95)
    (2.8, 6.0)
    """

    epsilon: Fraction
    sensitivity: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", exact(self.epsilon))
        object.__setattr__(self, "sensitivity", whole("sensitivity", self.sensitivity))
        Pure(self.epsilon)
        scale_fits(self.scale, "epsilon", LARGEST_WHOLE_SCALE)

    @cached_property
    def scale(self) -> float:
        return up(self.sensitivity / Fraction(down(self.epsilon)))

    @property
    def event(self) -> PureEvent:
        return PureEvent(self.epsilon, "geometric")

    def randomise(self, value: ArrayLike, randomness: Randomness) -> IntegerArray:
        return randomness.add_discrete_laplace(whole_numbers(value), self.scale)

    @property
    def standard_deviation(self) -> float:
        # Beyond 700 the hyperbolic sine overflows, and the deviation is 0 to 300 digits.
        return 1.0 / (math.sqrt(2.0) * math.sinh(min(0.5 / self.scale, 700.0)))

    def error(self, confidence: float = 0.95) -> float:
        # P(|X| > w) = 2 r^(w+1) / (1 + r) with r = exp(-1/s), solved for the smallest whole w.
        outside = confident(confidence)
        tail = self.scale * math.log(2.0 / (outside * (1.0 + math.exp(-1.0 / self.scale))))
        return float(max(0, math.ceil(tail - 1.0)))

    def log_probability(self, noise: ArrayLike) -> FloatArray:
        distance = np.abs(np.asarray(noise, dtype=np.float64))
        with np.errstate(over="ignore"):
            return math.log(math.tanh(0.5 / self.scale)) - distance / self.scale
