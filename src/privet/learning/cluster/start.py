"""Where the search for centres starts: weighted points from noisy counts, in which ordinary k-means looks."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.curator import Curator, Measure
from privet.learning.synthesise.shrinking import proportions
from privet.schema import Category, Column
from privet.schema.bins import public_cuts
from privet.stats import Coded, CrossTable
from privet.stats.clusters.points import CORNER

__all__ = [
    "bins_of_grid",
    "cells_of_grid",
    "draws_from_columns",
    "fits_a_grid",
    "number_of_records",
    "ordinary_k_means",
]

Matrix = NDArray[np.float64]

MOST_CELLS = 60_000
LEAST_BINS = 3
DRAWS = 4000


def fits_a_grid(columns: tuple[Column, ...]) -> bool:
    """Whether a grid of three bins for each number has few enough cells: up to seven numbers."""
    return _cells(columns, LEAST_BINS) <= MOST_CELLS


def _cells(columns: tuple[Column, ...], bins: int) -> int:
    """The cells of a grid, with those of missing values."""
    return math.prod((column.size if isinstance(column, Category) else bins) + 1 for column in columns)


def bins_of_grid(columns: tuple[Column, ...], most: int, records: float, epsilon: float) -> int:
    """Bins for each number: about (n·ε/10)^(2d/(2 + d)) cells for few numbers (Su et al.)."""
    numbers = max(1, sum(not isinstance(column, Category) for column in columns))
    worth = max(records, 1.0) * epsilon / (10 if numbers <= 3 else 20)
    wanted = worth ** (2 * numbers / (2 + numbers))
    fitting = [b for b in range(LEAST_BINS, most + 1) if _cells(columns, b) <= min(wanted, MOST_CELLS)]
    return max(fitting, default=LEAST_BINS)


def number_of_records(curator: Curator, columns: tuple[Column, ...], share: Fraction) -> float:
    """About how many records there are."""
    one = min(columns, key=lambda column: column.size if isinstance(column, Category) else 1)
    release = curator.ask(Measure(CrossTable((Coded(one.name),)), "the number of records"), share)
    return float(release.value.sum())


def cells_of_grid(
    curator: Curator, columns: tuple[Column, ...], bins: int, share: Fraction
) -> tuple[Matrix, NDArray[np.float64], float]:
    """The middles of the cells of a noisy grid, their weights, and about how many records there are."""
    cuts = [public_cuts(column, bins) for column in columns]
    grid = CrossTable(tuple(Coded(c.name, cut) for c, cut in zip(columns, cuts, strict=True)))
    release = curator.ask(Measure(grid, "records in each cell of a grid"), share)
    total = float(release.value.sum())
    weights = proportions(release.value.astype(float), total)
    kept = np.argwhere(weights > 0)
    parts = []
    for axis, (column, cut) in enumerate(zip(columns, cuts, strict=True)):
        coordinates = _middles(column, cut)
        alone = weights.sum(axis=tuple(a for a in range(weights.ndim) if a != axis))[:-1]
        mean = alone @ coordinates / alone.sum() if alone.sum() > 0 else coordinates.mean(axis=0)
        parts.append(np.vstack([coordinates, mean])[kept[:, axis]])  # a missing value is taken to be the mean
    return np.hstack(parts), weights[tuple(kept.T)], max(total, 0.0)


def draws_from_columns(
    curator: Curator, columns: tuple[Column, ...], bins: int, share: Fraction
) -> tuple[Matrix, NDArray[np.float64], float]:
    """Points drawn from the noisy counts of each column by itself: a start where a grid is too large."""
    cuts = [public_cuts(column, bins) for column in columns]
    tables = [CrossTable((Coded(c.name, cut),)) for c, cut in zip(columns, cuts, strict=True)]
    asked = [(Measure(table, f"'{table.columns[0]}'"), share / len(tables)) for table in tables]
    releases = curator.ask_together(asked)
    total = float(np.mean([release.value.sum() for release in releases]))
    draw = curator.randomness.generator()
    parts = []
    for column, cut, release in zip(columns, cuts, releases, strict=True):
        shares = proportions(release.value[:-1].astype(float), max(total, 1.0))
        parts.append(_middles(column, cut)[draw.choice(len(shares), DRAWS, p=shares)])
    return np.hstack(parts), np.full(DRAWS, 1 / DRAWS), max(total, 0.0)


def ordinary_k_means(points: Matrix, weights: NDArray[np.float64], clusters: int, curator: Curator) -> Matrix:
    """Centres of released points, by scikit-learn; too few different points are joined by drawn ones."""
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    draw = curator.randomness.generator()
    if len(points) < clusters:
        more = draw.random((clusters - len(points), points.shape[1]))
        points, weights = np.vstack([points, more]), np.append(weights, np.full(len(more), 1e-6))
    if len(points) > 20_000:  # the fullest cells hold nearly all records
        kept = np.argsort(-weights)[:20_000]
        points, weights = points[kept], weights[kept]
    seed = int(draw.integers(2**31))
    search = KMeans(clusters, n_init=4, random_state=seed, max_iter=100)
    with warnings.catch_warnings(), _threads().limit(limits=1):
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer different points than clusters
        centres: Matrix = search.fit(points, sample_weight=np.maximum(weights, 1e-12)).cluster_centers_
    return centres


@cache
def _threads() -> Any:
    """Of scikit-learn's libraries, which take milliseconds to find: once."""
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

    return ThreadpoolController()


def _middles(column: Column, cuts: tuple[float, ...]) -> Matrix:
    """The coordinates of the middle of each cell of a column."""
    if isinstance(column, Category):
        corners: Matrix = CORNER * np.eye(column.size)
        return corners
    edges = np.array([column.low, *cuts, column.high])
    middles = ((edges[1:] + edges[:-1]) / 2 - column.low) / (column.high - column.low)
    return np.asarray(middles)[:, None]
