"""What a column was distributed like before noise was added: expectation–maximisation on a histogram.

The noisy value y of a record whose original lies in bin j has density p(y − c_j). From a first guess f of the
bins' probabilities, each noisy value is divided over the bins in proportion to f_j·p(y − c_j), and the sums
are the next guess; the likelihood never falls (Agrawal and Aggarwal 2001). Single values are not recovered
by this.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from privet.errors import DataError
from privet.perturbation.tables import Matrix

__all__ = ["Distribution", "NoiseKind", "reconstruct"]

NoiseKind = Literal["uniform", "gaussian", "laplace"]


@dataclass(frozen=True, eq=False)
class Distribution:
    """Probabilities of equal bins, named by their centres."""

    centres: Matrix
    probability: Matrix

    @property
    def mean(self) -> float:
        return float(self.centres @ self.probability)

    @property
    def standard_deviation(self) -> float:
        return float(np.sqrt(((self.centres - self.mean) ** 2) @ self.probability))


def reconstruct(
    noisy: Matrix,
    kind: NoiseKind,
    deviation: float,
    *,
    bins: int = 50,
    rounds: int = 500,
    tolerance: float = 1e-5,
) -> Distribution:
    """The distribution over [−1, 1] that noise of this kind and standard deviation most likely made these of.

    >>> generator = np.random.default_rng(0)
    >>> values = generator.choice([-0.5, 0.5], 5000)
    >>> noisy = values + generator.normal(0, 0.3, 5000)
    >>> found = reconstruct(noisy, "gaussian", 0.3, bins=20)
    >>> bool(found.probability[np.abs(found.centres) < 0.25].sum() < 0.1)
    True
    """
    if noisy.size == 0:
        raise DataError(
            "There is no noisy value to reconstruct a distribution from.", "Give the noisy column."
        )
    edges = np.linspace(-1.0, 1.0, bins + 1)
    centres = (edges[1:] + edges[:-1]) / 2
    # Noisy values are counted in narrow cells, so that a round costs the same however many there are.
    counts, borders = np.histogram(noisy, bins=min(20 * bins, max(bins, noisy.size)))
    cells = (borders[1:] + borders[:-1]) / 2
    weights = counts / counts.sum()
    density = _density(cells[:, None] - centres[None, :], kind, deviation, width=2.0 / bins)
    probability = np.full(bins, 1.0 / bins)
    for _ in range(rounds):
        joint = density * probability
        total = joint.sum(axis=1)
        # A cell that no bin explains (beyond the reach of uniform noise, by rounding) says nothing.
        share = np.divide(weights, total, out=np.zeros_like(total), where=total > 0)
        new = share @ joint
        new /= new.sum()
        moved = np.abs(new - probability).sum()
        probability = new
        if moved < tolerance:
            break
    return Distribution(centres, probability)


def _density(distance: Matrix, kind: NoiseKind, deviation: float, width: float) -> Matrix:
    """Up to a factor, how likely a noisy value at this distance from a bin's centre is."""
    if kind == "gaussian":
        # The bin's own width spreads its values a little more than the noise alone.
        spread = deviation**2 + width**2 / 12
        return np.exp(-(distance**2) / (2 * spread))
    if kind == "laplace":
        return np.exp(-np.abs(distance) * math.sqrt(2) / deviation)
    reach = math.sqrt(3) * deviation
    return np.clip((reach + width / 2 - np.abs(distance)) / width, 0.0, 1.0)
