"""Known-sample attack: learn how to undo the perturbation from records known before and after."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privet.perturbation.attacks.errors import spread_of, standardised
from privet.perturbation.tables import Matrix

__all__ = ["EXPLANATION", "known_sample"]

EXPLANATION = (
    "Knows some original records and which released ones they became, and fits the "
    "linear map that leads back. "
    "As many known records as columns, and one, undo any rotation, translation or scaling without noise."
)

PENALTIES = 10.0 ** np.arange(-12, 4)


def known_sample(
    original: Matrix, perturbed: Matrix, pairs: tuple[NDArray[np.int64], NDArray[np.int64]]
) -> Matrix:
    """An estimate of all records from ``pairs`` = (places of known originals, places of their images).

    Ridge regression with the penalty that leave-one-out error prefers, so that few or noisy pairs do no harm.
    """
    known, images = (np.asarray(side, dtype=np.int64) for side in pairs)
    unit = spread_of(original)
    unit = np.where(unit > 0, unit, 1)
    wanted = original[known] / unit
    released = standardised(perturbed)
    start, centre = released[images].mean(axis=0), wanted.mean(axis=0)
    left, singular, right = np.linalg.svd(released[images] - start, full_matrices=False)
    target = wanted - centre
    parts = left.T @ target
    best, chosen = np.inf, np.zeros((released.shape[1], original.shape[1]))
    for penalty in PENALTIES:
        shrink = singular**2 / (singular**2 + penalty)
        influence = (left**2 * shrink).sum(axis=1) + 1 / len(known)
        rest = target - left @ (shrink[:, None] * parts)
        wrong = float(((rest / np.maximum(1 - influence, 1e-9)[:, None]) ** 2).mean())
        if wrong < best:
            weights = np.divide(
                singular, singular**2 + penalty, out=np.zeros_like(singular), where=singular > 0
            )
            best, chosen = wrong, right.T @ (weights[:, None] * parts)
    return np.asarray(((released - start) @ chosen + centre) * unit)
