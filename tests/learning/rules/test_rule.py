"""Rules as values: what holds, who fires first, how they print, and that they travel as JSON."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.errors import ModelError
from privet.learning.rules.rule import Rule, RuleList
from privet.schema import Category, Number, Schema
from privet.stats import Rows
from privet.stats.conditions import Between, OneOf, readable

SCHEMA = Schema(
    (
        Number("age", 0, 100),
        Category("colour", ("red", "blue"), other="else"),
        Category("ill", ("no", "yes")),
    ),
    target="ill",
)


def rows(ages, colours):
    batch = pa.record_batch({"age": pa.array(ages, pa.float64()), "colour": pa.array(colours, pa.string())})
    return Rows(batch, SCHEMA)


PEOPLE = rows([-5, 40, 65, 400, None], ["red", "blue", "pink", None, "red"])


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (OneOf("colour", ("red",)), [1, 0, 0, 0, 1]),
        (OneOf("colour", ("else", None)), [0, 0, 1, 1, 0]),
        (OneOf("colour", ()), [0, 0, 0, 0, 0]),
        (OneOf("age", (None,)), [0, 0, 0, 0, 1]),
        (Between("age", 40, 65), [0, 1, 1, 0, 0]),
        (Between("age", 40, 65, below=True), [0, 1, 0, 0, 0]),
        (Between("age", None, 0), [1, 0, 0, 0, 0]),
        (Between("age", 100, None), [0, 0, 0, 1, 0]),
        (Between("age", None, None), [1, 1, 1, 1, 0]),
        (Between("age", 65, 40), [0, 0, 0, 0, 0]),
    ],
    ids=str,
)
def test_what_holds(condition, expected):
    """Numbers are clamped to their bounds first; unlisted values are ``other``; missing is nowhere."""
    assert condition.holds(PEOPLE).astype(int).tolist() == expected


def test_a_rule_is_a_conjunction():
    both = Rule((Between("age", None, 50), OneOf("colour", ("red",))), "no")
    assert both.holds(PEOPLE).tolist() == [True, False, False, False, False]
    assert Rule((), "no").holds(PEOPLE).all()
    assert both.columns == ("age", "colour")


def example(error=0.0):
    return RuleList(
        ("no", "yes"),
        (
            Rule((OneOf("colour", ("red",)),), "no", (90.0, 10.0), error),
            Rule((Between("age", 39.999999, 70),), "yes", (20.0, 60.0), error),
        ),
        Rule((), "no", (5.0, -3.0), error),
        target="ill",
    )


def test_the_first_rule_fires():
    assert example().fired(PEOPLE).tolist() == [0, 1, 1, 2, 0]
    both = rows([50], ["red"])
    assert example().fired(both).tolist() == [0]
    assert example().assignment(both).tolist() == [0]
    assert example().assignment.parts(both.schema) == 3


def test_coverage_and_precision():
    first, second = example().rules
    assert (first.coverage, first.precision(("no", "yes"))) == (100.0, 0.9)
    assert (second.coverage, second.precision(("no", "yes"))) == (80.0, 0.75)
    nothing = Rule((), "no", (-4.0, 0.0))
    assert (nothing.coverage, nothing.precision(("no", "yes"))) == (0.0, 0.0)
    assert Rule((), "no").precision(("no", "yes")) == 0.0


def test_probabilities():
    table = example().probabilities(smoothing=1.0)
    np.testing.assert_allclose(table[0], [91 / 102, 11 / 102])
    np.testing.assert_allclose(table.sum(axis=1), 1)
    assert (table > 0).all()


def test_a_rule_predicts_its_own_class_whatever_noise_did_to_its_counts():
    listed = RuleList(("no", "yes"), (), Rule((), "no", (3.0, 9.0)))
    assert listed.probabilities().argmax(axis=1).tolist() == [0]


def test_printing():
    assert str(example()).splitlines() == [
        "IF colour is red THEN ill = no     covers 100, of which 90 % are right",
        "IF 40 ≤ age ≤ 70 THEN ill = yes    covers 80, of which 75 % are right",
        "OTHERWISE ill = no                 covers 5, of which 100 % are right",
    ]
    noisy = str(example(error=10.0)).splitlines()
    assert noisy[0].endswith("covers 100 ± 14, of which 90 % (± 14) are right")
    assert noisy[2].endswith("covers 5 ± 14: too few to tell how many are right")


def test_labels_that_look_like_keywords_print_as_they_are():
    listed = RuleList(("THEN x", "b"), (Rule((OneOf("a", ("IF THEN y",)),), "THEN x"),), Rule((), "b"))
    assert str(listed).splitlines() == ["IF a is IF THEN y THEN class = THEN x", "OTHERWISE class = b"]


@given(st.floats(-1e12, 1e12))
def test_readable_numbers_are_close(number):
    assert abs(float(readable(number)) - number) <= abs(number) * 1e-3 + 1e-12


conditions = st.one_of(
    st.builds(OneOf, st.just("colour"), st.lists(st.sampled_from(["red", "blue", "else", None])).map(tuple)),
    st.builds(
        Between,
        st.just("age"),
        st.none() | st.floats(0, 100),
        st.none() | st.floats(0, 100),
        st.booleans(),
    ),
)
rules = st.builds(
    Rule,
    st.lists(conditions, max_size=3).map(tuple),
    st.sampled_from(["no", "yes"]),
    st.tuples(st.floats(-9, 99), st.floats(-9, 99)),
    st.floats(0, 9),
)


@given(st.lists(rules, max_size=4), rules)
def test_json_and_back(several, default):
    listed = RuleList(("no", "yes"), tuple(several), default, "ill")
    again = RuleList.from_dict(json.loads(json.dumps(listed.to_dict())))
    assert again == listed
    np.testing.assert_array_equal(again.fired(PEOPLE), listed.fired(PEOPLE))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: data.pop("default"),
        lambda data: data["rules"][0].pop("label"),
        lambda data: data["rules"][0].update(label="maybe"),
        lambda data: data.update(rules=7),
        lambda data: data["rules"][0]["conditions"][0].pop("column"),
    ],
)
def test_spoilt_rules_are_refused(spoil):
    data = example().to_dict()
    spoil(data)
    with pytest.raises(ModelError, match="not the rules"):
        RuleList.from_dict(data)
