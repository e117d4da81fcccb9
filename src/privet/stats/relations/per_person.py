"""One record for each person: how many records they have, and sums, means and extremes of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from privet.errors import ParameterError
from privet.schema import Category, Number
from privet.schema.columns import Column
from privet.stats.relations.facts import Facts, Read, Relation

__all__ = ["Aggregate", "PerPerson"]

Kind = Literal["count", "sum", "mean", "min", "max"]
# Sums are taken of whole numbers of this part of a range, so that their order is no matter.
_PARTS = 2.0**30


@dataclass(frozen=True)
class Aggregate:
    """What becomes of a person's values: ``column`` is the number that it is of; a count needs none."""

    kind: Kind
    column: str | None = None


@dataclass(frozen=True)
class PerPerson(Relation):
    """A record for each person who has any, or for each person and each combination of ``keys`` that they
    have; ``aggregates`` are its other columns, by name.

    Unlike a maximum over the table, the maximum over one person's records is that person's own value, and is
    treated as such.

    **Stability.** Somebody's new record is a function of their records, which are a function of theirs in the
    tables. Without keys there is at most one for each person; with keys, at most as many as they had before.
    Bounds: a person with n of at most k values x in [l, h] has a sum in [nl, nh], which lies within
    [min(l, kl), max(h, kh)]; means and extremes lie in [l, h].
    """

    one: Relation
    keys: tuple[str, ...] = ()
    aggregates: tuple[tuple[str, Aggregate], ...] = (("records", Aggregate("count")),)

    @property
    def facts(self) -> Facts:
        facts = self.one.facts
        if facts.person is None:
            raise ParameterError(
                "Records can be put together for each person only where it is known whose each is.",
                'Name the column in the schema, under [unit]:  id = "patient". A join on it keeps it.',
            )
        schema = facts.schema
        for name in self.keys:
            if not isinstance(schema[name], Category):
                raise ParameterError(f"'{name}' is a number, and makes no groups.", "Cut it into intervals.")
        columns = [schema[name] for name in self.keys]
        columns += [_bounds(name, each, facts) for name, each in self.aggregates]
        each = facts.each if self.keys else 1
        return Facts(tuple(columns), each * (2 if facts.exchanged else 1), facts.person, each)

    def pieces(self, read: Read) -> Iterator[pa.Table]:
        """One piece: a person's records may be anywhere in the table, so all of it is held."""
        before, facts = self.one.facts, self.facts
        table = pa.concat_tables(self.one.pieces(read))
        table = table.filter(table[str(facts.person)].is_valid())
        by = [str(facts.person), *self.keys]
        places = {name: f"{place}" for place, name in enumerate(by)}
        asked = pa.table([table[name] for name in by], names=list(places.values()))
        wanted: list[tuple[str, str]] = []
        for place, (_, each) in enumerate(self.aggregates):
            # A count counts what is there: of records, all; of a number, those that have it.
            values = pa.array(np.ones(table.num_rows, np.int64))
            if each.column is not None:
                column = before.schema[each.column]
                assert isinstance(column, Number)
                values = _parts(table[each.column], column)
            asked = asked.append_column(f"value {place}", values)
            kind = "sum" if each.kind == "mean" else each.kind
            wanted += [(f"value {place}", kind), (f"value {place}", "count")]
        groups = asked.group_by(list(places.values()), use_threads=False)
        found = groups.aggregate(list(dict.fromkeys(wanted)))
        made = {name: found[place] for name, place in places.items()}
        for place, (name, each) in enumerate(self.aggregates):
            number = found[f"value {place}_count"].to_numpy()
            made[name] = self._finished(each, found, place, number)
        yield pa.table(made).select(list(facts.names))

    def _finished(self, each: Aggregate, found: pa.Table, place: int, number: Any) -> Any:
        if each.kind == "count":
            return pa.array(number.astype(float))
        column = self.one.facts.schema[str(each.column)]
        assert isinstance(column, Number)
        kind = "sum" if each.kind == "mean" else each.kind
        values = found[f"value {place}_{kind}"].fill_null(0).to_numpy().astype(float)
        step = (column.high - column.low) / _PARTS
        many = np.maximum(number, 1)
        if each.kind == "sum":
            values = number * column.low + values * step
        else:
            values = column.low + values * step / (many if each.kind == "mean" else 1)
        return pa.array(values, mask=number == 0)

    def leaves(self) -> Iterator[str]:
        yield from self.one.leaves()


def _bounds(name: str, each: Aggregate, facts: Facts) -> Column:
    if each.kind not in ("count", "sum", "mean", "min", "max"):
        raise ParameterError(f"'{each.kind}' is not known of a person.", "Use count, sum, mean, min or max.")
    if each.column is None:
        if each.kind != "count":
            raise ParameterError(f"Of which column is the {each.kind}?", f"For example: {each.kind} of age.")
        return Number(name, 0, facts.each, integer=True)
    column = facts.schema[each.column]
    if not isinstance(column, Number):
        raise ParameterError(
            f"'{each.column}' is a category, and this is asked of numbers.", "Count it instead."
        )
    if each.kind == "count":
        return Number(name, 0, facts.each, integer=True)
    if each.kind == "sum":
        low, high = float(column.low), float(column.high)
        return Number(name, min(low, facts.each * low), max(high, facts.each * high))
    return Number(name, column.low, column.high)


def _parts(array: Any, column: Number) -> Any:
    """Numbers as whole parts of their range, missing where they are."""
    values = np.clip(array.to_numpy().astype(float), column.low, column.high)
    missing = np.isnan(values)
    above = np.where(missing, column.low, values) - column.low
    parts = np.rint(above / (column.high - column.low) * _PARTS)
    return pa.array(parts.astype(np.int64), mask=missing)
