"""1R: Holte's rule without noise, the private choice and its budget, odd tables, readable rules."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from privet.budget import Pure, exact
from privet.errors import DataError, SchemaError
from privet.learning.classify import OneR
from privet.learning.classify.one_r import joined
from privet.schema import Category, Number, Schema, Unit

ENORMOUS = 1_000_000.0


def nominal(rows=1500, seed=0):
    draw = np.random.default_rng(seed)
    y = draw.integers(0, 3, rows)
    good = np.where(draw.random(rows) < 0.8, y, draw.integers(0, 3, rows))
    X = np.column_stack([draw.integers(0, 4, rows), good, draw.integers(0, 5, rows)])
    schema = Schema.of(
        {"a": list(range(4)), "b": list(range(3)), "c": list(range(5)), "y": [0, 1, 2]}, target="y"
    )
    return X, y, schema


@pytest.mark.parametrize("selection", ["auto", "choice", "tables"])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_without_noise_it_is_holtes_rule(selection, delta):
    X, y, schema = nominal()
    model = OneR(epsilon=ENORMOUS, delta=delta, schema=schema, selection=selection).fit(X, y)
    assert model.attribute_ == "b"
    majority = {value: np.bincount(y[X[:, 1] == value]).argmax() for value in range(3)}
    assert model.predict(X).tolist() == [majority[value] for value in X[:, 1]]
    counts = [np.bincount(y[X[:, 1] == value], minlength=3).tolist() for value in range(3)]
    assert [list(rule.counts) for rule in model.rules.rules] == counts


def test_the_default_split_and_the_steps():
    X, y, schema = nominal()
    model = OneR(epsilon=0.8, schema=schema, selection_share=0.5).fit(X, y)
    choice, table = model.guarantee_.steps
    assert (choice.amount, table.amount) == (Pure(exact(0.4)), Pure(exact(0.4)))
    assert "permute_and_flip" in choice.mechanism
    assert "geometric" in table.mechanism
    default = OneR(epsilon=1.0, schema=schema).fit(X, y).guarantee_.steps
    assert [step.amount for step in default] == [Pure(exact(0.55)), Pure(exact(0.45))]
    uneven = OneR(epsilon=0.8, schema=schema, selection_share=0.25).fit(X, y).guarantee_.steps
    assert [step.amount for step in uneven] == [Pure(exact(0.2)), Pure(exact(0.6))]
    every = OneR(epsilon=0.9, schema=schema, selection="tables").fit(X, y).guarantee_.steps
    assert [step.amount for step in every] == [Pure(exact(0.3))] * 3


def test_a_single_attribute_gets_the_whole_budget():
    schema = Schema.of({"a": [0, 1], "only": ["one"], "y": [0, 1]}, target="y")
    table = pa.table({"a": [0, 1] * 50, "only": ["one"] * 100, "y": [0, 1] * 50})
    [step] = OneR(epsilon=0.5, schema=schema).fit(table).guarantee_.steps
    assert step.amount == Pure(exact(0.5))


@pytest.mark.parametrize("relation", ["add_remove", "replace"])
def test_the_choice_has_no_factor_two_where_records_come_or_go(relation):
    """The error bar of the choice tells its scale: ln(m / 0.05) times Δ/ε', and twice that under replace."""
    X, y, schema = nominal()
    schema = Schema(schema.columns, "y", unit=Unit(relation))
    choice, _ = OneR(epsilon=1.0, schema=schema, selection_share=0.5).fit(X, y).guarantee_.steps
    factor = 2 if relation == "replace" else 1
    assert choice.error == pytest.approx(np.log(3 / 0.05) / 0.5 * factor)


def test_persons_with_several_records():
    X, y, schema = nominal(300)
    schema = Schema(schema.columns, "y", unit=Unit(id="who", most=3))
    table = pa.table({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "y": y, "who": np.arange(300) // 3})
    choice, _ = (
        OneR(epsilon=1.0, schema=schema, selection_share=0.5, look_first=False).fit(table).guarantee_.steps
    )
    assert choice.error == pytest.approx(np.log(3 / 0.05) / 0.5 * 3)


def test_the_good_attribute_is_chosen_at_a_small_epsilon():
    X, y, schema = nominal()
    found = [OneR(epsilon=0.1, schema=schema, random_state=seed).fit(X, y).attribute_ for seed in range(20)]
    assert found.count("b") == 20
    assert np.mean(OneR(epsilon=0.1, schema=schema, random_state=0).fit(X, y).predict(X) == y) > 0.8


def test_a_tiny_epsilon_chooses_anything():
    X, y, schema = nominal()
    careless = OneR(epsilon=1e-4, schema=schema, look_first=False)
    found = {careless.set_params(random_state=seed).fit(X, y).attribute_ for seed in range(40)}
    assert found == {"a", "b", "c"}


# Numbers, missing values, odd tables


def test_bins_are_joined_into_ranges():
    draw = np.random.default_rng(1)
    x = draw.uniform(0, 10, 4000)
    schema = Schema.of({"x": (0.0, 10.0), "y": ["low", "high"]}, target="y")
    model = OneR(epsilon=2.0, schema=schema, bins=20).fit(x[:, None], np.where(x < 4, "low", "high"))
    assert [str(rule) for rule in model.rules.rules][:2] == ["IF x < 4 THEN low", "IF x ≥ 4 THEN high"]
    assert model.predict([[-50.0], [3.99], [4.0], [99.0]]).tolist() == ["low", "low", "high", "high"]


def test_declared_cuts_are_used():
    schema = Schema((Number("x", 0, 10, cuts=(3,)), Category("y", (0, 1))), target="y")
    model = OneR(epsilon=ENORMOUS, schema=schema).fit([[1.0], [2.9], [3.0], [9.0]], [0, 0, 1, 1])
    assert [str(rule) for rule in model.rules.rules] == ["IF x < 3 THEN 0", "IF x ≥ 3 THEN 1"]


def test_missing_is_a_value():
    schema = Schema.of({"a": ["p", "q"], "y": [0, 1, 2]}, target="y")
    table = pa.table({"a": ["p"] * 50 + ["q"] * 50 + [None] * 50, "y": [0] * 50 + [1] * 50 + [2] * 50})
    model = OneR(epsilon=10.0, schema=schema).fit(table)
    assert model.predict(table).tolist() == table["y"].to_pylist()
    assert "a is missing" in str(model.rules)
    numbers = Schema.of({"a": (0.0, 1.0), "y": [0, 1]}, target="y")
    table = pa.table({"a": [0.5] * 50 + [None] * 50, "y": [0] * 50 + [1] * 50})
    assert OneR(epsilon=10.0, schema=numbers).fit(table).predict(table).tolist() == table["y"].to_pylist()


def test_a_column_that_is_all_missing():
    schema = Schema.of({"a": ["p", "q"], "b": ["p", "q"], "y": [0, 1]}, target="y")
    table = pa.table({"a": pa.nulls(100), "b": ["p", "q"] * 50, "y": [0, 1] * 50})
    assert OneR(epsilon=5.0, schema=schema).fit(table).attribute_ == "b"


def test_only_attributes_that_tell_nothing():
    schema = Schema.of({"only": ["one"], "y": [0, 1]}, target="y")
    table = pa.table({"only": ["one"] * 100, "y": [0] * 20 + [1] * 80})
    model = OneR(epsilon=5.0, schema=schema).fit(table)
    assert model.predict(table).tolist() == [1] * 100
    assert str(model.rules).startswith("OTHERWISE y = 1")


def test_no_records_and_one_record():
    X, y, schema = nominal()
    for rows in (1, 2):
        model = OneR(epsilon=1.0, schema=schema).fit(X[:rows], y[:rows])
        assert np.isfinite(model.predict_log_proba(X)).all()


def test_a_value_outside_the_domain_and_a_number_for_a_class():
    X, y, schema = nominal()
    with pytest.raises(DataError, match="outside its declared domain"):
        OneR(schema=schema).fit(X + 1, y)
    with pytest.raises(SchemaError, match="is a number"):
        OneR(schema=Schema.of({"a": [0, 1], "y": (0.0, 1.0)}, target="y")).fit([[0], [1]], [0.0, 1.0])


# Explanations


def test_which_rule_fired():
    X, y, schema = nominal()
    model = OneR(epsilon=5.0, schema=schema).fit(X, y)
    path = model.decision_path(X)
    assert path.shape == (len(X),)
    every = [*model.rules.rules, model.rules.default]
    assert model.explain(X[:5]) == [str(every[place]) for place in path[:5]]
    assert [every[place].label for place in path] == model.predict(X).tolist()


def test_printed_rules_have_error_bars():
    X, y, schema = nominal()
    text = str(OneR(epsilon=1.0, schema=schema).fit(X, y).rules)
    assert "IF b is 0 THEN y = 0" in text
    assert "±" in text


@given(arrays(float, st.tuples(st.integers(1, 7), st.integers(1, 3)), elements=st.floats(-20, 50)))
def test_joined_runs_are_the_best_ones(counts):
    price = 5.0
    runs = joined(counts, price)
    assert [first for first, _ in runs] == [0, *(last for _, last in runs[:-1])]
    assert runs[-1][1] == len(counts)

    def worth(cuts):
        edges = [0, *cuts, len(counts)]
        parts = [counts[a:b].sum(axis=0).max() - price for a, b in pairwise(edges)]
        return sum(parts)

    places = range(1, len(counts))
    every = [[p for p in places if mask >> p & 1] for mask in range(0, 2 ** len(counts), 2)]
    assert worth([first for first, _ in runs[1:]]) == pytest.approx(max(map(worth, every)))
