"""Independent component analysis: undo an unknown mixing of columns that do not depend on each other."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from privet.perturbation.attacks.errors import spread_of, standardised
from privet.perturbation.tables import Matrix

__all__ = ["EXPLANATION", "independent_components"]

EXPLANATION = (
    "Searches for the directions in which the released records look least normal; where the original columns "
    "are independent, those are the columns. Which is which, and which way up, shows in how the values of "
    "each column are known to be distributed."
)

# Quantiles at which distributions are compared.
LEVELS = np.linspace(0.005, 0.995, 100)
# What the search maximises, start by start.
STARTS = ("logcosh", "cube", "logcosh")


def independent_components(original: Matrix, perturbed: Matrix, generator: np.random.Generator) -> Matrix:
    """The independent components of the release, each given to the column whose distribution it has.

    Only the distribution of each original column by itself is used: marginals are often published. The
    released columns themselves are candidates too: where nothing was mixed, they are what is searched for.
    """
    estimate = np.repeat(original.mean(axis=0)[None, :], len(original), axis=0)
    varied = np.flatnonzero(spread_of(original) > 0)
    released = perturbed[:, perturbed.std(axis=0) > 1e-12]
    if not varied.size or not released.shape[1]:
        return estimate
    wanted = np.quantile(standardised(original[:, varied]), LEVELS, axis=0)
    plain = standardised(released)
    found = [_assigned(np.hstack([c, plain]), wanted) for c in _components(plain, generator)]
    _, components, signs = min(found, key=lambda each: each[0])
    for place, column in enumerate(varied):
        if place < components.shape[1]:
            target = original[:, column]
            estimate[:, column] = target.mean() + target.std() * signs[place] * components[:, place]
    return estimate


def _components(plain: Matrix, generator: np.random.Generator) -> list[Matrix]:
    """What the search finds from its first start; where it does not settle, from others too."""
    from sklearn.decomposition import FastICA
    from sklearn.exceptions import ConvergenceWarning

    # Directions without variance cannot be whitened: they hold nothing.
    singular = np.linalg.svd(plain, compute_uv=False)
    rank = int((singular > 1e-8 * singular[0]).sum())
    found = []
    for contrast in STARTS:
        ica = FastICA(n_components=rank, whiten="unit-variance", fun=contrast, max_iter=300, tol=1e-4,
                      random_state=int(generator.integers(2**31)))  # fmt: skip
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            found.append(standardised(ica.fit_transform(plain)))
        if ica.n_iter_ < ica.max_iter:
            break
    return found


def _assigned(candidates: Matrix, wanted: Matrix) -> tuple[float, Matrix, NDArray[np.float64]]:
    """For each wanted distribution the candidate that has it, and which way up; and how far they are off."""
    upright, mirrored = (np.quantile(side, LEVELS, axis=0) for side in (candidates, -candidates))
    costs = np.stack([_distances(wanted, side) for side in (upright, mirrored)])
    _, places = linear_sum_assignment(costs.min(axis=0))
    ways = costs[:, np.arange(len(places)), places]
    return float(ways.min(axis=0).sum()), candidates[:, places], np.where(ways[0] <= ways[1], 1.0, -1.0)


def _distances(wanted: Matrix, found: Matrix) -> Matrix:
    """How differently each column and each candidate are distributed: columns × candidates."""
    return np.asarray(np.abs(wanted[:, :, None] - found[:, None, :]).mean(axis=0))
