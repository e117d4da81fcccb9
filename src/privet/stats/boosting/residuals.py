"""What a released additive model has missed, summed within the cells of a term.

The model was released before, so a record's residual is a function of the record alone. It is *held to a
limit* c ≤ 1: a record that the model gets wrong counts as if it were wrong by c. This makes the noise smaller
in the same proportion, and loses only what a few hopeless records would have said.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from privet.errors import ParameterError
from privet.schema import Category, Number, Schema
from privet.stats.base import Answer, Sensitivity, Statistic
from privet.stats.boosting.additive import Additive
from privet.stats.boosting.grouping import Grouping
from privet.stats.boosting.residual_kernels import (
    add_to_cells,
    class_residuals,
    number_residuals,
    two_class_residuals,
)
from privet.stats.kernels import FIXED
from privet.stats.rows import Rows, refuse_infinite

__all__ = ["ClassResiduals", "NumberResiduals", "Residuals"]

Entries = NDArray[np.int32]

# The entries of rows that are still in use: a term is chosen and then measured by the same model.
_entries: WeakKeyDictionary[Rows, tuple[Additive, tuple[object, ...], Entries]] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class Residuals(Statistic):
    """Base of both kinds: ``limit`` is the c above, in units of 2^-20."""

    model: Additive
    grouping: Grouping
    target: str
    limit: int = FIXED // 2

    nonnegative = False
    scale = FIXED

    def __post_init__(self) -> None:
        if not 0 < self.limit <= FIXED:
            raise ParameterError("A residual is held to a limit above 0 and at most 1.")

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.model.columns, *self.grouping.columns, self.target)))

    @abstractmethod
    def entries(self, schema: Schema) -> int:
        """How many numbers a cell has."""

    def of(self, rows: Rows) -> Entries:
        """What each record adds to its cell (numbers × records); kept for the next question."""
        if rows.around is not None:
            all_around, own = rows.around
            return self.of(all_around)[:, own]
        kept = _entries.get(rows)
        asked = (type(self), self.target, self.limit, self._beside)
        if kept is None or kept[0] is not self.model or kept[1] != asked:
            kept = _entries[rows] = (self.model, asked, self._of(rows))
        return kept[2]

    @property
    def _beside(self) -> int:
        """What besides the limit decides about a record's entries."""
        return 0

    @abstractmethod
    def _of(self, rows: Rows) -> Entries:
        """What each record adds to its cell."""

    @property
    def residual_norm(self) -> int:
        """The largest L1 norm of the residuals alone: c for one margin, 2c for a margin per class."""
        return self.limit if self.model.start.size == 1 else 2 * self.limit

    def _margins(self, rows: Rows, outputs: int) -> NDArray[np.float64]:
        if self.model.start.size != outputs:
            raise ParameterError("The model does not have the margins that residuals of this target need.")
        return self.model.margins(rows)

    def start(self, schema: Schema) -> Answer:
        return np.zeros((2, self.grouping.size, self.entries(schema)), np.int64)

    def fold(self, state: Answer, rows: Rows) -> Answer:
        add_to_cells(*self.grouping.lookup(rows), self.of(rows), state)
        _entries.pop(rows, None)  # the next round's model is another
        return state

    def finish(self, state: Answer, schema: Schema) -> Answer:
        return np.asarray(state.sum(axis=0))


@dataclass(frozen=True, eq=False)
class ClassResiduals(Residuals):
    """Σ ([the record is of that class] − P(class | x)), held to the limit c, within each cell.

    **Two classes.** The model has one margin, that of the second class. With q the probability that it gives
    to the record's own class, a record adds ±t, t = min(1 − q, c), for the second or the first class, and
    beside it h = min(q(1 − q), c − t), the curvature of the loss.

    **More classes.** A margin for each class. With p the probabilities and y the class, a record adds −t_k to
    each other class, where t = p·min(1, c / (1 − p_y)), and Σt to its own; beside it ``weight`` is counted in
    its class.

    **Sensitivity.** S = 2^20, and every number is a whole multiple of 1/S. A record is in one cell. Two
    classes: t and h are whole and not negative, t ≤ cS, and h ≤ cS − t by construction; so L1 = t + h ≤ cS
    and L2² ≤ (t + h)² ≤ c²S². The curvature is free. More classes: each t_k is rounded down and cut so that
    the sum never passes cS; with T = Σt ≤ cS, L1 = 2T + w ≤ 2cS + w and L2² = T² + Σt² + w² ≤ 2c²S² + w²
    (squares of non-negative terms add up to at most the square of their sum). The number of classes does not
    enter. A record without a class adds nothing. Signs differ, so ``nonnegative`` is false.
    """

    weight: int = FIXED // 4

    @property
    def _beside(self) -> int:
        return self.weight

    def entries(self, schema: Schema) -> int:
        classes = schema.nominal_target().size
        return 2 if classes == 2 else 2 * classes

    def norms(self, schema: Schema) -> Sensitivity:
        if schema.nominal_target().size == 2:
            return Sensitivity(self.limit, self.limit**2)
        return Sensitivity(2 * self.limit + self.weight, 2 * self.limit**2 + self.weight**2)

    def _of(self, rows: Rows) -> Entries:
        classes = rows.schema[self.target]
        assert isinstance(classes, Category)
        margins = self._margins(rows, 1 if classes.size == 2 else classes.size)
        if classes.size == 2:
            told = np.empty((2, rows.size), np.int32)
            two_class_residuals(margins.ravel(), rows.codes(self.target), self.limit, told)
            return told
        out = np.zeros((self.entries(rows.schema), rows.size), np.int32)
        class_residuals(margins, rows.codes(self.target), classes.size, self.limit, self.weight, out)
        return out


@dataclass(frozen=True, eq=False)
class NumberResiduals(Residuals):
    """Σ r/c, r = z − f(x) held to ±c, within each cell; beside it Σ (1 − |r|/c). z is the target in [−1, 1].

    **Sensitivity.** In fixed point, S = 2^20, t = ⌊S·r + ½⌋ held to [−cS, cS]. A record is in one cell and
    adds (t, cS − |t|): L1 = cS exactly, and L2² = t² + (cS − |t|)² ≤ c²S² (two non-negative terms with sum
    cS). So the second number, which says how many records there are, is free. Without a target it adds
    nothing. Told in units of c: that is what ``scale`` is.
    """

    unit = "limits of a residual"

    @property
    def scale(self) -> int:  # type: ignore[override]
        return self.limit

    def entries(self, schema: Schema) -> int:
        return 2

    def norms(self, schema: Schema) -> Sensitivity:
        return Sensitivity(self.limit, self.limit**2)

    def _of(self, rows: Rows) -> Entries:
        target = rows.schema[self.target]
        assert isinstance(target, Number)
        values = rows.numbers(self.target)
        if np.isinf(values).any():
            refuse_infinite(self.target)
        z = (np.clip(values, target.low, target.high) - target.midpoint) / target.half_range
        out = np.zeros((2, rows.size), np.int32)
        number_residuals(self._margins(rows, 1), z, self.limit, out)
        return out
