"""Disjoint random blocks of a table and a user's function on each: the exact part of sample-and-aggregate.

**One unit of privacy is in one block.** Every unit (record, or person with all records) draws its block
uniformly and independently of all data. Take neighbours and let the units that they share draw the same
blocks, which does not change the distribution of either. Under ``add_remove`` the block that the extra unit
draws differs, and no other; under ``replace`` let the unit that comes draw the block of the one that goes:
again one block differs.

**What a run of the function can depend on** is its own block, what is public, and fresh random bytes. That is
what a closed cell promises (``cell``), piece by piece: the function travels as its code with a few plain
values, which are taken to be public (``parcel``); it is loaded after its process was closed (``lane``), which
can then open no file and no socket, reach no other process and share no memory (``filter``), and has no clock
by which to see how long others took (``clock``); and that process is a copy of one that has seen no record,
made by it after a number of other copies that is public, since empty blocks are copied for too (``lane``). So
one row of the answer below changes, by anything within the declared ranges. (A function that draws random
numbers is covered too: for every value of these the above holds.)

Where the system cannot close a cell, this is false for a function that goes looking, and the guarantee says
so. What no cell can close: the kernel and the processor are trusted; and a function made to come close to its
limit of processor time, or a machine that runs out of memory, can fail because of what runs beside it.

Failing is no way out: a block without a result counts as the middle of each range, which is public. So does
an empty one, on which the function is not run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from privet.isolation import elsewhere
from privet.isolation.cell import Isolated
from privet.randomness import IntegerArray, Randomness
from privet.schema import Category, Schema
from privet.sources.base import Source
from privet.stats import Answer, Rows
from privet.stats.contribution import bounded, plain_names
from privet.stats.rows import refuse_infinite

__all__ = ["GRID", "BlockFunction", "block_tables", "made_up", "seen_columns"]

# Outputs are kept in fixed point: multiples of 1 / GRID of the declared range.
GRID = 1 << 20


@dataclass(frozen=True)
class BlockFunction:
    """A function of a table, with the public ranges of the numbers that it returns.

    ``low`` and ``high`` have one entry for each number. The function is given a data frame or Arrow table of
    the schema's columns: numbers clamped to their bounds, categories with their public domain. It is tried on
    ``rehearsal`` made-up records before a row is read.
    """

    function: Callable[[Any], Any]
    low: tuple[float, ...]
    high: tuple[float, ...]
    timeout: float = 60.0
    as_pandas: bool = True
    isolation: Literal["full", "available"] = "full"
    rehearsal: int = 0

    def outputs(self, source: Source, schema: Schema, blocks: int, randomness: Randomness) -> Answer:
        """For each block a row of whole numbers from 0 to ``GRID``: where in its range each output lies."""
        with Isolated(
            self.function,
            len(self.low),
            self.timeout,
            self.as_pandas,
            isolation=self.isolation,
            rehearsal=made_up(schema, self.rehearsal) if self.rehearsal else None,
        ) as isolated:
            tables = block_tables(source, schema, blocks, randomness)
            # Empty blocks are run like others (their cells do nothing), unless there is no record at all.
            filled = any(table.num_rows for table in tables)
            results = elsewhere.run(isolated, source, tables) if filled else [None] * blocks
        return np.stack([self._placed(result) for result in results])

    def _placed(self, result: NDArray[np.float64] | None) -> Answer:
        low, high = np.array(self.low), np.array(self.high)
        middle = low + (high - low) / 2
        if result is None:
            result = middle
        inside = np.clip(np.where(np.isfinite(result), result, middle), low, high)
        return np.clip(np.rint((inside - low) / (high - low) * GRID), 0, GRID).astype(np.int64)


def block_tables(source: Source, schema: Schema, blocks: int, randomness: Randomness) -> list[pa.Table]:
    """The table, each unit of privacy in one of the blocks; some may be empty. Rows keep their order."""
    parts: list[list[pa.RecordBatch]] = [[] for _ in range(blocks)]
    shape = _shape(schema)
    for batch, places in _assigned(source, schema, blocks, randomness):
        seen = seen_columns(batch, schema)
        order = np.argsort(places, kind="stable")
        ends = np.searchsorted(places[order], np.arange(blocks + 1))
        ordered = seen.take(pa.array(order))
        for block in np.flatnonzero(np.diff(ends)):
            parts[block].append(ordered.slice(ends[block], ends[block + 1] - ends[block]))
    return [pa.Table.from_batches(part, schema=shape).combine_chunks() for part in parts]


def seen_columns(batch: pa.RecordBatch, schema: Schema) -> pa.RecordBatch:
    """The batch as a user's function is given it: numbers clamped, categories with their public domain."""
    rows = Rows(batch, schema)
    return pa.record_batch([_column(rows, column) for column in schema.columns], schema=_shape(schema))


def _shape(schema: Schema) -> pa.Schema:
    return pa.schema([(column.name, _kind(column)) for column in schema.columns])


def _assigned(
    source: Source, schema: Schema, blocks: int, randomness: Randomness
) -> Iterator[tuple[pa.RecordBatch, IntegerArray]]:
    """Each batch with the block of each of its rows."""
    unit = schema.unit
    wanted = {*schema.names} | ({unit.id} if unit.id is not None else set())
    people: dict[Any, int] = {}
    for batch in bounded(source, [name for name in source.names if name in wanted], schema):
        if unit.id is None:
            yield batch, randomness.uniform_indices(batch.num_rows, blocks)
            continue
        column = batch.column(batch.schema.get_field_index(unit.id))
        if pa.types.is_dictionary(column.type):
            column = column.dictionary_decode()
        encoded = pc.dictionary_encode(column)
        names = plain_names(encoded.dictionary)
        fresh = [name for name in names if name not in people]
        people |= zip(fresh, randomness.uniform_indices(len(fresh), blocks).tolist(), strict=True)
        of_name = np.fromiter((people[name] for name in names), np.int64, len(names))
        yield batch, of_name[encoded.indices.to_numpy(zero_copy_only=False)]


def made_up(schema: Schema, records: int) -> pa.Table:
    """Records that fit the schema, spread evenly by a fixed rule: no data, and no draw."""
    arrays = []
    for place, column in enumerate(schema.columns):
        spread = np.sin(12.9898 * np.arange(1, records + 1) + 78.233 * place) * 43758.5453 % 1.0
        if isinstance(column, Category):
            codes = pa.array((spread * column.size).astype(np.int32))
            arrays.append(pa.DictionaryArray.from_arrays(codes, _domain(column)))
        else:
            arrays.append(pa.array(column.low + (column.high - column.low) * spread))
    return pa.table(arrays, schema=_shape(schema))


def _column(rows: Rows, column: Any) -> pa.Array:
    if not isinstance(column, Category):
        values = rows.numbers(column.name)
        if np.isinf(values).any():
            refuse_infinite(column.name)
        return pa.array(np.clip(values, column.low, column.high), from_pandas=True)
    codes = rows.codes(column.name)
    codes = pa.array(codes.astype(np.int32), mask=codes == column.size)
    return pa.DictionaryArray.from_arrays(codes, _domain(column))


def _kind(column: Any) -> pa.DataType:
    return pa.dictionary(pa.int32(), _domain(column).type) if isinstance(column, Category) else pa.float64()


def _domain(column: Category) -> pa.Array:
    mixed = column.other is not None and not all(isinstance(value, str) for value in column.values)
    return pa.array([str(label) for label in column.labels] if mixed else column.labels)
