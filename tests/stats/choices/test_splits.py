"""Splits of a tree's leaves: every score of neighbours stays within the spread."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.engines.memory import fold
from privet.schema import Schema
from privet.stats import Coded, Contingency, Rows
from privet.stats.choices.splits import ALL_VALUES, Splits
from privet.stats.tree_parts import Branching, TreeParts

SCHEMA = Schema.of({"x": (0.0, 9.0), "c": ["a", "b", "d"], "y": [0, 1, 2]}, target="y")
TREE = TreeParts((Branching(Coded("x", (4.0,)), (1, 2, 2)), None, None))
QUESTION = Splits(TREE, (Contingency("x", "y", (3.0, 6.0)), Contingency("c", "y")), penalty=300)
RECORD = st.tuples(
    st.none() | st.integers(0, 9).map(float),
    st.sampled_from(["a", "b", "d", None]),
    st.sampled_from([0, 1, 2, None]),
)


def batch(records):
    x, c, y = zip(*records, strict=True) if records else ((), (), ())
    return pa.record_batch(
        {"x": pa.array(x, pa.float64()), "c": pa.array(c, pa.string()), "y": pa.array(y, pa.int64())}
    )


def scores(records):
    return QUESTION.groups(fold(QUESTION.statistics, [batch(records)], SCHEMA), SCHEMA)


@given(st.lists(RECORD, max_size=12), RECORD)
@settings(max_examples=150, deadline=None)
def test_one_record_moves_one_leaf_within_the_spread(rest, one):
    moved = [after - before for before, after in zip(scores(rest), scores([*rest, one]), strict=True)]
    assert sum(bool(np.any(leaf)) for leaf in moved) <= 1
    for leaf in moved:
        assert leaf.max(initial=0) - leaf.min(initial=0) <= QUESTION.spread


def test_all_values_of_a_category_are_a_candidate():
    candidates = QUESTION.candidates(SCHEMA)
    assert candidates[-1] == (1, ALL_VALUES)
    assert len(candidates) == len(scores([])[0]) == 2 + 4 + 1
    pure = [(1.0, value, k) for k, value in enumerate("abd") for _ in range(30)]
    assert int(scores(pure)[0].argmax()) == len(candidates) - 1


@given(st.lists(RECORD, min_size=1, max_size=12))
@settings(max_examples=50, deadline=None)
def test_every_record_is_in_one_leaf(records):
    parts = TREE(Rows(batch(records), SCHEMA))
    assert [p == 0 for p in parts] == [x is not None and x < 4 for x, _, _ in records]
