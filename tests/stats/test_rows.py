"""Codes and numbers against a plain Python reading of the schema, for every Arrow type."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from privet.errors import DataError
from privet.schema import Category, Number, Schema
from privet.stats import Rows

INTEGERS = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()]
TEXTS = [pa.string(), pa.large_string(), pa.dictionary(pa.int8(), pa.string())]


def naive_number(value):
    if isinstance(value, str) and not set(value) <= set("0123456789+-.eE "):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def naive_code(value, column):
    """The code of one value, by comparing it with every value of the domain."""
    if value is None or value != value:
        return column.size
    truth = {"true": True, "1": True, "1.0": True, "false": False, "0": False, "0.0": False}
    for read in (str, naive_number, lambda v: truth.get(str(v).lower())):
        if read not in (str, naive_number) and str(value).lower() not in ("true", "false"):
            continue
        if read is str and not isinstance(value, str):
            continue
        same = [code for code, each in enumerate(column.values) if read(each) == read(value) is not None]
        if len(same) == 1:
            return same[0]
    return column.size - 1 if column.other is not None else column.size + 1


def codes(array, column, **more):
    return Rows(pa.record_batch([array], names=["c"]), Schema((column,)), **more).codes("c").tolist()


def agrees(values, kind, column):
    array = pa.array(values, kind)
    expected = [naive_code(value, column) for value in array.to_pylist()]
    if column.size + 1 in expected:
        with pytest.raises(DataError, match="outside its declared domain"):
            codes(array, column)
    else:
        assert codes(array, column) == expected
    # In a prediction, what is unknown is missing.
    assert codes(array, column, unknown="missing") == [min(code, column.size) for code in expected]
    # A slice of an array has an offset, which kernels must not forget.
    assert codes(array[1:], column, unknown="missing") == [min(code, column.size) for code in expected[1:]]


OTHER = st.sampled_from([None, "rest"])


@given(st.data(), st.sampled_from(INTEGERS), OTHER)
@settings(deadline=None)
def test_integers(data, kind, other):
    low = 0 if pa.types.is_unsigned_integer(kind) else -100
    number = st.integers(low, 100)
    domain = data.draw(st.lists(number, min_size=1, max_size=6, unique=True))
    if data.draw(st.booleans()):
        domain = [str(value) for value in domain]
    values = data.draw(st.lists(st.none() | number | st.sampled_from(domain).map(int), max_size=12))
    agrees(values, kind, Category("c", tuple(domain), other=other))


@given(st.lists(st.none() | st.integers(-(2**31), 2**31), max_size=8), OTHER)
@settings(deadline=None)
def test_wide_integer_domains(values, other):
    agrees(values, pa.int64(), Category("c", (-(2**31), 0, 5, 2**31), other=other))


@given(st.data(), st.sampled_from([pa.float32(), pa.float64()]), OTHER)
@settings(deadline=None)
def test_floats(data, kind, other):
    number = st.floats(width=32, allow_nan=True, allow_infinity=True)
    domain = data.draw(
        st.lists(
            st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1, max_size=4, unique_by=abs
        )
    )
    values = data.draw(st.lists(st.none() | number | st.sampled_from(domain), max_size=10))
    agrees(values, kind, Category("c", tuple(domain), other=other))


@given(st.data(), st.sampled_from(TEXTS), OTHER)
@settings(deadline=None)
def test_texts(data, kind, other):
    text = st.text(st.characters(exclude_categories=("Cs",)), max_size=4) | st.sampled_from(
        ["1", "1.0", "nan", ""]
    )
    domain = data.draw(st.lists(text.filter(lambda t: t != "rest"), min_size=1, max_size=5, unique=True))
    values = data.draw(st.lists(st.none() | text | st.sampled_from(domain), max_size=10))
    agrees(values, kind, Category("c", tuple(domain), other=other))


@given(
    st.lists(st.none() | st.sampled_from(["1", "1.0", "2", "3", " 2"]), max_size=8),
    st.sampled_from(TEXTS),
    OTHER,
)
@settings(deadline=None)
def test_numbers_written_as_text(values, kind, other):
    agrees(values, kind, Category("c", (1, 2), other=other))


@given(st.lists(st.none() | st.booleans(), max_size=8))
@settings(deadline=None)
def test_booleans(values):
    for domain in ((False, True), (0, 1), ("false", "true"), ("0", "1"), ("True", "False", "maybe")):
        column = Category("c", domain)
        first = [str(value).lower() in ("true", "1") for value in domain]
        expected = [column.size if value is None else first.index(value) for value in values]
        if domain[-1] == "maybe":
            expected = [3 if v is None else 0 if v else 1 for v in values]
        assert codes(pa.array(values, pa.bool_()), column) == expected


@pytest.mark.parametrize("domain", [("1", "0", "x"), (1, 0, 2), ("TRUE", "FALSE"), (True, False)], ids=str)
@pytest.mark.parametrize("value", [1, 1.0, True, 0, 0.0, False])
def test_a_value_has_one_code_however_the_column_is_stored(domain, value):
    """One record that is no number can turn a whole column into text."""
    column = Category("c", domain, other="rest")
    alone = codes(pa.array([value]), column)
    for text in (str(value), str(value).upper()):
        assert codes(pa.array([text, "xx"]), column)[:1] == alone


def test_values_that_are_one_number_can_be_told_apart_in_a_text_column_only():
    column = Category("c", ("100", "1E2", "x"))
    assert codes(pa.array(["100", "1E2", "x"]), column) == [0, 1, 2]
    for kind in (pa.int64(), pa.float64(), pa.uint64()):
        with pytest.raises(DataError, match="two of its declared values are the same number"):
            codes(pa.array([100], kind), column)
    with pytest.raises(DataError, match="the same truth value"):
        codes(pa.array([True]), Category("c", ("1", "true")))


def test_a_structure_is_refused_without_the_names_in_it():
    with pytest.raises(DataError, match="values made of others") as caught:
        codes(pa.array([{"S3NT1NEL": 1}]), Category("c", ("a",)))
    assert "S3NT1NEL" not in str(caught.value)


def test_a_boolean_domain_in_a_text_column():
    """A CSV file writes true and false; TOML reads them as booleans."""
    column = Category("c", (False, True))
    assert codes(pa.array(["true", "False", "TRUE", "0", None]), column) == [1, 0, 1, 0, 2]


@given(st.integers(0, 3))
def test_nulls(size):
    assert codes(pa.nulls(size), Category("c", ("a", "b"))) == [2] * size
    assert (
        codes(pa.array([None] * size, pa.dictionary(pa.int8(), pa.string())), Category("c", ("a",)))
        == [1] * size
    )


def test_a_dictionary_with_nulls_and_unused_values():
    array = pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 2]), pa.array(["a", None, "a"]))
    assert codes(array, Category("c", ("a", "b"))) == [0, 2, 2, 0]


def test_unused_dictionary_values_are_no_error():
    array = pa.DictionaryArray.from_arrays(pa.array([0, 0]), pa.array(["a", "never seen"]))
    assert codes(array, Category("c", ("a",))) == [0, 0]


@pytest.mark.parametrize("size", [253, 254, 255, 256, 300, 70_000])
def test_large_domains(size):
    """Codes need another type where domain, missing and unknown no longer fit in a byte or two."""
    column = Category("c", tuple(f"v{place}" for place in range(size)))
    assert codes(pa.array(["v0", f"v{size - 1}", None]), column) == [0, size - 1, size]
    whole = Category("c", tuple(range(size)))
    assert codes(pa.array([0, size - 1, None]), whole) == [0, size - 1, size]
    for array, domain in ((pa.array(["zz"]), column), (pa.array([-1]), whole)):
        with pytest.raises(DataError, match="outside its declared domain"):
            codes(array, domain)


def test_integers_beyond_floats_stay_apart():
    column = Category("c", (2**53, 2**53 + 1))
    assert codes(pa.array([2**53, 2**53 + 1]), column) == [0, 1]


def test_other_types_are_refused():
    with pytest.raises(DataError, match="declared a category"):
        codes(pa.array([0], pa.date32()), Category("c", ("a",)))


def test_a_list_column_is_refused_by_name():
    with pytest.raises(DataError, match="declared a category"):
        codes(pa.array([["a"]]), Category("c", ("a",)))


def test_large_unsigned_numbers_do_not_wrap_around():
    column = Category("c", (-1, 3), other="rest")
    assert codes(pa.array([2**64 - 1, 3], pa.uint64()), column) == [2, 1]


# Numbers


NUMBER_TYPES = [
    *INTEGERS,
    pa.float32(),
    pa.float64(),
    pa.string(),
    pa.bool_(),
    pa.dictionary(pa.int8(), pa.float64()),
]


@pytest.mark.parametrize("kind", NUMBER_TYPES, ids=str)
def test_numbers_of_every_type(kind):
    values = pa.array([1, 0, None]).cast(kind.value_type if pa.types.is_dictionary(kind) else kind)
    array = values.dictionary_encode() if pa.types.is_dictionary(kind) else values
    rows = Rows(pa.record_batch([array], names=["x"]), Schema((Number("x", 0, 1),)))
    np.testing.assert_array_equal(rows.numbers("x"), [1.0, 0.0, math.nan])


def test_numbers_of_null_type_and_wrong_types():
    schema = Schema((Number("x", 0, 1),))
    assert np.isnan(Rows(pa.record_batch([pa.nulls(2)], names=["x"]), schema).numbers("x")).all()
    for array in (pa.array(["S3NT1NEL"]), pa.array([[1]])):
        with pytest.raises(DataError, match="declared a number") as caught:
            Rows(pa.record_batch([array], names=["x"]), schema).numbers("x")
        assert "S3NT1NEL" not in str(caught.value)
        assert caught.value.__suppress_context__


@given(st.data())
@settings(deadline=None, max_examples=200)
def test_bins_agree_with_comparing_every_cut(data):
    low = data.draw(st.floats(-1e6, 1e6))
    high = data.draw(st.floats(np.nextafter(low, np.inf), 2e6))
    assume((high - low) / 2 > 1e-280)  # closer bounds are refused
    if data.draw(st.booleans()):  # evenly spaced: the kernel guesses the bin
        cuts = tuple(np.linspace(low, high, data.draw(st.integers(2, 40)) + 1)[1:-1].tolist())
        assume(list(cuts) == sorted(set(cuts)) and all(low < cut < high for cut in cuts))
    else:
        inside = st.floats(low, high).filter(lambda cut: low < cut < high)
        cuts = tuple(sorted(set(data.draw(st.lists(inside, max_size=8)))))
    near = [
        near
        for cut in (low, high, *cuts)
        for near in (cut, np.nextafter(cut, -1e300), np.nextafter(cut, 1e300))
    ]
    values = (
        data.draw(st.lists(st.none() | st.floats(allow_infinity=False) | st.sampled_from(near), max_size=12))
        + near
    )
    rows = Rows(
        pa.record_batch([pa.array(values, pa.float64())], names=["x"]), Schema((Number("x", low, high),))
    )
    expected = [
        len(cuts) + 1 if value is None or value != value else sum(value >= cut for cut in cuts)
        for value in values
    ]
    assert rows.codes("x", cuts).tolist() == expected


@pytest.mark.parametrize("infinity", [math.inf, -math.inf])
def test_infinities_are_refused(infinity):
    rows = Rows(pa.record_batch({"x": [infinity]}), Schema((Number("x", 0, 1),)))
    with pytest.raises(DataError, match="infinite"):
        rows.codes("x", (0.5,))


def test_missing_values_are_refused_where_the_schema_says_so():
    schema = Schema((Number("x", 0, 1), Category("c", ("a",))), missing="error")
    rows = Rows(pa.record_batch({"x": [0.5, None], "c": ["a", None]}), schema)
    for read in (lambda: rows.numbers("x"), lambda: rows.codes("x", (0.5,)), lambda: rows.codes("c")):
        with pytest.raises(DataError, match='missing = "error"'):
            read()


def test_columns_that_are_not_there():
    with pytest.raises(DataError, match="no column 'x'"):
        Rows(pa.record_batch({"y": [1]}), Schema((Number("x", 0, 1),))).numbers("x")


@given(
    values=st.lists(
        st.one_of(st.floats(-2, 12), st.sampled_from([0.0, 2.5, 5.0, 7.5, 10.0, np.nan])), max_size=40
    )
)
def test_numbers_coded_together_have_the_codes_of_each(values):
    """Those too near a cut to be sure, or missing, too."""
    matrix = np.column_stack(
        [np.array(values, float), np.linspace(0.1, 9.9, len(values)), np.array(values, float)]
    )
    schema = Schema.of({"a": (0.0, 10.0), "b": (0.0, 10.0), "c": (-1.0, 11.0)})
    keys = [("a", (2.5, 5.0, 7.5)), ("b", (5.0,)), ("c", (2.0, 5.0, 8.0)), ("a", (1.0, 9.0))]
    places = {"a": 0, "b": 1, "c": 2}
    together, apart = (Rows(pa.record_batch({}), schema, matrix=matrix, places=places) for _ in range(2))
    together.code_together(keys)
    for key in keys:
        np.testing.assert_array_equal(together.codes(*key), apart.codes(*key))
    some = np.arange(0, len(values), 2)
    whole = Rows(pa.record_batch({}), schema, matrix=matrix, places=places)
    picked = Rows.gathered([whole], some)
    picked.code_together(keys)
    for key in keys:
        np.testing.assert_array_equal(picked.codes(*key), apart.codes(*key)[some])


def test_an_infinite_number_is_refused_when_coded_together():
    schema = Schema.of({"a": (0.0, 10.0), "b": (0.0, 10.0)})
    matrix = np.array([[1.0, 2.0], [np.inf, 3.0]])
    rows = Rows(pa.record_batch({}), schema, matrix=matrix, places={"a": 0, "b": 1})
    rows.code_together([("a", (5.0,)), ("b", (5.0,))])
    with pytest.raises(DataError, match="infinite"):
        rows.codes("a", (5.0,))
