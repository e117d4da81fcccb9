"""What a function says of records that nobody needs to protect: to choose by, before anybody is asked.

Aged records (of people who agreed, or whom time has made public) and public ones tell how much a function's
outputs differ from block to block. They cost nothing, and nothing here sees a protected record.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from privet.curator.tables import as_source
from privet.randomness import seeded
from privet.schema import Schema, Unit
from privet.sources import ArrowSource

__all__ = ["aged_records", "outputs_on"]


def aged_records(data: Any) -> int:
    """How many there are."""
    return sum(batch.num_rows for batch in as_source(data).batches())


def outputs_on(
    data: Any,
    schema: Schema,
    function: Callable[[Any], Any],
    ranges: tuple[tuple[float, ...], tuple[float, ...]],
    blocks: int,
    size: int,
    timeout: float = 60.0,
    as_pandas: bool = True,
    isolation: Literal["full", "available"] = "full",
) -> NDArray[np.float64]:
    """Where in its range, from 0 to 1, each output lies on each of so many blocks of about this size.

    The function runs in closed cells, as it does on protected records.
    """
    from privet.isolation.blocks import GRID, BlockFunction

    low, high = ranges
    runs = BlockFunction(function, low, high, timeout, as_pandas, isolation)
    by_record = replace(schema, unit=Unit(), outside="count")
    source, draws = as_source(data), seeded(1)
    table = pa.Table.from_batches(source.batches([n for n in source.names if n in schema.names]))
    drawn = np.argsort(draws.uniform_indices(table.num_rows, 1 << 40), kind="stable")[: blocks * size]
    return np.asarray(runs.outputs(ArrowSource(table.take(drawn)), by_record, blocks, draws) / GRID)
