"""Drafts: what is read off the data is marked, and never names a person."""

from __future__ import annotations

import pyarrow as pa
import pytest

from privet.errors import DataError, SchemaError
from privet.schema import Category, Number, Unit, draft
from privet.schema.columns import DRAFTED


def of(table, **more):
    return draft(pa.table(table).to_batches(max_chunksize=2), **more)


def test_kinds_and_marks():
    schema = of(
        {
            "age": [3, None, 97, 40],
            "weight": [3.5, float("nan"), float("inf"), 70.0],
            "sex": pa.array(["m", "f", None, "m"]).dictionary_encode(),
            "smoker": [True, False, None, True],
            "grade": [2, 1, 2, None],
            "constant": [5, 5, 5, 5],
            "empty": pa.array([None] * 4, pa.float64()),
            "null": pa.nulls(4),
        },
        target="grade",
    )
    assert schema.columns == (
        Number("age", 3, 97, integer=True, origin=DRAFTED),
        Number("weight", 3.5, 70.0, origin=DRAFTED),
        Category("sex", ("f", "m"), origin=DRAFTED),
        Category("smoker", (False, True), origin=DRAFTED),
        Category("grade", (1, 2), origin=DRAFTED),
        Number("constant", 5, 10, integer=True, origin=DRAFTED),
    )
    assert set(schema.drafted) == set(schema.names)


@pytest.mark.parametrize("kind", [pa.int8(), pa.uint64(), pa.float32(), pa.decimal128(20, 1)])
def test_numeric_types(kind):
    column = of({"a": pa.array([1, 2]).cast(kind)})["a"]
    assert (column.low, column.high) == (1, 2)


def test_whole_numbers_beyond_floats():
    assert not of({"a": [0, 2**60 + 1]})["a"].integer


def test_ignored_and_id_columns_are_left_out():
    schema = of(
        {"name": ["a", "b"], "patient": [1, 2], "x": [0, 1]}, ignore=["name"], unit=Unit(id="patient")
    )
    assert schema.names == ("x",)


def test_refusals():
    with pytest.raises(DataError, match="no records"):
        of({"a": pa.array([], pa.int64())})
    with pytest.raises(SchemaError, match="no column 'b'"):
        of({"a": [1]}, target="b")
    with pytest.raises(DataError, match="empty in every record"):
        of({"a": [1], "b": pa.array([None], pa.string())}, target="b")
    with pytest.raises(DataError, match="does not mine"):
        of({"a": pa.array([0], pa.date32())})
    with pytest.raises(SchemaError, match="looks like a name or an id") as caught:
        of({"who": [f"S3NT1NEL{place}" for place in range(1001)]})
    assert "S3NT1NEL" not in str(caught.value)
    assert "who a person is" in caught.value.advice
    assert caught.value.remedy == "ignore-or-identify"


def test_a_target_of_many_numbers_is_a_quantity_unless_classes_are_asked_for():
    table = {"x": [1.0] * 40, "wage": [float(j) for j in range(40)]}
    assert of(table, target="wage")["wage"] == Number("wage", 0.0, 39.0, origin=DRAFTED)
    assert isinstance(of(table, target="wage", classes=True)["wage"], Category)
    assert isinstance(of(table | {"wage": [1.5, 2.5] * 20}, target="wage")["wage"], Category)
