"""Bounding a person's records: the first ones stay, whatever the batches."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.errors import DataError
from privet.schema import Unit
from privet.stats.contribution import bound_batches, bound_table

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


def test_without_an_id_nothing_changes():
    batch = pa.record_batch({"a": [1, 2]})
    assert list(bound_batches([batch], Unit())) == [batch]


def test_a_missing_id_column_is_refused():
    with pytest.raises(DataError, match="no column 'who'"):
        list(bound_batches([pa.record_batch({"a": [1]})], Unit(id="who")))


def test_a_missing_id_column_of_a_table_is_refused():
    import ibis

    with pytest.raises(DataError, match="no column 'who'"):
        bound_table(ibis.memtable({"a": [1]}), Unit(id="who"))
