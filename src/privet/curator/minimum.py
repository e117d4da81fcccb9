"""The exact minimum of a regularised loss over the records: Newton's method on what it keeps in memory."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from privet.curator.blas import one_thread
from privet.errors import DataError
from privet.schema import Schema
from privet.sources.base import Source
from privet.sources.parts import Spread
from privet.stats import Rows
from privet.stats.contribution import bounded
from privet.stats.linear.logistic_loss import Examples, LogisticLoss
from privet.stats.linear.slope import READ, Slope, SlopeOfPart

__all__ = ["derivatives", "minimum"]

Matrix = NDArray[np.float64]

# Encoded records are kept for the next pass up to so many numbers (1 GiB); beyond, they are encoded again.
KEPT = 1 << 27
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
    problem = _Problem(loss, _passes(loss, source, schema), ridge, tilt)
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


def derivatives(
    loss: LogisticLoss, source: Source, schema: Schema, ridge: float, weights: Matrix
) -> tuple[Matrix, Matrix]:
    """The slope and the curvature of Σ loss + ridge/2·‖w‖² at these weights."""
    problem = _Problem(loss, _passes(loss, source, schema), ridge, np.zeros(loss.shape))
    slope, curvature = problem.at(np.asarray(weights, float).reshape(loss.shape))
    assert curvature is not None
    return slope, curvature


def _passes(loss: LogisticLoss, source: Source, schema: Schema) -> Passes:
    return _InParts(loss, source, schema) if isinstance(source, Spread) else _Kept(loss, source, schema)


class Passes(Protocol):
    """Passes over all records."""

    def slope_at(self, weights: Matrix, curvature: bool) -> Slope: ...


class _InParts:
    """Each pass folds the parts of a source where they are; the records of persons that stay, here."""

    def __init__(self, loss: LogisticLoss, source: Source, schema: Schema) -> None:
        self._loss, self._source, self._schema = loss, source, schema
        wanted = {*loss.columns, schema.unit.id}
        self._columns = [name for name in source.names if name in wanted]
        self._kept = None if schema.unit.id is None else _Kept(loss, source, schema)

    def slope_at(self, weights: Matrix, curvature: bool) -> Slope:
        if self._kept is not None:
            return self._kept.slope_at(weights, curvature)
        assert isinstance(self._source, Spread)
        task = SlopeOfPart(self._loss, self._schema, weights, curvature)
        parts = self._source.spread(task, self._columns)
        return reduce(Slope.merge, parts, Slope.start(self._loss.shape))


class _Kept:
    """The blocks of encoded records, one pass after the other."""

    def __init__(self, loss: LogisticLoss, source: Source, schema: Schema) -> None:
        self._loss, self._source, self._schema = loss, source, schema
        self._blocks: list[Examples] | None = None

    def slope_at(self, weights: Matrix, curvature: bool) -> Slope:
        found = Slope.start(self._loss.shape)
        for block in self:
            found = found.with_block(self._loss, block, weights, curvature)
        return found

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

    def __init__(self, loss: LogisticLoss, passes: Passes, ridge: float, tilt: Matrix) -> None:
        self._loss, self._passes, self._ridge, self._tilt = loss, passes, ridge, tilt
        self._records = 0

    def at(self, weights: Matrix, curvature: bool = True) -> tuple[Matrix, Matrix | None]:
        """Its slope and, if wanted, its curvature."""
        found = self._passes.slope_at(weights, curvature)
        self._records = found.records
        slope = found.slope + found.lost + (self._ridge * weights + self._tilt)
        return slope, self._ridge * np.eye(weights.size) + found.bent if curvature else None

    def rounding(self, weights: Matrix) -> float:
        """By how much the norm of the slope, as last computed, may be off."""
        rest = float(np.abs(self._ridge * weights).sum() + np.abs(self._tilt).sum())
        return self._loss.rounding(self._records, self._loss.largest_margin(weights)) + 2.0**-51 * rest
