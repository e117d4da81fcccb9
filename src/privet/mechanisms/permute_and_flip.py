"""Permute-and-flip: the private choice that is never worse than the exponential mechanism."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from privet.mechanisms.checking import scores as checked
from privet.mechanisms.exponential import NoisyMax, acceptance
from privet.randomness import FloatArray

__all__ = ["PermuteAndFlip"]


@dataclass(frozen=True)
class PermuteAndFlip(NoisyMax):
    """Visits candidates in random order and stops at i with probability exp((qᵢ − max q)/s), s = 2Δ/ε.

    ``sensitivity`` and ``monotonic`` are those of ``Exponential``; so is the guarantee, ε.

    *Proof.* The choice has the same distribution as the largest of qᵢ + s·Eᵢ with independent standard
    exponential Eᵢ (Ding et al. 2021). Fix all noise but Eᵢ: candidate i wins iff Eᵢ > t, where
    t = maxⱼ(qⱼ + s·Eⱼ − qᵢ)/s over the others. On a neighbour t grows to t' ≤ t + 2Δ/s, as the others rise
    and i falls by at most Δ each; if all scores move the same way, t' ≤ t + Δ/s. P(E > t) = exp(−max(t, 0))
    falls by a factor of at most exp(2Δ/s) (or exp(Δ/s)), for every value of the other noise, so also on
    average: exp(ε). Δ and s are rounded up and ε down, so this survives the last digit.

    *Reference.* McKenna, Sheldon (2020), Permute-and-flip; Ding et al. (2021), The permute-and-flip
    mechanism is identical to report-noisy-max with exponential noise.

    >>> from fractions import Fraction
    >>> from privet.randomness import seeded
    >>> best = PermuteAndFlip(epsilon=Fraction(1), sensitivity=Fraction(1))
    >>> best.probabilities([0, 0, 2]).round(3).tolist()
    [0.161, 0.161, 0.677]
    >>> best.choose([0, 0, 100], seeded(7))
    2
    """

    name = "permute_and_flip"
    noise = "exponential"

    def probabilities(self, scores: ArrayLike) -> FloatArray:
        # Let candidates come at uniform times: i wins at time t if its coin (pᵢ) falls well and no other has
        # come before with a good coin (pⱼ·t each). So P(i) = pᵢ ∫ Πⱼ≠ᵢ (1 − pⱼ t) dt, a polynomial, which
        # Gauss-Legendre quadrature integrates exactly for up to 200 candidates, and in positive terms only.
        # For more, the integrand falls like exp(−t·Σp): nothing a float can show is left after 45/Σp.
        accept = acceptance(checked(scores).astype(np.float64), self.scale)
        end = min(1.0, 45.0 / accept.sum()) if accept.size > 200 else 1.0
        nodes, weights = _quadrature(min(accept.size // 2 + 1, 101))
        total = np.zeros_like(accept)
        for time, weight in zip((nodes + 1.0) * end / 2.0, weights * end / 2.0, strict=True):
            still_open = 1.0 - accept * time
            total += weight * np.prod(still_open) / still_open
        return accept * total


@cache
def _quadrature(nodes: int) -> tuple[FloatArray, FloatArray]:
    found: tuple[FloatArray, FloatArray] = np.polynomial.legendre.leggauss(nodes)
    return found
