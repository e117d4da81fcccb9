"""Drafts: what is read off the data is marked, and never names a person."""

from __future__ import annotations

import ibis
import pandas as pd
import pyarrow as pa
import pytest

from privet.errors import DataError, SchemaError
from privet.schema import Category, Items, Number, Schema, Unit, draft, draft_columns, schema_text
from privet.schema.columns import DRAFTED
from privet.sources import ArrowSource, write_csv


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
    )
    assert [name for name, _ in schema.left_out] == ["constant", "empty", "null"]
    assert set(schema.drafted) == set(schema.names)


def test_sets_of_items():
    """Lists are drafted, texts where the file is one of baskets; names in them are left out, as elsewhere."""
    rows = [["milk", "bread"], ["milk"], None, [], ["bread", " tea "], ["tea"]] * 5
    column = of({"basket": rows, "age": list(range(9)) * 3 + [1, 2, 3]})["basket"]
    assert column == Items("basket", ("bread", "milk", "tea"), origin=DRAFTED)
    texts = [pa.record_batch({"items": [sign.join(row or []) for row in rows]}) for sign in ";"]
    [column] = draft_columns(texts, baskets=True).columns
    assert (column.values, column.between) == (("bread", "milk", "tea"), ";")
    words = [pa.record_batch({"items": ["milk bread", "bread"] * 5})]
    assert draft_columns(words, baskets=True).columns[0].between == " "
    named = {"who": [[f"person {k}", "x"] for k in range(30)], "age": [1, 2, 3] * 10}
    assert of(named).left_out[0][0] == "who"
    odd = of({"odd": [[",;\t|", "x"]] * 10, "age": [1, 2] * 5})
    assert odd.left_out[0][0] == "odd"


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


def people(records):
    """A table of which some columns say who somebody is."""
    return {
        "name": [f"S3NT1NEL {place}" for place in range(records)],
        "email": [f"{'abcde'[place % 5]}@S3NT1NEL.org" for place in range(records)],
        "patient": [1000 + place for place in range(records)],
        "ssn": [(place * 7919 + 123_456_789) % 10**9 for place in range(records)],
        "visit_id": [float(place * 1_000) for place in range(records)],
        "age": [20 + place * place % 61 for place in range(records)],
        "weight": [50 + place / 7 for place in range(records)],
        "sex": ["f", "m"] * (records // 2),
        "sevens": [7] * records,
        "country": ["here"] * records,
        "empty": [None] * records,
    }


@pytest.mark.parametrize("records", [40, 400, 1200, 150_000])
def test_names_and_ids_are_left_out_with_a_word_why(records):
    schema = draft(pa.table(people(records)).to_batches(max_chunksize=1 + records // 3))
    assert schema.names == ("age", "weight", "sex")
    reasons = dict(schema.left_out)
    assert "looks like a name or an id" in reasons["name"]
    assert "e-mail" in reasons["email"]
    for name in ("patient", "ssn", "visit_id"):
        assert "looks like an id" in reasons[name]
    assert "same value" in reasons["sevens"]
    assert "same value" in reasons["country"]
    assert "empty" in reasons["empty"]
    text = schema_text(schema)
    assert "S3NT1NEL" not in text
    for name, reason in schema.left_out:
        assert f'"{name}": {reason}' in text
        assert not any(sign.isdigit() for sign in reason.replace("1000", ""))
    assert "left out" not in schema_text(schema.confirm())


def test_a_run_that_promises_nothing_keeps_what_it_can_use():
    table = people(40)
    schema = of(table, classes=True)
    assert [name for name, _ in schema.left_out] == ["empty"]
    assert len(schema.names) == len(table) - 1


def test_few_records_and_ordinary_columns_stay():
    assert of({"who": ["a", "b", "c"], "x": [1, 2, 3]}).names == ("who", "x")
    table = {
        "income": [1234 + place * 977 % 100_000 for place in range(60)],
        "town": [f"town {place % 12}" for place in range(60)],
        "reading": [place / 3 for place in range(60)],
    }
    assert of(table).names == ("income", "town", "reading")


def test_a_target_that_looks_like_a_name_is_refused():
    with pytest.raises(SchemaError, match="target 'name'") as caught:
        of({"name": [f"S3NT1NEL{place}" for place in range(1200)], "x": [0, 1] * 600}, target="name")
    assert "S3NT1NEL" not in str(caught.value)


def test_drafts_of_columns_that_others_declare():
    """A table of which nothing can be drafted is no error where the rest is known already."""
    found = draft_columns(pa.table({"a": pa.nulls(3)}).to_batches())
    assert found.columns == ()
    assert [name for name, _ in found.left_out] == ["a"]


def test_schema_draft_takes_whatever_holds_a_table(tmp_path):
    table = {"age": [30, 40, 50], "sex": ["f", "m", "f"], "who": [1, 2, 3], "note": ["x", "y", "x"]}
    expected = of({name: table[name] for name in ("age", "sex")}, target="sex", unit=Unit(id="who"))
    write_csv(ArrowSource(pa.table(table)), tmp_path / "t.csv")
    ways = [
        pa.table(table),
        pd.DataFrame(table),
        tmp_path / "t.csv",
        str(tmp_path / "t.csv"),
        ArrowSource(pa.table(table)),
        ibis.duckdb.connect().create_table("t", pa.table(table)),
    ]
    for data in ways:
        drafted = Schema.draft(data, target="sex", ignore=["note"], unit=Unit(id="who"))
        assert drafted == expected
        assert drafted.drafted == ("age", "sex")
    assert Schema.draft([[1.0, 5.0], [2.0, 6.0]]).names == ("x0", "x1")
    with pytest.raises(SchemaError, match="no column 'zz'"):
        Schema.draft(pa.table(table), ignore=["zz"])
