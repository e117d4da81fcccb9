"""Distance inference: find known records in the release by the distances between them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privet.perturbation.attacks.known_sample import known_sample
from privet.perturbation.tables import Matrix

__all__ = ["EXPLANATION", "distance_inference", "matched"]

EXPLANATION = (
    "Knows some original records but not their images, and looks for released "
    "records that lie as far from each "
    "other as the known ones do. What keeps distances lets them be found, and then "
    "they are known before and after."
)

# Partial matches kept while records are added one by one.
BEAM = 300


def matched(
    original: Matrix, perturbed: Matrix, known: NDArray[np.int64], *, anchored: bool = False, beam: int = BEAM
) -> NDArray[np.int64]:
    """The places of the released records that fit the pattern of distances between the known ones best.

    A beam search: pairs with the right distance first, then one known record after the other. ``anchored``
    takes the release to be in the original's coordinates, and prefers records that lie where they should.
    """
    known = np.asarray(known, dtype=np.int64)
    wanted = _distances(original[known], original[known])
    # Known records far from each other pin the pattern down soonest.
    order = _far_apart(wanted)
    places = np.arange(len(perturbed))
    between = _distances(perturbed, perturbed)
    np.fill_diagonal(between, np.inf)
    astray = np.zeros((len(known), len(perturbed)))
    if anchored:
        astray = _distances(original[known], perturbed) ** 2
    cost = (between - wanted[order[0], order[1]]) ** 2
    cost = (cost + astray[order[0]][:, None] + astray[order[1]][None, :]).ravel()
    best = np.argpartition(cost, min(beam, cost.size - 1))[:beam]
    partial = np.stack(np.unravel_index(best, between.shape), axis=1)
    costs = cost[best]
    for step in range(2, len(order)):
        new = wanted[order[step], order[:step]]
        off = ((between[partial] - new[None, :, None]) ** 2).sum(axis=1)  # inf where a record is used already
        total = (costs[:, None] + off + astray[order[step]]).ravel()
        best = np.argpartition(total, min(beam, total.size - 1))[:beam]
        rows, added = np.unravel_index(best, off.shape)
        partial, costs = np.column_stack([partial[rows], places[added]]), total[best]
    found = np.empty(len(order), dtype=np.int64)
    found[order] = partial[int(np.argmin(costs))]
    return found


def distance_inference(
    original: Matrix, perturbed: Matrix, known: NDArray[np.int64], *, anchored: bool = False
) -> tuple[Matrix, float]:
    """An estimate of all records, and the share of the known ones whose image was found (or an equal one)."""
    images = matched(original, perturbed, known, anchored=anchored)
    same = [np.allclose(original[i], original[k], atol=1e-12) for i, k in zip(images, known, strict=True)]
    return known_sample(original, perturbed, (known, images)), float(np.mean(same))


def _distances(one: Matrix, other: Matrix) -> Matrix:
    squared = (one**2).sum(axis=1)[:, None] + (other**2).sum(axis=1)[None, :] - 2 * one @ other.T
    return np.sqrt(np.maximum(squared, 0))


def _far_apart(distances: Matrix) -> list[int]:
    first = int(np.argmax(distances.max(axis=1)))
    order = [first]
    while len(order) < len(distances):
        nearest = distances[order].min(axis=0)
        nearest[order] = -1
        order.append(int(np.argmax(nearest)))
    return order
