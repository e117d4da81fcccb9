"""Schemas as TOML: whatever can be declared can be written, read back equal, and read by a person."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.errors import SchemaError
from privet.schema import Category, Number, Schema, Unit, read_schema, schema_text, write_schema
from privet.schema.columns import ORIGINS

TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=12) | st.sampled_from(
    [
        '"',
        "'",
        "\\",
        "a\nb",
        "a\r\nb",
        "\t",
        "\x00",
        "\x7f",
        "\x85",
        "\u2028",
        "a.b",
        "[x]",
        "# no",
        "ünï",
        "",
    ]
)
FINITE = st.floats(-1e300, 1e300) | st.integers(-(2**70), 2**70)


@st.composite
def numbers(draw, name):
    low, high = sorted(draw(st.lists(FINITE, min_size=2, max_size=2, unique=True)))
    if float(high) / 2 - float(low) / 2 < 1e-279:  # a range that a schema refuses
        low, high = 0, 1
    between = st.floats(0.01, 0.99).map(lambda part: float(low) + part * (float(high) - float(low)))
    cuts = sorted({cut for cut in draw(st.lists(between, max_size=3)) if low < cut < high})
    return Number(
        name, low, high, integer=draw(st.booleans()), cuts=cuts, origin=draw(st.sampled_from(ORIGINS))
    )


@st.composite
def categories(draw, name):
    kind = draw(st.sampled_from([TEXTS, st.integers(-(2**63), 2**63), st.floats(-1e9, 1e9), st.booleans()]))
    values = draw(st.lists(kind, min_size=1, max_size=5, unique_by=(str, lambda v: v)))
    other = draw(st.none() | TEXTS.filter(lambda text: text not in [str(value) for value in values]))
    return Category(name, tuple(values), other=other, origin=draw(st.sampled_from(ORIGINS)))


@st.composite
def schemas(draw):
    names = draw(st.lists(TEXTS, min_size=1, max_size=4, unique=True))
    columns = [draw(numbers(name) | categories(name)) for name in names]
    id = draw(st.none() | TEXTS.filter(lambda text: text and text not in names))
    unit = Unit(
        draw(st.sampled_from(["add_remove", "replace"])), id, draw(st.integers(1, 9)) if id is not None else 1
    )
    targets = st.none() | st.sampled_from([name for name in names if name] or [None])
    return Schema(
        tuple(columns),
        target=draw(targets),
        unit=unit,
        missing=draw(st.sampled_from(["skip", "error"])),
        dataset=draw(st.none() | TEXTS.filter(bool)),
    )


@given(schemas())
@settings(deadline=None)
def test_round_trip(schema):
    read = Schema.from_dict(tomllib.loads(schema_text(schema)))
    assert read == schema
    # Equal is not enough: 1 == 1.0 == True, and each is another category in a text column.
    assert repr(read) == repr(schema)


@given(schemas())
@settings(max_examples=20, deadline=None)
def test_round_trip_through_a_file(tmp_path_factory, schema):
    path = tmp_path_factory.mktemp("schema") / "schema.toml"
    write_schema(schema, path)
    assert read_schema(path) == schema
    assert [each.name for each in path.parent.iterdir()] == ["schema.toml"]


def test_numpy_bounds_are_written_as_numbers(tmp_path):
    import numpy as np

    columns = {
        "a": (np.float64(0.5), np.float64(2)),
        "b": (np.int64(0), np.int64(120)),
        "c": (np.float32(0), np.float32(1)),
        "d": list(np.array(["x", "y"])),
        "e": list(np.array([1, 2])),
    }
    schema = Schema.of(columns)
    assert schema["b"] == Number("b", 0, 120, integer=True)
    assert schema["c"] == Number("c", 0.0, 1.0)
    write_schema(schema, tmp_path / "schema.toml")
    assert read_schema(tmp_path / "schema.toml") == schema


def test_draft_marks_are_on_every_guessed_line():
    drafted = Schema(
        (
            Number("age", 3, 97, origin="read off the data"),
            Category("sex", ("f", "m"), origin="read off the data"),
        )
    )
    lines = [line for line in schema_text(drafted).splitlines() if "is this public knowledge?" in line]
    assert [line.split(" = ")[0] for line in lines] == ["kind", "low", "high", "kind", "values"]
    assert "nothing private runs" in schema_text(drafted)
    assert "public knowledge?" not in schema_text(drafted.confirm())
    assert "are a draft" not in schema_text(drafted.confirm())


BAD = {
    "columns": ("", "no [columns.NAME] entries", "privet schema draft"),
    "format": ("format = 2\n[columns.a]\nkind='number'\nlow=0\nhigh=1", "newer format", "Update"),
    "entry": ("colour = 1\n[columns.a]\nkind='number'\nlow=0\nhigh=1", "Unknown entries ['colour']", "Known"),
    "low": ("[columns.a]\nkind='number'\nhigh=1", "'a' has no finite low bound", "[columns.a]"),
    "high": ("[columns.a]\nkind='number'\nlow=1", "'a' has no finite high bound", "high = 100"),
    "huge": (f"[columns.a]\nkind='number'\nlow=0\nhigh={10**400}", "no finite high bound", "low = 0"),
    "text bound": ("[columns.a]\nkind='number'\nlow='0'\nhigh=1", "'a' has no finite low bound", "low = 0"),
    "nan bound": ("[columns.a]\nkind='number'\nlow=nan\nhigh=1", "'a' has no finite low bound", "low = 0"),
    "infinite": ("[columns.a]\nkind='number'\nlow=-inf\nhigh=1", "'a' has no finite low bound", "low = 0"),
    "true bound": ("[columns.a]\nkind='number'\nlow=false\nhigh=true", "no finite low bound", "low = 0"),
    "swapped": ("[columns.a]\nkind='number'\nlow=2\nhigh=1", "must be below high", "Swap"),
    "too wide": (
        "[columns.a]\nkind='number'\nlow=-1.7e308\nhigh=1.7e308",
        "range from low to high",
        "bounds",
    ),
    "too narrow": ("[columns.a]\nkind='number'\nlow=0\nhigh=5e-324", "range from low to high", "bounds"),
    "kind": ("[columns.a]\nlow=0\nhigh=1", "kind must be", 'kind = "number"'),
    "odd kind": ("[columns.a]\nkind=['x']\nlow=0\nhigh=1", "kind must be", 'kind = "number"'),
    "quoted": ("[columns.'a b']\nkind='number'\nhigh=1", "'a b'", '[columns."a b"]'),
    "unknown": ("[columns.a]\nkind='number'\nlow=0\nhigh=1\nbins=3", "unknown entries ['bins']", "Known"),
    "cuts": ("[columns.a]\nkind='number'\nlow=0\nhigh=1\ncuts=[1]", "strictly between", "cuts = [0.5]"),
    "falling": ("[columns.a]\nkind='number'\nlow=0\nhigh=9\ncuts=[3,2]", "cuts must rise", "cuts = [4.5]"),
    "text cuts": ("[columns.a]\nkind='number'\nlow=0\nhigh=9\ncuts=['x']", "list of numbers", "cuts = [4.5]"),
    "one cut": ("[columns.a]\nkind='number'\nlow=0\nhigh=9\ncuts=3", "list of numbers", "cuts = [4.5]"),
    "no values": ("[columns.a]\nkind='category'", "'a' has no domain", 'values = ["no", "yes"]'),
    "word": ("[columns.a]\nkind='category'\nvalues='abc'", "must be a list", 'values = ["no", "yes"]'),
    "number": ("[columns.a]\nkind='category'\nvalues=3", "must be a list", 'values = ["no", "yes"]'),
    "dates": ("[columns.a]\nkind='category'\nvalues=[2020-01-01]", "texts, numbers or booleans", "as text"),
    "lists": ("[columns.a]\nkind='category'\nvalues=[[1]]", "texts, numbers or booleans", "as text"),
    "twice": ("[columns.a]\nkind='category'\nvalues=['x','x']", "must all be different", "one entry"),
    "same number": ("[columns.a]\nkind='category'\nvalues=[1,1.0]", "must all be different", "one entry"),
    "zeros": ("[columns.a]\nkind='category'\nvalues=[0.0,-0.0]", "must all be different", "one entry"),
    "other": ("[columns.a]\nkind='category'\nvalues=['x']\nother='x'", "must all be different", "one entry"),
    "odd other": ("[columns.a]\nkind='category'\nvalues=['x']\nother=3", "`other` must be text", "other ="),
    "mixed": ("[columns.a]\nkind='category'\nvalues=['x',1]", "mix text, numbers or booleans", "as text"),
    "nan value": ("[columns.a]\nkind='category'\nvalues=[nan]", "not a finite number", "missing"),
    "origin": ("[columns.a]\nkind='number'\nlow=0\nhigh=1\norigin='me'", "unknown origin", "declared"),
    "not a section": ("columns.a = 3", "must be a section", "[columns.a]"),
    "target": ("target='b'\n[columns.a]\nkind='number'\nlow=0\nhigh=1", "target 'b'", "[columns.b]"),
    "odd target": (
        "target=3\n[columns.a]\nkind='number'\nlow=0\nhigh=1",
        "target must be a name",
        "target =",
    ),
    "dataset": (
        "dataset=3\n[columns.a]\nkind='number'\nlow=0\nhigh=1",
        "dataset must be a name",
        "dataset =",
    ),
    "missing": ("missing='no'\n[columns.a]\nkind='number'\nlow=0\nhigh=1", "missing = 'no'", '"skip"'),
    "unit": ("unit=3\n[columns.a]\nkind='number'\nlow=0\nhigh=1", "[unit] must be a section", "neighbours"),
    "unit entry": ("unit.k=3\n[columns.a]\nkind='number'\nlow=0\nhigh=1", "unknown entries ['k']", "most"),
    "neighbours": (
        "unit.neighbours='x'\n[columns.a]\nkind='number'\nlow=0\nhigh=1",
        "neighbour",
        "add_remove",
    ),
    "most": (
        "unit.id='p'\nunit.most=0\n[columns.a]\nkind='number'\nlow=0\nhigh=1",
        "at least one",
        "most = 1",
    ),
    "odd most": (
        "unit.id='p'\nunit.most=true\n[columns.a]\nkind='number'\nlow=0\nhigh=1",
        "one record",
        "most",
    ),
    "no id": ("unit.most=2\n[columns.a]\nkind='number'\nlow=0\nhigh=1", "who the person is", "id ="),
    "odd id": ("unit.id=3\n[columns.a]\nkind='number'\nlow=0\nhigh=1", "column's name", "id ="),
    "mined id": ("unit.id='a'\n[columns.a]\nkind='number'\nlow=0\nhigh=1", "cannot be mined", "[columns.a]"),
    "toml": ("this is not TOML", "not valid TOML", ""),
}


@pytest.mark.parametrize(("text", "says", "advises"), BAD.values(), ids=BAD)
def test_bad_schema_says_what_to_do(tmp_path, text, says, advises):
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(SchemaError) as caught:
        read_schema(path)
    assert says in caught.value.message
    assert advises in caught.value.advice
    assert caught.value.exit_code == 3


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(SchemaError, match=r"no schema file none\.toml"):
        read_schema(tmp_path / "none.toml")
    with pytest.raises(SchemaError, match="cannot be read"):
        read_schema(tmp_path)
    (tmp_path / "latin.toml").write_bytes(b"target = '\xff'")
    with pytest.raises(SchemaError, match="not valid TOML"):
        read_schema(tmp_path / "latin.toml")


def test_the_advised_lines_are_a_schema():
    """The lines that an error shows must work when they are pasted."""
    with pytest.raises(SchemaError) as caught:
        Number("weight at birth", float("nan"), 1)
    lines = "\n".join(line.strip() for line in caught.value.advice.splitlines()[1:])
    assert Schema.from_dict(tomllib.loads(lines))["weight at birth"] == Number("weight at birth", 0, 100)
    with pytest.raises(SchemaError) as caught:
        Category("sex", ())
    lines = "\n".join(line.strip() for line in caught.value.advice.splitlines()[1:])
    assert Schema.from_dict(tomllib.loads(lines))["sex"] == Category("sex", ("no", "yes"))
