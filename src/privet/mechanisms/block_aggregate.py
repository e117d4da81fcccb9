"""The private aggregate of block outputs: the noisy half of sample-and-aggregate."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np

from privet.budget.amounts import Pure, Zcdp
from privet.mechanisms.calibration import noise_for
from privet.mechanisms.checking import confident, whole
from privet.mechanisms.discrete_gaussian import DiscreteGaussian
from privet.mechanisms.geometric import GeometricNoise
from privet.mechanisms.rounding import root_down
from privet.mechanisms.smooth_sensitivity import SmoothQuantile, SmoothSensitivity
from privet.mechanisms.staircase import Staircase
from privet.randomness import FloatArray, IntegerArray, Randomness

__all__ = ["BlockAggregate"]


@dataclass(frozen=True)
class BlockAggregate:
    """One private row out of many: between neighbours, *one* row changes, by anything from 0 to ``grid``.

    The exact value is a whole matrix, blocks × outputs, in fixed point; the result is in units of the grid,
    from 0 to 1. Let p be the number of outputs.

    ``how="mean"``: each column's sum changes by at most Δ = grid. Pure ε: staircase noise, for which all p
    numbers change, so each gets ε/p (the L1 bound pΔ with geometric noise would give the same scale, and the
    staircase is never worse). zCDP: discrete Gaussian noise on the squared L2 distance pΔ². The number of
    blocks is public, so dividing by it, and clamping, is post-processing.

    ``how="median"``: each column's median by smooth sensitivity; robust where some blocks go wrong. p
    medians at ε/p add up to ε. Where the budget is ρ-zCDP of Gaussian noise, each gets the ε of
    ``dominated_epsilon`` with μ² = 2ρ/p; Gaussian mechanisms compose by adding up μ², so together they lose
    no more than one with ρ.

    >>> from privet.randomness import seeded
    >>> mean = BlockAggregate(Pure(Fraction(1)), blocks=100, outputs=2, grid=1 << 20, how="mean")
    >>> mean.randomise(np.full((100, 2), 1 << 19), seeded(7)).shape, round(mean.error(0.95), 3)
    ((2,), 0.06)
    """

    amount: Pure | Zcdp
    blocks: int
    outputs: int
    grid: int
    how: Literal["mean", "median"] = "mean"

    def __post_init__(self) -> None:
        for name in ("blocks", "outputs", "grid"):
            object.__setattr__(self, name, whole(f"number of {name}", getattr(self, name)))
        self._noise if self.how == "mean" else self._median  # noqa: B018  (refuses what cannot be)

    @property
    def name(self) -> str:
        """The mechanism, for the reader of a guarantee."""
        if self.how == "median":
            return "median with smooth-sensitivity noise"
        return f"mean with {self._noise.event.mechanism.replace('_', ' ')} noise"

    def randomise(self, rows: IntegerArray, randomness: Randomness) -> FloatArray:
        if rows.shape != (self.blocks, self.outputs):
            raise ValueError("one row for each block, and one column for each output")
        if self.how == "mean":
            noisy = self._noise.randomise(rows.sum(axis=0), randomness)
            return np.clip(noisy / (self.blocks * self.grid), 0.0, 1.0)
        medians = [self._median.randomise(column, randomness) for column in rows.T]
        return np.array(medians, dtype=np.float64) / self.grid

    def error(self, confidence: float = 0.95) -> float:
        """Of each output. A median's noise has a private scale: all that may be said is the whole range."""
        confident(confidence)
        if self.how == "median":
            return 1.0
        return min(1.0, self._noise.error(confidence) / (self.blocks * self.grid))

    @property
    def standard_deviation(self) -> float:
        return 1.0 if self.how == "median" else self._noise.standard_deviation / (self.blocks * self.grid)

    @property
    def _noise(self) -> Staircase | GeometricNoise | DiscreteGaussian:
        if isinstance(self.amount, Pure):
            return Staircase(self.amount.epsilon, self.grid, self.outputs)
        return noise_for(self.amount, self.outputs * self.grid, self.outputs * self.grid**2)

    @property
    def _median(self) -> SmoothQuantile:
        if isinstance(self.amount, Pure):
            epsilon = self.amount.epsilon / self.outputs
        else:
            epsilon = dominated_epsilon(root_down(2 * self.amount.rho / self.outputs))
        return SmoothQuantile(0, self.grid, SmoothSensitivity(epsilon))


def dominated_epsilon(mu: float) -> Fraction:
    """An ε for which anything ε-private is harder to attack than Gaussian noise of Δ/σ = μ, by every measure.

    *Proof.* The least error of the second kind, as a function of the first, is for ε two lines from (0, 1) to
    (k, k) to (1, 0) at worst, k = 1/(1 + e^ε). The Gaussian one is convex through the same ends, and passes
    (k, k) for k = Φ(−μ/2): so it lies below both lines. ε = log((1 − k)/k), rounded down.

    *Reference.* Dong, Roth, Su (2022), Gaussian differential privacy.

    >>> round(float(dominated_epsilon(0.1)), 4)
    0.0798
    """
    tail = math.erfc(min(mu, 50.0) / (2.0 * math.sqrt(2.0))) / 2.0
    body = math.erf(min(mu, 50.0) / (2.0 * math.sqrt(2.0)))
    # (1 − k)/k = 1 + body/tail, without the loss of digits that 1 − k would bring for a small μ.
    return Fraction(math.log1p(body / tail)) * (1 - Fraction(1, 2**40))
