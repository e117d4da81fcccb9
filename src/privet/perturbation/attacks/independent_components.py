"""Independent component analysis: undo an unknown mixing of columns that do not depend on each other."""

from __future__ import annotations

import warnings

import numpy as np
from scipy.optimize import linear_sum_assignment

from privet.perturbation.attacks.errors import standardised
from privet.perturbation.tables import Matrix

__all__ = ["EXPLANATION", "independent_components"]

EXPLANATION = (
    "Searches for the directions in which the released records look least normal; where the original columns "
    "are independent, those are the columns. Which is which, and which way up, is told by how the values of "
    "each column are known to be distributed."
)

# Quantiles at which distributions are compared.
LEVELS = np.linspace(0.005, 0.995, 100)


def independent_components(original: Matrix, perturbed: Matrix, generator: np.random.Generator) -> Matrix:
    """The independent components of the release, each given to the column whose distribution it has.

    Only the distribution of each original column by itself is used: marginals are often published.
    """
    from sklearn.decomposition import FastICA
    from sklearn.exceptions import ConvergenceWarning

    estimate = np.repeat(original.mean(axis=0)[None, :], len(original), axis=0)
    varied = np.flatnonzero(original.std(axis=0) > 0)
    released = perturbed[:, perturbed.std(axis=0) > 1e-12]
    if not varied.size or not released.shape[1]:
        return estimate
    # Directions without variance cannot be whitened: they hold nothing.
    singular = np.linalg.svd(standardised(released), compute_uv=False)
    rank = int((singular > 1e-8 * singular[0]).sum())
    ica = FastICA(n_components=rank, whiten="unit-variance", max_iter=300, tol=1e-4,
                  random_state=int(generator.integers(2**31)))  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        components = standardised(ica.fit_transform(released))
    wanted = np.quantile(standardised(original[:, varied]), LEVELS, axis=0)
    upright, mirrored = (np.quantile(side, LEVELS, axis=0) for side in (components, -components))
    costs = np.stack([_distances(side, wanted) for side in (upright, mirrored)])
    places, columns = linear_sum_assignment(costs.min(axis=0))
    for place, column in zip(places, columns, strict=True):
        sign = 1.0 if costs[0, place, column] <= costs[1, place, column] else -1.0
        target = original[:, varied[column]]
        estimate[:, varied[column]] = target.mean() + target.std() * sign * components[:, place]
    return estimate


def _distances(found: Matrix, wanted: Matrix) -> Matrix:
    """How differently each component and each column are distributed: components × columns."""
    return np.asarray(np.abs(found[:, :, None] - wanted[:, None, :]).mean(axis=0))
