"""A user's function on one unit of privacy at a time: the exact part of map and reduce.

**One unit changes one slot.** There is a public number of slots. Every unit (a record, or a person with all
records) gets a slot of its own, at random and independently of all data; where there are more units than
slots, a random choice of units gets one. Take neighbours, and let the units that they share draw the same
numbers, which does not change the distribution of either table's slots. Under ``add_remove`` the extra unit
takes a slot that is empty in the other table; or, if there is none, the slot of the one unit that it pushes
out. Under ``replace`` the unit that comes takes the slot of the one that goes. So in every case the content
of one slot changes, and no other.

**One slot changes one row of the answer**, since each slot is run in a cell of its own, which depends on the
slot's content, on its public number, and on fresh random bytes alone (``isolation.blocks``, of which this is
the case of as many blocks as slots). Empty slots get a cell like others, which does nothing, so the number of
a cell says nothing about how many units there are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from privet.isolation import elsewhere
from privet.isolation.blocks import made_up, seen_columns
from privet.isolation.cell import Isolated
from privet.randomness import Randomness
from privet.schema import Schema
from privet.sources.base import Source
from privet.stats.contribution import bounded

__all__ = ["UnitFunction", "slots_of"]

#: Keys that decide who comes first are drawn from so many: two that are equal are nobody's advantage.
_KEYS = 1 << 62


@dataclass(frozen=True)
class UnitFunction:
    """A function of one unit's records, with the public ranges of the numbers that it returns.

    It is given a data frame or Arrow table of the unit's records, as ``isolation.blocks`` gives a block.
    """

    function: Callable[[Any], Any]
    low: tuple[float, ...]
    high: tuple[float, ...]
    timeout: float = 1.0
    as_pandas: bool = True
    isolation: Literal["full", "available"] = "full"
    rehearsal: int = 0

    def rows(self, source: Source, schema: Schema, slots: int, randomness: Randomness) -> NDArray[np.float64]:
        """A row for each unit that has a slot, within the ranges; their middle if the function failed."""
        with Isolated(
            self.function,
            len(self.low),
            self.timeout,
            self.as_pandas,
            isolation=self.isolation,
            rehearsal=made_up(schema, schema.unit.most) if self.rehearsal else None,
        ) as isolated:
            tables = slots_of(source, schema, slots, randomness)
            filled = [place for place, table in enumerate(tables) if table.num_rows]
            results = elsewhere.run(isolated, source, tables) if filled else []
        low, high = np.array(self.low), np.array(self.high)
        middle = low + (high - low) / 2
        found = [middle if results[place] is None else results[place] for place in filled]
        rows = np.array(found, float).reshape(len(found), len(self.low))
        return np.clip(np.where(np.isfinite(rows), rows, middle), low, high)


def slots_of(source: Source, schema: Schema, slots: int, randomness: Randomness) -> list[pa.Table]:
    """The records of at most one unit in each slot; most slots may be empty."""
    unit = schema.unit
    wanted = {*schema.names} | ({unit.id} if unit.id is not None else set())
    parts, names = [], []
    for batch in bounded(source, [name for name in source.names if name in wanted], schema):
        parts.append(seen_columns(batch, schema))
        if unit.id is not None:
            names.append(batch.column(batch.schema.get_field_index(unit.id)).cast(pa.string()))
    table = pa.Table.from_batches(parts) if parts else None
    if table is None or not table.num_rows:
        return [_empty(schema)] * slots
    owner = np.arange(table.num_rows)
    if unit.id is not None:
        encoded = pc.dictionary_encode(pa.chunked_array(names)).combine_chunks()
        owner = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)  # nobody is without a name
    units = int(owner.max()) + 1
    kept = np.argsort(randomness.uniform_indices(units, _KEYS), kind="stable")[:slots]
    places = np.argsort(randomness.uniform_indices(slots, _KEYS), kind="stable")[: len(kept)]
    order = np.argsort(owner, kind="stable")
    ends = np.searchsorted(owner[order], np.arange(units + 1))
    ordered = table.take(pa.array(order)).combine_chunks()
    filled = [_empty(schema)] * slots
    for one, place in zip(kept.tolist(), places.tolist(), strict=True):
        filled[place] = ordered.slice(ends[one], ends[one + 1] - ends[one])
    return filled


def _empty(schema: Schema) -> pa.Table:
    return made_up(schema, 0)
