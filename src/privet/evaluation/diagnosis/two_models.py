"""Which of two released models is better: both on the same records, from one table.

**Privacy.** Both models are fixed, so what is asked is ``stats.paired``, of the same sensitivity as for one
model: the comparison costs one payment where two evaluations cost two.

It is sharper, too. Records that both models get right, or both wrong, tell nothing about which is better, and
drop out: what is left is how often one is right where the other is wrong (McNemar 1947). So the noise is that
of two cells, and the choice of test records counts only as far as the models differ.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from privet.budget import Ledger
from privet.curator import Measure
from privet.errors import SchemaError
from privet.evaluation.diagnosis.value import Diagnosis
from privet.evaluation.figures import Figure, Measured, half_width
from privet.evaluation.holdout import cost_of, measured_on, require_records, within
from privet.evaluation.measures import Asked, measures_of
from privet.release import Guarantee
from privet.schema import Number, Schema
from privet.stats import NoModel, Predictor
from privet.stats.paired import ErrorDifferences, RightTogether

if TYPE_CHECKING:
    from privet.report import Chart

__all__ = ["ModelComparison", "compare_models", "comparison_cost", "comparison_of"]

_DRAWS = 4000


@dataclass(frozen=True)
class ModelComparison(Diagnosis):
    """How much better the first model is than the second, on the same records.

    ``difference`` is that of their accuracies, or the mean squared error of the second less that of the
    first: above 0 the first is better. ``in_all`` is how far noise and the choice of test records together
    may have moved it in 95 % of cases. ``first`` and ``second`` are the accuracies, None for regressions.
    ``noisy`` is what was released.
    """

    names: tuple[str, str]
    measure: str
    records: Figure
    difference: Figure
    in_all: float
    first: Figure | None
    second: Figure | None
    noisy: NDArray[Any]
    guarantee: Guarantee

    @property
    def title(self) -> str:  # type: ignore[override]
        return f"{self.names[0]} beside {self.names[1]}, on the same records"

    @property
    def headline(self) -> Figure:
        return self.difference

    @property
    def better(self) -> str | None:
        """The model that is better, whatever noise and chance did in 95 % of cases; None if that is open."""
        if not abs(self.difference.value) > self.in_all:
            return None
        return self.names[0 if self.difference.value > 0 else 1]

    def lines(self) -> list[tuple[str, str]]:
        found = [("Records", self.records.as_count())]
        difference = f"Difference in {self.measure}"
        if self.first is not None and self.second is not None:
            difference += " (first less second)"
            for name, figure in zip(self.names, (self.first, self.second), strict=True):
                found.append((f"{self.measure}, {name}", str(figure)))
        text = str(self.difference)
        if math.isfinite(self.difference.value):
            text += f"  (± {self.in_all:.2g} with the choice of test records)"
        return [*found, (difference, text)]

    def in_words(self) -> str:
        if self.better is None:
            return "Which of the two is better is open: noise and the choice of test records could turn it."
        return f"{self.better} is better, beyond noise and the choice of test records (95 %)."

    def charts(self) -> tuple[Chart, ...]:
        from privet.report.charts import Bars, Heatmap, Series, numbers

        if not math.isfinite(self.difference.value):
            return ()
        if self.first is None or self.second is None:
            return (self._difference_drawn(),)
        both = numbers((self.first.value, self.second.value))
        errors = numbers((self.first.error, self.second.error))
        rows = tuple(numbers(row) for row in np.maximum(self.noisy, 0))
        error = max((step.error for step in self.guarantee.steps), default=None)
        return (
            Bars(
                "How often each is right",
                self.names,
                (Series("accuracy", both, errors, (0.0, 1.0)),),
                y="accuracy",
                note="The error bars allow for the noise (95 %). Which of the two is better is known more "
                "sharply than they show: much of the noise is the same for both.",
            ),
            Heatmap(
                "Where the two are right",
                ("wrong", "right"),
                ("wrong", "right"),
                rows,
                error=error,
                x=self.names[1],
                y=self.names[0],
                note="Records. Only those where one is right and the other wrong tell which is better.",
            ),
        )

    def _difference_drawn(self) -> Chart:
        from privet.report.charts import Bars, Series, numbers

        return Bars(
            f"How much less {self.names[0]} is off",
            (f"beside {self.names[1]}",),
            (Series("difference", numbers((self.difference.value,)), numbers((self.in_all,))),),
            y=self.measure,
            note="The error bar allows for the noise and the choice of test records (95 %). "
            "Where it crosses 0, either of the two may be better.",
        )

    def to_dict(self) -> dict[str, Any]:
        plain = {"models": list(self.names), "measure": self.measure, "better": self.better}
        figures = plain | super().to_dict() | {"noisy": self.noisy.tolist()}
        return figures | {"difference_error_in_all": self.in_all if math.isfinite(self.in_all) else None}


def compare_models(
    first: Any,
    second: Any,
    data: Any,
    y: Any = None,
    *,
    names: tuple[str, str] | None = None,
    epsilon: float | None = None,
    delta: float = 0.0,
    ledger: Ledger | None = None,
    public: bool = False,
    random_state: Any = None,
    owner_says: str | None = None,
    until: float | None = None,
) -> ModelComparison:
    """Which of two released models predicts the records of a table better, and by how much.

    Both must predict the same target, and what they say about a column must be the same. Payment (by default
    from the first model's ledger), public data, the owner's word and ``until`` (of the difference) are as in
    ``evaluate``.

    >>> from privet.learning.classify import NaiveBayes
    >>> generator = np.random.default_rng(0)
    >>> ill = generator.integers(0, 2, 8000)
    >>> X = np.stack([36.5 + 2 * ill + generator.normal(0, 0.8, 8000), generator.uniform(0, 9, 8000)], axis=1)
    >>> schema = Schema.of({"fever": (35.0, 42.0), "luck": (0.0, 9.0), "ill": [0, 1]}, target="ill")
    >>> good = NaiveBayes(epsilon=1.0, schema=schema).fit(X[:4000], ill[:4000])
    >>> bad = NaiveBayes(epsilon=0.001, schema=schema, random_state=0).fit(X[:4000], ill[:4000])
    >>> compare_models(good, bad, X[4000:], ill[4000:], epsilon=0.5, names=("good", "bad")).better
    'good'
    """
    for model in (first, second):
        measures_of(model)
        check_is_fitted(model)
    schema = shared_schema(first.schema_, second.schema_)
    predictors = [
        Predictor(model, tuple(column.name for column in model.schema_.attributes))
        for model in (first, second)
    ]
    called = names or (f"the first {type(first).__name__}", f"the second {type(second).__name__}")
    column = schema[str(schema.target)]

    def made(found: Measured, said: Guarantee) -> ModelComparison:
        if isinstance(column, Number):
            return _of_numbers(called, float(column.half_range), found, said)
        return _of_classes(called, found, said)

    [found], guarantee = measured_on(
        first,
        data,
        y,
        _asked(schema, predictors[0], predictors[1]),
        what=f"compare {type(first).__name__} and {type(second).__name__}",
        epsilon=epsilon,
        delta=delta,
        ledger=ledger,
        public=public,
        random_state=random_state,
        owner_says=owner_says,
        schema=schema,
        enough=within(until, lambda found: made(found[0], Guarantee.none(["Not released yet."])).headline),
    )
    if public:
        require_records(float(found.value[0] if isinstance(column, Number) else found.value.sum()))
    return made(found, guarantee)


def comparison_cost(schema: Schema, *, epsilon: float, delta: float = 0.0) -> Guarantee:
    """What a comparison on tables of this schema would cost, and its error. Reads no data, spends nothing."""
    return cost_of(schema, comparison_of(schema), epsilon, delta)


def comparison_of(schema: Schema) -> Asked:
    """What a comparison asks, before there are models."""
    return _asked(schema, NoModel(), NoModel())


def shared_schema(first: Schema, second: Schema) -> Schema:
    """The columns of both models' schemas, which must say the same about what they share."""
    if first.target != second.target or first.unit != second.unit:
        raise SchemaError(
            "The two models predict different targets, or protect different units.",
            "Compare models of the same target, learned with the same unit of privacy.",
        )
    for column in second.columns:
        if column.name in first and replace(column, origin=first[column.name].origin) != first[column.name]:
            raise SchemaError(
                f"The two models were learned with different entries for the column '{column.name}'.",
                "Compare models whose schemas declare the same bounds, cuts and values.",
            )
    more = tuple(column for column in second.columns if column.name not in first)
    return replace(first, columns=(*first.columns, *more))


def _asked(schema: Schema, first: Predictor, second: Predictor) -> Asked:
    target = str(schema.target)
    if isinstance(schema[target], Number):
        question = Measure(ErrorDifferences(first, second, target), "how much more one model is off")
        return [(question, Fraction(1))]
    table = RightTogether(first, second, schema.nominal_target().name)
    return [(Measure(table, "where the two models are right"), Fraction(1))]


def _of_classes(names: tuple[str, str], table: Measured, guarantee: Guarantee) -> ModelComparison:
    def figures(tables: Any) -> Any:
        total = tables.sum(axis=(1, 2))
        size = np.where(total > 0, total, np.nan)
        first, second = tables[:, 1].sum(axis=1) / size, tables[:, :, 1].sum(axis=1) / size
        return np.stack([total, first - second, first, second], axis=1)

    value, errors = _with_errors(figures, table, np.array([np.inf, 2.0, 1.0, 1.0]))
    held = np.clip(value, [0, -1, 0, 0], [np.inf, 1, 1, 1])
    records, difference, one, two = (Figure(float(v), float(e)) for v, e in zip(held, errors, strict=True))
    differ = max(float(table.value[1, 0] + table.value[0, 1]), 0.0)
    size = max(records.value, 1.0)
    chosen = 1.96 * math.sqrt(max(differ / size - difference.value**2, 0.0) / size)
    in_all = math.hypot(difference.error, chosen) if math.isfinite(difference.value) else math.inf
    return ModelComparison(names, "accuracy", records, difference, in_all, one, two, table.value, guarantee)


def _of_numbers(names: tuple[str, str], half: float, sums: Measured, guarantee: Guarantee) -> ModelComparison:
    def figures(found: Any) -> Any:
        size = np.where(found[:, 0] > 0, found[:, 0], np.nan)
        return np.stack([found[:, 0], -4 * half**2 * found[:, 1] / size], axis=1)

    widest = 4 * half**2
    value, errors = _with_errors(figures, sums, np.array([np.inf, 2 * widest]))
    records = Figure(max(float(value[0]), 0.0), float(errors[0]))
    difference = Figure(float(np.clip(value[1], -widest, widest)), float(errors[1]))
    size = max(records.value, 1.0)
    mean = difference.value / widest
    variance = min(max(float(sums.value[2]) / size + 0.5 - mean**2, 0.0), 1.0)
    chosen = 1.96 * widest * math.sqrt(variance / size)
    in_all = math.hypot(difference.error, chosen) if math.isfinite(difference.value) else math.inf
    measure = "mean squared error (second less first)"
    return ModelComparison(names, measure, records, difference, in_all, None, None, sums.value, guarantee)


def _with_errors(figures: Any, found: Measured, widths: Any) -> tuple[Any, Any]:
    """Figures of what was measured, and how far the noise may have moved each."""
    value = figures(found.value[None].astype(float))[0]
    if not found.releases:
        return value, np.zeros(len(value))
    drawn = figures(found.draws(np.random.default_rng(0), _DRAWS))
    return value, np.minimum(half_width(value, drawn), widths)
