"""Sums of products of the numbers and the small categories of a batch, in one pass over its rows.

The encoded record of these columns is short enough to be multiplied with itself as it is: an intercept, a
coordinate for each number, and one for each value of a category that has few. The sums are made once for a
batch, and every statistic that wants some of them finds them there. Products of a number with a larger
category are added up by the category's code.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privet.schema import Category, Number
from privet.stats.linear.product_kernels import (
    FINE,
    MOST_ROWS,
    add_by_code,
    add_products,
    fixed_column,
    fixed_rows,
    mark,
)
from privet.stats.rows import Rows, refuse_infinite

__all__ = ["DenseProducts", "dense_products", "is_dense"]

Answer = NDArray[np.int64]

# A product with each value of a category costs a twentieth of counting by its code.
FEW = 4
# Not a power of 2: columns of such a length would compete for the same places of the cache.
ROWS_AT_ONCE = 9 * MOST_ROWS
# Rows whose bounds stand in a row, so that the loop over them is long.
TILED = 8


@dataclass(frozen=True)
class DenseProducts:
    """The ``sums`` of x·xᵀ, times F², where ``places`` says which rows and columns are whose."""

    places: dict[str, int]
    sums: Answer
    #: Of each number, how many values are missing. Numbers come first among the places, after the intercept.
    missing: Answer
    #: For each larger category the sums of its values' numbers, times F²: value × number.
    by_code: dict[str, Answer]


def is_dense(column: Category | Number) -> bool:
    return isinstance(column, Number) or column.size <= FEW


def dense_products(rows: Rows) -> DenseProducts:
    """The sums of this batch: computed when first asked for."""
    return rows.once("dense products", _computed)


def _computed(rows: Rows) -> DenseProducts:
    columns = [column for column in rows.schema.columns if column.name in rows]
    numbers = [column for column in columns if isinstance(column, Number)]
    numbers.sort(key=lambda column: not rows.lies_in_matrix(column.name))
    categories = [column for column in columns if isinstance(column, Category)]
    few = [column for column in categories if is_dense(column)]
    large = [column for column in categories if not is_dense(column)]
    places = {column.name: place for place, column in enumerate(numbers, 1)}
    end = 1 + len(numbers)
    for category in few:
        places[category.name] = end
        end += category.size
    codes = {column.name: rows.codes(column.name) for column in categories}
    fixed = _FixedNumbers(rows, numbers)
    sums = np.zeros((end, end), np.int64)
    by_code = {column.name: np.zeros((column.size + 1, len(numbers)), np.int64) for column in large}
    panel = np.empty((end, ROWS_AT_ONCE), np.int16)
    panel[0] = FINE
    written = panel[1 : 1 + len(numbers)]
    for begin in range(0, rows.size, ROWS_AT_ONCE):
        stop = min(begin + ROWS_AT_ONCE, rows.size)
        fixed.write(begin, stop, written)
        for column in few:
            for code in range(column.size):
                mark(codes[column.name][begin:stop], code, panel[places[column.name] + code])
        add_products(panel, stop - begin, sums)
        for name, found in by_code.items():
            add_by_code(written, codes[name][begin:stop], found)
    sums += np.triu(sums, 1).T
    return DenseProducts(
        places, sums, fixed.missing, {name: found[:-1] * FINE for name, found in by_code.items()}
    )


class _FixedNumbers:
    """The numbers of a batch in fixed point, some rows at a time. ``numbers`` has those of a matrix first."""

    def __init__(self, rows: Rows, numbers: list[Number]) -> None:
        self.missing = np.zeros(len(numbers), np.int64)
        self._rows, self._numbers = rows, numbers
        self._columns: dict[str, NDArray[np.float64]] = {}  # as far as they are read by columns
        self._middle = np.array([column.midpoint for column in numbers], float)
        self._factor = np.array([FINE / column.half_range for column in numbers], float)
        together = [column.name for column in numbers if rows.lies_in_matrix(column.name)]
        self._matrix = rows.matrix(together) if together else None
        width = len(together)
        self._tiled = np.tile(self._middle[:width], TILED), np.tile(self._factor[:width], TILED)

    def write(self, begin: int, stop: int, panel: NDArray[np.int16]) -> None:
        done = 0
        if self._matrix is not None and fixed_rows(self._matrix[begin:stop], *self._tiled, panel):
            done = self._matrix.shape[1]
        for j, column in enumerate(self._numbers[done:], done):
            if column.name not in self._columns:
                self._columns[column.name] = self._rows.numbers(column.name)
            values = self._columns[column.name][begin:stop]
            missing, finite = fixed_column(values, self._middle[j], self._factor[j], panel[j])
            if not finite:
                refuse_infinite(column.name)
            self.missing[j] += missing
