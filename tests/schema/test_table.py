"""Schemas as values: short forms, targets, confirmation, units."""

from __future__ import annotations

import pytest

from privet.errors import SchemaError
from privet.schema import Category, Number, Schema, Unit
from privet.schema.columns import CONFIRMED, DRAFTED, WHOLESALE

DRAFT = Schema(
    (Number("age", 0, 9, origin=DRAFTED), Category("sex", ("f", "m"), origin=DRAFTED), Number("iq", 0, 200)),
    target="sex",
)


def test_short_forms():
    schema = Schema.of({"a": (0, 1), "b": (0, 1.5), "c": [0, 1], "d": (True, False), "e": ("x", "y")})
    assert schema.columns == (
        Number("a", 0, 1, integer=True),
        Number("b", 0, 1.5),
        Category("c", (0, 1)),
        Category("d", (True, False)),
        Category("e", ("x", "y")),
    )
    assert Schema.of({"a": Number("old", 0, 1)})["a"].name == "a"
    assert Schema.of([Number("a", 0, 1)]).names == ("a",)
    with pytest.raises(SchemaError, match="must be a list"):
        Schema.of({"a": "abc"})
    with pytest.raises(SchemaError, match="must be text"):
        Schema.of({0: (0, 1)})


def test_columns_are_found_by_name():
    assert "age" in DRAFT
    assert "height" not in DRAFT
    assert DRAFT["iq"] == Number("iq", 0, 200)
    with pytest.raises(SchemaError, match=r"says nothing about the column 'height'") as caught:
        DRAFT["height"]
    assert "[columns.height]" in caught.value.advice


def test_empty_and_double():
    with pytest.raises(SchemaError, match="names no column"):
        Schema(())
    with pytest.raises(SchemaError, match="twice"):
        Schema((Number("a", 0, 1), Number("a", 0, 2)))


def test_target_must_be_nominal():
    assert DRAFT.nominal_target().name == "sex"
    with pytest.raises(SchemaError, match="names no target") as caught:
        Schema.of({"a": (0, 1)}).nominal_target()
    assert "target =" in caught.value.advice
    with pytest.raises(SchemaError, match="is a number") as caught:
        Schema.of({"a": (0, 1)}, target="a").nominal_target()
    assert 'kind = "category"' in caught.value.advice


def test_confirming():
    assert DRAFT.drafted == ("age", "sex")
    with pytest.raises(SchemaError) as caught:
        DRAFT.require_confirmed()
    assert "2 column(s)" in caught.value.message
    assert "age, sex" in caught.value.message
    assert 'origin = "declared"' in caught.value.advice
    assert "[columns.age]" in caught.value.advice
    one = DRAFT.confirm("age")
    assert one.drafted == ("sex",)
    assert one["age"].origin == CONFIRMED
    both = DRAFT.confirm()
    both.require_confirmed()
    assert both["iq"].origin == "declared"
    assert DRAFT.drafted == ("age", "sex"), "confirming makes a copy"
    assert DRAFT.confirm(origin=WHOLESALE)["sex"].origin == WHOLESALE
    with pytest.raises(SchemaError, match="says nothing about"):
        DRAFT.confirm("aeg")


def test_many_drafted_columns_are_not_all_listed():
    schema = Schema(tuple(Number(f"c{place}", 0, 1, origin=DRAFTED) for place in range(30)))
    with pytest.raises(SchemaError) as caught:
        schema.require_confirmed()
    assert "30 column(s)" in caught.value.message
    assert "c8" not in caught.value.message


def test_unit_describes_itself():
    assert Unit().describe() == "one record, present or absent"
    assert Unit("replace").describe() == "one record, exchanged for another"
    assert "at most 2" in Unit(id="p", most=2).describe()
    for unit in (Unit(), Unit("replace"), Unit("replace", "p", 3), Unit(id="p")):
        assert Unit.from_dict(unit.to_dict()) == unit


def test_labels_and_sizes():
    assert Category("a", ("x",), other="y").size == 2
    assert Category("a", ("x",)).labels == ("x",)
    assert Number("a", -1, 3).midpoint == 1
    assert Number("a", -1, 3).half_range == 2
    assert hash(Number("a", 0, 1, cuts=[0.5])) == hash(Number("a", 0, 1, cuts=(0.5,)))


def test_a_column_about_which_nothing_is_said():
    with pytest.raises(SchemaError, match=r"'age' has neither bounds nor a domain[\s\S]*'age': \(0, 100\)"):
        Schema.of({"age": None, "ill": ["no", "yes"]}, target="ill")
