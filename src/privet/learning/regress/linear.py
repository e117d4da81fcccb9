"""Differentially private linear regression: noisy second moments and one linear solve.

The squared loss is a quadratic, so the functional mechanism is exact for it: Σ x xᵀ and Σ t·x are all that it
needs, t being the target scaled to [−1, 1] by its public bounds.

**Privacy.** The number of records and the sum of the target, each of sensitivity 1 (``stats.cross_table``,
``stats.boosting.residuals``), cost 0.05 of ε, a third of the budget at most. Two measurements share the rest
in halves: the products among the attributes, and the products of the target with them
(``stats.linear.products`` proves both sensitivities). If by the count noise would hide the weights, all of it
buys the mean instead (``regress.middle``), which is predicted. Shares add up to 1. All else is computed
from what they release: blocks of products are drawn towards independence as far as noise explains them, a
ridge of the spectral size of the remaining noise is added, the spectrum is trimmed, and one linear system is
solved (``linear.functional``). Where noise rules, the mean is predicted. A record without a target is left
out of all.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from annotated_types import Ge, Le
from numpy.typing import NDArray

from privet.curator import Curator, Measure
from privet.estimator import PrivateRegressor, numeric_target
from privet.learning.linear.class_sums import LEAST_VARIANCE
from privet.learning.linear.functional import blend, steady, sums_of_squares
from privet.learning.regress.middle import mean_alone, mean_and_records, number_of, small_budget, sum_of
from privet.parameters import with_parameters
from privet.schema import Number
from privet.stats import Rows
from privet.stats.linear.encoding import Encoding
from privet.stats.linear.products import Products

if TYPE_CHECKING:
    from privet.report import Chart

__all__ = ["LinearRegression", "Ridge"]

Matrix = NDArray[np.float64]
MEAN = Fraction(1, 20)  # what the mean costs, in ε; a third of it at most
HOPELESS = 0.12  # noise of the moments, in records, from which weights would be noise throughout
KNOWN = 0.9  # below this part of their strength it is said that weights were drawn to the mean
_HOW = "Noisy second moments and one linear solve"


class LinearRegression(PrivateRegressor):
    """Differentially private least squares for nominal, numeric and mixed tables.

    There is no penalty on the weights but what the noise itself calls for. The whole fit is
    (ε, δ)-differentially private for the schema's unit of privacy, under either neighbour relation; with
    δ = 0 it is pure ε. ``coef_`` and ``intercept_`` are in the target's own unit for each encoded coordinate
    (``stats.linear.encoding``), with half widths of 95 % intervals for the noise in ``coef_error_``.

    >>> from privet.schema import Schema
    >>> schema = Schema.of({"hours": (0.0, 10.0), "wage": (0.0, 30.0)}, target="wage")
    >>> [step.what for step in LinearRegression(schema=schema).rehearse().steps][:2]
    ["the number of records with a 'wage'", "products of the attributes' coordinates"]
    """

    tuning_grid: ClassVar[dict[str, list[Any]] | None] = None  # nothing to choose

    def _fit(self, curator: Curator) -> None:
        schema = curator.schema
        target, encoding = numeric_target(schema), Encoding.of(schema)
        among = Products(encoding, given=target.name)
        every = Encoding((*encoding.columns, target))  # the target comes last, so blocks keep their places
        towards = Products(every, target=target.name, squares=False, given=target.name)
        # At a small ε the mean is most of what can be known, so it gets more.
        first = min(Fraction(1, 3), MEAN / curator.amount.epsilon)
        half = (1 - first) / 2
        counted = curator.ask(number_of(target), first / 4)
        products = Measure(among, "products of the attributes' coordinates")
        self.feature_names_ = encoding.names[1:]
        hidden = products.mechanism(curator.currency.share(half), schema).standard_deviation / among.scale
        most = HOPELESS * float(counted.value[0])
        hopeless = bool(hidden * np.sqrt(encoding.width) > most)
        if hopeless and small_budget(curator):
            self._keep_mean(target, encoding, *mean_alone(curator, target, counted))
            return
        quadratic, linear, summed = curator.ask_together(
            [
                (products, half),
                (Measure(towards, f"products of '{target.name}' with them"), half),
                (sum_of(target), 3 * first / 4),
            ]
        )
        middle, _ = mean_and_records(summed, counted)
        size, moments = _independent(among, quadratic.value, quadratic.standard_deviation)
        across = among.split(quadratic.value)[2] / size
        moments, ridge = blend(moments, among.pairs, across, quadratic.standard_deviation / size, 1.0)
        sums = _sums(towards, linear.value, encoding)
        ridge = max(ridge, quadratic.standard_deviation / size) + self._penalty() / size
        inverse = np.linalg.inv(steady(moments, ridge))
        weights = inverse @ sums / size
        # The noise of both measurements, the first one's as the weights magnify it.
        noise = (
            np.hypot(linear.standard_deviation, quadratic.standard_deviation * np.linalg.norm(weights)) / size
        )
        # And what the ridge takes away from the weights, to first order.
        shrunk = np.abs(ridge * inverse[:, 1:] @ weights[1:])
        error = 1.96 * noise * np.sqrt(np.diag(inverse @ inverse)) + shrunk
        parts = f": {self._penalty():.3g} as asked for, the rest because of" if self._penalty() else ", for"
        self.explanation_ = f"{_HOW}, with a regularisation of {ridge * size:.3g}{parts} the noise."
        weights, kept = _sure(weights, moments, np.asarray(inverse, np.float64), float(noise), middle)
        if hopeless:
            weights, kept = np.eye(1, encoding.width)[0] * middle, 0.0
        if kept < KNOWN:
            self.explanation_ += (
                f" At this budget noise explains {100 * (1 - kept):.0f} % of what the weights say, so"
                f" {'the mean is predicted' if kept == 0 else 'they are drawn to the mean'}."
            )
        self.intercept_ = float(target.midpoint + target.half_range * weights[0])
        self.coef_ = target.half_range * weights[1:]
        self.intercept_error_ = float(target.half_range * error[0])
        self.coef_error_ = target.half_range * error[1:]

    def _keep_mean(
        self, target: Number, encoding: Encoding, mean: float, records: float, error: float
    ) -> None:
        """The mean for every record."""
        self.intercept_ = float(target.midpoint + target.half_range * mean)
        self.intercept_error_ = float(target.half_range * error)
        self.coef_ = np.zeros(encoding.width - 1)
        # Nothing is known of the weights: from one end of the bounds to the other, for one coordinate.
        self.coef_error_ = np.full(encoding.width - 1, 2 * target.half_range)
        self.explanation_ = (
            f"With about {records:.0f} records (estimated privately) noise would hide all weights at this"
            " budget, so the mean is predicted."
        )

    def pictures(self) -> tuple[Chart, ...]:
        """The largest weights, with their intervals."""
        from privet.report.weights import pictures_of

        return pictures_of(self)

    def _foreseen(self) -> str:
        asked = f"{self._penalty():.3g} as asked for, and " if self._penalty() else ""
        return f"{_HOW}, with a regularisation of {asked}what the noise turns out to need."

    def _penalty(self) -> float:
        return 0.0

    def _predictions(self, rows: Rows) -> NDArray[np.float64]:
        target = numeric_target(self.schema_)
        weights = np.concatenate([[self.intercept_], self.coef_])[None, :]
        predicted = Encoding.of(rows.schema).margins(rows, weights)[:, 0]
        return np.clip(predicted, target.low, target.high)


@with_parameters
class Ridge(LinearRegression):
    """Differentially private ridge regression: ``LinearRegression`` with a penalty on the weights.

    What is promised and what is learned are the same.

    >>> import numpy as np
    >>> from privet.schema import Schema
    >>> generator = np.random.default_rng(0)
    >>> hours = generator.uniform(0, 10, 20_000)
    >>> wage = 5 + 2 * hours + generator.normal(0, 1, 20_000)
    >>> schema = Schema.of({"hours": (0.0, 10.0), "wage": (0.0, 30.0)}, target="wage")
    >>> model = Ridge(epsilon=1.0, schema=schema).fit(hours[:, None], wage)
    >>> bool(abs(model.predict([[5.0]])[0] - 15) < 1)
    True
    """

    #: What ``privet fit ridge --tune`` tries.
    tuning_grid: ClassVar[dict[str, list[Any]] | None] = {"regularisation": [1.0, 30.0, 1000.0]}

    regularisation: Annotated[float, Ge(0), Le(1e9), "Strength of the L2 penalty on the weights."] = 1.0

    def _penalty(self) -> float:
        return self.regularisation


def _sure(
    weights: Matrix, moments: Matrix, inverse: Matrix, noise: float, middle: float
) -> tuple[Matrix, float]:
    """The weights as far as noise does not explain them, and how far that is: 0 leaves the mean alone.

    The predictions w·x vary by wᵀMw about their mean, M being the centred moments. Noise of deviation s on
    the sums alone would make them vary by s²·tr(M A²), A being the inverse used. What is beyond is taken
    for real (James and Stein).
    """
    mean = moments[0].copy()
    mean[0] = 1.0
    centred = moments - np.outer(mean, mean)
    said = float(weights @ centred @ weights)
    by_noise = float(noise**2 * np.trace(centred @ inverse @ inverse))
    kept = float(np.clip(1 - by_noise / said, 0, 1)) if said > 0 else 0.0
    drawn = kept * weights
    # The mean was measured by itself, too; the less the weights are trusted, the more it counts.
    drawn[0] = kept * (weights @ mean) + (1 - kept) * middle - drawn[1:] @ mean[1:]
    return drawn, kept


def _independent(among: Products, cells: Matrix, noise: float) -> tuple[float, Matrix]:
    """About how many records there are, and E[x xᵀ] if attributes were independent."""
    sums, squares, _ = among.split(cells)
    size = max(float(sums[0]), 1.0)
    mean = np.clip(sums / size, -1, 1)
    mean[0] = 1.0
    for block in among.encoding.blocks:
        if block.nominal:
            frequency = np.maximum(mean[block.place], noise / size / 4 + 1e-9)
            mean[block.place] = frequency / max(float(frequency.sum()), 1.0)
    moments = np.outer(mean, mean)
    for block in among.encoding.blocks:
        if block.nominal:
            moments[block.place, block.place] = np.diag(mean[block.place])
    j = among.squared
    own = sums_of_squares(squares, size) / size
    moments[j, j] = np.clip(own, mean[j] ** 2 + LEAST_VARIANCE, 1 + LEAST_VARIANCE)
    return size, moments


def _sums(towards: Products, cells: Matrix, encoding: Encoding) -> Matrix:
    """Σ t·x from the products of the target with the attributes."""
    own, _, across = towards.split(cells)
    sums = np.zeros(encoding.width)
    sums[0] = own[0]
    sums[towards.pairs.one] = across  # the target comes last
    return sums
