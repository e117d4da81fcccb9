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
# Lines that are held before those of one person are put together.
_LINES = 1 << 17


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
        """One piece. Records go by; what is held is a line for each person, or about twice as many.

        Counts, sums of whole numbers and extremes of parts can be put together, in any order.
        """
        held: list[pa.Table] = []
        lines, most = 0, _LINES
        for piece in self.one.pieces(read):
            held.append(self._grouped(piece))
            lines += held[-1].num_rows
            if lines > most:
                held = [self._together(held)]
                lines = held[0].num_rows
                most = 2 * lines + _LINES
        yield self._finished(self._together(held))

    @property
    def _by(self) -> list[str]:
        return [str(self.one.facts.person), *self.keys]

    def _grouped(self, table: pa.Table) -> pa.Table:
        """A line for each person in one piece: the number of values, and their sum or extreme."""
        before = self.one.facts
        table = table.filter(table[str(before.person)].is_valid())
        columns = {f"key {place}": table[name] for place, name in enumerate(self._by)}
        for place, (_, each) in enumerate(self.aggregates):
            # A count counts what is there: of records, all; of a number, those that have it.
            values = pa.array(np.ones(table.num_rows, np.int64))
            if each.column is not None:
                column = before.schema[each.column]
                assert isinstance(column, Number)
                values = _parts(table[each.column], column)
            columns[f"value {place}"] = values
            columns[f"number {place}"] = values.is_valid().cast(pa.int64())
        return self._together([pa.table(columns)])

    def _together(self, parts: list[pa.Table]) -> pa.Table:
        """The lines of all parts, one for each person."""
        keys = [f"key {place}" for place in range(len(self._by))]
        wanted = {}
        for place, (_, each) in enumerate(self.aggregates):
            wanted[f"value {place}"] = each.kind if each.kind in ("min", "max") else "sum"
            wanted[f"number {place}"] = "sum"
        groups = pa.concat_tables(parts).group_by(keys, use_threads=False).aggregate(list(wanted.items()))
        columns = [*(groups[key] for key in keys), *(groups[f"{n}_{how}"] for n, how in wanted.items())]
        return pa.table(columns, names=[*keys, *wanted])

    def _finished(self, found: pa.Table) -> pa.Table:
        made = {name: found[f"key {place}"] for place, name in enumerate(self._by)}
        for place, (name, each) in enumerate(self.aggregates):
            made[name] = self._aggregate(each, found[f"value {place}"], found[f"number {place}"].to_numpy())
        return pa.table(made).select(list(self.facts.names))

    def _aggregate(self, each: Aggregate, parts: Any, number: Any) -> Any:
        if each.kind == "count":
            return pa.array(number.astype(float))
        column = self.one.facts.schema[str(each.column)]
        assert isinstance(column, Number)
        values = parts.fill_null(0).to_numpy().astype(float)
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
