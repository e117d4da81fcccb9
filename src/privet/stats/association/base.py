"""The contract of a score: how much an attribute tells about the class, and how far one record can move that.

A score is computed inside the curator from exact tables (tables × classes × values) and handed out only as a
noisy choice and noisy values. Scores that are not whole numbers are kept in fixed point, multiples of 2⁻¹⁶,
so that integer noise applies, which has no floating-point leaks.

**Fixed point.** |⌊x⌉ − ⌊y⌉| ≤ |x − y| + 1, and the floats x, y are within far less than ½·2⁻¹⁶ of the real
values, so a sensitivity of Δ becomes at most ⌈2¹⁶·Δ⌉ + 2 units.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privet.errors import DataError, ParameterError, SchemaError
from privet.schema import Schema, Unit
from privet.stats.judgement import Judgement

__all__ = ["FIXED", "Association", "Tables", "Told", "require_groups"]

#: tables × classes × values
Tables = NDArray[np.int64]

FIXED = 1 << 16


# How many records each class has in a rehearsal, which may not look.
REHEARSED = 500


@dataclass(frozen=True)
class Told:
    """What is released of each candidate if it is chosen, with the fields of a ``Judgement``."""

    values: NDArray[np.int64]
    l1: int
    squared_l2: int
    scale: int
    unit: str


@dataclass(frozen=True)
class Association(ABC):
    """How much an attribute tells about the class: a score of its table, with the proof of ``sensitivity``.

    Subclasses are frozen dataclasses. One from outside Privet must be marked (``privet.stats.proved``).
    """

    #: What the score is called in a guarantee, and what its values count.
    what: ClassVar[str] = "score"
    unit: ClassVar[str] = "units of the score"
    #: ``"class"``: for records exchanged within their class, whose sizes are public; ``"replace"``: for
    #: records exchanged for any other, the number of records being public; ``"any"``: for every unit of
    #: privacy. Only the first two may read ``sizes`` in ``sensitivity``.
    needs: ClassVar[Literal["class", "replace", "any"]] = "any"
    #: Whether scores are whole numbers already.
    whole: ClassVar[bool] = False
    #: Whether a record that is added raises no score of one attribute while it lowers that of another.
    monotonic: ClassVar[bool] = False
    #: Whether only genotypes (three values, counting alleles) have this score.
    genotypes: ClassVar[bool] = False
    #: Whether values are counted in order, so that a missing value has no place among them.
    ordered: ClassVar[bool] = False

    @abstractmethod
    def evaluate(self, tables: Tables) -> NDArray[np.float64] | NDArray[np.int64]:
        """The score of each table; larger is better."""

    @abstractmethod
    def sensitivity(self, sizes: tuple[int, ...], values: int) -> Fraction:
        """The most by which one changed record moves a score, for classes of these sizes.

        Of a score that needs ``"replace"``, ``sizes`` is one number: of all records, with a class or without.
        """

    def incompatible(self, classes: int, values: int) -> str | None:
        """Why such tables have no score, in a sentence; None if they have one."""
        if self.genotypes and values != 3:
            return f"The score {self.what} is for genotypes: attributes of exactly three values."
        return None

    def suits(self, schema: Schema, public_class: bool) -> None:
        """Refuse a schema for which nothing is proved.

        The scale of the noise may depend on how many records there are, in all or of each class, only if
        every neighbour of a table has as many. A person who is exchanged may bring more records than went.
        """
        if self.needs == "any":
            return
        if schema.unit.neighbours != "replace":
            raise SchemaError(
                f"The score {self.what} needs a public number of records, and the schema's unit of privacy "
                "(add_remove) keeps it private.",
                'Set  neighbours = "replace"  under [unit], or use the score majority.',
            )
        if schema.unit.id is not None:
            raise SchemaError(
                f"The score {self.what} needs a public number of records, and a person who is exchanged for "
                "another may have more of them or fewer.",
                "Protect single records (no  id  under [unit]), or use the score majority.",
            )
        if self.needs == "class" and not public_class:
            raise ParameterError(
                f"The score {self.what} protects records within their class: who is in which, and so the "
                "classes' sizes, must be public.",
                "Set public_class=True if that is so (a case-control study, say), or use the score "
                "mutual_information or majority.",
            )

    def feasible(self, sizes: tuple[int, ...], values: int) -> None:
        """Refuse what classes of these public sizes rule out, before anything is paid for."""
        self.sensitivity(sizes, values)

    def released(self, tables: Tables, scores: NDArray[np.int64], step: int, unit: Unit) -> Told:
        """What is released of a chosen attribute: its score, which one unit moves by at most ``step``."""
        return Told(scores[:, None], step, step * step, 1 if self.whole else FIXED, self.unit)

    def judge(self, groups: Sequence[Tables], unit: Unit, records: int | None = None) -> Judgement:
        """All candidates, given in groups of tables of equal shape, in the order of the groups.

        ``records`` is how many there are, with a class or without; None if all have one.
        """
        parts, steps, told = [], [1], []
        for tables in groups:
            sizes = tuple(map(int, tables[0].sum(axis=1)))
            parts.append(self._fixed(tables) if any(sizes) else np.zeros(len(tables), np.int64))
            if self.needs == "replace":
                sizes = (sum(sizes) if records is None else records,)
            if not any(sizes):  # a rehearsal reads an empty table: errors as for classes of some size
                sizes = (REHEARSED,) * tables.shape[1]
            steps.append(self._steps(self.sensitivity(sizes, tables.shape[2]), unit))
            told.append(self.released(tables, parts[-1], steps[-1], unit))
        return Judgement(
            np.concatenate(parts),
            max(steps),
            self.monotonic and unit.neighbours == "add_remove",
            np.concatenate([each.values for each in told]),
            max(each.l1 for each in told),
            max(each.squared_l2 for each in told),
            told[0].scale,
            told[0].unit,
        )

    def _fixed(self, tables: Tables) -> NDArray[np.int64]:
        values = self.evaluate(tables)
        return np.asarray(values if self.whole else np.rint(np.asarray(values) * FIXED), np.int64)

    def _steps(self, sensitivity: Fraction, unit: Unit) -> int:
        # A person's records change one after the other: the triangle inequality.
        change = sensitivity * unit.most
        return math.ceil(change) if self.whole else math.ceil(change * FIXED) + 2


def require_groups(sizes: ArrayLike) -> tuple[int, ...]:
    """The sizes of at least two classes, none of them empty."""
    whole = tuple(int(size) for size in np.asarray(sizes))
    if len(whole) < 2 or min(whole) < 1:
        raise DataError("One of the classes has no record.", "A comparison needs records of every class.")
    return whole
