"""A statistic of a view, as a statistic of the table."""

from __future__ import annotations

from dataclasses import dataclass

from privet.errors import DataError
from privet.schema import Schema
from privet.stats.base import Answer, Sensitivity
from privet.stats.inner import Inner
from privet.stats.rows import Rows
from privet.stats.views.view import View

__all__ = ["Viewed"]


@dataclass(frozen=True)
class Viewed(Inner):
    """The answer to a statistic over the records of a view.

    **Sensitivity.** A record of the table becomes at most one record of the view, and which one depends on
    that record and public constants alone. So it contributes what its record in the view does, or nothing:
    the norms are those of the statistic over records that the view's schema admits. The view's bounds are
    bounds of all values that it can compute (``views.expressions``), and the statistic clamps to them.
    """

    view: View

    @property
    def columns(self) -> tuple[str, ...]:
        return self.view.columns(self.statistic.columns)

    def norms(self, schema: Schema) -> Sensitivity:
        return self.statistic.norms(self.view.schema(schema))

    def start(self, schema: Schema) -> Answer:
        return self.statistic.start(self.view.schema(schema))

    def fold(self, state: Answer, rows: Rows) -> Answer:
        # Statistics of the same columns of a view share its records, and what they are coded to.
        columns = tuple(sorted(set(self.statistic.columns)))
        seen, chosen = rows.once((self.view, columns), lambda whole: self.view.marked(whole, columns))
        if chosen is None:
            return self.statistic.fold(state, seen)
        try:
            folded = self.statistic.fold_chosen(state, seen, chosen)
        except DataError:  # what is refused may be in a record that is left out
            folded = None
        if folded is not None:
            return folded
        return self.statistic.fold(state, seen.once("chosen", lambda whole: whole.only(chosen)))

    def finish(self, state: Answer, schema: Schema) -> Answer:
        return self.statistic.finish(state, self.view.schema(schema))
