"""Private ABC–DE: it finds what tells and leaves twins out, spends its shares, and survives odd tables."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.budget import Pure, exact
from privet.errors import DataError, ParameterError
from privet.schema import Schema, Unit
from privet.selection.bee_tables import PrivateBeeSelection, association, merit

SCHEMA = Schema.of(
    {"a": [0, 1, 2], "b": [0, 1], "twin": [0, 1], "x": (0.0, 1.0), "noise": [0, 1, 2], "y": [0, 1]},
    target="y",
)


def table(rows=4000, seed=0):
    draw = np.random.default_rng(seed)
    y = draw.integers(0, 2, rows)
    b = (y + (draw.random(rows) < 0.2)) % 2
    x = 0.3 * y + 0.7 * draw.random(rows)
    return pa.table(
        {
            "a": draw.integers(0, 3, rows),
            "b": b,
            "twin": b,
            "x": x,
            "noise": draw.integers(0, 3, rows),
            "y": y,
        }
    )


@pytest.mark.parametrize("unit", [Unit(), Unit("replace")])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_it_takes_what_tells_and_one_of_the_twins(unit, delta):
    schema = Schema(SCHEMA.columns, "y", unit=unit)
    model = PrivateBeeSelection(epsilon=3.0, delta=delta, schema=schema, random_state=1).fit(table())
    assert "x" in model.chosen_
    assert len({"b", "twin"} & set(model.chosen_)) == 1
    assert not {"a", "noise"} & set(model.chosen_)
    assert model.get_support().sum() == len(model.chosen_)


def test_the_shares():
    steps = PrivateBeeSelection(epsilon=1.0, schema=SCHEMA, candidates=3).fit(table()).guarantee_.steps
    assert [step.amount for step in steps] == [Pure(exact("0.1"))] * 5 + [Pure(Fraction(1, 6))] * 3
    alone = PrivateBeeSelection(epsilon=1.0, schema=SCHEMA, candidates=1).fit(table())
    assert [step.amount for step in alone.guarantee_.steps] == [Pure(exact("0.2"))] * 5
    assert len(alone.chosen_) == 1


def test_neighbours_move_each_table_by_one_cell():
    """The pair tables that the proof calls of sensitivity 1, counted on random neighbours."""
    from privet.selection.bee_tables import _pair
    from privet.selection.k_best import SelectKBest
    from privet.stats import Rows

    tables = SelectKBest(bins=4).tables(SCHEMA)
    whole = table(60, seed=3)
    for one, other in ((0, 3), (3, 4), (1, 2)):
        question = _pair(tables[one], tables[other])
        answers = []
        for part in (whole, whole.slice(1)):
            rows = Rows(part.combine_chunks().to_batches()[0], SCHEMA)
            answers.append(question.finish(question.fold(question.start(SCHEMA), rows), SCHEMA))
        assert np.abs(answers[0] - answers[1]).sum() == 1
        assert answers[0].sum() == 60


def test_at_a_tiny_epsilon_the_table_decides_nothing():
    for seed in range(5):
        tiny = PrivateBeeSelection(epsilon=1e-4, schema=SCHEMA, random_state=seed)
        assert tiny.fit(table(100, seed=1)).chosen_ == tiny.fit(table(101, seed=2)).chosen_


def test_it_writes_nothing_of_what_only_noise_shows():
    draw = np.random.default_rng(0)
    shown = [association(draw.normal(50, 10, (4, 3)), 10.0) for _ in range(300)]
    assert np.mean(np.array(shown) > 0.15) < 0.1
    assert association(np.zeros((3, 2)), 1.0) == 0
    assert association(np.full((1, 5), 9.0), 1.0) == 0


@given(st.lists(st.floats(0, 1), min_size=1, max_size=5), st.floats(0, 1), st.data())
def test_merit_is_halls(told, mean, data):
    told = np.array(told)
    repeated = np.full((told.size, told.size), mean) * (1 - np.eye(told.size))
    subset = np.array(data.draw(st.lists(st.booleans(), min_size=told.size, max_size=told.size)))
    k = subset.sum()
    expected = k * told[subset].mean() / np.sqrt(k + k * (k - 1) * mean) if k else 0.0
    assert merit(subset[None], told, repeated)[0] == pytest.approx(expected)


def test_odd_tables():
    schema = Schema.of({"only": ["one"], "empty": (0.0, 1.0), "y": ["a", "rare"]}, target="y")
    odd = pa.table({"only": ["one"] * 30, "empty": pa.nulls(30, pa.float64()), "y": ["a"] * 29 + ["rare"]})
    model = PrivateBeeSelection(epsilon=1.0, schema=schema).fit(odd)
    assert len(model.chosen_) >= 1
    with pytest.raises(DataError, match="no attribute"):
        PrivateBeeSelection(schema=Schema.of({"y": ["a", "b"]}, target="y")).fit(pa.table({"y": ["a"]}))
    with pytest.raises(ParameterError):
        PrivateBeeSelection(schema=SCHEMA, candidates=0).fit(table(20))
