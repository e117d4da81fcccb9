"""Pairs of neighbouring tables that are hard to keep apart: the extremes of what a schema allows.

One unit of privacy is added to (or exchanged in) a small base table. Units sit at the ends of the bounds, in
the rarest place of every domain, in a class of their own, or hold nothing at all; bases range from no
record to a few dozen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from privet.schema import Category, Column, Number, Schema

__all__ = ["Pair", "candidate_pairs", "table_of"]

Record = dict[str, Any]


@dataclass(frozen=True)
class Pair:
    """Two neighbouring inputs: tables for an algorithm, exact answers for a mechanism."""

    name: str
    first: Any
    second: Any

    def to_dict(self) -> dict[str, Any]:
        return {"name": self.name, "first": _plain(self.first), "second": _plain(self.second)}


def candidate_pairs(schema: Schema, generator: np.random.Generator) -> list[Pair]:
    """All combinations of a base table and a unit, for the schema's neighbour relation."""
    pairs = []
    units = list(_units(schema))
    for base_name, base in _bases(schema, generator):
        for unit_name, unit in units:
            if schema.unit.neighbours == "add_remove":
                name = f"{base_name}, with and without {unit_name}"
                pairs.append(Pair(name, _table(schema, base, unit), _table(schema, base)))
            else:
                for other_name, other in units:
                    if other_name < unit_name:
                        name = f"{base_name}, {unit_name} exchanged for {other_name}"
                        pairs.append(Pair(name, _table(schema, base, unit), _table(schema, base, other)))
    return pairs


def _units(schema: Schema) -> Iterator[tuple[str, Record]]:
    yield "a record at the low ends", {c.name: _end(c, 0) for c in schema.columns}
    yield "a record at the high ends", {c.name: _end(c, -1) for c in schema.columns}
    mixed = {c.name: _end(c, 0 if c.name == schema.target else -1) for c in schema.columns}
    yield "a record at the high ends in the first class", mixed
    alternating = {c.name: _end(c, -(place % 2)) for place, c in enumerate(schema.columns)}
    yield "a record at alternating ends", alternating | {schema.target: mixed[schema.target]} if schema.target else alternating
    if schema.missing == "skip":
        yield "a record with everything missing but the class", {
            c.name: _end(c, -1) if c.name == schema.target else None for c in schema.columns
        }


def _bases(schema: Schema, generator: np.random.Generator) -> Iterator[tuple[str, list[Record]]]:
    yield "an empty table", []
    low = {c.name: _end(c, 0) for c in schema.columns}
    yield "one record at the low ends", [low]
    yield "three equal records at the low ends", [low] * 3
    yield "thirty random records", [
        {c.name: _random(c, generator) for c in schema.columns} for _ in range(30)
    ]


def _end(column: Column, place: int) -> Any:
    if isinstance(column, Number):
        return float(column.low if place == 0 else column.high)
    return column.labels[place]


def _random(column: Column, generator: np.random.Generator) -> Any:
    if isinstance(column, Number):
        return float(generator.uniform(column.low, column.high))
    return column.labels[int(generator.integers(column.size))]


def _table(schema: Schema, base: list[Record], unit: Record | None = None) -> pa.Table:
    people = [[record] for record in base]
    if unit is not None:
        people.append([unit] * schema.unit.most)
    records = [record | _who(schema, number) for number, person in enumerate(people) for record in person]
    return table_of(schema, records)


def _who(schema: Schema, number: int) -> Record:
    return {} if schema.unit.id is None else {schema.unit.id: f"person {number}"}


def table_of(schema: Schema, records: list[Record]) -> pa.Table:
    """Records as an Arrow table with a type for every column, even where all values are missing."""
    fields = [(column.name, _type(column)) for column in schema.columns]
    if schema.unit.id is not None:
        fields.append((schema.unit.id, pa.string()))
    return pa.Table.from_pylist(records, schema=pa.schema(fields))


def _type(column: Column) -> Any:
    if isinstance(column, Number):
        return pa.float64()
    assert isinstance(column, Category)
    first = column.values[0]
    if isinstance(first, bool):
        return pa.bool_()
    return pa.string() if isinstance(first, str) or column.other is not None else pa.float64()


def _plain(value: Any) -> Any:
    if isinstance(value, pa.Table):
        return value.to_pylist()
    return np.asarray(value).tolist()


Search = Callable[[Schema, np.random.Generator], list[Pair]]
