"""Principal components and a correlation matrix, from one noisy table of second moments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
import pyarrow as pa
from annotated_types import Ge, Le
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from privet.curator import Curator, Measure
from privet.errors import SchemaError
from privet.estimator import PrivatePreparer
from privet.learning.prepare.histogram import attributes, numbers_in
from privet.learning.prepare.projected import ProjectedSource, replaced
from privet.learning.prepare.second_moments import SecondMoments
from privet.parameters import with_parameters
from privet.schema import Column, Number, Schema
from privet.schema.columns import BOUGHT
from privet.stats.linear.encoding import Encoding
from privet.stats.linear.products import Products

if TYPE_CHECKING:
    from privet.report import Chart

__all__ = ["PCA"]

_WIDEST = 40  # numbers that a picture of correlations has room for


@with_parameters
class PCA(PrivatePreparer):
    """The correlations of the numbers, and the few directions in which records differ most.

    ``correlations_`` are released with half widths of 95 % intervals in ``correlation_errors_``;
    ``components_`` are the directions, one in each row; ``explained_`` the share of the variance along each,
    with ``explained_error_``. Records are mapped to their places along them; categories stay as they are.

    **Privacy.** One measurement takes the whole budget: for each number its sum, the sum of its square and
    how often it is missing, and for each pair the sum of their product, all of numbers scaled to [−1, 1] by
    their public bounds. ``stats.linear.products`` proves its sensitivity under both neighbour relations.
    Means are subtracted *after* the noise, from released sums, so no data-dependent centre is used for free.
    Everything else is computed from the release, and a record is mapped by it alone.

    >>> import numpy as np
    >>> from privet.schema import Schema
    >>> draw = np.random.default_rng(0)
    >>> size = draw.normal(0, 1, 20_000)
    >>> body = np.stack([170 + 10 * size, 70 + 10 * size + draw.normal(0, 5, 20_000)], axis=1)
    >>> schema = Schema.of({"height": (100.0, 240.0), "weight": (0.0, 140.0)})
    >>> model = PCA(epsilon=1.0, components=1, schema=schema).fit(body)
    >>> 0.8 < model.correlations_[0][1] < 1.0
    True
    >>> model.transform(body).shape
    (20000, 1)
    """

    may_drop: ClassVar[bool] = True

    components: Annotated[int, Ge(1), Le(1000), "How many components; at most one for each number."] = 2
    scaled: Annotated[bool, "Give every number a deviation of 1 first; otherwise large units dominate."] = (
        True
    )

    def _fit(self, curator: Curator) -> None:
        columns = [c for c in attributes(curator, Number) if isinstance(c, Number)]
        if not columns:
            raise SchemaError(
                "The schema has no number, and components are directions among numbers.",
                "Declare bounds for the columns that hold numbers.",
            )
        self.numbers_ = [column.name for column in columns]
        self._check_names(curator.schema)
        products = Products(Encoding(tuple(columns)))
        release = curator.ask(Measure(products, "products of the numbers with each other"), Fraction(1))
        found = SecondMoments.of(products, release)
        halves = np.array([column.half_range for column in columns], float)
        middles = np.array([column.midpoint for column in columns], float)
        self.records_ = found.records
        self.means_ = (middles + halves * found.means).tolist()
        self.deviations_ = np.where(found.varies, halves * found.deviations, 0.0).tolist()
        self.correlations_ = found.correlations.tolist()
        self.correlation_errors_ = found.errors.tolist()
        self._turn(found, halves)
        self.explanation_ = (
            f"One table of {products.size} sums; a correlation of two numbers that fill their bounds evenly "
            f"is off by at most {3 * release.error / 1000:.2g} in 95 % of cases for 1,000 records."
        )

    def _turn(self, found: SecondMoments, halves: NDArray[np.float64]) -> None:
        """The directions of most variance, and how sure they are."""
        size = len(halves)
        scales = np.where(found.varies, 1.0 if self.scaled else halves * found.deviations, 0.0)
        around = np.outer(scales, scales)
        values, vectors = np.linalg.eigh(found.correlations * around)
        order = np.argsort(-values, kind="stable")
        values, vectors = np.maximum(values[order], 0.0), vectors[:, order]
        total = max(float(values.sum()), 1e-300)
        # By Weyl's inequality an eigenvalue moves by no more than the norm of the noise: about 2σ√d.
        noise = 2 * np.sqrt(size) * float((found.errors * around).max()) / 1.96 / total
        kept = min(self.components, size)
        gaps = -np.diff(np.concatenate([[np.inf], values / total, [0.0]]))
        self.certain_ = [bool(min(gaps[k], gaps[k + 1]) > noise) for k in range(kept)]
        largest = np.abs(vectors).argmax(axis=0)
        signs = np.where(vectors[largest, np.arange(size)] < 0, -1.0, 1.0)
        self.components_ = (vectors * signs).T[:kept].tolist()
        self.explained_ = (values[:kept] / total).tolist()
        self.explained_error_ = min(noise, 1.0) if size > 1 else 0.0

    def _check_names(self, schema: Schema) -> None:
        taken = [name for name in self.component_names if name in schema and name not in self.numbers_]
        if taken:
            raise SchemaError(
                f"The table has a column '{taken[0]}', which a component would be called.",
                "Rename the column, or leave it out.",
            )

    @property
    def component_names(self) -> tuple[str, ...]:
        """What the components are called as columns."""
        kept = min(self.components, len(self.numbers_))
        return tuple(f"component_{place + 1}" for place in range(kept))

    @property
    def _weights(self) -> NDArray[np.float64]:
        """What a unit of each number above its mean adds to each component."""
        deviations = np.array(self.deviations_)
        known = deviations > 0
        scale = np.where(known, 1 / np.where(known, deviations, 1.0), 0.0) if self.scaled else known * 1.0
        return np.array(self.components_) * scale

    def projected(self, cells: Sequence[pa.Array]) -> NDArray[np.float64]:
        """The components of records; a missing number counts as its mean."""
        arrays = [numbers_in(each).to_numpy(zero_copy_only=False) for each in cells]
        moved = []
        for name, values, mean in zip(self.numbers_, arrays, self.means_, strict=True):
            column: Any = self.schema_[name]
            moved.append(np.nan_to_num(np.clip(values, column.low, column.high) - mean, nan=0.0))
        # One product for each number: a matrix product may round a record by which others are beside it.
        out = np.zeros((len(moved[0]), len(self.components_)))
        for place, values in enumerate(moved):
            out += values[:, None] * self._weights[None, :, place]
        return out

    def mapped(self, source: Any) -> ProjectedSource:
        """The records of a source, with components in place of the numbers."""
        check_is_fitted(self)
        return ProjectedSource(source, self)

    @property
    def changes_cells(self) -> bool:
        return True

    def _column_after(self, column: Column) -> Column:
        return column

    def schema_after(self, schema: Schema) -> Schema:
        """The public columns afterwards: what a component can be follows from bounds and released weights."""
        check_is_fitted(self)
        named: dict[str, Column] = {c.name: c for c in schema.columns if c.name not in self.numbers_}
        for name, weights in zip(self.component_names, self._weights, strict=True):
            ends = [(self.schema_[n].low, self.schema_[n].high) for n in self.numbers_]  # type: ignore[union-attr]
            reach = weights[:, None] * (np.array(ends, float) - np.array(self.means_)[:, None])
            low, high = float(reach.min(axis=1).sum()), float(reach.max(axis=1).sum())
            named[name] = Number(name, low, high if high > low else low + 1.0, origin=BOUGHT)
        return replace(schema, columns=tuple(named[name] for name in replaced(schema.names, self)))

    def in_words(self) -> str:
        """The components with their largest weights, and the strongest correlations."""
        lines = []
        for place, (weights, share) in enumerate(zip(self.components_, self.explained_, strict=True)):
            largest = sorted(range(len(weights)), key=lambda k: -abs(weights[k]))[:6]
            told = ", ".join(f"{self.numbers_[k]} {weights[k]:+.2f}" for k in largest)
            sure = "" if self.certain_[place] else "; its direction is not told from noise"
            part = f"{100 * share:.1f} % ± {100 * self.explained_error_:.1f} % of the variance"
            lines.append(f"component {place + 1}: {part}; {told}{sure}")
        matrix, errors = np.array(self.correlations_), np.array(self.correlation_errors_)
        one, other = np.triu_indices(len(matrix), 1)
        for k in np.argsort(-np.abs(matrix[one, other]), kind="stable")[:10]:
            a, b = one[k], other[k]
            if abs(matrix[a, b]) > errors[a, b]:
                lines.append(
                    f"{self.numbers_[a]} and {self.numbers_[b]}: "
                    f"correlation {matrix[a, b]:.2f} ± {errors[a, b]:.2g}"
                )
        still = [name for name, d in zip(self.numbers_, self.deviations_, strict=True) if d == 0]
        if still:
            lines.append(f"Not told from a constant: {', '.join(still)}.")
        return "\n".join(lines)

    def pictures(self) -> tuple[Chart, ...]:
        """The correlations, the variance along each component, and the numbers' weights in the first two."""
        from privet.report.charts import Bars, Heatmap, Points, Series, numbers

        names = tuple(self.numbers_[:_WIDEST])
        varies = np.array(self.deviations_) > 0
        errors = np.array(self.correlation_errors_)[np.ix_(varies, varies)]
        error = float(errors.max()) if errors.size else 1.0
        shown = tuple(numbers(row[:_WIDEST]) for row in self.correlations_[:_WIDEST])
        note = "" if varies.all() else "Numbers that are not told from a constant have correlations of 0."
        charts: list[Chart] = [
            Heatmap("Correlations", names, names, shown, error=error, diverging=True, note=note)
        ]
        shares = Series(
            "share of the variance",
            numbers(self.explained_),
            (self.explained_error_,) * len(self.explained_),
            (0, 1),
        )
        labels = tuple(f"component {place + 1}" for place in range(len(self.explained_)))
        charts.append(Bars("Variance along each component", labels, (shares,), y="share of the variance"))
        if len(self.components_) > 1:
            pairs = tuple((float(x), float(y)) for x, y in zip(*self.components_[:2], strict=True))
            charts.append(
                Points(
                    "Weights of the numbers",
                    ("numbers",),
                    (pairs,),
                    labels=(tuple(self.numbers_),),
                    x="component 1",
                    y="component 2",
                )
            )
        return tuple(charts)
