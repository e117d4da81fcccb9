"""Frequent itemsets and rules: exact ones without noise, intervals, mlxtend's columns, odd tables."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest

from privet.errors import SchemaError
from privet.learning.associate import AssociationRules, FrequentItemsets
from privet.learning.associate.supports import Supports, fieller
from privet.schema import Schema

ARTICLES = [f"article{k}" for k in range(15)]
SCHEMA = Schema.of({key: [0, 1] for key in ARTICLES})


def baskets(rows=4000, seed=0):
    draw = np.random.default_rng(seed)
    taste = draw.random(rows)[:, None]
    bought = draw.random((rows, 15)) < np.linspace(0.9, 0.05, 15)[None, :] * (0.5 + 0.5 * (taste > 0.5))
    return pa.table(dict(zip(ARTICLES, bought.astype(int).T, strict=True)))


def exact(table, names):
    return int(np.all([table[name].to_numpy() == 1 for name in names], axis=0).sum())


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_supports_without_noise(delta):
    table = baskets()
    model = FrequentItemsets(epsilon=1e6, delta=delta, schema=SCHEMA, most=50).fit(table)
    best = sorted(
        (exact(table, s) for k in (1, 2, 3, 4) for s in combinations(ARTICLES[:8], k)), reverse=True
    )
    for each, support in zip(model.itemsets[:30], best, strict=False):
        assert each.support == pytest.approx(exact(table, each.items), abs=1)
        assert each.support >= 0.97 * support  # a set with rarer items of two bases is not looked at
    frame = model.frame()
    assert list(frame.columns[:2]) == ["support", "itemsets"]
    assert frame["itemsets"][0] == frozenset({"article0"})


def test_errors_hold():
    table = baskets()
    outside = total = 0
    for seed in range(10):
        model = FrequentItemsets(epsilon=1.0, schema=SCHEMA, random_state=seed).fit(table)
        for each in model.itemsets[:40]:
            outside += abs(each.support - exact(table, each.items)) > each.error
            total += 1
    assert outside / total < 0.12


def test_rules():
    table = baskets()
    model = AssociationRules(epsilon=5.0, schema=SCHEMA, random_state=0).fit(table)
    frame = model.frame()
    assert {"antecedents", "consequents", "support", "confidence", "lift", "leverage"} <= set(frame.columns)
    held = 0
    for rule in model.rules_:
        both, whole = (
            exact(table, [*rule["antecedents"], *rule["consequents"]]),
            exact(table, rule["antecedents"]),
        )
        held += rule["confidence_low"] - 0.02 <= both / whole <= rule["confidence_high"] + 0.02
    assert held / len(model.rules_) > 0.9
    assert model.in_words().startswith("IF ")
    [points] = model.pictures()
    assert "<svg" in points.svg()


def test_categories_are_items_and_one_column_has_one_value():
    schema = Schema.of({"colour": ["red", "blue"], "size": ["s", "m", "l"], "n": (0, 9)})
    draw = np.random.default_rng(0)
    table = pa.table(
        {
            "colour": draw.choice(["red", "blue"], 900),
            "size": draw.choice(["s", "m", "l"], 900),
            "n": [1] * 900,
        }
    )
    model = FrequentItemsets(epsilon=5.0, schema=schema).fit(table)
    assert len(model.itemsets) == 5 + 6
    assert "<svg" in model.pictures()[0].svg()


def test_odd_tables():
    table = baskets()
    assert FrequentItemsets(epsilon=1.0, schema=SCHEMA).fit(table.slice(0, 0)).frame() is not None
    assert AssociationRules(epsilon=1.0, schema=SCHEMA).fit(table.slice(0, 0)).frame() is not None
    with pytest.raises(SchemaError):
        FrequentItemsets(epsilon=1.0, schema={"x": (0, 1.5)}).fit(pa.table({"x": [0.5]}))
    many = Schema.of({"a": list(range(1000)), "b": ["x"]})
    rows = pa.table({"a": np.arange(2000) % 3, "b": ["x"] * 2000})
    top = FrequentItemsets(epsilon=2.0, schema=many, random_state=0).fit(rows).itemsets[0]
    assert top.items == {"b": "x"}


def test_rules_are_told_from_noise_and_none_is_said():
    draw = np.random.default_rng(1)
    table = pa.table({f"a{k}": (draw.random(300) < 0.05).astype(int) for k in range(12)})
    schema = Schema.of({name: [0, 1] for name in table.column_names})
    model = AssociationRules(epsilon=0.1, schema=schema, random_state=0).fit(table)
    assert all(rule["confidence_high"] > 0 for rule in model.rules_)
    assert len(model.rules_) < 20
    nothing = AssociationRules(epsilon=1.0, schema=schema, random_state=0).fit(table.slice(0, 0))
    assert "No rule is frequent and clear enough" in nothing.in_words()


def test_supports_and_fieller():
    assert Supports.of(np.array([5.0, 3.0]), 2.0).error(1) == pytest.approx(1.96 * 2)
    assert fieller(1.0, 2.0, 100.0, 100.0) == (0.0, 1.0)
    low, high = fieller(500.0, 1000.0, 1e-12, 1e-12)
    assert low == pytest.approx(0.5)
    assert high == pytest.approx(0.5)
