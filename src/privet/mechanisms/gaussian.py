"""Gaussian noise for real numbers, safe against attacks on the low bits of floats."""

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
from privet.mechanisms.checking import confident, positive, real_numbers, scale_fits
from privet.mechanisms.rounding import down, root_down, root_up, up
from privet.randomness import FloatArray, Randomness

__all__ = ["Gaussian", "gaussian_scale"]


def gaussian_scale(rho: Fraction, squared_sensitivity: Fraction) -> float:
    """σ = Δ/√(2ρ), rounded up at every step, so that OpenDP's (Δ/σ)²/2 in rounded-up floats is at most ρ."""
    ratio, distance = root_down(2 * Fraction(down(rho))), root_up(squared_sensitivity)
    return up(Fraction(distance) / Fraction(ratio)) if ratio > 0 and math.isfinite(distance) else math.inf


@dataclass(frozen=True)
class Gaussian:
    """Adds N(0, σ²) to each coordinate, σ² = Δ²/(2ρ): ρ-zCDP.

    ``squared_sensitivity`` is Δ², the largest squared L2 distance between the answers on two neighbours
    (of either relation: the statistic says which), kept squared so that it stays exact.

    *Proof.* The Rényi divergence of order α between N(a, σ²I) and N(b, σ²I) is α‖a − b‖²/(2σ²) ≤ αρ
    (Bun and Steinke 2016, Proposition 1.6). The sampler does not add floats: every double is a multiple of
    g = 2⁻¹⁰⁷⁴, so it adds g times a discrete Gaussian of scale σ/g to the exact multiple, for which the same
    bound holds (see ``DiscreteGaussian``), and rounds the sum to a double once: post-processing.

    *Reference.* Bun, Steinke (2016), Concentrated differential privacy; Mironov (2012) for the low bits.

    >>> from privet.randomness import seeded
    >>> noise = Gaussian(rho=Fraction(1, 2), squared_sensitivity=Fraction(9))
    >>> noise.scale, round(noise.error(0.95), 2)
    (3.0, 5.88)
    >>> noise.randomise([1.5, 2.5], seeded(7)).shape
    (2,)
    """

    rho: Fraction
    squared_sensitivity: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rho", exact(self.rho))
        object.__setattr__(self, "squared_sensitivity", positive("sensitivity", self.squared_sensitivity))
        Zcdp(self.rho)
        scale_fits(self.scale, "rho")

    @cached_property
    def scale(self) -> float:
        return gaussian_scale(self.rho, self.squared_sensitivity)

    @property
    def event(self) -> GaussianEvent:
        return GaussianEvent(self.rho, "gaussian")

    def randomise(self, value: ArrayLike, randomness: Randomness) -> FloatArray:
        return randomness.add_gaussian(real_numbers(value), self.scale)

    @property
    def standard_deviation(self) -> float:
        return self.scale

    def error(self, confidence: float = 0.95) -> float:
        return -self.scale * NormalDist().inv_cdf(confident(confidence) / 2.0)

    def log_probability(self, noise: ArrayLike) -> FloatArray:
        with np.errstate(over="ignore"):
            squares = (np.asarray(noise, dtype=np.float64) / self.scale) ** 2
        return -squares / 2.0 - math.log(self.scale) - math.log(2.0 * math.pi) / 2.0
