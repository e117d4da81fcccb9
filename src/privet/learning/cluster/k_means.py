"""k-means from a noisy grid, or from noisy margins, and a few noisy steps of the centres.

1. A start. Where a grid over all columns has few enough cells (up to seven numbers, and fewer with
   categories), a noisy count of each, in bins that follow from a noisy number of records; else noisy counts
   of each column by itself, from which points are drawn. Ordinary k-means looks for centres among these.
2. One step (four, after margins): every record says how far it is from its nearest centre, cut back to a
   radius, and each centre moves by the noisy mean of what its records say. Steps that are *relative* to the
   centres need far less noise than sums of whole records.
3. How good the centres are: the inertia, a silhouette-like figure, and the number of records of each.

**Privacy.** The grid and the margins have sensitivity 1 (``stats.cross_table``); the offsets' and the
quality's proofs are in ``stats.clusters``. Centres and radii depend on the table through releases only. The
shares of all questions add up to 1.

References: Su, Cao, Li, Bertino and Jin (2016) for the grid; offsets instead of sums are this project's.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from annotated_types import Ge, Le
from numpy.typing import NDArray

from privet.curator import Curator, Measure
from privet.estimator import PrivateClusterer
from privet.learning.cluster.start import (
    bins_of_grid,
    cells_of_grid,
    draws_from_columns,
    fits_a_grid,
    number_of_records,
    ordinary_k_means,
)
from privet.parameters import with_parameters
from privet.schema import Category, Number, Schema
from privet.stats import Rows
from privet.stats.clusters import Offsets, Points, Quality
from privet.stats.clusters.points import CORNER, distances

if TYPE_CHECKING:
    from privet.report import Chart

__all__ = ["KMeans"]

COUNT, GRID, MOVES, QUALITY = Fraction(2, 100), Fraction(58, 100), Fraction(3, 10), Fraction(1, 10)
MARGINS_FIRST = Fraction(2, 10)
ROUNDS = 4
MOST_HELD = 2e7  # values kept in memory between questions
# Of this many records we say beforehand how far noise moves their centre.
SPOKEN_OF = 1000


@with_parameters
class KMeans(PrivateClusterer):
    """Differentially private k-means for numbers, categories and both.

    Numbers are scaled to [0, 1] by their public bounds; two values of a category are 1 apart. The whole fit
    is (ε, δ)-differentially private for the schema's unit of privacy; with δ = 0 it is pure ε.

    >>> import numpy as np
    >>> from privet.schema import Schema
    >>> draw = np.random.default_rng(0)
    >>> points = np.concatenate([draw.normal(m, 0.5, (2000, 2)) for m in (2, 5, 8)])
    >>> schema = Schema.of({"x": (0.0, 10.0), "y": (0.0, 10.0)})
    >>> model = KMeans(epsilon=1.0, schema=schema, clusters=3).fit(points)
    >>> np.sort(model.cluster_centers_[:, 0]).round().tolist()
    [2.0, 5.0, 8.0]
    >>> len(set(model.predict([[2, 2], [5, 5], [8, 8]]).tolist()))
    3
    """

    clusters: Annotated[int, Ge(1), Le(500), "How many clusters."] = 3
    bins: Annotated[int, Ge(3), Le(1000), "At most how many bins each number gets."] = 32

    def _fit(self, curator: Curator) -> None:
        curator.hold(MOST_HELD)
        columns = tuple(c for c in curator.schema.columns if isinstance(c, Number) or c.size > 1)
        columns = columns or curator.schema.columns
        points = Points(columns)
        pure, bins = curator.amount.delta == 0, None
        if fits_a_grid(columns):
            records = number_of_records(curator, columns, COUNT)
            bins = bins_of_grid(columns, self.bins, records, float(GRID) * float(self.epsilon))
            found, weights, self.records_ = cells_of_grid(curator, columns, bins, GRID)
            rounds, moves = 1, MOVES
        else:
            found, weights, self.records_ = draws_from_columns(curator, columns, 16, MARGINS_FIRST)
            rounds, moves = ROUNDS, 1 - MARGINS_FIRST - QUALITY
        centres = ordinary_k_means(found, weights, self.clusters, curator)
        for _ in range(rounds):
            radius = _radius(found, weights, centres, "l1" if pure else "l2")
            statistic = Offsets(points, centres, radius, "l1" if pure else "l2")
            question = Measure(statistic, "where the centres should move")
            release = curator.ask(question, moves / rounds)
            centres = _moved(centres, release.value, release.standard_deviation, radius)
        self._judge(curator, points, centres, 2 * _radius(found, weights, centres, "l2"))
        self.centres_ = centres
        noise = release.standard_deviation * math.sqrt(points.width) / SPOKEN_OF
        self.explanation_ = _said(noise, bins, rounds, points.width, pure)
        if noise > 0.1:
            curator.admit(
                "Noise rules these centres unless clusters are very large: "
                f"it moves those of {SPOKEN_OF} records by about {noise:.2g} radii."
            )

    def _judge(self, curator: Curator, points: Points, centres: NDArray[np.float64], reach: float) -> None:
        """Measure how good the centres are; records further than ``reach`` count as that far."""
        question = Measure(Quality(points, centres, reach), "how good the centres are")
        release = curator.ask(question, QUALITY)
        squares, separation, *sizes = (float(value) for value in release.value)
        self.sizes_ = [max(size, 0.0) for size in sizes]
        self.sizes_error_ = release.error
        records = max(sum(self.sizes_), 1.0)
        self.inertia_ = max(squares, 0.0) * reach**2
        self.inertia_error_ = release.error * reach**2
        self.separation_ = float(np.clip(separation / records, 0, 1))
        self.separation_error_ = min(1.0, release.error / records)

    def _clusters(self, rows: Rows) -> NDArray[np.int64]:
        points = Points(tuple(self._columns(self.schema_)))
        return np.asarray(distances(points(rows), self.centres_).argmin(axis=1), np.int64)

    @staticmethod
    def _columns(schema: Schema) -> list[Any]:
        telling = [c for c in schema.columns if isinstance(c, Number) or c.size > 1]
        return telling or list(schema.columns)

    @property
    def cluster_centers_(self) -> NDArray[np.float64]:
        """The centres in the columns' own units; a category has one coordinate for each value, in shares."""
        parts = []
        place = 0
        for column in self._columns(self.schema_):
            if isinstance(column, Number):
                parts.append(column.low + self.centres_[:, place : place + 1] * (column.high - column.low))
                place += 1
            else:
                parts.append(self.centres_[:, place : place + column.size] / CORNER)
                place += column.size
        return np.hstack(parts)

    def in_words(self) -> str:
        """A line for each cluster: how many records, and what is typical of them."""
        from privet.report.charts import in_figures

        centres = self.cluster_centers_
        lines = []
        for cluster, size in enumerate(self.sizes_):
            typical, place = [], 0
            for column in self._columns(self.schema_):
                if isinstance(column, Number):
                    typical.append(f"{column.name} {centres[cluster, place]:.4g}")
                    place += 1
                else:
                    label = column.labels[int(centres[cluster, place : place + column.size].argmax())]
                    typical.append(f"mostly {column.name} = {label}")
                    place += column.size
            lines.append(
                f"cluster {cluster}: {size:,.0f} ± {self.sizes_error_:,.0f} records; {', '.join(typical)}"
            )
        inertia = f"{in_figures(self.inertia_)} ± {in_figures(self.inertia_error_, 2)}"
        lines.append(
            f"inertia {inertia} (numbers scaled to 0 to 1); "
            f"separation {self.separation_:.2f} ± {self.separation_error_:.2g} (1 is best)"
        )
        return "\n".join(lines)

    def pictures(self) -> tuple[Chart, ...]:
        """The sizes of the clusters, and their centres over the two numbers in which they differ most."""
        from privet.report.charts import Bars, Points, Series

        names = tuple(f"cluster {place}" for place in range(len(self.sizes_)))
        errors = (float(self.sizes_error_),) * len(names)
        sizes = Bars(
            "Records in each cluster",
            names,
            (Series("records", tuple(self.sizes_), errors, (0, None)),),
            y="records",
        )
        columns = self._columns(self.schema_)
        starts = np.cumsum([0, *(c.size if isinstance(c, Category) else 1 for c in columns)])
        numbers = [
            (int(start), c) for start, c in zip(starts, columns, strict=False) if isinstance(c, Number)
        ]
        if len(numbers) < 2:
            return (sizes,)
        spread = [float(np.var(self.centres_[:, start])) for start, _ in numbers]
        one, other = sorted(np.argsort(spread)[-2:].tolist())
        (x, x_column), (y, y_column) = numbers[one], numbers[other]
        centres = self.cluster_centers_
        shown = tuple(((float(c[x]), float(c[y])),) for c in centres)
        weights = tuple((float(size),) for size in self.sizes_)
        plot = Points(
            "Centres of the clusters", names, shown, sizes=weights, x=x_column.name, y=y_column.name
        )
        return (sizes, plot)


def _radius(
    points: NDArray[np.float64], weights: NDArray[np.float64], centres: NDArray[np.float64], norm: str
) -> float:
    """How far most of the released points are from their centre: what is further is cut back to this."""
    moved = points - centres[distances(points, centres).argmin(axis=1)]
    length = np.abs(moved).sum(axis=1) if norm == "l1" else np.sqrt((moved**2).sum(axis=1))
    order = np.argsort(length)
    reached = np.cumsum(weights[order])
    place = int(np.searchsorted(reached, 0.9 * reached[-1]))
    return float(np.clip(length[order[min(place, len(order) - 1)]], 0.02, None)) * 1.1


def _moved(
    centres: NDArray[np.float64], told: NDArray[np.float64], deviation: float, radius: float
) -> NDArray[np.float64]:
    """The centres moved by noisy means: not at all where there are too few records to say where to."""
    number = 2 * told[:, -1]
    known = number > 4 * deviation
    step = radius * told[:, :-1] / np.maximum(number, 1.0)[:, None]
    # The noise of a step is σ/number: as much of it is taken back as it would be of the step's size.
    size, noise = (step**2).sum(axis=1), step.shape[1] * (radius * deviation / np.maximum(number, 1.0)) ** 2
    kept = np.where(known, np.maximum(0.0, 1 - noise / np.maximum(size, 1e-300)), 0.0)
    return np.clip(centres + kept[:, None] * step, 0.0, 1.0)


def _said(noise: float, bins: int | None, rounds: int, width: int, pure: bool) -> str:
    how = "a noisy grid" if bins is not None else "noisy counts of each column"
    said = f"{how}, then {rounds} noisy step{'s' if rounds > 1 else ''} of the centres. "
    said += f"Noise moves the centre of a cluster of {SPOKEN_OF} records by about {noise:.2g} radii."
    if noise > 0.1:
        least = SPOKEN_OF * noise / 0.1
        said += f" That is much: clusters of fewer than {least:.0f} records will hardly be seen."
        said += " Raise ε," + (" set a δ," if pure else "") + " or name fewer columns."
    return said
