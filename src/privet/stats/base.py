"""The contract of a statistic: a question with a known sensitivity and two renderings.

A statistic is a fold over batches (``start``, ``fold``, ``merge``, ``finish``) and, where a database can
answer it, counts (``counted_by``) or an Ibis ``expression``, whose result ``collect`` turns into the same
array. Both renderings clamp and code by the schema, and both give *integers*: sums of numbers are kept in
fixed point. So an answer is exact, does not depend on the order of the rows or the engine, merging is
associative, and integer noise applies, which has no floating-point leaks.

**Sensitivity.** A statistic is a sum of one contribution vector per record. ``norms`` bounds the L1 norm
and the squared L2 norm of a single contribution u, over all records that the schema admits. Then:

* add_remove, one record: the answer changes by u, so by at most these norms.
* replace, one record: by v − u. L1: at most twice. L2: ‖v − u‖² = ‖u‖² + ‖v‖² − 2u·v, at most twice the
  squared norm where contributions are non-negative (u·v ≥ 0), and four times in general.
* a person with at most k records: the sum of k contributions, whose norm is at most k times as large
  (all in the same cell); squared, k² times.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, TypeVar
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from privet.schema import Schema, Unit
from privet.stats.rows import Rows

__all__ = ["Answer", "Sensitivity", "Statistic", "is_proved", "proved"]

Answer = NDArray[np.int64]


@dataclass(frozen=True)
class Sensitivity:
    """How far one unit of privacy can move an answer: exactly, in the L1 norm and the squared L2 norm."""

    l1: int
    squared_l2: int


class Statistic(ABC):
    """A question about the rows. Subclasses are frozen dataclasses: values that can be compared and shown."""

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The columns that the question reads."""

    @abstractmethod
    def norms(self, schema: Schema) -> Sensitivity:
        """Bounds on the contribution of one record."""

    #: Whether every contribution is a vector without negative entries (see the module's proof).
    nonnegative: bool = True
    #: Fixed point: an entry of the answer counts multiples of 1 / scale ...
    scale: int = 1
    #: ... of this.
    unit: str = "records"
    #: Whether numbers that lie side by side in memory are wanted so, a record in each row (``Rows.matrix``).
    by_rows: bool = False
    #: Whether it knows columns whose cells are sets (``schema.Items``); others are not asked about these.
    reads_sets: bool = False

    def sensitivity(self, schema: Schema, unit: Unit | None = None) -> Sensitivity:
        """How far one unit of privacy can move the answer."""
        unit = unit or schema.unit
        norms = self.norms(schema)
        exchanged = unit.neighbours == "replace"
        squares = (2 if self.nonnegative else 4) if exchanged else 1
        return Sensitivity(
            norms.l1 * unit.most * (2 if exchanged else 1), norms.squared_l2 * unit.most**2 * squares
        )

    @abstractmethod
    def start(self, schema: Schema) -> Answer:
        """The state before any row."""

    @abstractmethod
    def fold(self, state: Answer, rows: Rows) -> Answer:
        """The state with these rows added. May reuse the state's memory: the caller gives it up."""

    def fold_chosen(self, state: Answer, rows: Rows, chosen: NDArray[np.bool_]) -> Answer | None:
        """The state with the chosen ones of these rows added; None if the others must be taken away first.

        It may refuse what is in a record that is not chosen, and leaves the state as it is then.
        """
        return None

    def merge(self, one: Answer, other: Answer) -> Answer:
        """The state of both parts together."""
        return one + other

    def finish(self, state: Answer, schema: Schema) -> Answer:
        """The answer from the last state: that state, unless a statistic says otherwise."""
        return state

    def counted_by(self, table: Any, schema: Schema) -> tuple[tuple[str, tuple[float, ...]], ...] | None:
        """By what a database can count the records so that ``collect`` reads the counts (``sql.grouped``).

        None if the answer is something else. A line of the counts may come in several pieces.
        """
        return None

    def expression(self, table: Any, schema: Schema) -> Any | None:
        """The question as an Ibis expression, where it is no count; None if only a fold can answer it."""
        return None

    def collect(self, result: Any, schema: Schema) -> Answer:
        """The answer from the result (an Arrow table) of the counts, or of ``expression``."""
        raise NotImplementedError


Kind = TypeVar("Kind", bound=type)

_PROVED: WeakSet[type] = WeakSet()


def proved(kind: Kind) -> Kind:
    """Mark a statistic, a ``Scores`` or an ``Association`` that was written outside Privet.

    The curator asks no other: a question sees exact answers, and what it claims of its sensitivity decides
    how much noise there is. The docstring must hold the proof, under **Sensitivity** or **Spread**; a
    guarantee that rests on it says that this is its author's word. A subclass needs its own proof.

    >>> @proved
    ... class Unproved(Statistic):
    ...     pass
    Traceback (most recent call last):
    ...
    TypeError: Unproved has no proof: its docstring says nothing under **Sensitivity** or **Spread**.
    """
    text = kind.__dict__.get("__doc__") or ""
    if "**Sensitivity" not in text and "**Spread" not in text:
        raise TypeError(
            f"{kind.__name__} has no proof: its docstring says nothing under **Sensitivity** or **Spread**."
        )
    _PROVED.add(kind)
    return kind


def is_proved(kind: type) -> bool:
    """Whether the author of this very class, and not of one that it derives from, has marked it."""
    return kind in _PROVED
