"""The exact minimum of a regularised loss over the records: Newton's method on what it keeps in memory."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from privet.curator.one_thread import one_thread
from privet.errors import DataError
from privet.schema import Schema
from privet.sources.base import Source
from privet.stats import Rows
from privet.stats.contribution import bounded
from privet.stats.linear.logistic_loss import Examples, LogisticLoss

__all__ = ["minimum"]

Matrix = NDArray[np.float64]

# Encoded records are kept for the next pass up to so many numbers (1 GiB); beyond, they are encoded again.
KEPT = 1 << 27
READ = 1 << 14
MOST_STEPS, MOST_HALVINGS = 100, 30


def minimum(
    loss: LogisticLoss, source: Source, schema: Schema, *, ridge: float, tilt: Matrix, tolerance: float
) -> Matrix:
    """Weights at which Σ loss + ridge/2·‖w‖² + tilt·w has a slope of an L2 norm of at most ``tolerance``.

    The norm is computed in double precision, and a bound on its rounding error is added before it is compared
    (``LogisticLoss.rounding``, and two units in the last place for the ridge and the tilt), so the statement
    holds for the real function. The loss is convex and smooth and the ridge makes it strongly convex:
    Newton's direction always lowers the norm of the slope, and the step is halved until it does. If that
    cannot be shown within ``MOST_STEPS`` steps, an error says so.
    """
    problem = _Problem(loss, _Kept(loss, source, schema), ridge, tilt)
    weights, last = np.zeros(loss.shape), 0.0
    with one_thread:
        slope, curvature = problem.at(weights)
        for _ in range(MOST_STEPS):
            norm = float(np.linalg.norm(slope))
            if norm * (1 + 2.0**-40) + problem.rounding(weights) <= tolerance:
                return weights
            if curvature is None:
                slope, curvature = problem.at(weights)
            assert curvature is not None
            direction = -np.linalg.solve(curvature, slope.ravel()).reshape(loss.shape)
            # Newton's method squares the error: where that will do, the curvature is not needed any more.
            ends = last > 0 and norm * (norm / last) ** 2 <= tolerance
            length, last = 1.0, norm
            for _ in range(MOST_HALVINGS):
                there = weights + length * direction
                slope, curvature = problem.at(there, curvature=not ends)
                if np.linalg.norm(slope) < (1 - length / 4) * norm:
                    break
                length /= 2
            else:
                break
            weights = there
    raise DataError(
        "The minimum of the loss could not be found to the accuracy that the privacy proof needs, so "
        "nothing is released. What was reserved stays spent.",
        "Give a larger regularisation, or take method='newton', which solves nothing on the records.",
    )


class _Kept:
    """The blocks of encoded records, one pass after the other."""

    def __init__(self, loss: LogisticLoss, source: Source, schema: Schema) -> None:
        self._loss, self._source, self._schema = loss, source, schema
        self._blocks: list[Examples] | None = None

    def __iter__(self) -> Iterator[Examples]:
        if self._blocks is not None:
            yield from self._blocks
            return
        blocks: list[Examples] | None = []
        size = 0
        wanted = {*self._loss.columns, self._schema.unit.id}
        columns = [name for name in self._source.names if name in wanted]
        for batch in bounded(self._source, columns, self._schema):
            for begin in range(0, batch.num_rows, READ):
                for block in self._loss.examples(Rows(batch.slice(begin, READ), self._schema)):
                    size += block[0].size
                    blocks = blocks if size <= KEPT else None
                    if blocks is not None:
                        blocks.append(block)
                    yield block
        self._blocks = blocks


class _Problem:
    """Σ loss + ridge/2·‖w‖² + tilt·w over the records."""

    def __init__(self, loss: LogisticLoss, examples: _Kept, ridge: float, tilt: Matrix) -> None:
        self._loss, self._examples, self._ridge, self._tilt = loss, examples, ridge, tilt
        self._records = 0

    def at(self, weights: Matrix, curvature: bool = True) -> tuple[Matrix, Matrix | None]:
        """Its slope and, if wanted, its curvature."""
        slope, bent, self._records = np.zeros_like(weights), self._ridge * np.eye(weights.size), 0
        lost = np.zeros_like(weights)  # what the additions of blocks have rounded away (Knuth's exact sum)
        for block in self._examples:
            more, bend = self._loss.derivatives(block, weights, curvature)
            total = slope + more
            added = total - slope
            lost += (slope - (total - added)) + (more - added)
            slope = total
            bent += 0.0 if bend is None else bend
            self._records += len(block[1])
        return slope + lost + (self._ridge * weights + self._tilt), bent if curvature else None

    def rounding(self, weights: Matrix) -> float:
        """By how much the norm of the slope, as last computed, may be off."""
        rest = float(np.abs(self._ridge * weights).sum() + np.abs(self._tilt).sum())
        return self._loss.rounding(self._records, self._loss.largest_margin(weights)) + 2.0**-51 * rest
