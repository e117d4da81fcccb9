"""A function in its cell is given its own block or unit, and not a bit of the memory around it."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from privet.isolation.blocks import block_tables
from privet.isolation.cell import Isolated
from privet.isolation.units import slots_of
from privet.randomness import seeded
from privet.schema import Schema
from privet.sources import ArrowSource

SCHEMA = Schema.of({"age": (0.0, 120.0), "colour": ["red", "green"]})


def table(size: int) -> ArrowSource:
    draw = np.random.default_rng(size)
    ages = pa.array(draw.random(size) * 100, mask=draw.random(size) < 0.3)
    return ArrowSource(pa.table({"age": ages, "colour": pa.array(draw.choice(["red", None], size))}))


def spy(block):
    """How many bits and bytes the columns' memory holds beyond the block's own cells, that are not 0."""
    import numpy as np

    found = 0
    for column in block.columns:
        for chunk in column.chunks:
            cells = chunk.indices if hasattr(chunk, "indices") else chunk
            bits, data = cells.buffers()
            if bits is not None:
                unpacked = np.unpackbits(np.frombuffer(bits, np.uint8), bitorder="little")
                found += int(unpacked[: cells.offset].sum() + unpacked[cells.offset + len(cells) :].sum())
            width = len(cells) and cells.type.bit_width // 8
            own = width * (cells.offset + len(cells))
            found += int(np.count_nonzero(np.frombuffer(data, np.uint8)[own:]))
    return [float(found)]


@pytest.mark.parametrize("size", [9, 40, 700])
@pytest.mark.parametrize("cut", [block_tables, slots_of])
def test_a_function_sees_none_of_the_memory_of_others(cut, size):
    parts = cut(table(size), SCHEMA, 6, seeded(1))
    with Isolated(spy, outputs=1, timeout=30, as_pandas=False) as isolated:
        results = isolated.run(parts)
    assert [None if part.num_rows == 0 else 0.0 for part in parts] == [
        None if result is None else float(result[0]) for result in results
    ]
