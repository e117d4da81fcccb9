"""The sensitivity of questions about clusters, on random neighbours; and that half of it would be noticed."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.engines.memory import fold
from privet.schema import Schema, Unit
from privet.stats.clusters import Offsets, Points, Quality

SCHEMA = Schema.of({"x": (-1.0, 3.0), "y": (0.0, 1.0), "c": ["a", "b"]})
POINTS = Points(SCHEMA.columns)
number = st.none() | st.floats(-5, 5) | st.sampled_from([-1.0, 0.0, 1.0, 3.0, 1e300])
record = st.tuples(number, number, st.sampled_from(["a", "b", None]))
coordinate = st.floats(0, 1)
centres = st.lists(st.tuples(*[coordinate] * 4), min_size=1, max_size=4).map(np.array)


def answer(statistic, records):
    kinds = (pa.float64(), pa.float64(), pa.string())
    columns = [pa.array([r[k] for r in records], kind) for k, kind in enumerate(kinds)]
    [found] = fold([statistic], [pa.record_batch(columns, names=["x", "y", "c"])], SCHEMA)
    return found.astype(object)


@given(
    centres, st.floats(0.01, 2), st.sampled_from(["l1", "l2"]), st.lists(record, max_size=4), record, record
)
@settings(max_examples=150, deadline=None)
def test_neighbours_stay_within_the_sensitivity(found, radius, norm, records, one, other):
    for statistic in (Offsets(POINTS, found, radius, norm), Quality(POINTS, found, radius)):
        none, first, second = (answer(statistic, r) for r in (records, [*records, one], [*records, other]))
        for relation, moved in (("add_remove", first - none), ("replace", first - second)):
            declared = statistic.sensitivity(SCHEMA, Unit(relation))
            assert np.abs(moved).sum() <= declared.l1
            assert (moved**2).sum() <= declared.squared_l2


@pytest.mark.parametrize("norm", ["l1", "l2"])
def test_the_bound_is_nearly_reached(norm):
    """A record far from the only centre: a declared sensitivity of 1 % less would be refuted."""
    statistic = Offsets(POINTS, np.array([[0.0, 0.0, 0.0, 0.0]]), 0.1, norm)
    moved = answer(statistic, [(3.0, 0.0, None)]) - answer(statistic, [])
    declared = statistic.norms(SCHEMA)
    assert (moved**2).sum() > 0.99 * declared.squared_l2
    if norm == "l1":
        assert np.abs(moved).sum() > 0.99 * declared.l1
    quality = Quality(POINTS, np.array([[0.0, 0.0, 0.0, 0.0]]), 0.1)
    far = answer(quality, [(3.0, 1.0, "a")]) - answer(quality, [])
    assert np.abs(far).sum() == 2 * quality.scale


def test_without_the_cut_it_would_be_exceeded():
    """A planted fault: an offset that is not cut back is 10 times the bound."""
    wide = Offsets(POINTS, np.zeros((1, 4)), 1.0, "l2")
    moved = answer(wide, [(3.0, 0.0, None)]) - answer(wide, [])
    assert np.abs(moved / 0.1).sum() > 5 * Offsets(POINTS, np.zeros((1, 4)), 0.1, "l1").norms(SCHEMA).l1
