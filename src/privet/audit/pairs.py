"""Pairs of neighbouring tables that are hard to keep apart: the extremes of what a schema allows.

One unit of privacy is added to (or exchanged in) a small base table. Units sit at the ends of the bounds or
far outside of them, in the last place of every domain, in a class of their own, or hold nothing at all; a
person comes with as many records as are allowed, and with more. Bases range from no record to a few dozen.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from privet.schema import Category, Column, Number, Schema

__all__ = ["Pair", "candidate_pairs", "random_record", "table_of"]

Record = dict[str, Any]
# In full tables a cell is so far from 0 that repairs of negative counts do not hide its noise.
FULL = 15
# Of an open category: a text that its schema does not list.
UNLISTED = "nobody lists this"


@dataclass(frozen=True)
class Pair:
    """Two neighbouring inputs: tables for an algorithm, exact answers for a mechanism."""

    name: str
    first: Any
    second: Any

    def to_dict(self) -> dict[str, Any]:
        return {"name": self.name, "first": plain(self.first), "second": plain(self.second)}


def candidate_pairs(schema: Schema, generator: np.random.Generator) -> list[Pair]:
    """Bases combined with units, for the schema's neighbour relation; the most promising come first.

    >>> schema = Schema.of({"smoker": ["no", "yes"]})
    >>> candidate_pairs(schema, np.random.default_rng(0))[1].name
    'an empty table, with and without a record at the high ends'
    """
    units = list(_units(schema))
    pairs = []
    for unit_name, unit in units:
        for base_name, base in _bases(schema, generator):
            if schema.unit.neighbours == "add_remove":
                pairs.append(
                    Pair(
                        f"{base_name}, with and without {unit_name}",
                        _table(schema, base, unit),
                        _table(schema, base),
                    )
                )
                continue
            # Exchanging for either extreme is enough: a third kind of unit would be between the two.
            for other_name, other in units[:2]:
                if other_name != unit_name and not (unit_name == units[0][0] and other_name == units[1][0]):
                    name = f"{base_name}, {unit_name} exchanged for {other_name}"
                    pairs.append(Pair(name, _table(schema, base, unit), _table(schema, base, other)))
    return pairs


def _units(schema: Schema) -> Iterator[tuple[str, list[Record]]]:
    """What one unit of privacy may be: records of one person."""
    most = schema.unit.most
    low, high = ({c.name: _end(c, place) for c in schema.columns} for place in (0, -1))
    yield "a record at the high ends", [high] * most
    yield "a record at the low ends", [low] * most
    numbers = [c for c in schema.columns if isinstance(c, Number)]
    if numbers:
        yield (
            "a record far above the bounds",
            [high | {c.name: float(c.high + 1000 * (c.high - c.low)) for c in numbers}] * most,
        )
    if schema.target is not None:
        yield (
            "a record at the high ends in the first class",
            [high | {schema.target: low[schema.target]}] * most,
        )
    if len(schema.columns) > 2:
        yield (
            "a record at alternating ends",
            [{c.name: _end(c, -(j % 2)) for j, c in enumerate(schema.columns)}] * most,
        )
    if schema.missing == "skip" and len(schema.columns) > 1:
        nothing: Record = {c.name: None for c in schema.columns}
        if schema.target is not None:
            yield (
                "a record with everything missing but the class",
                [nothing | {schema.target: high[schema.target]}] * most,
            )
        yield "a record with everything missing", [nothing] * most
    if schema.unit.id is not None:
        yield "a person with three times the allowed records", [high] * (3 * most)


def _bases(schema: Schema, generator: np.random.Generator) -> Iterator[tuple[str, list[Record]]]:
    low, high = ({c.name: _end(c, place) for c in schema.columns} for place in (0, -1))
    yield (
        "a table with many records at both ends of every class",
        [
            end | ({} if schema.target is None else {schema.target: label})
            for label in _labels(schema)
            for end in (low, high)
            for _ in range(FULL)
        ],
    )
    yield "an empty table", []
    yield "one record at the low ends", [low]
    yield "three equal records at the low ends", [low] * 3
    # On which a record of another class is as wrong as can be, and moves a fitted model most.
    yield "sixty equal records at the high ends", [high] * 60
    yield "thirty random records", [random_record(schema, generator) for _ in range(30)]


def _labels(schema: Schema) -> list[Any]:
    if schema.target is None:
        return [None]
    target = schema[schema.target]
    if isinstance(target, Number):
        return [float(target.low), float(target.high)]
    return list({0: _cells(target)[0], 1: _cells(target)[-1]}.values())


def random_record(schema: Schema, generator: np.random.Generator) -> Record:
    """A record drawn evenly from all that the schema allows."""
    return {c.name: _random(c, generator) for c in schema.columns}


def _end(column: Column, place: int) -> Any:
    if isinstance(column, Number):
        return float(column.low if place == 0 else column.high)
    return _cells(column)[place]


def _random(column: Column, generator: np.random.Generator) -> Any:
    if isinstance(column, Number):
        drawn = float(generator.uniform(column.low, column.high))
        return float(round(drawn)) if column.integer else drawn
    return _cells(column)[int(generator.integers(column.size))]


def _cells(column: Category) -> tuple[Any, ...]:
    """What a cell may hold, in the order of the labels: an unlisted text where there is a cell for those."""
    return column.labels if column.other is None else (*column.values, UNLISTED)


def _table(schema: Schema, base: list[Record], unit: list[Record] | None = None) -> pa.Table:
    people = [[record] for record in base] + ([] if unit is None else [unit])
    return table_of(
        schema, [record | _who(schema, number) for number, person in enumerate(people) for record in person]
    )


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
    if column.other is not None:  # any text may be there
        return pa.string()
    first = column.values[0]
    return pa.bool_() if isinstance(first, bool) else pa.string() if isinstance(first, str) else pa.float64()


def plain(value: Any) -> Any:
    """An input as plain data."""
    if hasattr(value, "here"):  # a table of a pair, with the other beside it
        return [plain(value.first), plain(value.second), value.place]
    return value.to_pylist() if isinstance(value, pa.Table) else np.asarray(value).tolist()


def digest(value: Any) -> str:
    """A fingerprint of an input."""
    return hashlib.sha256(json.dumps(plain(value), sort_keys=True).encode()).hexdigest()[:16]
