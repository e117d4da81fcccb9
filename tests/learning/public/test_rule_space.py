"""Rules as positions: the masks count what a plain scan counts, and encoding, similarity, measures hold."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.errors import ParameterError
from privet.learning.public.rule_quality import mutual_support, quality, weighted_laplace
from privet.learning.public.rule_space import RuleProblem, Table, covered, similarity
from privet.learning.rules.rule import Rule
from privet.schema import Schema
from privet.search import BeeColony
from privet.stats import Rows
from privet.stats.conditions import Between, OneOf

SCHEMA = Schema.of(
    {"salary": (0.0, 5000.0), "one": (0.0, 1.0), "age": ["young", "middle", "old"], "y": ["a", "b"]},
    target="y",
)


def records(size=1000, seed=0):
    draw = np.random.default_rng(seed)
    hole = draw.random(size) < 0.1
    return pa.record_batch(
        {
            "salary": pa.array(
                np.where(draw.random(size) < 0.2, 1500.0, draw.uniform(-100, 6000, size)), mask=hole
            ),
            "one": draw.random(size),
            "age": pa.array(draw.choice(["young", "middle", "old"], size), mask=draw.random(size) < 0.1),
            "y": pa.array(draw.choice(["a", "b"], size), mask=draw.random(size) < 0.05),
        }
    )


def table(size=1000, seed=0):
    return Table.of([Rows(records(size, seed), SCHEMA)], SCHEMA)


def problem(size=1000, seed=0, measure="wLap", left=None, **more):
    mined = table(size, seed)
    return RuleProblem(mined, np.ones(len(mined.classes), bool) if left is None else left, 0, measure, **more)


def test_the_example_of_figure_4_2():
    """IF 1000 ≤ SALARY ≤ 3000 AND AGE = old: the nearest value; unused attributes are ignored."""
    position = np.array([1, 0, 1, 1000.0, 0.3, 2.2, 3000.0, 0.7, 0.0])
    salary, age = table().conditions(position)
    assert age == OneOf("age", ("old",))
    assert isinstance(salary, Between)
    assert salary.low == pytest.approx(1000, abs=30)
    assert salary.high == pytest.approx(3000, abs=30)


def test_ranges_end_half_way_and_are_open_at_the_ends():
    mined = Table.of(
        [
            Rows(
                pa.record_batch({"x": [1.0, 2.0, 4.0, 8.0], "y": list("abab")}),
                schema := Schema.of({"x": (0.0, 9.0), "y": ["a", "b"]}, target="y"),
            )
        ],
        schema,
    )
    assert mined.conditions(np.array([1, 1.5, 5.0])) == (Between("x", 1.5, 6.0),)
    assert mined.conditions(np.array([1, 0.0, 2.5])) == (Between("x", None, 3.0),)
    assert mined.conditions(np.array([1, 3.0, 9.0])) == (Between("x", 3.0, None),)
    close = np.nextafter(1.0, 2.0)
    twins = Table(
        np.array([[0, 1]], np.uint16), np.array([0, 1]), (np.array([1.0, close]),), mined.nominal, schema
    )
    assert twins.conditions(np.array([1, close, close])) == (Between("x", close, None),)


@pytest.mark.parametrize("size", [1, 63, 64, 65, 513, 1000, 3000])
def test_masks_count_what_the_rules_cover(size):
    """The compiled counts, the mask of one rule and the printed conditions all agree."""
    mined = problem(size, seed=size)
    batch = records(size, seed=size)
    rows = Rows(batch, SCHEMA)
    known = rows.codes("y") < 2
    positions = mined.start(40, np.random.default_rng(size))
    counts = mined.counts(positions)
    for position, (p, n) in zip(positions, counts, strict=True):
        covers = covered(mined.table, position)
        assert (p, n) == (covers[mined.table.classes == 0].sum(), covers[mined.table.classes == 1].sum())
        by_rule = Rule(mined.table.conditions(position), "a").holds(rows)[known]
        np.testing.assert_array_equal(covers, by_rule)


def test_records_that_are_gone_do_not_count():
    left = np.random.default_rng(0).random(len(table().classes)) < 0.5
    mined = problem(left=left)
    positions = mined.start(20, np.random.default_rng(0))
    for position, counted in zip(positions, mined.counts(positions), strict=True):
        assert counted.sum() == (covered(mined.table, position) & left).sum()


def test_neighbours_move_one_attribute_and_stay_within():
    mined = problem()
    draw = np.random.default_rng(2)
    own = mined.start(200, draw)
    new = mined.neighbours(own, own[::-1], draw)
    changed = (own != new).reshape(200, 3, 3).any(axis=1)
    assert (changed.sum(axis=1) <= 1).all()
    assert changed.any()
    ends = new.reshape(200, 3, 3)
    assert (ends[:, 1, :2] <= ends[:, 2, :2]).all()
    assert set(np.unique(new[:, :3])) <= {0.0, 1.0}


@pytest.mark.parametrize("measure", ["wLap", "MS", "wMS", "wLapMS"])
@pytest.mark.parametrize("stop", [{}, {"target": 1.2}, {"patience": 7}])
def test_the_compiled_search_is_the_colony_step_by_step(measure, stop):
    """From one seed the kernel and the definition draw the same, and find the same rule."""
    mined = problem(700, seed=4, measure=measure)
    colony = BeeColony(swarm=14, limit=6, iterations=80, **stop)
    for seed in range(3):
        defined = colony.maximise(mined, np.random.default_rng(seed))
        compiled = mined.best(colony, np.random.default_rng(seed))
        np.testing.assert_array_equal(defined.position, compiled.position)
        assert (defined.fitness, defined.history) == (compiled.fitness, compiled.history)
        assert (defined.evaluations, defined.reason) == (compiled.evaluations, compiled.reason)
        mined.earlier = [*mined.earlier, defined.position]  # the next search must avoid it


def test_no_rule_is_better_than_the_most():
    mined = problem(measure="wLapMS")
    whole = mined.best(BeeColony(iterations=50), np.random.default_rng(0)).fitness
    assert 0 < whole <= mined.most
    x = pa.record_batch({"x": np.arange(20.0), "y": ["a"] * 10 + ["b"] * 10})
    schema = Schema.of({"x": (0.0, 19.0), "y": ["a", "b"]}, target="y")
    easy = RuleProblem(Table.of([Rows(x, schema)], schema), np.ones(20, bool), 0, "wLap")
    assert easy.best(BeeColony(target=easy.most), np.random.default_rng(0)).reason == "the target was reached"


@pytest.mark.parametrize("size", [70, 1500])
def test_a_smaller_table_counts_the_same(size):
    """What covering took out may leave the table: the counts of the rest stay."""
    whole = table(size, seed=1)
    left = np.random.default_rng(1).random(len(whole.classes)) < 0.3
    kept = whole.only(left)
    positions = problem().start(30, np.random.default_rng(3))
    np.testing.assert_array_equal(
        RuleProblem(whole, left, 1, "wLap").counts(positions),
        RuleProblem(kept, np.ones(left.sum(), bool), 1, "wLap").counts(positions),
    )


def test_rules_without_conditions_or_records_are_worth_nothing():
    mined = problem()
    empty = np.zeros(9)
    nowhere = np.array([1, 0, 0, 100.0, 0, 0, 50.0, 0, 0])
    assert mined.fitness(np.stack([empty, nowhere])).tolist() == [0.0, 0.0]


def test_similarity_is_algorithm_4_2():
    mined = table()
    earlier = np.array([[1, 0, 1, 1000.0, 0, 1, 2000.0, 0, 0], [1, 1, 0, 4000.0, 0.1, 0, 4500.0, 0.2, 0]])
    rules = np.array(
        [
            [1, 0, 1, 1500.0, 0, 1, 4200.0, 0, 0],  # both salaries meet, the same age: 3
            [1, 0, 1, 2500.0, 0, 2, 3000.0, 0, 0],  # nothing in common
            [0, 1, 0, 0.0, 0.15, 0, 0.0, 0.9, 0],  # one range meets
            [0, 0, 0, 1500.0, 0.1, 1, 4200.0, 1.0, 0],  # nothing used
        ]
    )
    assert similarity(mined, rules, earlier).tolist() == [3, 0, 1, 0]


# Measures


@given(st.integers(0, 50), st.integers(0, 50), st.floats(0.05, 1), st.floats(0.05, 1))
def test_measures_are_the_equations(p, n, alpha, beta):
    own, others = 60.0, 90.0
    lap = (p + 1) * (own + others) / ((p + n + 2) * own)
    support = p / (alpha * own + beta * n)
    assert quality("wLap", p, n, own, others) == pytest.approx(lap)
    assert quality("MS", p, n, own, others) == pytest.approx(p / (own + n))
    assert quality("wMS", p, n, own, others, alpha, beta) == pytest.approx(support)
    assert quality("wLapMS", p, n, own, others, alpha, beta) == pytest.approx(lap * support)


def test_bad_weights():
    with pytest.raises(ParameterError, match="α = β = 0"):
        mutual_support(1, 1, 5, 0, 0)
    with pytest.raises(ParameterError, match="between 0 and 1"):
        mutual_support(1, 1, 5, 1.5, 0)
    with pytest.raises(ParameterError, match="without a record"):
        quality("wLap", 0, 0, 0.0, 5.0)
    assert mutual_support(0, 0, 5, 0, 1) == 0
    assert weighted_laplace(0, 0, 5, 5) == 1
