"""The gradient along a search that moves one weight at a time: only records that a move touches are read."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.compiled import njit
from privet.stats.kernels import FIXED

__all__ = ["Followed"]

Weights = NDArray[np.float64]
Cells = NDArray[np.int32]

_NO_FACTORS = np.zeros(0, np.int32)


class Followed:
    """The margins and residuals of some records at the weights last asked for, and the gradient there.

    Residuals are whole numbers (``stats.linear.gradient``), so taking the old ones out and putting the new
    ones in is exact. A margin is the float sum of the moves so far: it may differ from a fresh sum in its
    last digit, and then a residual by 1. That changes no bound: a residual is a function of the record and
    of the weights that were asked for, and stays within −S and S.
    """

    def __init__(
        self, cells: Cells, numbers: Cells, places: NDArray[np.int64], actual: Any, classes: int, like: Any
    ) -> None:
        known = np.flatnonzero(actual < classes)
        self._cells, self._numbers, self._places = cells[known], numbers[known], places
        self._actual = np.asarray(actual)[known].astype(np.int64)
        self._state = np.zeros_like(like)
        self._margins = np.zeros((known.size, len(like)))
        self._residuals = np.zeros((known.size, len(like)), np.int64)
        self._everyone = np.arange(known.size, dtype=np.int32)
        # The records of each category's cell, one cell after the other.
        flat = self._cells.ravel()
        self._records = (np.argsort(flat, kind="stable") // max(self._cells.shape[1], 1)).astype(np.int32)
        self._starts = np.concatenate([[0], np.cumsum(np.bincount(flat, minlength=like.shape[1]))])
        self._last: tuple[Weights, Weights] | None = None

    def at(self, intercept: Weights, weights: Weights) -> NDArray[np.int64]:
        """The exact gradient at these weights, in the layout of ``add_gradient``."""
        if self._last is None:
            self._last = np.zeros_like(intercept), np.zeros_like(weights)
            self._move(self._everyone, 0, _NO_FACTORS, 0.0)
        for row in np.flatnonzero(intercept != self._last[0]):
            self._move(self._everyone, int(row), _NO_FACTORS, intercept[row] - self._last[0][row])
        for row, cell in zip(*np.nonzero(weights != self._last[1]), strict=True):
            by = weights[row, cell] - self._last[1][row, cell]
            numeric = np.flatnonzero(self._places == cell)
            if numeric.size:
                self._move(
                    self._everyone, row, np.ascontiguousarray(self._numbers[:, numeric[0]]), by / FIXED
                )
            else:
                there = self._records[self._starts[cell] : self._starts[cell + 1]]
                self._move(there, int(row), _NO_FACTORS, by)
        self._last = intercept, weights
        return self._state

    def _move(self, touched: NDArray[np.int32], row: int, factors: Cells, by: float) -> None:
        move_weight(
            touched, int(row), factors, float(by), self._cells, self._numbers, self._places, self._actual,
            self._margins, self._residuals, self._state,
        )  # fmt: skip


@njit
def move_weight(
    touched: NDArray[np.int32],
    row: int,
    factors: Cells,
    by: float,
    cells: Cells,
    numbers: Cells,
    places: NDArray[np.int64],
    actual: NDArray[np.int64],
    margins: Weights,
    residuals: NDArray[np.int64],
    state: NDArray[np.int64],
) -> None:  # pragma: no cover
    """Add ``by`` (times a record's factor) to one margin of these records, and correct the gradient."""
    rows = margins.shape[1]
    own = state.shape[1] - 1 if cells.shape[1] == 0 else -1  # an intercept of its own, without categories
    p = np.empty(rows)
    for index in range(touched.size):
        i = touched[index]
        margins[i, row] += by * factors[i] if factors.size else by
        largest = 0.0 if rows == 1 else -np.inf
        for k in range(rows):
            largest = max(largest, margins[i, k])
        total = np.exp(-largest) if rows == 1 else 0.0  # of two classes, the first has margin 0
        for k in range(rows):
            p[k] = np.exp(margins[i, k] - largest)
            total += p[k]
        for k in range(rows):
            q = np.int64(np.floor(p[k] / total * FIXED))
            if actual[i] == (1 if rows == 1 else k):
                q -= FIXED
            before = residuals[i, k]
            if q == before:
                continue
            residuals[i, k] = q
            for j in range(cells.shape[1]):
                state[k, cells[i, j]] += q - before
            for j in range(numbers.shape[1]):
                state[k, places[j]] += ((q * numbers[i, j]) >> 20) - ((before * numbers[i, j]) >> 20)
            if own >= 0:
                state[k, own] += q - before
