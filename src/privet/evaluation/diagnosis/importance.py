"""Permutation importance: how much worse a released model gets when one attribute is shuffled.

**Privacy.** Only what was released already is used: the model, and records that were drawn from a release (a
synthetic table, or a model that says how its records are spread) or are public. All of it is post-processing,
so it costs nothing and protects as much as those releases do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from sklearn.utils.validation import check_is_fitted

from privet.errors import ParameterError
from privet.evaluation.diagnosis.own_records import own_records
from privet.evaluation.figures import Figure
from privet.evaluation.measures import measures_of
from privet.schema import Number

if TYPE_CHECKING:
    from privet.report import Chart, Page

__all__ = ["Importance", "permutation_importance"]

_RECORDS = 5000
_FREE = "It cost nothing: everything it used was released before."


@dataclass(frozen=True)
class Importance:
    """How much each attribute adds: what is lost when it is shuffled, the most first.

    ``loss`` is in accuracy, or in mean squared error of the target's variance (so 1 is all there is). The
    error bars are for the shuffling (95 %); there is no new noise. ``rests_on`` says which records were used.
    """

    measure: str
    loss: dict[str, Figure]
    rests_on: str

    def text(self) -> str:
        """The importances for a reader."""
        width = max(len(name) for name in self.loss) + 2
        lines = [f"What is lost in {self.measure} when one attribute is shuffled:", ""]
        lines += [
            f"{name:<{width}}{figure.value:+.4f} ± {figure.error:.2g}" for name, figure in self.loss.items()
        ]
        return "\n".join(
            [*lines, "", self.rests_on, "It cost nothing: everything it used was released before."]
        )

    def __str__(self) -> str:
        return self.text()

    def charts(self) -> tuple[Chart, ...]:
        from privet.report.charts import Bars, Series

        series = Series(
            "lost",
            tuple(figure.value for figure in self.loss.values()),
            tuple(figure.error for figure in self.loss.values()),
        )
        return (Bars("Permutation importance", tuple(self.loss), (series,), x=f"lost in {self.measure}"),)

    def page(self) -> Page:
        from privet.report import Page

        page = Page("Which attributes a model rests on", self.rests_on)
        section = page.section("Permutation importance")
        for chart in self.charts():
            section.chart(chart)
        section.text(_FREE)
        return page

    def to_dict(self) -> dict[str, Any]:
        return {
            "measure": self.measure,
            "loss": {name: figure.to_dict() for name, figure in self.loss.items()},
            "rests_on": self.rests_on,
        }


def permutation_importance(
    model: Any, released: Any = None, *, repeats: int = 5, seed: int = 0
) -> Importance:
    """How much a released model loses when one attribute after the other is shuffled. Costs nothing.

    ``released`` is a table with the target that was released already (a synthetic one), or that is public.
    It must never be the private table itself: the figures are exact. Or it is a fitted synthesiser, from
    which records are drawn. Without either, they are drawn from the model's own tables, where it has such
    (naive Bayes, trees and rules: ``own_records``).

    >>> from privet import NaiveBayes, Schema
    >>> generator = np.random.default_rng(0)
    >>> ill = generator.integers(0, 2, 4000)
    >>> X = np.stack([36.5 + 2 * ill + generator.normal(0, 0.8, 4000), generator.uniform(0, 9, 4000)], axis=1)
    >>> schema = Schema.of({"fever": (35.0, 42.0), "luck": (0.0, 9.0), "ill": [0, 1]}, target="ill")
    >>> found = permutation_importance(NaiveBayes(epsilon=1.0, schema=schema).fit(X, ill))
    >>> list(found.loss), found.loss["fever"].value > 0.2
    (['fever', 'luck'], True)
    """
    measures_of(model)
    check_is_fitted(model)
    schema, generator = model.schema_, np.random.default_rng(seed)
    if released is None:
        table = own_records(model, _RECORDS, generator)
        rests_on = f"{_RECORDS:,} records drawn from the model's own tables."
    elif hasattr(released, "sample") and hasattr(released, "guarantee_"):
        table = released.sample(_RECORDS, random_state=seed)
        schema.require_columns(table.column_names)
        rests_on = f"{_RECORDS:,} records drawn from a synthesiser that was released already."
    else:
        table = released if isinstance(released, pa.Table) else pa.table(dict(released))
        schema.require_columns(table.column_names)
        rests_on = "Records of a table that was released already, or that is public."
    if table.num_rows < 2:
        raise ParameterError("Fewer than two records cannot be shuffled.", "Give a longer table.")
    number = isinstance(schema[schema.target], Number)
    truth = np.array(table[schema.target].to_pylist(), dtype=float if number else object)
    spread = max(float(np.nanvar(truth)), 1e-300) if number else 1.0

    def off(records: pa.Table) -> float:
        predicted = np.asarray(model.predict(records), dtype=float if number else object)
        return float(np.nanmean((predicted - truth) ** 2) / spread if number else np.mean(predicted != truth))

    before, loss = off(table), {}
    for column in schema.attributes:
        place = table.column_names.index(column.name)
        orders = [generator.permutation(table.num_rows) for _ in range(repeats)]
        shuffled = [
            off(table.set_column(place, column.name, table[column.name].take(order))) - before
            for order in orders
        ]
        error = 1.96 * float(np.std(shuffled, ddof=1)) / np.sqrt(repeats) if repeats > 1 else 0.0
        loss[column.name] = Figure(float(np.mean(shuffled)), float(error))
    order = sorted(loss, key=lambda name: -loss[name].value)
    measure = "mean squared error over the target's variance" if number else "accuracy"
    return Importance(measure, {name: loss[name] for name in order}, rests_on)
