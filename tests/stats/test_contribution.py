"""Bounding a person's records: which ones stay depends on that person's records alone."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.errors import DataError, SchemaError
from privet.schema import Schema, Unit
from privet.sources import ArrowSource, TableSource
from privet.stats.contribution import bound_batches, bound_table, bounded, resolved

PEOPLE = st.lists(st.sampled_from(["ann", "bob", "cy", "", None]), max_size=12)


def naive(people, most):
    seen: dict = {}
    kept = []
    for place, person in enumerate(people):
        if person is not None and person == person and seen.get(person, 0) < most:
            seen[person] = seen.get(person, 0) + 1
            kept.append(place)
    return kept


def kept(column, most, size):
    table = pa.table({"row": range(len(column)), "who": column})
    batches = bound_batches(table.to_batches(max_chunksize=size), Unit(id="who", most=most))
    return [row for batch in batches for row in batch.column(0).to_pylist()]


@given(PEOPLE, st.integers(1, 3), st.integers(1, 5))
def test_first_records_stay(people, most, size):
    assert kept(pa.array(people, pa.string()), most, size) == naive(people, most)
    assert kept(pa.array(people, pa.string()).dictionary_encode(), most, size) == naive(people, most)


@given(
    st.lists(st.sampled_from([0.0, -0.0, 2.5, float("nan"), None]), max_size=10),
    st.integers(1, 2),
    st.integers(1, 4),
)
def test_nan_names_nobody_and_zero_is_one_person(people, most, size):
    for kind in (pa.float64(), pa.float32()):
        assert kept(pa.array(people, kind), most, size) == naive(people, most)


def test_a_dictionary_may_hold_a_person_twice_or_a_null():
    """Two codes of one person must not give two allowances."""
    column = pa.DictionaryArray.from_arrays([0, 1, 0, 1, 2], ["ann", "ann", None])
    assert kept(column, 1, 10) == [0]


@pytest.mark.parametrize("keep", ["first", "content"])
@pytest.mark.parametrize("kind", [pa.binary(), pa.large_binary(), pa.binary(1)])
def test_an_id_that_is_no_text_stops_nothing(keep, kind):
    """Before: kept by content, one id that is no Unicode stopped a run that was paid for."""
    unit = Unit(id="who", most=1, keep=keep)
    for people in ([b"a", b"b", b"a"], [b"a", b"b", b"a", b"\xff", b"\xfe", b"\xff"]):
        table = pa.table({"row": range(len(people)), "who": pa.array(people, kind)})
        found = pa.Table.from_batches(bound_batches(table.to_batches(max_chunksize=2), unit))
        assert sorted(found["who"].to_pylist()) == sorted(set(people))


@pytest.mark.parametrize("keep", ["first", "content"])
def test_people_whose_texts_are_views_are_bounded(keep):
    """Of views, as polars has them, Arrow cannot choose some."""
    schema = Schema.of({"ill": ["no", "yes"]}, unit=Unit(id="who", most=1, keep=keep))
    plain = pa.table({"ill": ["no", "yes", "no"], "who": ["a", "b", "a"]})
    source = ArrowSource(plain.cast(pa.schema([(name, pa.string_view()) for name in plain.column_names])))
    found = pa.Table.from_batches(bounded(source, ["ill", "who"], schema))
    assert sorted(found["who"].to_pylist()) == ["a", "b"]


def test_without_an_id_nothing_changes():
    batch = pa.record_batch({"a": [1, 2]})
    assert list(bound_batches([batch], Unit())) == [batch]


def test_a_missing_id_column_is_refused():
    with pytest.raises(DataError, match="no column 'who'"):
        list(bound_batches([pa.record_batch({"a": [1]})], Unit(id="who")))


def test_a_missing_id_column_of_a_table_is_refused():
    import ibis

    with pytest.raises(DataError, match="no column 'who'"):
        bound_table(ibis.memtable(pa.table({"a": [1]})), Unit(id="who"))


CELLS = st.tuples(
    st.sampled_from(["ann", "bob", "cy", None]),
    st.none() | st.sampled_from([0.0, -0.0, 1.0, 1e300, -5e-324, float("nan"), float("inf")]) | st.floats(),
    st.none() | st.integers(-(2**63), 2**63 - 1) | st.integers(0, 2),
    st.none() | st.sampled_from(["a", "", "\x1f", "tb", "é"]),
    st.none() | st.booleans(),
)
CONTENT = Unit(id="who", most=2, keep="content")


def of(records):
    kinds = {"who": pa.string(), "x": pa.float64(), "k": pa.int64(), "t": pa.string(), "b": pa.bool_()}
    cells = list(zip(*records, strict=True)) or [()] * 5
    return pa.table({n: pa.array(c, kind) for (n, kind), c in zip(kinds.items(), cells, strict=True)})


def records_of(table):
    return sorted(map(repr, zip(*table.to_pydict().values(), strict=True)))


def by_content(table, size, unit=CONTENT):
    batches = list(bound_batches(table.to_batches(max_chunksize=size), unit))
    return records_of(pa.Table.from_batches(batches, table.schema) if batches else table.slice(0, 0))


@given(st.lists(CELLS, max_size=14), st.randoms(), st.integers(1, 5))
@settings(deadline=None)
def test_by_content_order_and_batches_do_not_matter(records, random, size):
    kept = by_content(of(records), 100)
    shuffled = random.sample(records, len(records))
    assert by_content(of(shuffled), size) == kept
    for who in ("ann", "bob", "cy"):
        own = [record for record in records if record[0] == who]
        of_own = by_content(of(own), 100)
        assert [record for record in kept if record.startswith(f"('{who}'")] == of_own
        assert len(of_own) == min(len(own), 2)


@given(st.lists(CELLS, max_size=14), st.randoms())
@settings(max_examples=40, deadline=None)
def test_by_content_a_database_keeps_the_same_records(records, random):
    import ibis

    shuffled = of(random.sample(records, len(records)))
    table = ibis.duckdb.connect().create_table("t", shuffled)
    in_database = bound_table(table, CONTENT).to_pyarrow().select(shuffled.column_names)
    # Zero has two signs, which are one number and may be either.
    plain = [record.replace("-0.0,", "0.0,") for record in by_content(of(records), 100)]
    assert sorted(record.replace("-0.0,", "0.0,") for record in records_of(in_database)) == sorted(plain)


def test_by_content_many_records_are_held_no_longer_than_needed(monkeypatch):
    monkeypatch.setattr("privet.stats.contribution._HELD", 50)
    table = pa.table({"who": [f"p{i % 7}" for i in range(2000)], "x": list(range(2000))})
    found = list(bound_batches(table.to_batches(max_chunksize=20), CONTENT))
    assert sum(batch.num_rows for batch in found) == 14
    assert by_content(table, 20) == by_content(table, 5000)


def test_by_content_no_value_wins_more_often_than_others():
    """An order by the values, or by a hash of them alone, would bias every count."""
    table = pa.table({"who": [f"p{i % 500}" for i in range(5000)], "x": [i // 500 for i in range(5000)]})
    batches = bound_batches(table.to_batches(), Unit(id="who", most=1, keep="content"))
    kept = [value for batch in batches for value in batch.column(1).to_pylist()]
    assert len(kept) == 500
    assert all(25 <= kept.count(value) <= 80 for value in range(10))  # 50 expected, 6.7 its deviation


def test_rules_by_source():
    import ibis

    table = pa.table({"who": ["a", "a", "b"], "x": [1, 2, 3], "more": [1, 2, 3]})
    memory, database = ArrowSource(table), TableSource(ibis.memtable(table))
    unit = Unit(id="who")
    assert resolved(unit, memory).keep == "first"
    assert resolved(unit, database).keep == "content"
    assert resolved(Unit(), database) == Unit()
    with pytest.raises(SchemaError, match="no order"):
        resolved(Unit(id="who", keep="first"), database)
    schema = Schema.of({"x": (0, 9)}, unit=unit)
    [batch] = bounded(memory, ["who", "x"], schema)
    assert batch.to_pydict() == {"who": ["a", "b"], "x": [1, 3]}
    [batch] = bounded(database, ["who", "x"], schema)
    assert batch.column(0).to_pylist() == ["a", "b"]


def test_units_say_which_records_stay():
    unit = Unit(id="who", most=2, keep="content")
    assert Unit.from_dict(unit.to_dict()) == unit
    assert "keep" not in Unit(id="who").to_dict()
    for wrong in ({"id": "who", "keep": "last"}, {"keep": "first"}):
        with pytest.raises(SchemaError):
            Unit(**wrong)
