"""The steps of PrivGene as published, with scores only where the choice hangs on them.

The choice among w ± σ·eⱼ is the largest of score·ε_s/(4σ) plus Gumbel noise. The noise is drawn first. One
record moves a score by at most σ, and ε_s = 8/n, so the first term lies within ±2: the noise alone rules most
candidates out, and the old scores of the others will do while they cannot have changed enough to matter. The
choice is the one that all scores would give; it is only found with less work.

How far an old score can be off: p(1 − p) ≤ ¼, so a move of a weight k by σ changes the slope of the
likelihood along j by at most σ·Σᵢ|xᵢⱼ·xᵢₖ|/4, and with it the score divided by σ. A change of σ itself by δ
changes that quotient by at most δ·Σᵢxᵢⱼ²/8.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from privet.compiled import njit
from reproduction.dpweka.as_published_kernels import candidate_scores

__all__ = ["Search"]

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]
Cells = NDArray[np.int64]
Records = NDArray[np.uint32]


class Search:
    """A walk of the weights, with the last known slope (score divided by σ) of each candidate."""

    def __init__(self, y: NDArray[np.int8], cells: Cells, numbers: Matrix, places: Cells, width: int) -> None:
        self._y, self._cells, self._numbers, self._places = y, cells, numbers, places
        self._overlaps, self._sums, self._positives = totals(y, cells, numbers, places, width)
        self._number_of = np.full(width, -1)
        self._number_of[places] = np.arange(places.size)
        self._columns = np.ascontiguousarray(numbers.T)
        self._factors, self._sizes = np.ones_like(self._columns), np.zeros(places.size)
        # The records of each category's cell, one cell after the other. Unsigned: no check for places from
        # the end, so that the compiled loops over them are tight.
        flat = cells.ravel()
        self._records = (np.argsort(flat, kind="stable") // max(cells.shape[1], 1)).astype(np.uint32)
        self._starts = np.concatenate([[0], np.cumsum(np.bincount(flat, minlength=width + 1))])
        self._slopes = np.zeros(0)
        self._doubts = np.zeros(width)

    def follow(
        self, weights: Vector, margins: Vector, noise: Matrix, rate: float, sigma: float, resize: float
    ) -> float:
        """Move the weights once for each row of noise, and return the σ after that.

        The chances are made afresh from the margins, so the roundings of a walk end with each call.
        """
        if not self._slopes.size:
            scores = candidate_scores(
                margins, self._y, self._cells, self._numbers, self._places, len(weights), sigma
            )
            self._slopes = scores / sigma
        return float(
            walk(
                weights, noise, rate, sigma, resize, expit(margins), expit(-margins), self._slopes,
                self._doubts, self._overlaps, self._sums, self._positives, self._number_of, self._columns,
                self._factors, self._sizes, self._records, self._starts,
            )
        )  # fmt: skip


@njit
def totals(
    y: NDArray[np.int8], cells: Cells, numbers: Matrix, places: Cells, width: int
) -> tuple[Matrix, Vector, Vector]:  # pragma: no cover
    """Σᵢ|xᵢⱼ·xᵢₖ| for all j and k, Σᵢxᵢⱼ, and Σᵢyᵢ·xᵢⱼ."""
    overlaps = np.zeros((width + 1, width + 1))  # the last place takes missing values
    sums, positives = np.zeros(width + 1), np.zeros(width + 1)
    columns = np.concatenate((np.zeros(cells.shape[1], np.int64), places))
    values = np.ones(columns.size)
    for i in range(y.size):
        columns[: cells.shape[1]] = cells[i]
        values[cells.shape[1] :] = numbers[i]
        for j in range(columns.size):
            sums[columns[j]] += values[j]
            positives[columns[j]] += y[i] * values[j]
            for k in range(columns.size):
                overlaps[columns[j], columns[k]] += abs(values[j] * values[k])
    return overlaps[:width, :width].copy(), sums[:width], positives[:width]


@njit
def walk(
    weights: Vector,
    noise: Matrix,
    rate: float,
    sigma: float,
    resize: float,
    chances: Vector,
    others: Vector,
    slopes: Vector,
    doubts: Vector,
    overlaps: Matrix,
    sums: Vector,
    positives: Vector,
    number_of: Cells,
    columns: Matrix,
    factors: Matrix,
    sizes: Vector,
    records: Records,
    starts: Cells,
) -> float:  # pragma: no cover
    """The steps: ``doubts`` bounds how far each slope can be off, ``others`` is one minus the chances."""
    width = weights.size
    for row in range(len(noise)):
        if sigma < 1e-15:  # moves that are lost in the rounding of a weight; a score over σ would be, too
            return sigma
        while True:
            first, second = two_highest(slopes, doubts, noise[row], rate)
            place, rival = first % width, second % width
            ahead = slopes[first] - slopes[second] - doubts[place] - doubts[rival]
            if rate * ahead + noise[row, first] - noise[row, second] >= 0 or (
                doubts[place] == 0 and doubts[rival] == 0
            ):
                break
            if doubts[rival] > doubts[place]:
                place = rival
            k = number_of[place]
            if k < 0:
                above, below = category_logs(
                    records[starts[place] : starts[place + 1]], math.exp(sigma), sigma, chances, others
                )
            else:
                fit_factors(k, sigma, columns, factors, sizes)
                above, below = number_logs(factors[k], sigma, chances, others)
            slopes[place] = positives[place] - above / sigma
            slopes[width + place] = sums[place] - positives[place] - below / sigma
            doubts[place] = 0.0
        upwards = first < width
        weights[place] += sigma if upwards else -sigma
        grown, shrunk = (chances, others) if upwards else (others, chances)
        k = number_of[place]
        if k < 0:
            move_category(records[starts[place] : starts[place + 1]], math.exp(sigma), grown, shrunk)
        else:
            fit_factors(k, sigma, columns, factors, sizes)
            move_number(factors[k], grown, shrunk)
        change = abs(sigma * resize - sigma)
        for j in range(width):
            doubts[j] += sigma * overlaps[place, j] / 4 + change * overlaps[j, j] / 8
        sigma *= resize
    return sigma


@njit
def two_highest(
    slopes: Vector, doubts: Vector, noise: Vector, rate: float
) -> tuple[int, int]:  # pragma: no cover
    """The two candidates that could come out highest."""
    first = second = 0
    highest = next_highest = -np.inf
    for candidate in range(slopes.size):
        doubt = doubts[candidate if candidate < doubts.size else candidate - doubts.size]
        value = rate * (slopes[candidate] + doubt) + noise[candidate]
        if value > highest:
            second, next_highest = first, highest
            first, highest = candidate, value
        elif value > next_highest:
            second, next_highest = candidate, value
    return first, second


@njit
def fit_factors(
    k: int, sigma: float, columns: Matrix, factors: Matrix, sizes: Vector
) -> None:  # pragma: no cover
    """The factors exp(σ·x) of a number, unless they stand there for this σ already."""
    if sizes[k] != sigma:
        sizes[k] = sigma
        for i in range(columns.shape[1]):
            factors[k, i] = math.exp(sigma * columns[k, i])


@njit(fastmath=True)
def category_logs(
    touched: Records, factor: float, sigma: float, chances: Vector, others: Vector
) -> tuple[float, float]:  # pragma: no cover
    """Σ log(1 − p + p·f) and Σ log((1 − p)·f + p) over these records: one logarithm of many factors."""
    above = below = 0.0
    most = max(1, int(min(200.0 / sigma, 1e6)))
    for start in range(0, touched.size, most):
        risen = fallen = 1.0
        for i in touched[start : start + most]:
            risen *= others[i] + chances[i] * factor
            fallen *= others[i] * factor + chances[i]
        above += math.log(risen)
        below += math.log(fallen)
    return above, below


@njit(fastmath=True)
def number_logs(
    factors: Vector, sigma: float, chances: Vector, others: Vector
) -> tuple[float, float]:  # pragma: no cover
    """The same two sums over all records, each with its own factor."""
    above = below = 0.0
    most = max(1, int(min(200.0 / sigma, 1e6)))
    for start in range(0, factors.size, most):
        # Slices from 0 on are loops that compile to vector instructions.
        f, p, q = factors[start : start + most], chances[start : start + most], others[start : start + most]
        risen = fallen = 1.0
        for i in range(f.size):
            risen *= q[i] + p[i] * f[i]
            fallen *= q[i] * f[i] + p[i]
        above += math.log(risen)
        below += math.log(fallen)
    return above, below


@njit(fastmath=True, error_model="numpy")
def move_category(touched: Records, factor: float, grown: Vector, shrunk: Vector) -> None:  # pragma: no cover
    """Multiply the odds of these records by a factor."""
    for i in touched:
        more, less = grown[i] * factor, shrunk[i]
        scale = 1.0 / (more + less)
        grown[i], shrunk[i] = more * scale, less * scale


@njit(fastmath=True, error_model="numpy")
def move_number(factors: Vector, grown: Vector, shrunk: Vector) -> None:  # pragma: no cover
    """Multiply the odds of each record by its own factor."""
    for i in range(factors.size):
        more, less = grown[i] * factors[i], shrunk[i]
        scale = 1.0 / (more + less)
        grown[i], shrunk[i] = more * scale, less * scale
