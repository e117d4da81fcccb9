"""A database counts several tables in one read; values that no schema lists never make it a large one."""

from __future__ import annotations

from typing import Any

import ibis
import numpy as np
import pyarrow as pa
import pytest

from privet.engines import MemoryEngine, SqlEngine, joint_counts
from privet.schema import Category, Number, Schema, Unit
from privet.sources import TableSource
from privet.sources.arrays import as_source
from privet.stats import Coded, Contingency, CrossTable

NAMES = ("a", "b", "c", "d")
SCHEMA = Schema(
    (*(Category(name, ("0", "1"), other="more") for name in NAMES), Number("age", 0, 100)), target="d"
)
STATISTICS = [
    *(Contingency(name, "d") for name in "abc"),
    Contingency(None, "d"),
    CrossTable((Coded("age", (50.0,)), Coded("a"))),
]


class Counting(TableSource):
    """A table that counts what it is asked."""

    asked = 0

    def execute(self, expression: Any) -> pa.Table:
        self.asked += 1
        return super().execute(expression)


def made(values: int) -> pa.Table:
    draw = np.random.default_rng(5)
    columns = {name: pa.array(draw.integers(0, values, 1500).astype(str)) for name in NAMES}
    ages = draw.choice([np.nan, 10.0, 50.0, 120.0], 1500)
    people = pa.array(draw.integers(0, 300, 1500))
    return pa.table({**columns, "age": pa.array(ages), "person": people})


@pytest.mark.parametrize(
    ("values", "lines", "asked"), [(4, 1 << 20, 1), (30, 1 << 20, 6), (300, 100, 2)], ids=str
)
@pytest.mark.parametrize(
    "unit", [Unit(), Unit(id="person", most=4, keep="content")], ids=["record", "person"]
)
def test_equal_to_memory(
    values: int, lines: int, asked: int, unit: Unit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few values: one question. Many: one by one. Too many for one answer: folded here."""
    monkeypatch.setattr(joint_counts, "MOST_LINES", lines)
    monkeypatch.setattr(joint_counts, "MOST_CELLS", 4**4 * 3)
    monkeypatch.setattr(joint_counts, "LINES_OF_A_CELL", 1)
    table, schema = made(values), Schema(SCHEMA.columns, unit=unit, target="d")
    source = Counting(ibis.memtable(table))
    found = SqlEngine().answer(STATISTICS, source, schema)
    expected = MemoryEngine().answer(STATISTICS, as_source(table), schema)
    for one, other in zip(found, expected, strict=True):
        assert np.array_equal(one, other)
    assert source.asked == asked
