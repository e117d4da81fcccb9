"""The slope and curvature of a loss at given weights, as a fold over blocks of records that can be merged.

**Rounding, for any order of merges.** A state holds s, the slope summed so far, and e, what the additions
have rounded away. Adding x is Knuth's exact sum: t = fl(s + x) and d with s + x = t + d exactly, and e
becomes fl(e + d). Merging two states adds the s exactly in the same way and sums both e and the d. So
whatever the tree of n − 1 additions, the exact sum of all blocks is s + Σd; what is lost is only in the sum
of the d.
With u = 2⁻⁵³ and A = Σ|x| in a coordinate: no partial sum exceeds A(1 + u)ⁿ, so |d| ≤ uA(1 + u)ⁿ, Σ|d| ≤
nuA(1 + u)ⁿ. The d are added in at most 2n floating-point additions, in some tree, whose error is at most
2nu(1 + u)²ⁿ·Σ|d| ≤ 2n²u²A(1 + u)³ⁿ. The last addition s + e loses u|s + e|. For n up to 2²⁵ blocks (2³⁷
records) 2n²u² ≤ 2⁻²u, so both together are less than 2uA, which is what ``LogisticLoss.rounding`` counts.
The curvature only points the way and needs no bound.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from privet.schema import Schema
from privet.stats.linear.logistic_loss import Examples, LogisticLoss
from privet.stats.rows import Rows

__all__ = ["READ", "Slope", "SlopeOfPart"]

Matrix = NDArray[np.float64]

# Records that are encoded at a time.
READ = 1 << 14


@dataclass(frozen=True)
class Slope:
    """The slope summed so far, what its additions have rounded away, the curvature, and how many records."""

    slope: Matrix
    lost: Matrix
    bent: Matrix
    records: int

    @classmethod
    def start(cls, shape: tuple[int, int]) -> Slope:
        size = shape[0] * shape[1]
        return cls(np.zeros(shape), np.zeros(shape), np.zeros((size, size)), 0)

    def with_block(self, loss: LogisticLoss, block: Examples, weights: Matrix, curvature: bool) -> Slope:
        more, bend = loss.derivatives(block, weights, curvature)
        total, lost = _exact(self.slope, more)
        if bend is not None:
            np.add(self.bent, bend, out=self.bent)  # the caller gives up the state
        return Slope(total, self.lost + lost, self.bent, self.records + len(block[1]))

    def merge(self, other: Slope) -> Slope:
        total, lost = _exact(self.slope, other.slope)
        records = self.records + other.records
        return Slope(total, (self.lost + other.lost) + lost, self.bent + other.bent, records)


def _exact(one: Matrix, other: Matrix) -> tuple[Matrix, Matrix]:
    """The rounded sum, and what it has rounded away."""
    total = one + other
    added = total - one
    return total, (one - (total - added)) + (other - added)


@dataclass(frozen=True)
class SlopeOfPart:
    """The slope of the loss over the rows of one part; a value, which can be sent to other processes."""

    loss: LogisticLoss
    schema: Schema
    weights: Matrix
    curvature: bool

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Slope:
        found = Slope.start(self.loss.shape)
        for batch in batches:
            for begin in range(0, batch.num_rows, READ):
                for block in self.loss.examples(Rows(batch.slice(begin, READ), self.schema)):
                    found = found.with_block(self.loss, block, self.weights, self.curvature)
        return found
