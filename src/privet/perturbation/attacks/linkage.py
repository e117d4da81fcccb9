"""Record linkage: look up each person of a register in the release."""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

from privet.perturbation.attacks.errors import standardised
from privet.perturbation.tables import Matrix

__all__ = ["EXPLANATION", "linked"]

EXPLANATION = (
    "Has a register with everybody's values and takes, for each person, the released "
    "record that is most like "
    "them, column by column. The share of right links is what a neighbour with a register would find out."
)


def linked(original: Matrix, perturbed: Matrix) -> tuple[Matrix, float]:
    """The register's record nearest to each released one, and the share of links that are right."""
    register, released = standardised(original), standardised(perturbed)
    kept, group, sizes = np.unique(register, axis=0, return_inverse=True, return_counts=True)
    group = group.reshape(-1)
    _, nearest = cKDTree(kept).query(released)
    first = np.zeros(len(kept), dtype=np.int64)
    first[group] = np.arange(len(group))
    share = float(np.mean(np.where(group == nearest, 1 / sizes[group], 0.0)))
    return original[first[nearest]], share
