"""Folds: independent of each other, the same in every pass, a person never in two."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from privet.curator.folds import FoldSource, fold_column
from privet.schema import Unit
from privet.sources import ArraySource, ArrowSource, Source

KEY = 0x1234_5678_9ABC_DEF0_0FED_CBA9_8765_4321


def rows_of(source, column="row"):
    return [value for batch in source.batches([column]) for value in batch.column(0).to_pylist()]


def folds_of(table, unit=None, folds=5, key=KEY, column="row"):
    """Which fold each row is in, by the row's content."""
    source = FoldSource(ArrowSource(table), unit or Unit(), folds, key, label="fold")
    pairs = []
    for batch in source.batches([column, "fold"]):
        assert len(set(batch.column(1).to_pylist())) == 1
        pairs += zip(batch.column(0).to_pylist(), batch.column(1).to_pylist(), strict=True)
    return pairs


def test_a_fold_source_is_a_source():
    source = FoldSource(ArrowSource(pa.table({"fold": [1]})), Unit(), 2, KEY, label="fold_")
    assert isinstance(source, Source)
    assert source.names == ("fold", "fold_")
    assert fold_column(source) == "fold__"


def test_every_row_is_tested_once_and_trained_on_in_all_other_folds():
    table = pa.table({"row": range(1000)})
    tested = dict(folds_of(table))
    assert sorted(tested) == list(range(1000))
    for fold in range(5):
        training = rows_of(FoldSource(ArrowSource(table), Unit(), 5, KEY, outside=fold))
        assert training == [row for row in range(1000) if tested[row] != fold]


def test_folds_do_not_depend_on_how_the_rows_are_read():
    """Arrays are read in blocks whose size depends on the columns asked for; folds must not."""
    wide = np.asfortranarray(np.arange(20_000 * 40, dtype=float).reshape(20_000, 40))
    source = ArraySource(np.ascontiguousarray(wide))
    split = FoldSource(source, Unit(), 3, KEY, outside=1)
    by_one = [v for b in split.batches(["x0"]) for v in b.column(0).to_pylist()]
    by_many = [v for b in split.batches() for v in b.column(0).to_pylist()]
    assert by_one == by_many


def test_folds_are_uniform_and_not_of_equal_size():
    sizes = np.bincount([fold for _, fold in folds_of(pa.table({"row": range(20_000)}))], minlength=5)
    assert chisquare(sizes).pvalue > 1e-4
    assert len(set(sizes)) > 1


def test_neighbouring_rows_and_keys_draw_independently():
    first = np.array([f for _, f in sorted(folds_of(pa.table({"row": range(20_000)})))])
    second = np.array([f for _, f in sorted(folds_of(pa.table({"row": range(20_000)}), key=KEY + 1))])
    for one, two in ((first[:-1], first[1:]), (first, second)):
        assert chisquare(np.bincount(one * 5 + two, minlength=25)).pvalue > 1e-4


def test_a_replaced_record_keeps_its_fold():
    table = pa.table({"row": range(100), "value": ["a"] * 100})
    other = pa.table({"row": range(100), "value": ["a"] * 50 + ["b"] + ["a"] * 49})
    assert folds_of(table) == folds_of(other)


@given(st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=30), st.sampled_from("abcdefgh"))
def test_taking_a_person_away_moves_nobody_else(people, gone):
    unit = Unit(id="who", most=3)
    before = folds_of(pa.table({"who": people}), unit, column="who")
    after = folds_of(
        pa.table({"who": pa.array([p for p in people if p != gone], pa.string())}), unit, column="who"
    )
    assert sorted(pair for pair in before if pair[0] != gone) == sorted(after)
    assert len(dict(before)) == len(set(before))  # one fold a person


@pytest.mark.parametrize("kind", [pa.int64(), pa.float64(), pa.dictionary(pa.int32(), pa.string())])
def test_people_of_any_type_and_in_any_batch_have_one_fold(kind):
    people = [str(number % 50) for number in range(1000)]
    column = pa.array(people).cast(kind) if not pa.types.is_dictionary(kind) else pa.array(people, kind)
    table = pa.table({"who": column, "row": range(1000)})
    table = pa.concat_tables([table.slice(0, 333), table.slice(333)])
    tested = dict(folds_of(table, Unit(id="who")))
    for person in range(50):
        assert len({tested[row] for row in range(person, 1000, 50)}) == 1
    assert len(set(tested.values())) == 5


def test_records_of_nobody_are_no_error():
    table = pa.table({"who": pa.array(["a", None, "b"]), "row": [0, 1, 2]})
    assert sorted(row for row, _ in folds_of(table, Unit(id="who"))) == [0, 1, 2]
    assert rows_of(FoldSource(ArrowSource(table.slice(0, 0)), Unit(id="who"), 2, KEY, outside=0)) == []
