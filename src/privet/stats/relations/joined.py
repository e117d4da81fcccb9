"""The records of two relations that agree in a key, side by side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

import pyarrow as pa
import pyarrow.compute as pc

from privet.errors import ParameterError
from privet.schema import Category, Unit
from privet.stats.contribution import bound_batches
from privet.stats.relations.cells import NOTHING_BETWEEN
from privet.stats.relations.facts import MOST_CHANGED, Facts, Read, Relation

__all__ = ["Joined"]

_KEY = "privet key"  # no schema's column: a table with this one is refused


@dataclass(frozen=True)
class Joined(Relation):
    """Every pair of a record of one and a record of the other with the same key (an inner join).

    Each side keeps at most ``most`` records of each key: those that come first by a fixed hash of what they
    hold, which depends on the records with that key alone (``stats.contribution``). That a key is unique is
    so never believed, and never refused either: a refusal would tell that somebody is there twice.

    **Stability, on the person.** If the key holds the column that says whose a record is on both sides, then
    somebody's records here are pairs of their own: at most ``each`` times ``each``, without keeping fewer.

    **Stability, otherwise.** Let one unit change r records of one side, s of the other. A record that goes or
    comes changes what its side keeps of its key by at most itself and the one that it displaces: 2r and 2s
    records. With A, A' and B, B' the two sides before and after, as kept, A⋈B and A'⋈B' differ by at most
    the pairs of A △ A' with B and of A' with B △ B'. A record meets at most b records of the other side, or
    a: so 2rb + 2sa. Whose a pair is cannot be said: it is a function of two units' records.
    """

    one: Relation
    other: Relation
    on: tuple[str, ...]
    most: tuple[int, int] = (1, 1)

    @property
    def by_person(self) -> bool:
        person = self.one.facts.person
        return person is not None and person == self.other.facts.person and person in self.on

    @property
    def facts(self) -> Facts:
        one, other = self.one.facts, self.other.facts
        self._check(one, other)
        mine = {column.name for column in one.columns}
        columns = (*one.columns, *(column for column in other.columns if column.name not in mine))
        if self.by_person:
            each = one.each * other.each
            changed = each * (2 if one.exchanged or other.exchanged else 1)
            facts = Facts(columns, changed, one.person, each)
        else:
            facts = Facts(columns, 2 * (one.changed * self.most[1] + other.changed * self.most[0]))
        if facts.changed > MOST_CHANGED:
            raise ParameterError(
                f"One unit could change {facts.changed:,} records of this join.",
                "Allow fewer records for each key, or fewer for each person.",
            )
        return facts

    def _check(self, one: Facts, other: Facts) -> None:
        if not self.on or len(set(self.on)) < len(self.on):
            raise ParameterError("A join needs the names of its keys.", "For example: on='patient'.")
        if any(isinstance(m, bool) or not isinstance(m, int) or m < 1 for m in self.most):
            raise ParameterError("At least 1 record of each key must be allowed on each side.")
        for facts in (one, other):
            for name in self.on:
                column = next((c for c in facts.columns if c.name == name), None)
                if name != facts.person and not isinstance(column, Category):
                    raise ParameterError(
                        f"'{name}' is no key to join by: it must be a category, or say who a person is, "
                        "in both tables.",
                        "Declare it as a category in both schemas, or as the id under [unit].",
                    )
        both = {c.name for c in one.columns} & {c.name for c in other.columns} - set(self.on)
        if both:
            raise ParameterError(
                f"Both tables have a column '{min(both)}' that is no key of the join.",
                "Leave it out of one schema, or join by it, too.",
            )
        if _KEY in (*one.names, *other.names):
            raise ParameterError(f"A column may not be called '{_KEY}'.", "Rename it.")

    def pieces(self, read: Read) -> Iterator[pa.Table]:
        """Of the other side all that is kept is held; one side goes by piece by piece."""
        names = list(self.facts.names)
        right = pa.concat_tables(self._kept(self.other, self.most[1], read)).drop_columns(list(self.on))
        for left in self._kept(self.one, self.most[0], read):
            yield left.join(right, keys=_KEY, join_type="inner", use_threads=False).select(names)

    def _kept(self, side: Relation, most: int, read: Read) -> Iterator[pa.Table]:
        """The records of one side that have a key, and at most so many of each, unless they are a person's.

        Whose a record is goes no further, unless it is a key.
        """
        names = list(dict.fromkeys([*(column.name for column in side.facts.columns), *self.on]))
        keyed = (_keyed(piece.select(names), self.on) for piece in side.pieces(read))
        if self.by_person:
            yield from keyed
            return
        first = next(keyed)  # there is at least one piece
        batches = (batch for piece in chain([first], keyed) for batch in piece.to_batches())
        unit = Unit(id=_KEY, most=most, keep="content")
        yield first.schema.empty_table()
        for batch in bound_batches(batches, unit, names):
            yield pa.Table.from_batches([batch], first.schema)

    def leaves(self) -> Iterator[str]:
        yield from self.one.leaves()
        yield from self.other.leaves()


def _keyed(table: pa.Table, on: tuple[str, ...]) -> pa.Table:
    """The records that have a key, with the key in one column."""
    # Text by text, each with its length before it: ("a", "bc") and ("ab", "c") stay different.
    texts = [table[name] for name in on]
    lengths = [pc.cast(pc.utf8_length(text), pa.string()) for text in texts]
    parts = [part for pair in zip(lengths, texts, strict=True) for part in pair]
    keyed = table.append_column(_KEY, pc.binary_join_element_wise(*parts, NOTHING_BETWEEN))
    return keyed.filter(pc.is_valid(keyed[_KEY]))
