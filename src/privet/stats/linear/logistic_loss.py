"""The logistic loss of encoded records: its bounds for one record, and its exact slope and curvature."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax

from privet.schema import Schema
from privet.stats.linear.encoding import Encoding
from privet.stats.rows import Rows

__all__ = ["Examples", "LogisticLoss"]

Matrix = NDArray[np.float64]

#: Encoded records, a coordinate in each row, and the code of each record's class.
Examples = tuple[Matrix, NDArray[np.int64]]

# Records are taken so many at a time, for the block stays in the cache then; their slopes are summed in parts
# of so many, which keeps rounding errors small.
AT_ONCE, SUMMED = 4096, 256


@dataclass(frozen=True)
class LogisticLoss:
    """−log P(class | record), summed over the records that have a class; one row of weights for two classes.

    **One record.** With x the encoded record, r its L1 norm and its squared L2 norm at most
    ``encoding.l1`` = m + 1, the slope is q·xᵀ, q = P(class | x) − [the class]. Two classes: |q| ≤ 1, so L1 ≤
    r and L2² ≤ r, and the curvature p(1 − p)·x xᵀ has a trace of at most r/4, and rank 1. K classes: Σ|q| ≤ 2
    and Σq² ≤ 2, so twice as much; the curvature (diag(p) − p pᵀ) ⊗ x xᵀ has the trace (1 − Σp²)·‖x‖², at most
    (1 − 1/K)·r, and rank K − 1 (a shift of all margins changes nothing). The encoded width never enters.
    """

    target: str
    encoding: Encoding
    classes: int

    @property
    def columns(self) -> tuple[str, ...]:
        return (*(column.name for column in self.encoding.columns), self.target)

    @property
    def shape(self) -> tuple[int, int]:
        return (1 if self.classes == 2 else self.classes), self.encoding.width

    def slope_norms(self, schema: Schema) -> tuple[int, int]:
        """How far one unit of privacy can move the slope: in L1, and in L2 squared."""
        norm = self.encoding.l1 * (1 if self.classes == 2 else 2)
        records = schema.unit.most * (2 if schema.unit.neighbours == "replace" else 1)
        return norm * records, norm * records**2

    def curvature(self, schema: Schema) -> tuple[Fraction, int]:
        """The largest trace, and rank, of the curvature that the records of one unit of privacy can bring."""
        most = Fraction(1, 4) if self.classes == 2 else 1 - Fraction(1, self.classes)
        return most * self.encoding.l1 * schema.unit.most, (self.classes - 1) * schema.unit.most

    def examples(self, rows: Rows) -> Iterator[Examples]:
        """The records that have a class, in blocks."""
        actual = rows.codes(self.target).astype(np.int64)
        encoded = self.encoding.encode_columns(rows)
        if (actual >= self.classes).any():
            known = np.flatnonzero(actual < self.classes)
            encoded, actual = encoded[:, known], actual[known]
        for begin in range(0, actual.size, AT_ONCE):
            block = encoded[:, begin : begin + AT_ONCE]
            yield np.ascontiguousarray(block), actual[begin : begin + AT_ONCE]

    def derivatives(
        self, block: Examples, weights: Matrix, curvature: bool = True
    ) -> tuple[Matrix, Matrix | None]:
        """The slope at these weights and, if wanted, the curvature: a matrix over all weights, row by row."""
        x, actual = block
        margins = weights @ x
        if len(weights) == 1:
            p = expit(margins)
            root = np.multiply(x, np.sqrt(p * (1 - p)), out=_room(x.shape)) if curvature else x
            return _sums(p - actual, x), root @ root.T if curvature else None
        p = softmax(margins, axis=0)
        q = p.copy()
        q[actual, np.arange(actual.size)] -= 1
        return _sums(q, x), self._joint_curvature(x, p) if curvature else None

    def _joint_curvature(self, x: Matrix, p: Matrix) -> Matrix:
        k, d = self.shape
        curvature = np.zeros((k, d, k, d))
        for one in range(k):
            for other in range(one, k):
                share = p[one] * ((one == other) - p[other])
                curvature[one, :, other, :] = np.multiply(x, share, out=_room(x.shape)) @ x.T
                curvature[other, :, one, :] = curvature[one, :, other, :].T
        return curvature.reshape(k * d, k * d)

    def largest_margin(self, weights: Matrix) -> float:
        """No record's margin is larger: each attribute brings one weight, or a part of it."""
        largest = np.abs(weights[:, 0])
        for block in self.encoding.blocks:
            largest = largest + np.abs(weights[:, block.place]).max(axis=1)
        return float(largest.max()) * (1 + 2.0**-30)

    def rounding(self, records: int, margin: float) -> float:
        """By how much the L2 norm of a slope, summed in double precision, can be off.

        With u = 2⁻⁵³, W the largest ``margin`` and r = m + 1 terms in it that are not 0: a margin is off by
        at most (r + 3)·u·W, with the softmax's shift. P moves a quarter as much for two classes, all P of the
        softmax together as much, and exp, sum and division add (K + 16)·u. A record's slope is off by that
        times ‖x‖₂ ≤ √r. The sum over a block is off by the longest chain of additions, SUMMED +
        AT_ONCE/SUMMED + 2, times u times Σ|q||x| in each coordinate, whose norm is at most √(2r) for each
        record. Sums of blocks are compensated (``curator.minimum``): they add 2u, however many there are.
        """
        terms = self.encoding.l1
        chance = (terms + 3) * margin * (0.25 if self.classes == 2 else 1.0) + self.classes + 16
        chain = SUMMED + AT_ONCE / SUMMED + 4
        return 2.0**-53 * (1 + 2.0**-20) * records * (chance + chain) * (2.0 * terms) ** 0.5


def _sums(q: Matrix, x: Matrix) -> Matrix:
    """q·xᵀ over the records of a block, in parts of ``SUMMED``, which are added up one after the other."""
    whole = x.shape[1] // SUMMED * SUMMED
    total = q[:, whole:] @ x[:, whole:].T
    if whole:
        left = q[:, :whole].reshape(len(q), -1, SUMMED).transpose(1, 0, 2)
        total += (left @ x[:, :whole].reshape(len(x), -1, SUMMED).transpose(1, 2, 0)).sum(axis=0)
    return total


def _room(shape: tuple[int, int]) -> Matrix:
    """Memory for one block, the same in each call of a thread: fresh pages cost more than the product."""
    if getattr(_rooms, "matrix", _NOTHING).size < shape[0] * shape[1]:
        _rooms.matrix = np.empty(shape[0] * shape[1])
    room: Matrix = _rooms.matrix[: shape[0] * shape[1]].reshape(shape)
    return room


_rooms, _NOTHING = threading.local(), np.empty(0)
