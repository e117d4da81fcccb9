"""Sums of products of encoded coordinates: the second moments that a quadratic loss needs, each cell once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from privet.schema import Schema
from privet.stats import kernels
from privet.stats.base import Answer, Sensitivity, Statistic
from privet.stats.linear import products_sql
from privet.stats.linear.dense_products import DenseProducts, dense_products, is_dense
from privet.stats.linear.encoding import Block, Encoding
from privet.stats.linear.product_kernels import FINE
from privet.stats.rows import Rows

__all__ = ["Pairs", "Products"]


class Pairs(NamedTuple):
    """For each cell of products between blocks: which pair of blocks, and which two coordinates."""

    pair: NDArray[np.int64]
    one: NDArray[np.int64]
    other: NDArray[np.int64]


class _DenseCells(NamedTuple):
    """Which of the sums and of the products between blocks are dense, and where in the dense sums all are."""

    summed: NDArray[np.bool_]
    sums: NDArray[np.int64]
    squares: NDArray[np.int64]
    across: NDArray[np.bool_]
    one: NDArray[np.int64]
    other: NDArray[np.int64]


@dataclass(frozen=True)
class Products(Statistic):
    """Σ x xᵀ over the records, x being the encoded record of these columns, as a vector of distinct cells.

    The upper triangle of x xᵀ still holds zeros and repetitions: two values of one category are never 1
    together, and the square of a 0/1 coordinate is itself, which the intercept's row holds already. What is
    left, and measured, is

    * with ``sums``, the intercept's row: the number of records, the count of each value, Σz of each number;
    * with ``squares``, for each number Σ(z² − ½) and half the number of missing values;
    * for each pair of different attributes their block of products.

    With ``target``, one of the columns, only the pairs in which it takes part, its own ``sums`` without the
    number of records, and the ``squares`` of the others. With ``given``, any column, only the records that
    have a value there.

    In fixed point: z becomes the nearest t/2^11, and every cell is a multiple of 2^-22, without further
    rounding.

    **Sensitivity**, in units of 2^22. A block of two attributes gets from a record one entry of 1 (two
    categories), of z (a category and a number) or of z·z', so at most 1 in L1 and in L2². Own sums: the
    number of records 1; a category 1; a number |z| ≤ 1. Squares: a number that is there adds |z² − ½| ≤ ½ to
    one cell, and a missing one ½ to another: L1 ½, L2² ¼. Both of one number: |z| + |z² − ½| ≤ 3/2 and z² +
    (z² − ½)² = z⁴ + ¼ ≤ 5/4, both at |z| = 1. All are attained together by a record whose numbers are at
    their bounds. That compares with an L1 norm of (m + 1)² for all of x xᵀ and of d² for the encoded width d.
    """

    encoding: Encoding
    target: str | None = None
    sums: bool = True
    squares: bool = True
    given: str | None = None

    nonnegative = False
    scale = FINE**2
    unit = "records"
    by_rows = True

    @property
    def columns(self) -> tuple[str, ...]:
        names = tuple(column.name for column in self.encoding.columns)
        return names if self.given is None or self.given in names else (*names, self.given)

    @cached_property
    def summed(self) -> NDArray[np.int64]:
        """The coordinates whose sums come first; the intercept's is the number of records."""
        if not self.sums:
            return np.zeros(0, np.int64)
        if self.target is None:
            return np.arange(self.encoding.width)
        return np.concatenate([np.arange(b.width) + b.start for b in self._blocks if self._is_target(b)])

    @cached_property
    def squared(self) -> NDArray[np.int64]:
        """The coordinates whose squares come next, two cells each."""
        numbers = [b.start for b in self._blocks if not (b.nominal or self._is_target(b))]
        return np.array(numbers if self.squares else [], np.int64)

    @cached_property
    def pairs(self) -> Pairs:
        """The cells of products between blocks, which come last: pair by pair, each by rows."""
        block = np.concatenate([[-1], *(np.full(b.width, i) for i, b in enumerate(self._blocks))])
        one, other = (c + 1 for c in np.triu_indices(self.encoding.width - 1, 1))
        wanted = block[one] != block[other]
        if self.target is not None:
            named = [i for i, b in enumerate(self._blocks) if self._is_target(b)]
            wanted &= np.isin(block[one], named) | np.isin(block[other], named)
        one, other = one[wanted], other[wanted]
        key = block[one] * len(self._blocks) + block[other]
        order = np.lexsort((other, one, key))
        return Pairs(np.unique(key, return_inverse=True)[1][order], one[order], other[order])

    @property
    def _blocks(self) -> tuple[Block, ...]:
        return self.encoding.blocks

    def _is_target(self, block: Block) -> bool:
        return block.column.name == self.target

    @property
    def size(self) -> int:
        """How many cells there are."""
        return self.across + self.pairs.one.size

    @property
    def across(self) -> int:
        """Where the cells between blocks begin."""
        return self.summed.size + 2 * self.squared.size

    def split(self, cells: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """The cells as sums, squares (a row of two for each number) and products between blocks."""
        sums, squares, across = np.split(cells, [self.summed.size, self.across])
        return sums, squares.reshape(-1, 2), across

    def norms(self, schema: Schema) -> Sensitivity:
        between = len(np.unique(self.pairs.pair))
        own = 0 if not self.sums else 1 if self.target is not None else 1 + len(self._blocks)
        joint = self.squared.size
        l1 = 4 * (between + own) + 2 * joint  # in quarters
        squared_l2 = 4 * (between + own) + joint
        return Sensitivity(l1 * (self.scale // 4), squared_l2 * (self.scale**2 // 4))

    def start(self, schema: Schema) -> Answer:
        return np.zeros(self.size, np.int64)

    def fold(self, state: Answer, rows: Rows) -> Answer:
        rows = rows if self.given is None else rows.having(self.given)
        dense = dense_products(rows)
        sums, squares, across = self.split(state)  # views: what is added to them is added to the state
        at = self._dense_cells(dense)
        sums[at.summed] += dense.sums[0, at.sums]
        missing = dense.missing[at.squares - 1]  # the numbers come first there, after the intercept
        squares[:, 0] += dense.sums[at.squares, at.squares] - (rows.size - missing) * (self.scale // 2)
        squares[:, 1] += missing * (self.scale // 2)
        across[at.across] += dense.sums[at.one, at.other]
        if not (at.summed.all() and at.across.all()):
            self._fold_large(rows, sums, across)
        return state

    def _dense_cells(self, dense: DenseProducts) -> _DenseCells:
        """Which cells the dense sums hold, and where: the same for all batches of a table."""
        key = tuple(dense.places.items())
        if key not in self._known:
            place = np.full(self.encoding.width, -1)  # of each coordinate in the dense sums
            place[0] = 0
            for block in self._blocks:
                if is_dense(block.column):
                    place[block.place] = np.arange(block.width) + dense.places[block.column.name]
            sums, one, other = place[self.summed], place[self.pairs.one], place[self.pairs.other]
            summed, across = sums >= 0, (one >= 0) & (other >= 0)
            self._known[key] = _DenseCells(
                summed, sums[summed], place[self.squared], across, one[across], other[across]
            )
        return self._known[key]

    @cached_property
    def _known(self) -> dict[tuple[tuple[str, int], ...], _DenseCells]:
        return {}

    def _fold_large(self, rows: Rows, sums: Answer, across: Answer) -> None:
        """The cells of categories with many values."""
        dense = dense_products(rows)
        codes = {b.start: rows.codes(b.column.name) for b in self._blocks if b.nominal}
        for block in self._blocks:
            mine = np.isin(self.summed, np.arange(block.width) + block.start)
            if not is_dense(block.column) and mine.any():
                counts = np.bincount(codes[block.start], minlength=block.width + 1)[:-1]
                sums[mine] += counts * self.scale
        for one, other, cells in self.pairs_of_blocks():
            if is_dense(one.column) and is_dense(other.column):
                continue
            if one.nominal and other.nominal:
                counts = np.zeros((4, one.width + 1, other.width + 1), np.int64)
                kernels.count_pairs(codes[one.start], codes[other.start], counts)
                across[cells] += counts.sum(axis=0)[:-1, :-1].ravel() * self.scale
            else:
                category, number = (one, other) if one.nominal else (other, one)
                across[cells] += dense.by_code[category.column.name][:, dense.places[number.column.name] - 1]

    def pairs_of_blocks(self) -> list[tuple[Block, Block, slice]]:
        """The two blocks of each pair, and its place among the cells between blocks."""
        found, end = [], 0
        for i, one in enumerate(self._blocks):
            for other in self._blocks[i + 1 :]:
                if self.target is None or self._is_target(one) or self._is_target(other):
                    found.append((one, other, slice(end, end + one.width * other.width)))
                    end += one.width * other.width
        return found

    def expression(self, table: Any, schema: Schema) -> Any:
        return products_sql.expression(self, table, schema)

    def collect(self, result: Any, schema: Schema) -> Answer:
        return products_sql.collect(self, result, schema)
