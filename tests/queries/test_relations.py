"""Random programs of unions, joins and persons on random tables: never further apart than their stability."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from privet.curator.derived import DerivedSource
from privet.errors import ParameterError
from privet.queries import Query, query
from privet.queries.tables import Tables
from privet.schema import Category, Number, Schema, Unit
from privet.sources import ArrowSource
from privet.stats.relations import Aggregate, Base, Joined, PerPerson, Union

# `make programs` asks for thousands; the suite for some hundreds.
PROGRAMS = int(os.environ.get("PRIVET_PROGRAMS", "200"))
WARD = Category("ward", ("a", "b"), other="else")
SITE = Category("site", ("x", "y"))
NUMBERS = {"visits": Number("cost", 0.0, 10.0), "people": Number("age", 0.0, 100.0)}
SIDES = ("visits", "people")
CELLS = st.tuples(
    st.sampled_from([None, 0.0, 5.0, 300.0]),
    st.sampled_from(["a", "a", "b", "z", None]),
    st.sampled_from(["x", "y", None]),
)
RECORDS = st.lists(st.tuples(st.sampled_from("pqr"), CELLS), max_size=7)


def table(side, records):
    number = NUMBERS[side].name
    columns = {
        "person": pa.array([who for who, _ in records], pa.string()),
        number: pa.array([cells[0] for _, cells in records], pa.float64()),
        "ward": pa.array([cells[1] for _, cells in records], pa.string()),
    }
    if side == "visits":
        columns["site"] = pa.array([cells[2] for _, cells in records], pa.string())
    return pa.table(columns)


def schema(side, unit):
    columns = (NUMBERS[side], WARD, SITE) if side == "visits" else (NUMBERS[side], WARD)
    return Schema(columns, unit=unit)


@st.composite
def units(draw):
    relation = draw(st.sampled_from(["add_remove", "replace"]))
    if draw(st.booleans()):
        return Unit(relation)
    return Unit(relation, "person", draw(st.integers(1, 3)), draw(st.sampled_from(["first", "content"])))


@st.composite
def steps(draw, asked: Query) -> Query:
    """The query with a condition, a new column, or a record for each person."""
    kind = draw(st.sampled_from(["none", "where", "column", "person", "person by ward"]))
    names = asked.seen.names
    numbers = [c.name for c in asked.seen.columns if isinstance(c, Number)]
    if not numbers:
        return asked.where(asked["ward"].is_in(["a", "else"]))
    if kind == "where":
        return asked.where(asked[numbers[0]] > 4.0)
    if kind == "column" and "low" not in names:
        return asked.with_columns(low=asked[numbers[0]] < 3.0)
    if kind.startswith("person"):
        keys = ("ward",) if "ward" in names and "by" in kind else ()
        how = draw(st.sampled_from(["sum", "mean", "min", "max", "count"]))
        try:
            return asked.per_person(*keys, records="count", made=(how, numbers[0]))
        except ParameterError:  # it is not known whose the records are
            return asked
    return asked


@st.composite
def programs(draw, sides: dict[str, Query]) -> Query:
    one = draw(steps(sides["visits"]))
    other = draw(steps(draw(st.sampled_from(list(sides.values())))))
    shape = draw(st.sampled_from(["alone", "union", "join", "join", "join on the person", "join twice"]))
    most = (draw(st.integers(1, 2)), draw(st.integers(1, 3)))
    try:
        if shape == "union":
            one = one.union(other)
        elif shape == "join":
            one = one.join(other, "ward", most)
        elif shape == "join on the person":
            one = one.join(other, ["person", "ward"] if draw(st.booleans()) else "person", most)
        elif shape == "join twice":
            one = one.join(other, "ward", most).union(one)
    except ParameterError:  # the tables have no such key, or share other columns
        pass
    return draw(steps(one))


def made(tables: Tables, data) -> Counter:
    """The records of the relation, on these tables, as a multiset."""
    given_ = {name: (ArrowSource(data[source]), s) for name, (source, s) in tables.tables.items()}
    source = DerivedSource(tables.relation, given_)
    rows = [row for batch in source.batches() for row in batch.to_pylist()]
    return Counter(tuple(sorted((k, str(v)) for k, v in row.items())) for row in rows)


def apart(tables: Tables, data, others) -> int:
    one, two = made(tables, data), made(tables, others)
    return ((one - two) + (two - one)).total()


def without(records, unit, who, place):
    """The table without one unit: a person, or a single record."""
    if unit.id is not None:
        return [each for each in records if each[0] != who]
    return [each for at, each in enumerate(records) if at != place]


def neighbours(data, side, unit, who):
    """Two tables that differ in one unit, in the one or in both directions."""
    records = data.draw(RECORDS)
    place = data.draw(st.integers(0, 7))
    fewer = without(records, unit, who, place)
    if unit.neighbours == "add_remove":
        return records, fewer
    come = [("new" if unit.id else "q", cells) for cells in data.draw(st.lists(CELLS, max_size=3))]
    return records, [*fewer, *(come if unit.id is not None else come[:1])]


def require_stable(data, bound=lambda facts: facts.changed):
    who = data.draw(st.sampled_from("pqr"))
    chosen = {side: data.draw(units()) for side in SIDES}
    asked = data.draw(programs({side: query(side, schema(side, chosen[side])) for side in SIDES}))
    tables = Tables.of(asked.data, asked.schema, asked.selection.view)
    pairs = {side: neighbours(data, side, chosen[side], who) for side in SIDES}
    one, two = ({side: table(side, pairs[side][place]) for side in SIDES} for place in (0, 1))
    assert apart(tables, one, two) <= bound(tables.relation.facts)


@settings(max_examples=PROGRAMS, deadline=None)
@given(st.data())
def test_no_program_exceeds_its_stability(data):
    require_stable(data)


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        (Joined, lambda facts: replace(facts, changed=max(1, facts.changed // 4))),
        (Union, lambda facts: replace(facts, changed=facts.changed - 1, each=max(facts.each - 1, 0))),
        (PerPerson, lambda facts: replace(facts, changed=1)),
        (Base, lambda facts: replace(facts, changed=1, each=min(facts.each, 1))),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_a_wrong_stability_is_found(kind, wrong, monkeypatch):
    right = kind.facts.fget
    monkeypatch.setattr(kind, "facts", property(lambda self: wrong(right(self))))

    @settings(max_examples=1500, deadline=None, database=None, derandomize=True, phases=[Phase.generate])
    @given(st.data())
    def look(data):
        require_stable(data)

    with pytest.raises(AssertionError):
        look()


VISITS = [("p", (3.0, "a", "x")), ("p", (7.0, "a", "y")), ("q", (9.0, "b", "x")), (None, (1.0, "a", "x"))]
PEOPLE = [("p", (40.0, "a", None)), ("q", (70.0, "b", None))]


def tried(visits_unit=Unit(id="person", most=3), people_unit=Unit(id="person")):  # noqa: B008
    return (
        query(table("visits", VISITS), schema("visits", visits_unit)),
        query(table("people", PEOPLE), schema("people", people_unit)),
    )


def test_a_join_on_the_person_pairs_a_persons_own_records():
    visits, people = tried()
    both = visits.join(people, ["person", "ward"])
    assert both.data.relation.facts.changed == 3
    assert both.mean("age").release(1e6).value.value == pytest.approx((40 + 40 + 70) / 3, abs=0.01)


def test_a_join_by_another_key_keeps_so_many_of_each():
    visits, people = tried()
    assert visits.join(people, "ward", (2, 1)).data.relation.facts.changed == 2 * (3 * 1 + 1 * 2)
    with pytest.raises(ParameterError, match="'ward'"):
        visits.join(people, "person")
    one = query(table("visits", VISITS).drop_columns(["person"]), schema("visits", Unit()))
    other = query(table("people", PEOPLE).drop_columns(["person"]), schema("people", Unit()))
    assert one.join(other, "ward").count().release(1e6).value.value == 2
    assert one.join(other, "ward", (5, 1)).count().release(1e6).value.value == 4
    assert one.join(other, "ward", (5, 1)).data.relation.facts.changed == 2 * (1 * 1 + 1 * 5)


def test_sums_and_extremes_of_a_persons_records():
    visits, _ = tried()
    answer = visits.per_person(visits="count", spent=("sum", "cost"), dearest=("max", "cost"))
    [(_, (spent, dearest, number))] = answer.mean("spent").mean("dearest").count().release(1e6).rows
    assert spent.value == pytest.approx((10 + 9) / 2, abs=0.01)
    assert dearest.value == pytest.approx((7 + 9) / 2, abs=0.01)
    assert number.value == 2
    assert answer.schema["spent"].high == 30


def test_a_union_has_the_columns_of_both():
    visits, people = tried()
    both = visits.union(people)
    assert both.seen.names == ("ward",)
    assert both.group_by("ward").count().release(1e6)["a"].value == 3


def test_aggregates_that_make_no_sense_are_refused():
    visits, _ = tried()
    for how in (("sum", "ward"), ("product", "cost"), "sum"):
        with pytest.raises(ParameterError):
            visits.per_person(made=how)
    with pytest.raises(ParameterError, match="whose each is"):
        query("visits", schema("visits", Unit())).per_person()
    with pytest.raises(ParameterError, match="before"):
        visits.count().join(visits, "person")
    assert Aggregate("count").column is None


def test_order_of_the_rows_is_no_matter():
    shuffled = np.random.default_rng(5)
    records = [("pqr"[k % 3], (float(k), "ab"[k % 2], "xy"[k % 2])) for k in range(12)]
    unit = Unit(id="person", most=2, keep="content")
    asked = query("visits", schema("visits", unit)).join(
        query("people", schema("people", unit)), ["person", "ward"]
    )
    found = []
    for _ in range(5):
        data = {side: table(side, [records[k] for k in shuffled.permutation(12)]) for side in SIDES}
        found.append(made(asked.data, data))
    assert all(each == found[0] for each in found)


@pytest.mark.parametrize("kind", ["union", "join by person", "join by ward", "for each person"])
def test_how_records_are_cut_into_pieces_is_no_matter(kind):
    """So a table larger than memory can go by in batches."""
    records = [("pqr"[k % 3], (float(k), "ab"[k % 2], "xyy"[k % 3])) for k in range(12)]
    unit = Unit(id="person", most=4, keep="content")
    visits, people = (Base(side, schema(side, unit)) for side in SIDES)
    relation = {
        "union": Union(visits, people),
        "join by person": Joined(visits, people, ("person", "ward")),
        "join by ward": Joined(visits, people, ("ward",), (3, 2)),
        "for each person": PerPerson(Union(visits, people), ("ward",)),
    }[kind]
    sources = {side: (ArrowSource(table(side, records)), schema(side, unit)) for side in SIDES}
    read = DerivedSource(relation, sources)._read

    def cut(name):
        whole = pa.concat_tables(read(name))
        yield from (whole.slice(row, 2) for row in range(0, whole.num_rows, 2))

    whole = pa.concat_tables(relation.pieces(read)).to_pylist()
    pieces = list(relation.pieces(cut))
    assert whole
    assert Counter(map(str, whole)) == Counter(map(str, pa.concat_tables(pieces).to_pylist()))
    assert kind != "union" or max(piece.num_rows for piece in pieces) == 2  # none was put together


def test_bounds_whose_square_no_number_holds_are_refused_before_anything_is_spent():
    far = Schema.of({"cost": (-1e300, 1e300)}, dataset="far")
    assert np.isfinite(query(pa.table({"cost": [1.0, 2.0]}), far).sum("cost").release(1.0).value.value)
    for measure in ("variance", "deviation"):
        asked = getattr(query(pa.table({"cost": [1.0, 2.0]}), far), measure)
        with pytest.raises(ParameterError, match="no number holds their square"):
            asked("cost").plan(1.0)
