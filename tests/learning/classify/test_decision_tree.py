"""Decision trees: what they find, what they cost, what noise cuts off, and how they are drawn."""

from __future__ import annotations

import ibis
import numpy as np
import pyarrow as pa
import pytest

from privet.budget import Pure, exact
from privet.learning.classify import DecisionTree
from privet.report import Tree
from privet.schema import Schema, Unit

SCHEMA = Schema.of(
    {"x": (0.0, 1.0), "colour": ["red", "blue", "green"], "noise": list(range(5)), "y": ["in", "out"]},
    target="y",
)


def corner(rows=4000, seed=0):
    draw = np.random.default_rng(seed)
    x, colour = draw.uniform(0, 1, rows), draw.choice(["red", "blue", "green"], rows)
    inside = ((x < 0.5) & (colour == "red")) | ((x >= 0.5) & (colour == "blue"))
    columns = {"x": x, "colour": colour, "noise": draw.integers(0, 5, rows)}
    return pa.table(columns | {"y": np.where(inside, "in", "out")})


@pytest.mark.parametrize("splits", ["both", "binary"])
def test_an_interaction_is_found_and_drawn(splits):
    table = corner()
    model = DecisionTree(epsilon=2.0, schema=SCHEMA, depth=3, splits=splits, bins=8, random_state=3).fit(
        table
    )
    assert np.mean(model.predict(table) == table["y"].to_numpy(zero_copy_only=False)) > 0.85
    [chart] = model.pictures()
    assert isinstance(chart, Tree)
    assert "colour" in chart.svg()
    text = model.in_words()
    assert "colour is " in text
    assert "x < " in text
    assert "leaves" in model.explanation_


def test_a_level_costs_one_share_whatever_its_width():
    model = DecisionTree(epsilon=1.0, schema=SCHEMA, depth=3, leaf_share=0.25).fit(corner())
    amounts = [step.amount for step in model.guarantee_.steps]
    assert amounts[1:4] == [Pure(exact(0.25))] * 3
    assert amounts[0].epsilon + amounts[4].epsilon == exact(0.25)


@pytest.mark.parametrize(("unit", "factor"), [(Unit(), 1), (Unit("replace"), 2), (Unit(id="who", most=2), 2)])
def test_the_noise_of_a_choice(unit, factor):
    table = corner(600).append_column("who", pa.array(np.arange(600) // 2))
    schema = Schema(SCHEMA.columns, "y", unit=unit)
    model = DecisionTree(epsilon=1.0, schema=schema, depth=1, leaf_share=0.5, bins=16).fit(table)
    candidates = 15 + 4 + 6 + 2  # cuts, values with "missing", and all values of two categories
    assert model.guarantee_.steps[1].error == pytest.approx(2 * np.log(candidates / 0.05) / 0.5 * factor)


def test_the_depth_follows_the_budget_and_the_declared_records():
    depths = [DecisionTree(epsilon=e, records=n)._depth for e, n in ((0.1, 200), (1.0, 1000), (3.0, 10**6))]
    assert depths == sorted(depths)
    assert depths[0] <= 2
    assert depths[-1] == 8
    assert DecisionTree(epsilon=0.5, delta=1e-6, schema=SCHEMA).rehearse().delta == 0
    assert DecisionTree(epsilon=0.5, delta=1e-6, schema=SCHEMA, depth=9).rehearse().delta == 1e-6


def test_where_noise_explains_everything_the_largest_class_is_predicted():
    draw = np.random.default_rng(0)
    schema = Schema.of({"a": [0, 1], "b": [0, 1, 2], "y": [0, 1]}, target="y")
    table = pa.table(
        {"a": draw.integers(0, 2, 400), "b": draw.integers(0, 3, 400), "y": [1] * 300 + [0] * 100}
    )
    assert set(DecisionTree(epsilon=1.0, schema=schema, random_state=4).fit(table).predict(table)) == {1}
    model = DecisionTree(epsilon=1e-4, schema=schema, depth=1, random_state=4).fit(table)
    assert "largest class" in model.explanation_


def test_bad_tables():
    one = Schema.of({"a": [0, 1], "y": ["only"]}, target="y")
    assert DecisionTree(schema=one).fit(pa.table({"a": [0], "y": ["only"]})).predict([[1]]).tolist() == [
        "only"
    ]
    constant = Schema.of({"a": ["same"], "y": [0, 1]}, target="y")
    model = DecisionTree(epsilon=5.0, schema=constant).fit(pa.table({"a": ["same"] * 100, "y": [1] * 100}))
    assert model.predict([["same"]]).tolist() == [1]
    empty = DecisionTree(schema=SCHEMA).fit(corner(5).slice(0, 0))
    assert np.isfinite(empty.predict_proba(corner(5))).all()
    wide = Schema.of({"a": list(range(1000)), "y": [0, 1]}, target="y")
    codes = np.arange(3000) % 1000
    model = DecisionTree(schema=wide, depth=2).fit(pa.table({"a": codes, "y": codes % 2}))
    assert model.predict_proba(pa.table({"a": [1, None]})).shape == (2, 2)


def test_a_database_gives_the_same_tree():
    table = corner(1500)
    stored = ibis.duckdb.connect().create_table("corner", table)
    asked = {"epsilon": 1.0, "schema": SCHEMA, "random_state": 5, "depth": 3}
    assert DecisionTree(**asked).fit(table).nodes_ == DecisionTree(**asked).fit(stored).nodes_
