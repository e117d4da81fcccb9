"""The domain of a category: values that nobody listed, bought."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from privet.budget import Approximate, Pure, budget
from privet.curator import Curator, FindValues
from privet.errors import ParameterError
from privet.estimator import PrivatePreparer
from privet.learning.prepare.histogram import attributes, histograms
from privet.learning.prepare.rare_values import frequent, shortened
from privet.parameters import with_parameters
from privet.schema import Category, Column, Schema
from privet.schema.columns import BOUGHT, Value
from privet.schema.item_sets import Items
from privet.stats.views import View

__all__ = ["Domain"]


@with_parameters
class Domain(PrivatePreparer):
    """List the values of categories that nobody listed: those that enough records have.

    A category is open if its owner has declared an ``other`` for all that is not listed. A value that too few
    records have stays there. How many are enough follows from ε and δ, and not from the table: about 16 at
    ε = 1 and δ = 1e-6. If no category is open, the lists that are declared lose the values that nobody seems
    to have, as with ``rare-values``.

    **Privacy.** Each open category gets an equal share of ε and δ for one question (``curator.FindValues``;
    proof: ``mechanisms.threshold``): a value that only one unit of privacy has is named with a probability of
    at most δ. The shares add up (basic composition). If none is open, each category gets a table of
    sensitivity 1 for an equal share of ε, and δ is not taken.

    >>> import pyarrow as pa
    >>> table = pa.table({"ward": ["north"] * 600 + ["south"] * 399 + ["the king's"]})
    >>> schema = Schema((Category("ward", (), other="another"),))
    >>> fitted = Domain(epsilon=1.0, delta=1e-6, schema=schema, random_state=0).fit(table)
    >>> fitted.schema_after(schema)["ward"].labels
    ('north', 'south', 'another')
    """

    searches = True

    def _amount(self) -> Pure | Approximate:
        declared = self._declared()
        delta = float(self.delta) if declared is not None and _open(declared) else 0.0
        return budget(float(self.epsilon), delta)

    def _prepare(self, curator: Curator) -> None:
        found = _open(curator.schema)
        if found and not curator.amount.delta:
            raise ParameterError(
                f"To find unlisted values of '{found[0].name}' a δ is needed: a value that one person alone "
                "has must stay unnamed, but for a tiny probability.",
                "Give a delta far below 1 / (number of records), such as 1e-6.",
            )

    def _fit(self, curator: Curator) -> None:
        self.found_: dict[str, list[str]] = {}
        self.kept_: dict[str, list[Value]] = {}
        self.histograms_ = {}
        columns = _open(curator.schema)
        if not columns:
            listed = [c for c in attributes(curator, Category) if isinstance(c, Category)]
            tables = histograms(curator, listed, {}, Fraction(1), "values of")
            self.histograms_ = {name: histogram.to_dict() for name, histogram in tables.items()}
            self.kept_ = {c.name: frequent(c, tables[c.name], 0.0) for c in listed}
            return
        share = Fraction(1, len(columns))
        asked = [(FindValues(View(), c.name, curator.amount.delta * share), share) for c in columns]
        for column, told in zip(columns, curator.ask_together(asked), strict=True):
            self.found_[column.name] = list(told.values)
            counts = [float(count) for count in told.counts.values()]
            self.histograms_[column.name] = {
                "counts": counts,
                "labels": list(told.values),
                "edges": [],
                "deviation": told.standard_deviation,
            }

    def _column_after(self, column: Column) -> Column:
        if not isinstance(column, Category):
            return column
        if column.name in self.kept_:
            return shortened(column, self.kept_[column.name])
        if not self.found_.get(column.name):
            return column
        known = {str(label) for label in column.labels}
        more = [text for text in self.found_[column.name] if text not in known]
        return replace(column, values=(*map(str, column.values), *more), origin=BOUGHT)

    def in_words(self) -> str:
        """The values that were found, or that stay, a line for each category."""
        told: dict[str, list[Any]] = {**self.found_, **self.kept_}
        return "\n".join(
            f"{name}: {', '.join(map(str, values)) or 'no value is frequent enough to be named'}"
            for name, values in told.items()
        )


def _open(schema: Schema) -> list[Category]:
    """The categories that have a cell for what is not listed."""
    return [
        column
        for column in schema.attributes
        if isinstance(column, Category) and not isinstance(column, Items) and column.other is not None
    ]
