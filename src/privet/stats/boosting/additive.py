"""An additive model that was released already, as a value that a question may depend on."""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from privet.errors import ParameterError
from privet.stats.boosting.grouping import Grouping
from privet.stats.boosting.residual_kernels import add_shape
from privet.stats.rows import Rows

__all__ = ["Additive", "Term"]

Table = NDArray[np.float64]
Term = tuple[Grouping, Table]

LARGEST = 1e6

# The margins of rows that are still in use: the next round's model has one term more.
_followed: WeakKeyDictionary[Rows, tuple[Additive, Table]] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class Additive:
    """Margins that are a constant plus one number per term, looked up in the cell that a record is in.

    ``start`` has an entry for each output; a term's table has a row for each part of its grouping. Both were
    released before: a question that depends on them depends on the table through that release only.
    """

    start: Table
    terms: tuple[Term, ...] = ()

    def __post_init__(self) -> None:
        # The bounds on residuals hold for every margin that is a number.
        for table in (self.start, *(table for _, table in self.terms)):
            if not (np.abs(table) <= LARGEST).all():
                raise ParameterError("The shapes of an additive model must be finite numbers.")

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for grouping, _ in self.terms for name in grouping.columns))

    def plus(self, grouping: Grouping, table: Table) -> Additive:
        """The model with one more term."""
        return Additive(self.start, (*self.terms, (grouping, table)))

    def margins(self, rows: Rows) -> Table:
        """Records × outputs. Not to be changed by the caller."""
        before, margins = _followed.get(rows, (None, None))
        if before is None or margins is None or not self._follows(before):
            before, margins = Additive(self.start), np.tile(self.start, (rows.size, 1))
        for grouping, table in self.terms[len(before.terms) :]:
            add_shape(margins, *grouping.lookup(rows), table)
        _followed[rows] = (self, margins)
        return margins

    def _follows(self, before: Additive) -> bool:
        """Whether this is the other model with more terms, or itself."""
        return (
            self.start is before.start
            and len(before.terms) <= len(self.terms)
            and all(
                one[1] is other[1] and one[0] == other[0]
                for one, other in zip(before.terms, self.terms, strict=False)
            )
        )
