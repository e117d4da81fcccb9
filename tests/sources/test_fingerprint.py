from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from privet.schema import Schema
from privet.sources import (
    ArrowSource,
    as_source,
    fingerprint,
    open_source,
    write_arff,
    write_csv,
    write_parquet,
)
from tests.sources.tables import tables

quick = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def of(table: pa.Table) -> bytes:
    return fingerprint(ArrowSource(table))


@quick
@given(tables(strip=True))
def test_the_same_in_every_format(tmp_path: Path, drawn: tuple[pa.Table, Schema]) -> None:
    table, schema = drawn
    expected = of(table)
    assert len(expected) == 16
    write_csv(ArrowSource(table), tmp_path / "t.csv.gz")
    write_arff(ArrowSource(table), tmp_path / "t.arff", schema)
    write_parquet(ArrowSource(table), tmp_path / "t.parquet")
    for name in ("t.csv.gz", "t.arff", "t.parquet"):
        assert fingerprint(open_source(tmp_path / name, schema)) == expected
        assert fingerprint(open_source(tmp_path / name)) == expected
    assert fingerprint(as_source(table.to_pandas())) == expected


@quick
@given(tables(), st.randoms(use_true_random=False))
def test_order_and_batches_do_not_matter(drawn: tuple[pa.Table, Schema], chance: random.Random) -> None:
    table, _ = drawn
    rows = list(range(table.num_rows))
    chance.shuffle(rows)
    names = list(table.column_names)
    chance.shuffle(names)
    shuffled = table.take(rows).select(names)
    pieces = pa.concat_tables([shuffled.slice(row, 1) for row in range(table.num_rows)])
    assert of(shuffled) == of(pieces) == of(table)


@quick
@given(tables(strip=True), st.data())
def test_one_changed_cell_changes_it(drawn: tuple[pa.Table, Schema], data: st.DataObject) -> None:
    table, _ = drawn
    column = data.draw(st.integers(0, table.num_columns - 1))
    row = data.draw(st.integers(0, table.num_rows - 1))
    cells = table.column(column).to_pylist()
    numeric = table.schema.field(column).type == pa.float64()
    new = data.draw(st.one_of(st.none(), st.floats(allow_nan=False) if numeric else st.just("other")))
    assume(new != cells[row])
    cells[row] = new
    changed = table.set_column(column, table.field(column), pa.array(cells, table.schema.field(column).type))
    assert of(changed) != of(table)


def test_what_is_equal_and_what_is_not() -> None:
    base = of(pa.table({"a": [1, 0, None], "b": ["x", "true", None]}))
    assert base == of(pa.table({"a": [1.0, -0.0, float("nan")], "b": ["x", "True", ""]}))
    assert base == of(pa.table({"a": ["1", "0.0", None], "b": ["x", "true", None]}))
    coded = pa.array(["x", "true", None]).dictionary_encode()
    assert base == of(pa.table({"a": pa.array([1, 0, None], pa.int8()), "b": coded}))
    assert base == of(pa.table({"a": pa.array([1, 0, None], pa.int16()).dictionary_encode(), "b": coded}))
    assert of(pa.table({"a": [-5]})) == of(pa.table({"a": pa.array([-5], pa.int8())}))
    assert of(pa.table({"a": [200]})) == of(pa.table({"a": pa.array([200], pa.uint8())}))
    assert of(pa.table({"a": [True, None]})) == of(pa.table({"a": ["true", None]}))
    assert base != of(pa.table({"a": [0, 1, None], "b": ["x", "true", None]}))
    assert base != of(pa.table({"b": [1, 0, None], "a": ["x", "true", None]}))
    assert base != of(pa.table({"a": [1, 0], "b": ["x", "true"]}))
    assert base != of(pa.table({"a": [1, 0, None, None], "b": ["x", "true", None, None]}))
    assert of(pa.table({"a": [True, False]})) == of(pa.table({"a": ["true", "false"]}))


def test_large_integers_are_told_apart() -> None:
    one, two = pa.table({"a": [2**60 + 1]}), pa.table({"a": [2**60]})
    assert of(one) != of(two)
    assert of(two) == of(pa.table({"a": [float(2**60)]})) == of(pa.table({"a": [str(2**60)]}))
    assert of(one) == of(pa.table({"a": [str(2**60 + 1)]}))
    assert of(pa.table({"a": pa.array([2**64 - 1], pa.uint64())})) == of(pa.table({"a": [str(2**64 - 1)]}))


def test_no_text_is_taken_for_a_missing_cell() -> None:
    prints = {of(pa.table({"a": [f"value {i}"]})) for i in range(5000)}
    assert len(prints | {of(pa.table({"a": pa.array([None], pa.string())}))}) == 5001


def test_tables_without_rows_differ_by_their_columns() -> None:
    assert of(pa.table({"a": pa.array([], pa.int64())})) != of(pa.table({"b": pa.array([], pa.int64())}))


def test_arrays_in_both_orders_and_frames() -> None:
    X = np.random.default_rng(3).normal(size=(20_000, 3))
    X[::7, 1] = np.nan
    names = ["x0", "x1", "x2"]
    expected = fingerprint(as_source(X))
    assert expected == fingerprint(as_source(np.asfortranarray(X)))
    assert expected == fingerprint(as_source(pd.DataFrame(X, columns=names)))
    assert expected == fingerprint(as_source(X.tolist()))
    assert expected == fingerprint(as_source(X[::-1, ::-1], names=names[::-1]))


def test_dates_are_told_apart_and_lists_are_refused(refuses) -> None:
    one, two = (of(pa.table({"when": pa.array([day], pa.date32())})) for day in (0, 1))
    assert one != two
    refuses(lambda: of(pa.table({"list": [[{"a": "S3NT1NEL"}]]})), "'list'")
