"""Discrete Gaussian noise for whole numbers: the noise for many counts under zCDP."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from privet.budget.amounts import Zcdp, exact
from privet.budget.events import GaussianEvent
from privet.mechanisms.checking import LARGEST_WHOLE_SCALE, confident, positive, scale_fits, whole_numbers
from privet.mechanisms.gaussian import gaussian_scale
from privet.randomness import FloatArray, IntegerArray, Randomness

__all__ = ["DiscreteGaussian"]

# Above this scale, sums over the whole numbers and integrals over the reals agree to all digits of a float
# (Poisson summation: they differ by a factor of 1 ± 2 exp(-2π²σ²)).
SMOOTH = 5.0
# Quantiles are summed exactly up to this scale; above it the normal one is off by less than one part in 10⁸.
LARGEST_SUMMED = 4096.0


@dataclass(frozen=True)
class DiscreteGaussian:
    """Adds X with P(X = x) ∝ exp(−x²/(2σ²)) to each coordinate, σ² = Δ²/(2ρ): ρ-zCDP.

    ``squared_sensitivity`` is Δ², the largest squared L2 distance between the answers on two neighbours,
    kept squared because that is a whole number for counts. A table in which a record lies in one cell has
    Δ² = 1 when a record is added or removed and Δ² = 2 when one is replaced; m such tables m and 2m.

    *Proof.* For whole a, b with b − a = d, the Rényi divergence of order α is, coordinate by coordinate,
    at most α·dᵢ²/(2σ²) (Canonne, Kamath, Steinke 2020, Proposition 5: complete the square; the sum that is
    left is largest when its centre is a whole number). Coordinates are independent, so the divergences add
    up to α‖d‖²/(2σ²) ≤ α·Δ²/(2σ²), which is ρ-zCDP for ρ = Δ²/(2σ²). ``scale`` is rounded up so that this
    is at most ρ exactly, and at most ρ also as OpenDP computes it in floats.

    *Reference.* Canonne, Kamath, Steinke (2020), The discrete Gaussian for differential privacy.

    >>> from privet.randomness import seeded
    >>> noise = DiscreteGaussian(rho=Fraction(1, 8), squared_sensitivity=Fraction(1))
    >>> noise.scale, noise.error(0.95)
    (2.0, 4.0)
    >>> noise.randomise([[10, 20], [30, 40]], seeded(7)).shape
    (2, 2)
    """

    rho: Fraction
    squared_sensitivity: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rho", exact(self.rho))
        object.__setattr__(self, "squared_sensitivity", positive("sensitivity", self.squared_sensitivity))
        Zcdp(self.rho)
        scale_fits(self.scale, "rho", LARGEST_WHOLE_SCALE)

    @cached_property
    def scale(self) -> float:
        return gaussian_scale(self.rho, self.squared_sensitivity)

    @property
    def event(self) -> GaussianEvent:
        return GaussianEvent(self.rho, "discrete_gaussian")

    def randomise(self, value: ArrayLike, randomness: Randomness) -> IntegerArray:
        return randomness.add_discrete_gaussian(whole_numbers(value), self.scale)

    @property
    def standard_deviation(self) -> float:
        if self.scale > SMOOTH:
            return self.scale
        support = np.arange(-100.0, 101.0)
        return math.sqrt(float(np.sum(support**2 * np.exp(self.log_probability(support)))))

    def error(self, confidence: float = 0.95) -> float:
        outside = confident(confidence)
        if self.scale > LARGEST_SUMMED:
            return float(math.ceil(self.scale * NormalDist().inv_cdf(1.0 - outside / 2.0) - 0.5))
        # P(|X| ≥ w) for w = 0, 1, …, summed from the far end: small numbers first, so that none is lost.
        distance = np.arange(0.0, math.ceil(40.0 * self.scale) + 2.0)
        beyond = np.cumsum(2.0 * np.exp(self.log_probability(distance))[::-1])[::-1]
        return float(np.argmax(beyond[1:] <= outside))

    def log_probability(self, noise: ArrayLike) -> FloatArray:
        with np.errstate(over="ignore"):
            return -((np.asarray(noise, dtype=np.float64) / self.scale) ** 2) / 2.0 - self._log_normaliser

    @cached_property
    def _log_normaliser(self) -> float:
        """log Σ exp(−x²/(2σ²)) over all whole x."""
        if self.scale > SMOOTH:
            return math.log(self.scale * math.sqrt(2.0 * math.pi))
        with np.errstate(over="ignore"):
            return math.log(float(np.sum(np.exp(-((np.arange(-200.0, 201.0) / self.scale) ** 2) / 2.0))))
