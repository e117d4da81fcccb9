"""The spread of L1 distances on neighbouring tables; and that a smaller one would be noticed."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.engines.memory import fold
from privet.schema import Schema, Unit
from privet.stats import Coded, CrossTable
from privet.stats.choices.distances import Distances

SCHEMA = Schema.of({"a": ["x", "y"], "b": (0.0, 1.0), "c": [0, 1, 2]})
TABLES = (
    CrossTable((Coded("a"), Coded("b", (0.5,)))),
    CrossTable((Coded("a"), Coded("c"))),
    CrossTable((Coded("b", (0.5,)), Coded("c"))),
)
SHAPES = [table.shape(SCHEMA) for table in TABLES]
record = st.tuples(
    st.sampled_from(["x", "y", None]),
    st.sampled_from([0.1, 0.9, 7.0, None]),
    st.sampled_from([0, 1, 2, None]),
)


def scores(question, records):
    columns = [
        pa.array([r[k] for r in records], t) for k, t in enumerate((pa.string(), pa.float64(), pa.int64()))
    ]
    batch = pa.record_batch(columns, names=["a", "b", "c"])
    [found] = question.groups(fold(question.statistics, [batch], SCHEMA), SCHEMA)
    return found


@st.composite
def cases(draw):
    expected = tuple(
        np.array(
            draw(st.lists(st.integers(0, 5), min_size=int(np.prod(s)), max_size=int(np.prod(s))))
        ).reshape(s)
        for s in SHAPES
    )
    return (
        Distances(TABLES, expected, (0, 3, -2)),
        draw(st.lists(record, max_size=6)),
        draw(record),
        draw(record),
    )


@given(cases())
@settings(max_examples=80, deadline=None)
def test_one_record_moves_every_score_by_at_most_one_up_or_down(case):
    question, records, one, other = case
    before, after, exchanged = (scores(question, r) for r in (records, [*records, one], [*records, other]))
    moved = after - before
    assert moved.max() - min(moved.min(), 0) <= question.spread
    assert abs(moved).max() <= 1
    assert moved[-1] == 0  # to choose nothing
    assert question.sensitivity(SCHEMA) == 2
    replace = Schema(SCHEMA.columns, unit=Unit("replace"))
    assert question.sensitivity(replace) == 4
    assert (after - exchanged).max() - (after - exchanged).min() <= 4


def test_a_spread_of_one_would_be_noticed():
    """One table comes nearer to what is expected and another gets further away: 2 apart."""
    expected = (np.zeros(SHAPES[0], int), np.full(SHAPES[1], 5), np.zeros(SHAPES[2], int))
    question = Distances(TABLES, expected, (0, 0, 0))
    moved = scores(question, [("x", 0.1, 0)]) - scores(question, [])
    assert moved.tolist() == [1, -1, 1, 0]
    assert moved.max() - moved.min() == question.spread


@pytest.mark.parametrize("nothing", [True, False])
def test_candidates(nothing):
    question = Distances(TABLES, tuple(np.zeros(s, int) for s in SHAPES), (0, 0, 0), nothing)
    assert len(scores(question, [])) == 3 + nothing
