"""Naive estimation: take each released column for the original one."""

from __future__ import annotations

from privet.perturbation.attacks.errors import standardised
from privet.perturbation.tables import Matrix

__all__ = ["EXPLANATION", "naive_estimate"]

EXPLANATION = (
    "Takes each released column for the original one, brought to the mean and spread that are known to be "
    "usual for it. Whoever opens the file does this, so a method that loses to it hides nothing."
)


def naive_estimate(original: Matrix, perturbed: Matrix) -> Matrix:
    """Each released column, standardised and brought to the original's mean and spread (public knowledge)."""
    return standardised(perturbed) * original.std(axis=0) + original.mean(axis=0)
