"""How far released residuals move the cells of a term, by a prior that knows neighbours.

A cell's residual R, over a curvature H, says that its margin should move by m with R = H·m + e, where e has
variance V: the noise, and chance. Beforehand m has mean 0 and covariance τ²·K, and K says how alike the moves
of two cells are. Then the mean of m afterwards is τ²·K·H·(τ²·H·K·H + V)⁻¹·R: a Kalman update. Where noise
rules, a cell stays where it is, or goes with its neighbours.

Cells of a number that lie beside each other mostly move together: their likeness falls off with the number of
cells between them, over a length. Values of a category, and missing ones, have no neighbours; in a pair of
attributes both count. The variance τ² and the length are those by which the released residuals are likeliest
(empirical Bayes). Where most cells say by themselves how far they move, neighbours are not asked: they would
tell nothing more, and take time. All of this is computed from released numbers.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from privet.curator import one_thread
from privet.stats.boosting import Grouping

__all__ = ["step"]

Table = NDArray[np.float64]

# Chosen on adult, bank marketing, nursery, credit approval and breast_w (docs/concepts/additive-models.md).
LENGTHS = (2.0, 6.0)  # in cells, beside 0: no neighbours
SHARED = 0.8  # the part of a cell's variance that it shares with its neighbours
CLEAR = 5.0  # how much more than noise and chance a cell's move shows, for it to need no neighbours
MOST_CELLS = 400  # with more, solving for all of them at once would take longer than reading a table


def step(
    residual: Table, height: Table, variance: Table, noise: float, grouping: Grouping, spreads: Table
) -> tuple[Table, Table]:
    """The move of each cell and margin, and the standard deviation that ``noise`` gives it.

    ``spreads`` are the τ² to choose from.

    >>> from privet.stats import Coded
    >>> from privet.stats.boosting import Grouped
    >>> age = Grouping((Grouped(Coded("age", (20.0, 40.0, 60.0)), (0, 1, 2, 3, 4)),))
    >>> residual, ones = np.array([[30.0], [5.0], [40.0], [35.0], [0.0]]), np.ones((5, 1))
    >>> move, _ = step(residual, 100 * ones, 400 * ones, 10.0, age, np.array([0.1]))
    >>> move[:, 0].round(2).tolist()  # the second cell goes with its neighbours, missing values do not
    [0.23, 0.14, 0.3, 0.28, 0.0]
    """
    shape = tuple((each.size, bool(each.coded.cuts)) for each in grouping.grouped)
    moves, errors = np.empty_like(residual), np.empty_like(residual)
    for k in range(residual.shape[1]):
        deviation = np.sqrt(variance[:, k])
        seen, weight = residual[:, k] / deviation, height[:, k] / deviation
        best = _fit(weight**2, seen, spreads)
        own = best[1] * weight / (best[1] * weight**2 + 1) / deviation
        moves[:, k], errors[:, k] = own * residual[:, k], noise * np.abs(own)
        clear = float(np.median(spreads[0] * weight**2)) >= CLEAR
        if not clear and len(seen) <= MOST_CELLS and any(ordered for _, ordered in shape):
            gain = _beside(seen, weight, shape, spreads, best[0])
            if gain is not None:
                moves[:, k] = gain / deviation @ residual[:, k]
                errors[:, k] = noise * np.sqrt(((gain / deviation) ** 2).sum(axis=1))
    return moves, errors


def _beside(
    seen: Table, weight: Table, shape: tuple[tuple[int, bool], ...], spreads: Table, best: float
) -> Table | None:
    """By what ``seen`` = weight·m + e, with e of variance 1, is multiplied to tell m, if neighbours say more.

    ``best`` is the likelihood of cells that know nothing of each other.
    """
    found: Table | None = None
    with one_thread:
        for length in LENGTHS:
            alike = _likeness(shape, length)
            values, vectors = np.linalg.eigh(weight[:, None] * alike * weight)
            values = np.maximum(values, 0.0)
            now, spread = _fit(values, vectors.T @ seen, spreads)
            if now > best:
                best = now
                found = (spread * alike * weight) @ (vectors / (spread * values + 1)) @ vectors.T
    return found


def _fit(values: Table, seen: Table, spreads: Table) -> tuple[float, float]:
    """The likelihood of independent ``seen`` with variances 1 + τ²·values, by the τ² where it is largest."""
    variances = 1 + np.multiply.outer(spreads, values)
    likelihoods = -0.5 * (np.log(variances) + seen**2 / variances).sum(axis=1)
    best = int(likelihoods.argmax())
    return float(likelihoods[best]), float(spreads[best])


@lru_cache(maxsize=32)
def _likeness(shape: tuple[tuple[int, bool], ...], length: float) -> Table:
    """How alike the moves of any two cells are, by the size of each attribute and if it is a number."""
    whole: Table = np.ones((1, 1))
    for size, ordered in shape:
        own = np.eye(size)
        if ordered:  # but for the last group, that of missing values
            place = np.arange(size - 1)
            own[:-1, :-1] = np.exp(-np.abs(place[:, None] - place) / length)
        whole = np.asarray(np.kron(whole, own), np.float64)
    return np.asarray(SHARED * whole + (1 - SHARED) * np.eye(len(whole)))
