"""How a record becomes a vector, from the schema alone: one-hot categories, scaled numbers, an intercept.

The vector of a record is x = (1, block of each attribute in the schema's order):

* a category has one coordinate for each value of its public domain (``other`` is a value too): 1 at the
  record's value and 0 elsewhere;
* a number has one coordinate z = (value − midpoint) / half range, after clamping to the public bounds, so z
  lies in [−1, 1]; or, cut into bins at public places, one coordinate for each bin: 1 at the record's bin and
  0 elsewhere, as if the bins were the values of a category;
* a missing value gives zeros in its block: it contributes nothing, as if the attribute were not there.

**Norms.** A block contributes at most 1 to the L1 norm and at most 1 to the squared L2 norm, whatever its
width, and the intercept contributes 1. So ‖x‖₁ ≤ m + 1 and ‖x‖₂ ≤ √(m + 1) for m *attributes*: these are the
real row norms of the schema. The encoded width (109 for a table of 14 attributes, say) never enters.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from privet.errors import SchemaError
from privet.schema import Category, Column, Number, Schema
from privet.schema.bins import bin_labels, public_cuts
from privet.stats.rows import Rows, refuse_infinite

__all__ = ["Block", "Encoding", "fixed_point"]

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Block:
    """The coordinates of one attribute: ``width`` of them from ``start``."""

    column: Column
    start: int
    cuts: tuple[float, ...] = ()

    @property
    def width(self) -> int:
        return self.column.size if isinstance(self.column, Category) else len(self.cuts) + 1

    @property
    def place(self) -> slice:
        return slice(self.start, self.start + self.width)

    @property
    def nominal(self) -> bool:
        """Whether a record has 1 at one of its coordinates and 0 elsewhere: values, or bins of a number."""
        return bool(self.cuts) or isinstance(self.column, Category)

    @property
    def names(self) -> list[str]:
        column = self.column
        if not self.nominal:
            return [column.name]
        return [f"{column.name}={label}" for label in bin_labels(column, self.cuts)]


@dataclass(frozen=True)
class Encoding:
    """The layout of encoded records.

    >>> schema = Schema.of({"age": (0, 100), "smoker": ["no", "yes"], "ill": [0, 1]}, target="ill")
    >>> encoding = Encoding.of(schema)
    >>> encoding.names
    ['intercept', 'age', 'smoker=no', 'smoker=yes']
    >>> import pyarrow as pa
    >>> batch = pa.record_batch({"age": [50, 130, None], "smoker": ["yes", None, "no"]})
    >>> encoding.encode(Rows(batch, schema)).tolist()
    [[1.0, 0.0, 0.0, 1.0], [1.0, 1.0, 0.0, 0.0], [1.0, 0.0, 1.0, 0.0]]
    """

    columns: tuple[Column, ...]
    #: Into how many bins numbers are cut, where nothing is declared about their cuts; 0 leaves them scaled.
    bins: int = 0

    @classmethod
    def of(cls, schema: Schema, bins: int = 0) -> Encoding:
        """The encoding of a schema's attributes: all columns but the target."""
        if not schema.attributes:
            raise SchemaError(
                "The schema has no attribute besides the target.", "Declare the columns to learn from."
            )
        return cls(schema.attributes, bins)

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        blocks: list[Block] = []
        start = 1
        for column in self.columns:
            blocks.append(Block(column, start, public_cuts(column, self.bins) if self.bins else ()))
            start += blocks[-1].width
        return tuple(blocks)

    @cached_property
    def width(self) -> int:
        """Coordinates, with the intercept."""
        return 1 + sum(block.width for block in self.blocks)

    @cached_property
    def cells(self) -> tuple[slice, ...]:
        """Each block's place in a layout without intercept, where a category has a last cell for missing."""
        ends = [0]
        for block in self.blocks:
            ends.append(ends[-1] + block.width + block.nominal)
        return tuple(slice(a, b) for a, b in pairwise(ends))

    @cached_property
    def cell_of(self) -> NDArray[np.int64]:
        """The cell of each coordinate but the intercept."""
        pairs = zip(self.cells, self.blocks, strict=True)
        return np.concatenate([np.arange(block.width) + cells.start for cells, block in pairs])

    @property
    def names(self) -> list[str]:
        return ["intercept", *(name for block in self.blocks for name in block.names)]

    @property
    def l1(self) -> int:
        """The largest L1 norm of an encoded record, and the largest squared L2 norm (see the module)."""
        return 1 + len(self.blocks)

    def encode(self, rows: Rows) -> Matrix:
        """The encoded records, dense: records × width."""
        return np.ascontiguousarray(self.encode_columns(rows).T)

    def encode_columns(self, rows: Rows) -> Matrix:
        """The same with a coordinate in each row: width × records."""
        encoded = np.zeros((self.width, rows.size))
        encoded[0] = 1.0
        for block, values in self.parts(rows):
            if block.nominal:
                known = np.flatnonzero(values < block.width)
                encoded[block.start + values[known].astype(np.int64), known] = 1.0
            else:
                encoded[block.start] = values
        return encoded

    def margins(self, rows: Rows, weights: Matrix) -> Matrix:
        """encode(rows) @ weights.T without the dense matrix: one look-up for each attribute."""
        total = np.repeat(weights[:, :1], rows.size, axis=1)
        for block, values in self.parts(rows):
            if block.nominal:  # the look-up table ends in a zero, for missing values
                table = np.append(weights[:, block.place], np.zeros((len(weights), 1)), axis=1)
                total += table[:, values]
            else:
                total += weights[:, block.start, None] * values
        return np.ascontiguousarray(total.T)

    def parts(self, rows: Rows) -> Iterator[tuple[Block, NDArray[np.float64]]]:
        """Each block with its codes (the width means missing), or with its z (0 where missing)."""
        for block in self.blocks:
            if isinstance(block.column, Number) and not block.nominal:
                yield block, scaled(rows, block.column)
            else:
                yield block, rows.codes(block.column.name, block.cuts)


def scaled(rows: Rows, column: Number) -> NDArray[np.float64]:
    """The number clamped to its bounds and scaled to [−1, 1]; 0 where it is missing."""
    values = rows.numbers(column.name)
    if np.isinf(values).any():
        refuse_infinite(column.name)
    z = (np.clip(values, column.low, column.high) - column.midpoint) / column.half_range
    return np.nan_to_num(np.clip(z, -1.0, 1.0), copy=False, nan=0.0)


def fixed_point(z: NDArray[np.float64], scale: int) -> NDArray[np.int64]:
    """⌊scale·z + ½⌋, between −scale and scale."""
    return np.clip(np.floor(z * scale + 0.5), -scale, scale).astype(np.int64)
