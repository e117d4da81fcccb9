"""How a DP-EBM (interpret 0.7.8) finds the values of a category, as it is implemented: names from the data.

Every value that *occurs* is counted, the counts get Gaussian noise, and the values whose noisy count reaches a
part of the records keep their names; the others are joined. Written anew from what the code does; it is refuted
in ``tests/audit/planted``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm

__all__ = ["chance_of_a_name", "deviation", "names_told"]


def deviation(attributes: int, epsilon: float, delta: float) -> float:
    """The noise of the counts, so that all of them together are (ε, δ): Gaussian differential privacy.

    >>> round(deviation(1, 0.1, 5e-6), 1)
    32.5
    """

    def beyond(mu: float) -> float:
        return float(
            norm.cdf(-epsilon / mu + mu / 2) - np.exp(epsilon) * norm.cdf(-epsilon / mu - mu / 2) - delta
        )

    return float(np.sqrt(attributes) / brentq(beyond, 1e-5, 1000))


def names_told(values: Sequence[str], noise: float, bins: int, draw: np.random.Generator) -> set[str]:
    """The names that are released, but for the one that stands for all others."""
    names, counts = np.unique(np.asarray(values), return_counts=True)
    noisy = np.maximum(counts + draw.normal(0, noise, len(names)), 0)
    return {str(name) for name, count in zip(names, noisy, strict=True) if count >= len(values) / bins}


def chance_of_a_name(records: int, noise: float, bins: int) -> float:
    """How likely a value that a single record has is named, whatever is claimed."""
    return float(norm.sf(records / bins, loc=1, scale=noise))
