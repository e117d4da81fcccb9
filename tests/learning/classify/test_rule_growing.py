"""Rules grown by private choices: what they find, what they cost, and what noise does not justify."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from privet.budget import Pure, exact
from privet.learning.classify import RuleMiner
from privet.schema import Schema, Unit
from privet.stats.conditions import Between, OneOf

ENORMOUS = 1_000_000.0


def corner(rows=4000, seed=0):
    draw = np.random.default_rng(seed)
    table = {
        "x": draw.uniform(0, 1, rows),
        "colour": draw.choice(["red", "blue", "green"], rows),
        "noise": draw.integers(0, 5, rows),
    }
    label = np.where((table["x"] < 0.5) & (table["colour"] == "red"), "in", "out")
    schema = Schema.of(
        {"x": (0.0, 1.0), "colour": ["red", "blue", "green"], "noise": list(range(5)), "y": ["in", "out"]},
        target="y",
    )
    return pa.table(table | {"y": label}), schema


@pytest.mark.parametrize("quality", ["purity", "right"])
@pytest.mark.parametrize("epsilon", [ENORMOUS, 1.0])
def test_a_conjunction_is_found(quality, epsilon):
    table, schema = corner()
    model = RuleMiner(epsilon=epsilon, schema=schema, depth=3, quality=quality, random_state=3).fit(table)
    assert np.mean(model.predict(table) == table["y"].to_numpy()) > 0.97
    assert len(model.rules.rules) <= 4


def test_the_budget_goes_over_levels_and_not_over_rules():
    table, schema = corner()
    steps = RuleMiner(epsilon=1.0, schema=schema, depth=4, coverage_share=0.2).fit(table).guarantee_.steps
    assert [step.amount for step in steps] == [Pure(exact(0.2))] * 5


@pytest.mark.parametrize(("unit", "factor"), [(Unit(), 1), (Unit("replace"), 2), (Unit(id="who", most=2), 2)])
def test_the_noise_of_a_choice(unit, factor):
    table, schema = corner(600)
    table = table.append_column("who", pa.array(np.arange(600) // 2))
    schema = Schema(schema.columns, "y", unit=unit)
    model = RuleMiner(epsilon=1.0, schema=schema, depth=1, coverage_share=0.5, quality="right").fit(table)
    candidates = 15 + 4 + 6  # cuts, and values with "missing"
    assert model.guarantee_.steps[0].error == pytest.approx(np.log(candidates / 0.05) / 0.5 * factor)


def test_pure_noise_grows_no_rules():
    draw = np.random.default_rng(0)
    table = pa.table({"a": draw.integers(0, 2, 400), "b": draw.integers(0, 2, 400), "y": np.zeros(400, int)})
    schema = Schema.of({"a": [0, 1], "b": [0, 1], "y": [0, 1]}, target="y")
    model = RuleMiner(epsilon=1.0, schema=schema, depth=2, random_state=0).fit(table)
    assert model.rules.rules == ()
    assert set(model.predict(table)) == {0}


def test_counts_of_the_rules_are_their_coverage_without_noise():
    table, schema = corner()
    model = RuleMiner(epsilon=ENORMOUS, schema=schema, depth=3).fit(table)
    listed = model.rules
    path, y = model.decision_path(table), table["y"].to_numpy()
    for place, rule in enumerate((*listed.rules, listed.default)):
        assert rule.counts == tuple(float(((path == place) & (y == label)).sum()) for label in listed.classes)
    assert sum(rule.coverage for rule in (*listed.rules, listed.default)) == len(table)


def test_conditions_are_readable():
    table, schema = corner()
    model = RuleMiner(epsilon=2.0, schema=schema, depth=5, random_state=1).fit(table)
    for rule in model.rules.rules:
        numbers = [c.column for c in rule.conditions if isinstance(c, Between)]
        assert len(numbers) == len(set(numbers))
        assert len([c for c in rule.conditions if isinstance(c, OneOf)]) <= 5


def test_missing_values_are_a_condition_and_all_missing_columns_do_no_harm():
    schema = Schema.of({"a": ["p", "q"], "b": (0.0, 1.0), "y": [0, 1]}, target="y")
    table = pa.table(
        {"a": ["p"] * 200 + [None] * 200, "b": pa.nulls(400, pa.float64()), "y": [0] * 200 + [1] * 200}
    )
    model = RuleMiner(epsilon=5.0, schema=schema, depth=2).fit(table)
    assert model.predict(table).tolist() == table["y"].to_pylist()


def test_only_attributes_that_tell_nothing():
    schema = Schema.of({"only": ["one"], "y": [0, 1]}, target="y")
    table = pa.table({"only": ["one"] * 100, "y": [0] * 20 + [1] * 80})
    model = RuleMiner(epsilon=5.0, schema=schema).fit(table)
    assert model.predict(table).tolist() == [1] * 100
    assert model.guarantee_.steps[0].amount == Pure(exact(5.0))


def test_a_class_with_one_record():
    table, schema = corner(200)
    y = ["rare", *table["y"].to_pylist()[1:]]
    schema = Schema.of({"x": (0.0, 1.0), "y": ["in", "out", "rare"]}, target="y")
    model = RuleMiner(epsilon=1.0, schema=schema).fit(pa.table({"x": table["x"], "y": y}))
    assert model.predict_proba(table).shape == (200, 3)
