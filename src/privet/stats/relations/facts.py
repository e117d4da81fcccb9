"""What is public about a table that is made of others, and how many of its records one unit can change."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import pyarrow as pa

from privet.schema import Schema
from privet.schema.columns import Column
from privet.schema.unit import DerivedUnit

__all__ = ["Facts", "Read", "Relation"]

Read = Callable[[str], Iterator[pa.Table]]

#: More records than this for one unit are not derived: the noise for them would hide everything.
MOST_CHANGED = 1_000_000


@dataclass(frozen=True)
class Facts:
    """What is known of a relation without looking at a record.

    ``changed``: *stability*. Take all tables that the relation is made of, and take one unit out of, put it
    into, or (under ``replace``) exchange it in every one of them at once. Then at most so many records of the
    relation go or come, those that go and those that come counted together.

    ``person``: the column that says whose a record is, if there is one. Then (1) the records that name
    somebody are a function of that person's own records, and (2) there are at most ``each`` of them. So
    ``changed`` is ``each``, or twice that if a person may be exchanged for another.
    """

    columns: tuple[Column, ...]
    changed: int
    person: str | None = None
    each: int = 0

    @property
    def exchanged(self) -> bool:
        """Whether a unit may be exchanged for another in one of the tables."""
        return self.person is not None and self.changed > self.each

    @property
    def schema(self) -> Schema:
        """What a statistic may know: cells outside it count as missing, as a refusal would speak of one."""
        return Schema(self.columns, unit=DerivedUnit(most=self.changed), outside="count")

    @property
    def names(self) -> tuple[str, ...]:
        """All columns that are carried: the public ones, and whose a record is."""
        public = tuple(column.name for column in self.columns)
        return public if self.person is None or self.person in public else (*public, self.person)


class Relation(ABC):
    """A table made of others. Subclasses are frozen dataclasses, each with the proof of its stability."""

    @property
    @abstractmethod
    def facts(self) -> Facts:
        """What is public about it, and its stability; what does not fit is refused."""

    @abstractmethod
    def pieces(self, read: Read) -> Iterator[pa.Table]:
        """Its records, piece by piece, at least one piece; ``read`` gives those of a table by its name.

        The pieces of a table have its columns as ``cells.read`` gives them. How records are cut into pieces
        is no matter, and neither is their order.
        """

    def made(self, tables: Mapping[str, pa.Table]) -> pa.Table:
        """All its records, from those of the tables by name."""
        return pa.concat_tables(self.pieces(lambda name: iter([tables[name]])))

    @abstractmethod
    def leaves(self) -> Iterator[str]:
        """The names of the tables that it is made of."""
