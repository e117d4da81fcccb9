"""Noisy histograms of single columns, and what follows from them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from privet.curator import Curator, Measure
from privet.schema import Category, Column, Number
from privet.schema.number_texts import numbers_of_texts
from privet.stats import Coded, CrossTable

__all__ = ["Histogram", "attributes", "histograms", "numbers_in"]


@dataclass(frozen=True)
class Histogram:
    """The noisy counts of one column, without its missing values, and the noise's standard deviation.

    >>> Histogram(np.array([0.0, 90.0, 10.0]), (0.0, 1.0, 2.0, 3.0), 1.0).quantile(0.5)
    1.5555555555555556
    """

    counts: NDArray[np.float64]
    edges: tuple[float, ...]
    deviation: float

    def to_dict(self) -> dict[str, Any]:
        """The released counts as a model keeps them."""
        return {"counts": self.counts.tolist(), "edges": list(self.edges), "deviation": self.deviation}

    @property
    def noise(self) -> float:
        """A count that noise alone reaches in any of the cells with a chance of one in ten thousand."""
        return self.deviation / math.sqrt(2) * math.log(10_000 * max(len(self.counts), 2))

    @property
    def cleared(self) -> NDArray[np.float64]:
        """The counts without those that may be noise alone; all that are positive if none stands out."""
        clear = np.where(self.counts > self.noise, self.counts, 0.0)
        return clear if clear.any() else np.maximum(self.counts, 0.0)

    def quantile(self, share: float) -> float:
        """The number below which this share of the records lies, as far as the bins tell."""
        counts = self.cleared
        if not counts.any():
            return self.edges[0] + share * (self.edges[-1] - self.edges[0])
        below = np.concatenate([[0.0], np.cumsum(counts)])
        return float(np.interp(share * below[-1], below, self.edges))

    @property
    def moments(self) -> tuple[float, float]:
        """The mean and the standard deviation, each bin counting as its middle."""
        counts, edges = self.cleared, np.array(self.edges)
        middles = (edges[1:] + edges[:-1]) / 2
        if not counts.any():
            return float(middles.mean()), float(edges[-1] - edges[0]) / 4
        mean = float(counts @ middles / counts.sum())
        spread = math.sqrt(float(counts @ (middles - mean) ** 2 / counts.sum()))
        return mean, max(spread, float(edges[-1] - edges[0]) / 1000)


def attributes(curator: Curator, kind: type[Number] | type[Category]) -> list[Column]:
    """The attributes of this kind."""
    return [column for column in curator.schema.attributes if isinstance(column, kind)]


def histograms(
    curator: Curator,
    columns: Sequence[Column],
    cuts: Mapping[str, Sequence[float]],
    whole: Fraction,
    what: str,
) -> dict[str, Histogram]:
    """A noisy histogram of each column, for equal shares of ``whole``.

    **Privacy.** A record has one value of each column, so a histogram has L1 = L2² = 1
    (``stats.CrossTable``); the histograms of several columns compose sequentially.
    """
    if not columns:
        return {}
    tables = [CrossTable((Coded(column.name, tuple(cuts.get(column.name, ()))),)) for column in columns]
    share = whole / len(columns)
    asked = [(Measure(table, f"{what} '{table.columns[0]}'"), share) for table in tables]
    found = {}
    for column, release in zip(columns, curator.ask_together(asked), strict=True):
        edges: tuple[float, ...] = ()
        if isinstance(column, Number):
            edges = (float(column.low), *cuts.get(column.name, ()), float(column.high))
        counts = np.asarray(release.value, np.float64)[:-1]
        found[column.name] = Histogram(counts, edges, float(release.standard_deviation))
    return found


def numbers_in(cells: pa.Array) -> pa.Array:
    """The numbers of a column's cells; what is none is missing, so that no cell can stop a run."""
    if pa.types.is_dictionary(cells.type):
        cells = cells.dictionary_decode()
    if pa.types.is_string(cells.type) or pa.types.is_large_string(cells.type):
        cells = numbers_of_texts(cells)
    if not (
        pa.types.is_integer(cells.type) or pa.types.is_floating(cells.type) or pa.types.is_boolean(cells.type)
    ):
        return pa.array(np.full(len(cells), np.nan))
    values = cells.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    return pa.array(values)
