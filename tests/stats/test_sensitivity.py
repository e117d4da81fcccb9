"""The second witness: no neighbouring tables, small or random, are further apart than is declared.

Tables are lists of records; a neighbour differs by one unit of privacy. The exhaustive part tries every table
of up to two records and every unit added to it, exchanged in it, in every order of the rows.
"""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from privet.engines.memory import fold
from privet.schema import Category, Number, Schema, Unit
from privet.stats import Coded, Contingency, CrossTable, Moments, Rows
from privet.stats.contribution import bound_batches

# Inside, on and outside the bounds, near the middle (where the square is smallest), and missing.
NUMBERS = (-50.0, -2.0, -0.3, 1.0, 3.2, 4.0, 99.0, None)
COLOURS = ("red", "blue", "green", None)  # green is not listed: it counts as `other`
CLASSES = ("no", "yes", None)
RECORDS = tuple(itertools.product(NUMBERS, COLOURS, CLASSES))

COLUMNS = (
    Number("x", -2, 4),
    Category("colour", ("red", "blue"), other="other"),
    Category("ill", ("no", "yes")),
)
STATISTICS = {
    "class counts": Contingency(None, "ill"),
    "cross-table": CrossTable((Coded("colour"), Coded("x", (1.0,)), Coded("ill"))),
    "category": Contingency("colour", "ill"),
    "bins": Contingency("x", "ill", (0.0, 1.0, 3.0)),
    "one bin": Contingency("x", "ill"),
    "moments": Moments("x", "ill"),
}
by_statistic = pytest.mark.parametrize("statistic", STATISTICS.values(), ids=STATISTICS)
by_relation = pytest.mark.parametrize("relation", ["add_remove", "replace"])


def batch(records, people=None):
    columns = [
        pa.array([record[place] for record in records], kind)
        for place, kind in enumerate((pa.float64(), pa.string(), pa.string()))
    ]
    names = ["x", "colour", "ill"]
    if people is not None:
        columns.append(pa.array(people, pa.string()))
        names.append("person")
    return pa.record_batch(columns, names=names)


def schema(unit):
    return Schema(COLUMNS, target="ill", unit=unit)


def exact(statistic, records, unit=None, people=None):
    """The exact answer, with surplus records of a person dropped."""
    unit = unit or Unit()
    state = statistic.start(schema(unit))
    for part in bound_batches([batch(records, people)], unit):
        state = statistic.fold(state, Rows(part, schema(unit)))
    return statistic.finish(state, schema(unit))


def distances(one, other):
    moved = (one - other).ravel()
    return int(np.abs(moved).sum()), int((moved.astype(object) ** 2).sum())


@cache
def contribution(statistic, record):
    """What one record adds. Tables are checked to be sums of these in ``test_answers_are_sums``."""
    answer = exact(statistic, [record])
    return answer - exact(statistic, [])


@by_statistic
def test_answers_are_sums_of_contributions(statistic):
    """Every table of up to three of these records is the sum of its records, whatever their order."""
    few = RECORDS[:: 7 if len(RECORDS) > 50 else 1]
    for size in (0, 1, 2, 3):
        for records in itertools.islice(itertools.product(few, repeat=size), 0, None, 11 if size == 3 else 1):
            total = sum((contribution(statistic, record) for record in records), exact(statistic, []))
            np.testing.assert_array_equal(exact(statistic, list(records)), total)


@by_statistic
@by_relation
def test_every_record_stays_within_the_sensitivity(statistic, relation):
    """All neighbours that differ in one record; the bound is attained (Moments' L2 replace too)."""
    declared = statistic.sensitivity(schema(Unit(relation)))
    nothing = np.zeros_like(exact(statistic, []))
    ones = {contribution(statistic, r).tobytes(): contribution(statistic, r) for r in RECORDS}.values()
    pairs = itertools.product(ones, ones) if relation == "replace" else ((each, nothing) for each in ones)
    moved = [distances(one, other) for one, other in pairs]
    assert max(l1 for l1, _ in moved) == declared.l1
    assert max(l2 for _, l2 in moved) <= declared.squared_l2
    if relation == "add_remove" or isinstance(statistic, Contingency):
        assert max(l2 for _, l2 in moved) == declared.squared_l2


@by_statistic
@by_relation
def test_whole_tables_that_differ_in_one_record(statistic, relation):
    """End to end on real tables of up to three records, not by way of contributions."""
    few = [
        (-50.0, "red", "no"),
        (4.0, "blue", "yes"),
        (1.0, "green", None),
        (None, None, "yes"),
        (1.0, "red", "no"),
    ]
    declared = statistic.sensitivity(schema(Unit(relation)))
    for size in (0, 1, 2):
        for rest in itertools.product(few, repeat=size):
            for place in range(size + 1):
                tables = [exact(statistic, [*rest[:place], r, *rest[place:]]) for r in few]
                if relation == "add_remove":
                    pairs = [(exact(statistic, list(rest)), table) for table in tables]
                else:
                    pairs = list(itertools.combinations(tables, 2))
                for one, other in pairs:
                    l1, l2 = distances(one, other)
                    assert l1 <= declared.l1
                    assert l2 <= declared.squared_l2


@by_statistic
@by_relation
def test_people_with_surplus_records(statistic, relation):
    """A person of up to three records, of which two count, between the records of another person."""
    unit = Unit(relation, id="person", most=2)
    declared = statistic.sensitivity(schema(unit))
    few = [(-50.0, "red", "no"), (4.0, "blue", "yes"), (None, "green", "no")]
    rest = [((1.0, "red", "yes"), "b"), ((4.0, "blue", "no"), "b"), ((4.0, "red", "no"), None)]
    answers = []
    for size in (0, 1, 2, 3):
        for own in itertools.product(few, repeat=size):
            for places in {(0,) * size, (3,) * size, (0, 2, 3)[:size]}:
                rows = list(rest)
                for place, record in sorted(zip(places, own, strict=True), key=lambda e: -e[0]):
                    rows.insert(place, (record, "a"))
                records, people = zip(*rows, strict=True)
                answers.append(exact(statistic, list(records), unit, list(people)))
    answers = list({answer.tobytes(): answer for answer in answers}.values())
    nobody = exact(statistic, [r for r, _ in rest], unit, [p for _, p in rest])
    pairs = (
        [(nobody, a) for a in answers]
        if relation == "add_remove"
        else list(itertools.combinations(answers, 2))
    )
    moved = [distances(one, other) for one, other in pairs]
    assert max(l1 for l1, _ in moved) == declared.l1
    assert max(l2 for _, l2 in moved) <= declared.squared_l2
    if relation == "add_remove":
        assert max(l2 for _, l2 in moved) == declared.squared_l2


@st.composite
def neighbours(draw):
    """Any bounds, cuts and records: two tables of which the second has one record more."""
    low = draw(st.floats(-1e9, 1e9))
    high = draw(st.floats(min_value=np.nextafter(low, np.inf), max_value=1e10))
    assume((high - low) / 2 > 1e-280)  # closer bounds are refused
    column = Number("x", low, high)
    inside = st.floats(low, high).filter(lambda cut: low < cut < high)
    cuts = tuple(sorted(set(draw(st.lists(inside, max_size=4)))))
    number = st.none() | st.floats(allow_infinity=False) | st.floats(low, high) | st.sampled_from([low, high])
    record = st.tuples(number, st.sampled_from(COLOURS), st.sampled_from(CLASSES))
    records = draw(st.lists(record, max_size=6))
    return Schema((column, *COLUMNS[1:]), target="ill"), cuts, records, draw(record), draw(record)


@given(neighbours())
@settings(max_examples=150, deadline=None)
def test_random_neighbours(case):
    public, cuts, records, one, other = case
    for statistic in (Contingency("x", "ill", cuts), Moments("x", "ill"), Contingency("colour", "ill")):
        tables = [
            fold([statistic], [batch(r)], public)[0] for r in (records, [*records, one], [other, *records])
        ]
        for relation, pair in (("add_remove", (0, 1)), ("add_remove", (0, 2)), ("replace", (1, 2))):
            declared = statistic.sensitivity(public, Unit(relation))
            l1, l2 = distances(tables[pair[0]], tables[pair[1]])
            assert l1 <= declared.l1
            assert l2 <= declared.squared_l2


@by_statistic
def test_units_scale_the_sensitivity(statistic):
    one = statistic.sensitivity(schema(Unit()))
    assert statistic.sensitivity(schema(Unit(id="person", most=3))).l1 == 3 * one.l1
    assert statistic.sensitivity(schema(Unit(id="person", most=3))).squared_l2 == 9 * one.squared_l2
    assert statistic.sensitivity(schema(Unit("replace"))).l1 == 2 * one.l1
    assert statistic.sensitivity(schema(Unit()), Unit("replace")) == statistic.sensitivity(
        schema(Unit("replace"))
    )


def test_an_understated_sensitivity_would_be_noticed():
    """The witness can fail: it finds a counterexample to a bound of 1 % less."""
    worst = max(
        distances(contribution(STATISTICS["moments"], r), np.zeros((2, 3), np.int64)) for r in RECORDS
    )
    assert worst[0] > 0.99 * STATISTICS["moments"].sensitivity(schema(Unit())).l1
