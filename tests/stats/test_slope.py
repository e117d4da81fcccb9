"""The slope of a loss, merged in any order, is off by no more than its proof says."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.stats.linear.slope import Slope

UNIT = 2.0**-53


def leaf(value: float) -> Slope:
    return Slope(np.array([[value]]), np.zeros((1, 1)), np.zeros((1, 1)), 1)


def in_some_tree(states: list[Slope], draw: np.random.Generator) -> Slope:
    while len(states) > 1:
        one, other = sorted(draw.choice(len(states), 2, replace=False))
        states = [s for place, s in enumerate(states) if place not in (one, other)] + [
            states[one].merge(states[other])
        ]
    return states[0]


LARGE = st.floats(-1e12, 1e12) | st.just(1e12) | st.just(-1e12)
VALUES = st.lists(LARGE | st.floats(-1, 1), min_size=1, max_size=40)


@given(VALUES, st.integers(0, 2**32 - 1))
@settings(max_examples=100)
def test_within_the_bound_in_any_tree(values: list[float], seed: int) -> None:
    found = in_some_tree([leaf(value) for value in values], np.random.default_rng(seed))
    total = float((found.slope + found.lost)[0, 0])
    allowed = 2 * UNIT * math.fsum(map(abs, values))
    assert abs(math.fsum([*values, -total])) <= allowed
    assert found.records == len(values)


def test_a_sum_that_forgets_what_it_lost_is_caught() -> None:
    values = [2.0**53, *[1.0] * 1000, -(2.0**53)]
    states = [leaf(value) for value in values]
    found = states[0]
    for state in states[1:]:
        found = found.merge(state)
    allowed = 2 * UNIT * math.fsum(map(abs, values))
    assert abs(float((found.slope + found.lost)[0, 0]) - 1000) <= allowed
    assert abs(float(found.slope[0, 0]) - 1000) > allowed


@pytest.mark.parametrize("most", [1, 2])
def test_persons_in_parts_are_those_of_the_whole(most: int) -> None:
    """The rule applied to what the parts send keeps what it keeps of all rows, by content and by order."""
    import pyarrow as pa

    from privet.engines import MapEngine, MemoryEngine
    from privet.schema import Schema, Unit
    from privet.sources import ArrowSource
    from privet.stats import Coded, CrossTable

    class InParts(ArrowSource):
        def spread(self, task, columns):  # type: ignore[no-untyped-def]
            whole = pa.Table.from_batches(self.batches(columns))
            return [task(whole.slice(start, 7).to_batches()) for start in range(0, len(whole), 7)]

    draw = np.random.default_rng(0)
    table = pa.table({"who": draw.integers(0, 9, 60), "x": draw.choice(["a", "b", "c"], 60)})
    for keep in ("first", "content"):
        schema = Schema.of({"x": ["a", "b", "c"]}, unit=Unit(id="who", most=most, keep=keep))
        question = [CrossTable((Coded("x"),))]
        [one] = MapEngine().answer(question, InParts(table), schema)
        [other] = MemoryEngine().answer(question, ArrowSource(table), schema)
        assert one.tolist() == other.tolist()
        assert one.sum() <= 9 * most
