"""Spectral filtering: where columns go together, added noise can be taken out again."""

from __future__ import annotations

import numpy as np

from privet.perturbation.tables import Matrix

__all__ = ["EXPLANATION", "excess_noise", "spectral_filter"]

EXPLANATION = (
    "Independent noise spreads evenly over all directions, while columns that go "
    "together fill only a few; what "
    "lies in the others is noise and is taken out. The more the columns tell about "
    "each other, the less noise stays."
)


def spectral_filter(perturbed: Matrix, noise: float | None = None) -> Matrix:
    """The released records without most of the noise: the best linear estimate, direction by direction.

    ``noise`` is its standard deviation, which who publishes a noisy table usually tells; without it the least
    spread of any direction is taken for it. Kargupta et al. (2003); Huang, Du and Chen (2005).
    """
    centre = perturbed.mean(axis=0)
    values, vectors = np.linalg.eigh(np.atleast_2d(np.cov(perturbed, rowvar=False)))
    hidden = float(max(values[0], 0.0)) if noise is None else noise**2
    kept = np.divide(np.maximum(values - hidden, 0), values, out=np.zeros_like(values), where=values > 0)
    return np.asarray((perturbed - centre) @ (vectors * kept) @ vectors.T + centre)


def excess_noise(original: Matrix, perturbed: Matrix) -> float:
    """The noise that a release in the original's units shows: its spread beyond the one known to be usual.

    This works for a single column too, in which no direction is free of values.

    >>> generator = np.random.default_rng(0)
    >>> X = generator.uniform(-1, 1, (5000, 2))
    >>> round(excess_noise(X, X + generator.normal(0, 0.5, X.shape)), 1)
    0.5
    """
    return float(np.sqrt(np.maximum(perturbed.var(axis=0) - original.var(axis=0), 0).mean()))
