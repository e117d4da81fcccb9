"""Private choices: scores of neighbouring tables stay within the declared spread, and the curator pays."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.budget import Pure, Zcdp, budget
from privet.curator import Choose, Curator
from privet.engines.memory import fold
from privet.errors import DataError, ParameterError
from privet.learning.rules.rule import Rule, RuleList
from privet.schema import Category, Number, Schema, Unit
from privet.stats import Coded, Contingency, Coverage, Cross, MajorityCorrect, Scores, Within, proved
from privet.stats.choices.largest import LargestClass
from privet.stats.choices.refinements import Refinements, purity
from privet.stats.conditions import Between, OneOf

COLUMNS = (Number("x", 0, 4), Category("colour", ("red", "blue")), Category("ill", ("a", "b", "c")))
RECORDS = tuple(itertools.product((0.5, 3.0, None), ("red", "blue", None), ("a", "b", "c", None)))
LIST = RuleList(
    ("a", "b", "c"),
    (Rule((Between("x", 2, None),), "a"), Rule((OneOf("colour", ("red",)),), "b")),
    Rule((), "c"),
)
MAJORITY = MajorityCorrect(
    (Contingency("x", "ill", (2.0,)), Contingency("colour", "ill"), Contingency(None, "ill"))
)
STATISTICS = {
    "coverage": Coverage(LIST.assignment, "ill"),
    "within": Within(LIST.assignment, Contingency("colour", "ill")),
    "within, classes": Within(LIST.assignment, Contingency(None, "ill")),
}


def schema(unit=None):
    return Schema(COLUMNS, target="ill", unit=unit or Unit())


def batch(records):
    kinds = (pa.float64(), pa.string(), pa.string())
    columns = [pa.array([r[place] for r in records], kind) for place, kind in enumerate(kinds)]
    return pa.record_batch(columns, names=["x", "colour", "ill"])


def answers(statistics, records):
    return fold(statistics, [batch(records)], schema())


def scored(question, records):
    return question.groups(answers(question.statistics, records), schema())


def changes(question, records, new):
    before, after = scored(question, records), scored(question, [*records, new])
    return [(one - other) for one, other in zip(after, before, strict=True)]


def within_the_spread(question, records, new):
    """All scores move within one interval as wide as the spread, in one group only."""
    moved = [change for change in changes(question, records, new) if change.any()]
    assert len(moved) <= 1
    for change in moved:
        assert max(change.max(), 0) - min(change.min(), 0) <= question.spread


@given(st.lists(st.sampled_from(RECORDS), max_size=12), st.sampled_from(RECORDS))
def test_majority_scores_of_neighbours(records, new):
    within_the_spread(MAJORITY, records, new)
    assert all((change >= 0).all() for change in changes(MAJORITY, records, new))


def test_the_spread_is_attained():
    assert changes(MAJORITY, [], RECORDS[0])[0].max() == MAJORITY.spread


def test_majority_scores_are_what_a_rule_gets_right():
    records = [RECORDS[place] for place in np.random.default_rng(0).integers(0, len(RECORDS), 200)]
    for place, name in enumerate(("x", "colour")):
        cells: dict = {}
        for record in records:
            if record[2] is not None:
                value = record[place] if name == "colour" or record[place] is None else record[place] >= 2
                cells.setdefault(value, []).append(record[2])
        right = sum(max(map(group.count, "abc")) for group in cells.values())
        assert scored(MAJORITY, records)[0][place] == right


@pytest.mark.parametrize(
    ("unit", "expected"),
    [
        (Unit(), 1),
        (Unit("replace"), 2),
        (Unit(id="who", most=3), 3),
        (Unit("replace", id="who", most=3), 6),
    ],
)
def test_units(unit, expected):
    assert MAJORITY.sensitivity(schema(unit)) == expected


class Doubled(LargestClass):
    """A planted fault: every record counts twice, and R is still said to be 1."""

    def groups(self, answers, schema):
        return [2 * group for group in super().groups(answers, schema)]


@given(records=st.lists(st.sampled_from(RECORDS), max_size=15), new=st.sampled_from(RECORDS))
def test_sizes_of_classes_of_neighbours(records, new):
    within_the_spread(LargestClass("ill"), records, new)


def test_sizes_that_count_twice_are_found_out():
    with pytest.raises(AssertionError):
        within_the_spread(Doubled("ill"), [], RECORDS[0])


# Refinements of the parts of a partition

TABLES = (Contingency("x", "ill", (1.0, 2.0)), Contingency("colour", "ill"))
REFINEMENTS = {q: Refinements(LIST.assignment, TABLES, q) for q in ("purity", "right")}


@pytest.mark.parametrize("question", REFINEMENTS.values(), ids=REFINEMENTS)
@given(records=st.lists(st.sampled_from(RECORDS), max_size=15), new=st.sampled_from(RECORDS))
def test_refinement_scores_of_neighbours(question, records, new):
    within_the_spread(question, records, new)


@given(st.lists(st.integers(0, 60), min_size=1, max_size=4), st.data())
def test_purity_moves_within_the_spread(counts, data):
    """In whole numbers, one more record of any class: never more than 1 up or down."""
    more = list(counts)
    more[data.draw(st.integers(0, len(counts) - 1))] += 1
    change = int(purity(np.array(more)) - purity(np.array(counts)))
    assert -1024 <= change <= 1024


def test_purity_on_all_small_tables_attains_its_bounds():
    changes_ = [
        int(purity(np.array([a + 1, b])) - purity(np.array([a, b]))) for a in range(40) for b in range(40)
    ]
    assert max(changes_) == 1024
    assert -1024 <= min(changes_) < -960


def test_refinement_scores_are_those_of_the_split():
    """Against a count by hand: each condition in each part, what is right in the two halves."""
    records = [RECORDS[place] for place in np.random.default_rng(1).integers(0, len(RECORDS), 150)]
    part = [0 if (x or 0) >= 2 else 1 if c == "red" else 2 for x, c, _ in records]
    tests = [
        lambda r: r[0] is not None and r[0] < 1,
        lambda r: r[0] is not None and r[0] < 2,
        lambda r: r[1] == "red",
        lambda r: r[1] == "blue",
        lambda r: r[1] is None,
    ]
    question = REFINEMENTS["right"]
    assert len(question.candidates(schema())) == len(tests)
    for place, scores in enumerate(scored(question, records)):
        for score, test in zip(scores, tests, strict=True):
            expected = 0
            for side in (True, False):
                classes = [r[2] for r, p in zip(records, part, strict=True) if p == place and test(r) == side]
                expected += max(map(classes.count, "abc"))
            assert score == expected


# Coverage


@pytest.mark.parametrize("statistic", STATISTICS.values(), ids=STATISTICS)
def test_coverage_has_sensitivity_one(statistic):
    [nothing] = answers([statistic], [])
    for record in RECORDS:
        [one] = answers([statistic], [record])
        moved = np.abs(one - nothing).sum()
        assert moved <= statistic.norms(schema()).l1 == 1
        assert moved == (record[2] is not None)
    many = [answers([statistic], [record])[0] for record in RECORDS]
    np.testing.assert_array_equal(sum(many), answers([statistic], RECORDS)[0])


def test_coverage_counts_the_first_rule_that_fires():
    [table] = answers([STATISTICS["coverage"]], [(3.0, "red", "a"), (0.5, "red", "b"), (None, None, "c")])
    assert table.tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]


def test_an_assignment_outside_its_parts_is_refused():
    class Wrong(Cross):
        def parts(self, schema):
            return 2

        def part_of(self, rows):
            return found(rows)

    for found in (lambda rows: np.full(rows.size, 2), lambda rows: np.full(rows.size, -1), lambda rows: [0]):  # noqa: B007
        with pytest.raises(DataError, match="assignment"):
            answers([Coverage(Wrong((Coded("x"),)), "ill")], RECORDS[:3])


# The curator's door


def table():
    return pa.Table.from_batches([batch([(0.5, "red", "a")] * 60 + [(3.0, "red", "b")] * 50)])


def test_choosing_is_paid_for_and_recorded():
    with Curator(table(), schema(), budget(1.0)) as curator:
        assert curator.ask(Choose(MAJORITY, "an attribute"), Fraction(3, 4)).chosen == [0]
        with pytest.raises(ParameterError, match=r"only 0.25 is left"):
            curator.ask(Choose(MAJORITY, "again"), Fraction(1, 2))
    [step] = curator.guarantee.steps
    assert step.amount == Pure(Fraction(3, 4))
    assert "permute_and_flip choice" in step.sentence()
    assert step.error == pytest.approx(np.log(3 / 0.05) / 0.75)


def test_nothing_is_chosen_outside_a_run():
    curator = Curator(table(), schema(), budget(1.0))
    with pytest.raises(ParameterError, match="not open"):
        curator.ask(Choose(MAJORITY, "an attribute"), Fraction(1))


def test_zcdp_pays_for_an_exponential_choice_by_bounded_range():
    with Curator(table(), schema(), budget(1.0, 1e-6)) as curator:
        curator.ask(Choose(MAJORITY, "an attribute"), Fraction(1, 2))
    [step] = curator.guarantee.steps
    assert isinstance(step.amount, Zcdp)
    assert "exponential" in step.mechanism
    epsilon = float(np.log(3 / 0.05) / step.error)
    assert epsilon**2 / 8 == pytest.approx(float(step.amount.rho))
    assert epsilon**2 / 8 <= float(step.amount.rho) * (1 + 1e-12)


@proved
class TwoGroups(Scores):
    """Fixed scores, whatever the table: what is drawn can be compared with the mechanism's formula.

    **Spread.** No record moves a score: R = 1 is more than enough.
    """

    @property
    def statistics(self):
        return (Contingency(None, "ill"),)

    def groups(self, answers, schema):
        return [np.array([0, 1]), np.array([5, 0, 5])]


@pytest.mark.parametrize("mechanism", ["permute-and-flip", "exponential"])
@pytest.mark.parametrize("relation", ["add_remove", "replace"])
def test_the_noise_has_the_declared_scale(mechanism, relation):
    """The choice is wrong as often as the formula says; planted scales are rejected."""
    epsilon, runs = 2.0, 4000
    scale = (2 if relation == "replace" else 1) / epsilon
    with Curator(table(), schema(Unit(relation)), budget(epsilon * runs), randomness=_seeded()) as curator:
        question = Choose(TwoGroups(), "x", mechanism)
        chosen = [curator.ask(question, Fraction(1, runs)).chosen for _ in range(runs)]
    wrong = np.mean([first == 0 for first, _ in chosen])
    low = np.exp(-1 / scale)
    expected = {"permute-and-flip": low / 2, "exponential": low / (1 + low)}[mechanism]
    off = 4 * np.sqrt(expected / runs)
    assert abs(wrong - expected) < off
    for planted in (scale / 2, scale * 2):
        low = np.exp(-1 / planted)
        other = {"permute-and-flip": low / 2, "exponential": low / (1 + low)}[mechanism]
        assert abs(wrong - other) > off
    assert {second for _, second in chosen} >= {0, 2}


def _seeded():
    from privet.randomness import seeded

    return seeded(3)
