"""Records as points: numbers scaled to [0, 1] by their public bounds, categories as corners of a simplex."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privet.schema import Category, Column
from privet.stats.clusters.kernels import squared_distances
from privet.stats.rows import Rows, refuse_infinite

__all__ = ["Points", "distances"]

Matrix = NDArray[np.float64]
CORNER = math.sqrt(0.5)


@dataclass(frozen=True)
class Points:
    """The coordinates of records. Two different values of a category are 1 apart, like a number's bounds.

    >>> import pyarrow as pa
    >>> from privet.schema import Schema
    >>> schema = Schema.of({"age": (0, 100), "smoker": ["no", "yes"]})
    >>> batch = pa.record_batch({"age": [25, 250, None], "smoker": ["no", "yes", "no"]})
    >>> Points(schema.columns)(Rows(batch, schema)).round(3).tolist()
    [[0.25, 0.707, 0.0], [1.0, 0.0, 0.707], [nan, 0.707, 0.0]]
    """

    columns: tuple[Column, ...]

    @property
    def width(self) -> int:
        return sum(column.size if isinstance(column, Category) else 1 for column in self.columns)

    @property
    def names(self) -> list[str]:
        """The name of each coordinate."""
        return [
            name
            for c in self.columns
            for name in ([f"{c.name}={v}" for v in c.labels] if isinstance(c, Category) else [c.name])
        ]

    def __call__(self, rows: Rows) -> Matrix:
        """A row of coordinates for each record; NaN where a value is missing. Made once for these rows."""
        return rows.once(f"points {hash(self.columns)}", self._of)

    def _of(self, rows: Rows) -> Matrix:
        found = np.empty((rows.size, self.width))
        place = 0
        for column in self.columns:
            if isinstance(column, Category):
                codes = rows.codes(column.name).astype(np.int64)
                corners = np.vstack([CORNER * np.eye(column.size), np.full(column.size, np.nan)])
                found[:, place : place + column.size] = corners[codes]
                place += column.size
            else:
                values = rows.numbers(column.name)
                scaled = (np.clip(values, column.low, column.high) - column.low) / (column.high - column.low)
                if np.isinf(values).any():
                    refuse_infinite(column.name)
                found[:, place] = np.clip(scaled, 0.0, 1.0)
                place += 1
        return found


def distances(points: Matrix, centres: Matrix) -> Matrix:
    """The squared distance of each point from each centre; missing coordinates count as no distance.

    Coordinate by coordinate, so that the digits of a point's distances do not depend on the points beside it:
    a matrix product rounds by blocks of rows, and another formula for batches with missing cells would send
    all points that are as near to two centres from the one to the other when one such point is added.
    """
    found = np.empty((len(points), len(centres)))
    squared_distances(np.ascontiguousarray(points), np.ascontiguousarray(centres.T), found)
    return found
