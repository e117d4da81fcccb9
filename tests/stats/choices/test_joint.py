"""Conditions chosen at once: scores against a plain count, their spread on neighbours, and what it brings."""

from __future__ import annotations

from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.budget import Pure, exact
from privet.errors import ParameterError
from privet.learning.classify import RuleMiner
from privet.schema import Schema, Unit
from privet.stats import Rows
from privet.stats.choices.joint import JointCorrect
from privet.stats.conditions import Between, OneOf

SCHEMA = Schema.of({"x": (0.0, 9.0), "c": ["a", "b", "d"], "y": [0, 1, 2]}, target="y")
CONDITIONS = (
    Between("x", None, 3.0, below=True),
    Between("x", None, 6.0, below=True),
    OneOf("c", ("a",)),
    OneOf("c", ("b",)),
)
RECORD = st.tuples(
    st.none() | st.integers(0, 9).map(float),
    st.sampled_from(["a", "b", "d", None]),
    st.sampled_from([0, 1, 2, None]),
)


def rows(records):
    x, c, y = zip(*records, strict=True) if records else ((), (), ())
    return Rows(
        pa.record_batch(
            {"x": pa.array(x, pa.float64()), "c": pa.array(c, pa.string()), "y": pa.array(y, pa.int64())}
        ),
        SCHEMA,
    )


def scores(records, many):
    question = JointCorrect(CONDITIONS, "y", many)
    [overlaps] = question.statistics
    state = overlaps.start(SCHEMA)
    for part in (records[:3], records[3:]):
        state = overlaps.fold(state, rows(part)) if part else state
    [found] = question.groups([overlaps.finish(state, SCHEMA)], SCHEMA)
    return dict(zip(question.combinations, found.tolist(), strict=True))


def by_counting(records, chosen):
    held = [CONDITIONS[place].holds(rows(records)) for place in chosen]
    classes = rows(records).codes("y")
    right = 0
    for pattern in product((True, False), repeat=len(chosen)):
        cell = np.all([h == wanted for h, wanted in zip(held, pattern, strict=True)], axis=0)
        right += np.bincount(classes[cell & (classes < 3)], minlength=3).max()
    return right


@settings(max_examples=40)
@given(st.lists(RECORD, min_size=1, max_size=12), st.integers(1, 3))
def test_scores_count_what_the_cells_get_right(records, many):
    for chosen, score in scores(records, many).items():
        assert score == by_counting(records, chosen)


@settings(max_examples=40)
@given(st.lists(RECORD, max_size=10), RECORD, st.integers(1, 3))
def test_one_more_record_raises_each_score_by_nothing_or_one(records, new, many):
    before, after = scores(records, many), scores([*records, new], many)
    assert {after[key] - before[key] for key in before} <= {0, 1}


def parity(rows=250, seed=0):
    """The class is a parity: no condition tells by itself."""
    draw = np.random.default_rng(seed)
    X = draw.integers(0, 2, (rows, 8))
    schema = Schema.of({f"a{i}": [0, 1] for i in range(8)} | {"y": ["even", "odd"]}, target="y")
    return X, np.where(X[:, 1] ^ X[:, 6], "odd", "even"), schema


def test_it_finds_what_no_single_condition_shows():
    X, y, schema = parity()
    common = {"epsilon": 1.0, "schema": schema, "depth": 2, "random_state": 0}
    assert np.mean(RuleMiner(conditions="together", **common).fit(X, y).predict(X) == y) == 1
    assert np.mean(RuleMiner(conditions="own", **common).fit(X, y).predict(X) == y) < 0.8


@pytest.mark.parametrize(("relation", "factor"), [("add_remove", 1), ("replace", 2)])
def test_it_is_one_choice_and_one_table(relation, factor):
    X, y, schema = parity()
    schema = Schema(schema.columns, "y", unit=Unit(relation))
    model = RuleMiner(epsilon=1.0, schema=schema, depth=3, coverage_share=0.25, conditions="together").fit(
        X, y
    )
    choice, table = model.guarantee_.steps
    assert (choice.amount, table.amount) == (Pure(exact("0.75")), Pure(exact("0.25")))
    assert choice.error == pytest.approx(np.log(56 / 0.05) / 0.75 * factor)
    assert len(model.rules.rules) <= 7


def test_odd_tables_and_too_much():
    schema = Schema.of({"only": ["one"], "empty": (0.0, 1.0), "y": ["a", "rare"]}, target="y")
    table = pa.table({"only": ["one"] * 30, "empty": pa.nulls(30, pa.float64()), "y": ["a"] * 29 + ["rare"]})
    model = RuleMiner(epsilon=5.0, schema=schema, depth=3, bins=3, conditions="together").fit(table)
    assert set(model.predict(table.drop_columns(["y"]))) == {"a"}
    lone = Schema.of({"a": [0, 1], "y": [0, 1]}, target="y")
    one = RuleMiner(epsilon=9.0, schema=lone, depth=3, conditions="together").fit(
        [[0], [1]] * 50, [0, 1] * 50
    )
    assert one.predict([[0], [1]]).tolist() == [0, 1]
    with pytest.raises(ParameterError, match="too many combinations"):
        RuleMiner(schema=SCHEMA, depth=3, bins=1000, conditions="together").fit(
            pa.table({"x": [1.0], "c": ["a"], "y": [0]})
        )
    # More than three at once are taken as three.
    deep = RuleMiner(schema=SCHEMA, depth=4, conditions="together").rehearse()
    assert deep == RuleMiner(schema=SCHEMA, depth=3, conditions="together").rehearse()
