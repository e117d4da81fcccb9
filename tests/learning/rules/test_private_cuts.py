"""Private cuts: the spread of their scores on neighbours, where they are put, and what they cost."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from privet.budget import Pure, exact
from privet.learning.classify import OneR, RuleMiner
from privet.schema import Category, Number, Schema, Unit
from privet.stats import Contingency, FirstThatHolds
from privet.stats.choices.intervals import IntervalsCorrect, most_right
from privet.stats.choices.refinements import Shared
from privet.stats.conditions import OneOf

TABLE = arrays(np.int64, (6, 3), elements=st.integers(0, 6))
SCHEMA = Schema.of({"x": (0.0, 5.0), "c": [0, 1, 2, 3, 4], "y": [0, 1, 2]}, target="y")
TABLES = (Contingency("x", "y", (1.0, 2.0, 3.0, 4.0)), Contingency("c", "y"))


def by_trying(counts, most):
    """Every way to cut the rows, one after the other."""
    best = 0
    for cuts in range(most):
        for places in combinations(range(1, len(counts)), cuts):
            parts = np.split(counts, places)
            best = max(best, sum(int(part.sum(axis=0).max()) for part in parts))
    return best


@given(arrays(np.int64, (5, 3), elements=st.integers(0, 9)), st.integers(1, 6))
def test_the_best_intervals_are_found(counts, most):
    assert most_right(counts, most) == by_trying(counts, most)


@given(TABLE, TABLE, st.integers(0, 5), st.integers(0, 5), st.integers(0, 2), st.integers(1, 4))
def test_one_more_record_raises_each_interval_score_by_nothing_or_one(one, other, row, value, label, most):
    question = IntervalsCorrect(TABLES, most)
    [before] = question.groups([one, other], SCHEMA)
    more, also = one.copy(), other.copy()
    more[row, label] += 1
    also[value, label] += 1
    [after] = question.groups([more, also], SCHEMA)
    assert set((after - before).tolist()) <= {0, question.spread}


@given(
    arrays(np.int64, (3, 6, 3), elements=st.integers(0, 6)),
    st.integers(0, 2),
    st.integers(0, 5),
    st.integers(0, 2),
)
@pytest.mark.parametrize("quality", ["purity", "right"])
def test_the_spread_of_shared_conditions(quality, counts, part, row, label):
    parts = FirstThatHolds(((OneOf("x", (None,)),), ()))
    question = Shared(parts, (TABLES[0],), quality)
    [before] = question.groups([counts], SCHEMA)
    more = counts.copy()
    more[part, row, label] += 1
    [after] = question.groups([more], SCHEMA)
    change = after - before
    assert change.max() - min(change.min(), 0) <= question.spread
    assert abs(change).max() <= question.scale


def wide(rows=3000, seed=0):
    """All that matters happens in a hundredth of the public range."""
    draw = np.random.default_rng(seed)
    gain = draw.uniform(0, 1000, rows)
    return pa.table({"gain": gain, "flat": draw.random(rows), "y": np.where(gain < 400, "a", "b")})


WIDE = Schema.of({"gain": (0.0, 100_000.0), "flat": (0.0, 1.0), "y": ["a", "b"]}, target="y")


@pytest.mark.parametrize("selection", ["choice", "tables"])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_private_cuts_see_what_equal_bins_do_not(selection, delta):
    common = {"epsilon": 2.0, "delta": delta, "schema": WIDE, "selection": selection, "random_state": 0}
    table = wide()
    truth = np.array(table["y"].to_pylist())
    blind = OneR(**common).fit(table)
    found = OneR(cuts="private", grid=1000, **common).fit(table)
    assert found.attribute_ == "gain"
    assert np.mean(found.predict(table.drop_columns(["y"])) == truth) > 0.95
    assert np.mean(blind.predict(table.drop_columns(["y"])) == truth) < 0.7


def test_they_cost_their_share():
    steps = OneR(epsilon=1.0, schema=WIDE, cuts="private", selection_share=0.5).fit(wide()).guarantee_.steps
    assert [step.amount for step in steps] == [Pure(exact(part)) for part in ("0.35", "0.15", "0.15", "0.35")]
    assert sum(step.amount.epsilon for step in steps) == 1
    each = OneR(epsilon=1.0, schema=WIDE, cuts="private", selection="tables").fit(wide()).guarantee_.steps
    assert sum(step.amount.epsilon for step in each) == 1
    assert len(each) == 2 * 2 + 2


@pytest.mark.parametrize("relation", ["add_remove", "replace"])
def test_what_needs_no_cuts_gets_the_share_itself(relation):
    schema = Schema(
        (Category("a", (0, 1)), Number("x", 0, 9, cuts=(4,)), Category("y", (0, 1))), "y", unit=Unit(relation)
    )
    table = pa.table({"a": [0, 1] * 200, "x": [1.0] * 400, "y": [0, 1] * 200})
    steps = OneR(epsilon=1.0, schema=schema, cuts="private", selection_share=0.5).fit(table).guarantee_.steps
    assert [step.amount for step in steps] == [Pure(exact("0.35")), Pure(exact("0.65"))]


def test_odd_columns():
    schema = Schema.of({"empty": (0.0, 1.0), "one": (0.0, 1.0), "y": ["a", "rare"]}, target="y")
    table = pa.table({"empty": pa.nulls(40, pa.float64()), "one": [0.5] * 40, "y": ["a"] * 39 + ["rare"]})
    for selection in ("choice", "tables"):
        model = OneR(epsilon=5.0, schema=schema, cuts="private", selection=selection).fit(table)
        assert set(model.predict(table.drop_columns(["y"]))) == {"a"}
    assert RuleMiner(schema=schema, conditions="shared").fit(table).guarantee_.holds


def test_shared_conditions_see_small_effects():
    """A parity of two conditions and many noisy attributes: one condition for all rules finds both levels."""
    draw = np.random.default_rng(0)
    X = draw.integers(0, 2, (600, 8))
    y = np.where((X[:, 2] == 1) & (X[:, 5] == 1), "both", "no")
    schema = Schema.of({f"a{i}": [0, 1] for i in range(8)} | {"y": ["no", "both"]}, target="y")
    model = RuleMiner(epsilon=3.0, schema=schema, depth=2, conditions="shared", random_state=0).fit(X, y)
    assert np.mean(model.predict(X) == y) > 0.95
    assert {step.what for step in model.guarantee_.steps[:2]} == {
        "a condition for all rules, level 1",
        "a condition for all rules, level 2",
    }
