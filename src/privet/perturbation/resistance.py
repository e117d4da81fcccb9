"""How well a perturbed table resists: the error of the best cheap attack on the weakest column.

This is what candidates are compared by; the attack report (``privet.audit.perturbation.attack``) tries every
attack.
"""

from __future__ import annotations

import numpy as np

from privet.perturbation.attacks.errors import normalised_errors
from privet.perturbation.attacks.independent_components import independent_components
from privet.perturbation.attacks.naive import naive_estimate
from privet.perturbation.tables import Matrix

__all__ = ["resistance"]


def resistance(original: Matrix, perturbed: Matrix, generator: np.random.Generator) -> float:
    """The smallest error over columns and over the attacks that depend on the rotation; 1 is guessing.

    Known records and distances are not tried here: what they give away depends on the noise, not on R.

    >>> generator = np.random.default_rng(0)
    >>> X = generator.uniform(-1, 1, (500, 3))
    >>> round(resistance(X, X, generator), 9)
    0.0
    """
    estimates = [naive_estimate(original, perturbed), independent_components(original, perturbed, generator)]
    return float(min(normalised_errors(original, estimate).min() for estimate in estimates))
