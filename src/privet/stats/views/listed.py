"""A category whose domain is longer than the schema's: with values that were found and released before."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc

from privet.errors import ParameterError
from privet.schema import Category, Schema
from privet.schema.columns import Column
from privet.stats.relations.cells import as_text
from privet.stats.rows import Rows
from privet.stats.views.expressions import Expression, Values

__all__ = ["Listed", "unlisted"]


def unlisted(column: str, schema: Schema) -> Category:
    """The category, which must say what an unlisted value counts as: else it has none."""
    found = schema[column]
    if not isinstance(found, Category) or found.other is None:
        raise ParameterError(
            f"'{column}' has no values besides those that the schema lists.",
            'Group by it; or let the owner of the table declare it as a category with  other = "…".',
        )
    return found


@dataclass(frozen=True)
class Listed(Expression):
    """A category with some of its unlisted values listed: of the record and of what was released alone."""

    column: str
    values: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.column,)

    def domain(self, name: str, schema: Schema) -> Column:
        before = unlisted(self.column, schema)
        return Category(name, (*map(str, before.values), *self.values), before.other)

    def of(self, rows: Rows) -> Values:
        before = unlisted(self.column, rows.schema)
        codes = rows.codes(self.column).astype(np.int64)
        other, more = len(before.values), len(self.values)
        open_ = codes == other
        codes[codes >= other] += more
        if open_.any() and more:
            texts = pc.dictionary_encode(as_text(rows.column(self.column), self.column))
            places = {value: other + place for place, value in enumerate(self.values)}
            found = [places.get(text, other + more) for text in texts.dictionary.to_pylist()]
            indices = texts.indices.fill_null(0).to_numpy(zero_copy_only=False)
            codes[open_] = np.array(found, np.int64)[indices[open_]]
        return codes
