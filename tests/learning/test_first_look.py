"""Where noise hides everything, a classifier says so and predicts the largest class."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from privet.budget import Pure, exact
from privet.flow import Flow
from privet.learning.classify import (
    AdditiveModel,
    DecisionTree,
    LogisticRegression,
    NaiveBayes,
    OneR,
    RuleMiner,
)
from privet.learning.first_look import FirstLook
from privet.schema import Schema, Unit

KINDS = [AdditiveModel, DecisionTree, LogisticRegression, NaiveBayes, OneR, RuleMiner]
COLUMNS = {f"x{place}": (0.0, 1.0) for place in range(6)} | {"c": ["p", "q"], "y": ["rare", "usual"]}
SCHEMA = Schema.of(COLUMNS, target="y")


def table(records, seed=0):
    draw = np.random.default_rng(seed)
    numbers = {f"x{place}": draw.random(records) for place in range(6)}
    usual = draw.random(records) < 0.75
    return pa.table({**numbers, "c": np.where(usual, "p", "q"), "y": np.where(usual, "usual", "rare")})


@pytest.mark.parametrize("kind", KINDS)
def test_a_hundred_records_at_a_small_budget_are_not_learned_from(kind):
    few = table(100)
    right = []
    for seed in range(10):
        model = kind(epsilon=0.1, schema=SCHEMA, random_state=seed).fit(few)
        right.append(np.mean(model.predict(few) == np.array(few["y"].to_pylist())))
    majority = np.mean(np.array(few["y"].to_pylist()) == "usual")
    assert np.mean(right) > majority - 0.05  # a choice at ε = 0.09 among 75 and 25 is wrong once in 180
    assert "largest class" in model.explanation_ or len(set(model.predict(few))) > 1


@pytest.mark.parametrize("kind", KINDS)
def test_it_says_so_and_spends_the_rest_on_the_choice(kind):
    model = kind(epsilon=0.01, schema=SCHEMA, random_state=0).fit(table(60))
    assert "the largest class is predicted for every record" in model.explanation_
    assert len(set(model.predict(table(60)))) == 1
    first, choice = model.guarantee_.steps
    assert first.what == "the number of records of each 'y'"
    assert first.amount == Pure(exact("0.001"))
    assert choice.amount == Pure(exact("0.009"))
    assert "permute_and_flip" in choice.mechanism


@pytest.mark.parametrize("kind", KINDS)
def test_enough_records_are_learned_from(kind):
    many = table(4000)
    model = kind(epsilon=1.0, schema=SCHEMA, random_state=0).fit(many)
    assert np.mean(model.predict(many) == np.array(many["y"].to_pylist())) > 0.95


@pytest.mark.parametrize("kind", KINDS)
def test_a_rehearsal_takes_the_way_of_a_table_that_has_enough(kind):
    steps = kind(epsilon=1.0, schema=SCHEMA).rehearse().steps
    assert not any("too little to learn" in step.what for step in steps)


def test_a_person_with_many_records_needs_more_of_them():
    """What counts is the noise: with a thousand records per person, it is a thousand times as large."""
    persons = Schema.of(COLUMNS, target="y", unit=Unit(id="who", most=1000))
    known = table(2000).append_column("who", pa.array(np.arange(2000)))
    assert "largest class" in OneR(epsilon=1.0, schema=persons, random_state=0).fit(known).explanation_
    assert not hasattr(OneR(epsilon=1.0, schema=SCHEMA, random_state=0).fit(table(2000)), "explanation_")


def test_at_a_usual_budget_nothing_is_spent_on_a_look():
    """A hundred records are enough for one rule from ε = 0.3 on, by what is public."""
    steps = {e: OneR(epsilon=e, schema=SCHEMA).rehearse().steps for e in (0.25, 0.35)}
    assert [len(steps[e]) for e in (0.25, 0.35)] == [3, 2]
    assert steps[0.25][0].what == "the number of records of each 'y'"
    assert [len(OneR(epsilon=e, schema=SCHEMA, look_first=False).rehearse().steps) for e in (0.25, 0.35)] == [
        2,
        2,
    ]


def test_what_a_look_counted_serves_the_model():
    """Two counts of the same classes weigh by their precision."""
    look = FirstLook(np.array([10.0, 0.0]), 1.0).with_more(np.array([20.0, 10.0]), 2.0)
    np.testing.assert_allclose(look.counts, [12, 2])
    assert look.deviation == pytest.approx((1 + 1 / 4) ** -0.5)


def wide(records, seed=0):
    """Sixteen attributes, of which one tells the class."""
    draw = np.random.default_rng(seed)
    y = draw.integers(0, 2, records)
    told = np.where(draw.random(records) < 0.97, y, 1 - y)
    others = {f"c{place}": draw.integers(0, 2, records) for place in range(15)}
    return pa.table({**others, "told": told, "y": y})


WIDE = Schema.of({f"c{place}": [0, 1] for place in range(15)} | {"told": [0, 1], "y": [0, 1]}, target="y")


@pytest.mark.parametrize("records", [None, 100_000])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_naive_bayes_pays_for_as_many_attributes_as_the_budget_carries(delta, records):
    many = wide(1000)
    model = NaiveBayes(epsilon=0.2, delta=delta, records=records, schema=WIDE, random_state=0).fit(many)
    assert len(model.tables_) == 2  # about 1000 · 0.2 / 80
    assert "told" in model.tables_
    assert "chosen privately" in model.explanation_
    assert np.mean(model.predict(many) == np.array(many["y"])) > 0.9
    assert [step.what for step in model.guarantee_.steps][1].startswith("which 2 of 16 attributes")


def test_the_classes_are_no_attribute_to_choose():
    """Before: where numbers are normal, their own table was among the candidates, and it is always right."""
    draw = np.random.default_rng(1)
    y = draw.integers(0, 2, 1000)
    others = {f"x{place}": draw.random(1000) for place in range(15)}
    many = pa.table({**others, "told": np.clip(y + draw.normal(0, 0.1, 1000), 0, 1), "y": y})
    numbers = Schema.of(dict.fromkeys([*others, "told"], (0.0, 1.0)) | {"y": [0, 1]}, target="y")
    model = NaiveBayes(epsilon=0.2, schema=numbers, numeric="gaussian", random_state=0).fit(many)
    assert len(model.normals_) == 2
    assert "told" in model.normals_
    assert model.explanation_.startswith("2 of 16 attributes")


def test_the_choice_of_attributes_is_within_the_budget():
    model = NaiveBayes(epsilon=0.2, schema=WIDE, random_state=0).fit(wide(1000))
    look, choice, *tables = (step.amount.epsilon for step in model.guarantee_.steps)
    assert choice == (exact("0.2") - look) / 3
    assert look + choice + sum(tables) == exact("0.2")


def test_of_a_public_table_all_is_learned():
    """Before: refused, since of public tables nothing is chosen."""
    flow = Flow.from_dict(
        {
            "epsilon": 0.1,
            "steps": {
                "people": {"do": "source", "data": "people.csv", "public": True},
                "model": {"do": "naive-bayes", "from": ["people"]},
            },
        }
    )
    done = flow.run({"people": (wide(300), WIDE)})
    assert len(done["model"].tables_) == 16


def test_where_all_attributes_can_be_paid_for_none_is_chosen():
    model = NaiveBayes(epsilon=0.5, schema=WIDE, random_state=0).fit(wide(4000))
    assert len(model.tables_) == 16
    assert len(NaiveBayes(epsilon=0.2, schema=WIDE).rehearse().steps) == 17


def test_naive_bayes_takes_a_delta_only_for_many_tables():
    """Gaussian noise is larger for fewer than fourteen, and a pure fit satisfies (ε, δ), too."""
    few = Schema.of(COLUMNS, target="y")
    assert NaiveBayes(epsilon=1.0, delta=1e-6, schema=few).rehearse().delta == 0
    assert NaiveBayes(epsilon=1.0, delta=1e-6, schema=WIDE).rehearse().delta > 0
    assert NaiveBayes(epsilon=1.0, delta=1e-6, schema=WIDE, records=500).rehearse().delta == 0
