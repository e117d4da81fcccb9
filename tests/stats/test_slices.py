"""Questions about slices: a record counts or not by itself, so nothing else moves when it comes or goes."""

from __future__ import annotations

import itertools

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.learning.classify import DecisionTree
from privet.schema import Schema
from privet.stats import Contingency, Rows, Within
from privet.stats.choices.splits import Splits
from privet.stats.slices import Sliced, Slices
from privet.stats.tree_parts import TreeParts

SCHEMA = Schema.of({"x": (0.0, 4.0), "colour": ["red", "blue", "green"], "ill": ["a", "b"]}, target="ill")
RECORDS = tuple(itertools.product((0.5, 3.0, None), ("red", "blue", "green", None), ("a", "b", None)))
TABLES = (Contingency("x", "ill", (2.0,)), Contingency("colour", "ill"))
HALF = Slices(("x", "colour", "ill"), 8, 0, 4)
ROOT = TreeParts((None,))
FEWER = Sliced(Within(ROOT, TABLES[1]), HALF)


def rows(records):
    kinds = (pa.float64(), pa.string(), pa.string())
    arrays = [pa.array([r[place] for r in records], kind) for place, kind in enumerate(kinds)]
    return Rows(pa.record_batch(arrays, names=["x", "colour", "ill"]), SCHEMA)


def answered(statistic, *parts):
    state = statistic.start(SCHEMA)
    for part in parts:
        state = statistic.fold(state, rows(part))
    return statistic.finish(state, SCHEMA)


def require_one_record(statistic, records, new):
    """The answer with a record more, in front of all others, is another one by at most 1."""
    moved = answered(statistic, [new, *records]) - answered(statistic, records)
    assert np.abs(moved).sum() <= statistic.norms(SCHEMA).l1


class EverySecond(Sliced):
    """A planted fault: which records count depends on how many come before them."""

    def _taken(self, rows):
        return Rows.gathered([rows], np.arange(0, rows.size, 2))


@given(records=st.lists(st.sampled_from(RECORDS), max_size=15), new=st.sampled_from(RECORDS))
def test_a_record_moves_no_more_than_itself(records, new):
    require_one_record(FEWER, records, new)


def test_a_choice_by_place_is_found_out():
    with pytest.raises(AssertionError):
        require_one_record(
            EverySecond(FEWER.statistic, FEWER.slices),
            [RECORDS[0], RECORDS[16]] * 5,
            RECORDS[0],
        )


@given(records=st.lists(st.sampled_from(RECORDS), max_size=15), new=st.sampled_from(RECORDS))
def test_scores_of_splits_stay_within_their_spread(records, new):
    question = Splits(ROOT, TABLES, slices=HALF)

    def scores(held):
        return question.groups([answered(s, held) for s in question.statistics], SCHEMA)[0]

    moved = scores([new, *records]) - scores(records)
    assert moved.max(initial=0) - moved.min(initial=0) <= question.spread


def test_how_rows_are_split_is_no_matter():
    held = [RECORDS[place] for place in np.random.default_rng(0).integers(0, len(RECORDS), 300)]
    whole = answered(FEWER, held)
    assert np.array_equal(whole, answered(FEWER, held[:120], held[120:]))
    assert 60 < whole.sum() < 240  # about half; records that are alike count together


def test_a_tree_of_many_records_is_chosen_by_a_part_of_them():
    draw = np.random.default_rng(0)
    X = draw.random((300_000, 3))
    y = (X[:, 0] > 0.5) & (X[:, 1] > 0.25)
    schema = Schema.of({"a": (0.0, 1.0), "b": (0.0, 1.0), "c": (0.0, 1.0), "y": [False, True]}, target="y")
    model = DecisionTree(epsilon=1.0, schema=schema, depth=2, bins=4, random_state=0).fit(X, y)
    assert np.mean(model.predict(X[:10_000]) == y[:10_000]) > 0.99
