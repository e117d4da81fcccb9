"""Columns of Python objects: one odd record neither stops a paid run nor changes how others are read."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet import NaiveBayes
from privet.budget import Ledger, budget
from privet.curator.object_cells import object_cells
from privet.curator.tables import as_source
from privet.errors import DataError
from privet.evaluation import evaluate
from privet.schema import Category, Number, Schema, Unit
from privet.stats import Rows

COLUMNS = (
    Number("age", 0, 120),
    Category("word", ("a", "b")),
    Category("digit", ("0", "1"), other="other"),
    Category("code", (0, 1, 2)),
    Category("truth", (False, True)),
    Category("ill", ("no", "yes")),
)
SCHEMA = Schema(COLUMNS, target="ill", dataset="ward", outside="count")
ODD = [
    None,
    float("nan"),
    "x",
    "",
    3.5,
    True,
    np.int64(1),
    np.float32(0),
    float("inf"),
    10**30,
    [1],
    {},
    b"a",
]


def ledger():
    opened = Ledger.in_memory()
    opened.open_account("ward", budget(100.0), unit=Unit())
    return opened


@pytest.mark.parametrize("odd", ODD, ids=repr)
def test_an_odd_cell_anywhere_does_not_stop_a_paid_run(odd):
    """Before: "Column 'age' mixes text, numbers or other kinds of values", after the run was paid for."""
    plain = [40, "a", "1", 2, True, "no"]
    for place in range(len(plain)):
        cells = [*plain[:place], odd, *plain[place + 1 :]]
        rows = np.array([plain, [*cells, None][:-1], plain], dtype=object)
        payer = ledger()
        model = NaiveBayes(epsilon=1.0, schema=SCHEMA, ledger=payer).fit(rows[:, :5], rows[:, 5])
        evaluate(model, rows[:, :5], rows[:, 5], epsilon=1.0)
        NaiveBayes(epsilon=1.0, schema=SCHEMA, ledger=payer).fit(pd.DataFrame(rows, columns=SCHEMA.names))


HALVES = ["a", "\ud800", "b", "\ud800x", "b"]  # half a character, as a damaged JSON file gives


def categories(cells):
    places, words = pd.factorize(np.array(cells, dtype=object))
    return pd.Categorical.from_codes(places, pd.Index(words, dtype=object))


@pytest.mark.parametrize(
    "word",
    [
        np.array([[cell] for cell in HALVES]),
        np.array([[cell.encode("utf-8", "surrogatepass")] for cell in HALVES]),
        pd.DataFrame({"word": pd.Series(HALVES, dtype=object)}),
        pd.DataFrame({"word": categories(HALVES)}),
    ],
    ids=["texts", "bytes", "objects", "categories"],
)
def test_half_a_character_does_not_stop_a_paid_run(word):
    """Before: "surrogates not allowed", after the run was paid for."""
    schema = Schema((Category("word", ("a", "b")), SCHEMA["ill"]), target="ill", dataset="ward")
    ill = ["no", "yes", "no", "yes", "no"]
    NaiveBayes(epsilon=1.0, schema=schema, ledger=ledger()).fit(word, ill)
    with pytest.raises(DataError) as refused:
        NaiveBayes(epsilon=1.0, schema=schema).fit(word, ill)
    assert "ud800" not in str(refused.value)
    [batch] = as_source(word, ill, names=["word"], schema=replace(schema, outside="count")).batches(["word"])
    assert Rows(batch, schema).codes("word").tolist() == [0, 2, 1, 2, 1]


def test_an_id_with_half_a_character_is_nobodys():
    """Two people's ids would be the same text once they were mended, and bounded together."""
    read = object_cells(Schema.of({"ill": ["no", "yes"]}, unit=Unit(id="who"), dataset="ward"))
    assert read("who", ["a", "\ud800", "\ud801", b"\xff"]).to_pylist() == ["a", None, None, None]


def test_without_a_ledger_a_mixed_column_is_refused():
    with pytest.raises(DataError, match="mixes"):
        NaiveBayes(schema=Schema(COLUMNS, target="ill"), look_first=False).fit(
            np.array([[40, "a", "1", 2, True], ["x", "a", "1", 2, True]], dtype=object), ["no", "yes"]
        )


cells = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 130),
    st.floats(-3, 130),
    st.sampled_from(["a", "b", "0", "1", "1.0", "true", "no", "yes", "2", " 7 "]),
)


def coded(source):
    [batch] = source.batches(list(SCHEMA.names))
    rows = Rows(batch, SCHEMA)
    return [
        rows.codes(c.name).tolist()
        if isinstance(c, Category)
        else np.nan_to_num(rows.numbers(c.name)).tolist()
        for c in COLUMNS
    ]


@settings(max_examples=60, deadline=None)
@given(st.lists(cells, min_size=1, max_size=6), st.sampled_from(ODD))
def test_one_more_record_changes_no_other_cell(column, odd):
    """Each cell is read by itself: with or without the odd one, the others count where they did."""
    objects = np.empty((len(column), len(COLUMNS)), dtype=object)
    objects[:] = np.array([*column, None], dtype=object)[:-1, None]
    more = np.empty((len(column) + 1, len(COLUMNS)), dtype=object)
    more[:-1] = objects
    for place in range(len(COLUMNS)):
        more[-1, place] = odd
    before = coded(as_source(objects, names=SCHEMA.names, schema=SCHEMA))
    after = coded(as_source(more, names=SCHEMA.names, schema=SCHEMA))
    assert [each[:-1] for each in after] == before


@settings(max_examples=60, deadline=None)
@given(
    st.one_of(
        st.lists(st.booleans(), min_size=1),
        st.lists(st.integers(-3, 130), min_size=1),
        st.lists(st.floats(-3, 130), min_size=1),
        st.lists(st.sampled_from(["a", "b", "0", "1", "no", "true", "7", "x"]), min_size=1),
    )
)
def test_cells_of_one_kind_are_read_as_in_a_column_of_that_kind(column):
    """NumPy gives a column of one kind a type of its own: a mixed one must count the same."""
    typed = np.array(column)
    frame = pd.DataFrame({c.name: typed for c in COLUMNS})
    objects = np.empty((len(column), len(COLUMNS)), dtype=object)
    objects[:] = np.array(column, dtype=object)[:, None]
    assert coded(as_source(frame, schema=SCHEMA)) == coded(
        as_source(objects, names=SCHEMA.names, schema=SCHEMA)
    )


def test_ids_of_any_kind():
    read = object_cells(Schema.of({"ill": ["no", "yes"]}, unit=Unit(id="who"), dataset="ward"))
    assert read("who", [1, 1.0, "1", None, [2], "b"]).to_pylist() == ["1", "1", "1", None, None, "b"]
