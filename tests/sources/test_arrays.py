from __future__ import annotations

import tracemalloc
from functools import partial

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from privet.errors import DataError
from privet.sources import BATCH_ROWS, ArraySource, ArrowSource, FrameSource, Source, as_source
from tests.sources.tables import values


def rebuilt(source: Source) -> np.ndarray:
    return np.concatenate(
        [np.column_stack([c.to_numpy(zero_copy_only=False) for c in b]) for b in source.batches()]
    )


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int8, np.int64, np.uint16, np.bool_, np.float16])
def test_the_same_values_in_the_same_order_twice(order: str, kind: type) -> None:
    X = np.asarray(np.random.default_rng(0).integers(0, 100, (70_000, 3)), dtype=kind, order=order)  # type: ignore[call-overload]
    source = ArraySource(X)
    assert isinstance(source, Source)
    for _ in range(2):
        np.testing.assert_array_equal(rebuilt(source), X)


def test_nan_stays_nan_and_nulls_are_not_looked_for() -> None:
    (batch,) = ArraySource(np.array([[1.0, np.nan], [np.nan, 2.0]])).batches()
    assert [c.null_count for c in batch] == [0, 0]
    assert np.isnan(batch.column(0).to_numpy()[1])


def test_views_and_foreign_byte_order() -> None:
    X = np.arange(24.0).reshape(6, 4)
    np.testing.assert_array_equal(rebuilt(ArraySource(X[::-2, 1:3])), X[::-2, 1:3])
    np.testing.assert_array_equal(rebuilt(ArraySource(X.astype(">f8"))), X)


def addresses(source: Source) -> list[int]:
    return [column.buffers()[1].address + 8 * column.offset for b in source.batches() for column in b]


def test_fortran_arrays_are_not_copied() -> None:
    X = np.asfortranarray(np.random.default_rng(0).normal(size=(BATCH_ROWS + 5, 2)))
    expected = [X[start:, column].ctypes.data for start in (0, BATCH_ROWS) for column in (0, 1)]
    assert addresses(ArraySource(X)) == expected


def test_frames_are_not_copied() -> None:
    frame = pd.DataFrame({"a": np.arange(10.0), "b": np.arange(10.0) ** 2})
    assert addresses(FrameSource(frame)) == [frame[name].to_numpy().ctypes.data for name in "ab"]


def test_a_large_array_is_read_with_little_memory() -> None:
    X = np.zeros((1_000_000, 20))
    source = ArraySource(X)
    tracemalloc.start()
    before = pa.total_allocated_bytes()
    arrow = 0
    for batch in source.batches():
        arrow = max(arrow, pa.total_allocated_bytes() - before)
        assert batch.num_columns == 20
    peak = tracemalloc.get_traced_memory()[1] + arrow
    tracemalloc.stop()
    assert peak < 0.2 * X.nbytes


def test_mixed_objects_and_lists() -> None:
    rows = [[1, "a", None], [2.5, None, True], [None, "b", False]]
    expected = {"x0": [1.0, 2.5, None], "x1": ["a", None, "b"], "x2": [None, True, False]}
    assert values(ArraySource(rows)) == expected
    assert values(ArraySource(np.array(rows, dtype=object))) == expected


def test_an_object_column_has_one_type_across_blocks() -> None:
    column = np.array([None] * BATCH_ROWS + [1] * BATCH_ROWS + [2.5], dtype=object)
    kinds = {batch.schema.field(0).type for batch in ArraySource(column[:, None]).batches()}
    assert kinds == {pa.float64()}


def test_target_and_names() -> None:
    source = ArraySource([[1], [2]], ["no", "yes"], names=["age"], target="ill")
    assert values(source) == {"age": [1, 2], "ill": ["no", "yes"]}
    assert values(source, ["ill"]) == {"ill": ["no", "yes"]}
    assert values(ArraySource(np.eye(2), np.array([[3], [4]])))["target"] == [3, 4]


def test_frames_keep_their_categories_texts_and_missing_cells() -> None:
    frame = pd.DataFrame(
        {
            "n": [1.5, None],
            "c": pd.Categorical(["u", None], categories=["v", "u"]),
            "t": ["x", None],
            "i": pd.array([1, None], dtype="Int64"),
            "o": pd.Series(["p", 'q"'], dtype=object),
            7: [True, False],
        }
    )
    expected = {"n": [1.5, None], "c": ["u", None], "t": ["x", None], "i": [1, None], "o": ["p", 'q"']}
    assert values(as_source(frame)) == expected | {"7": [True, False]}
    (batch,) = FrameSource(frame).batches(["c"])
    assert batch.column(0).dictionary.to_pylist() == ["v", "u"]
    y = pd.Series(["a", "b"], name="class", index=[5, 9])
    assert values(as_source(frame[["n"]], y)) == {"n": [1.5, None], "class": ["a", "b"]}


def test_arrow_tables_and_what_speaks_arrow() -> None:
    table = pa.table({"a": [1, None], "b": ["x", "y"]})
    assert values(as_source(table)) == table.to_pydict()
    assert values(as_source(table, [0, 1])) == table.to_pydict() | {"target": [0, 1]}
    assert values(as_source(table.to_reader())) == table.to_pydict()
    source = ArrowSource(table)
    assert as_source(source) is source
    assert values(source, ["b", "a"]) == {"b": ["x", "y"], "a": [1, None]}


def test_a_column_that_is_not_asked_for_is_not_converted() -> None:
    odd = pd.DataFrame({"a": [1.5], "when": pd.to_datetime(["2020-01-01"]), "odd": [1j], "mix": [[1]]})
    assert values(FrameSource(odd), ["a"]) == {"a": [1.5]}
    (batch,) = FrameSource(odd).batches(["when"])
    assert pa.types.is_timestamp(batch.schema.field(0).type)


def test_fixed_width_text() -> None:
    assert values(ArraySource(np.array([["ab", "c"]]))) == {"x0": ["ab"], "x1": ["c"]}
    assert values(ArraySource(np.array([[b"ab", b"c"]]))) == {"x0": ["ab"], "x1": ["c"]}


def test_no_rows() -> None:
    source = ArraySource(np.empty((0, 2)))
    assert source.names == ("x0", "x1")
    assert list(source.batches()) == []


def test_bad_arrays(refuses) -> None:
    mixed = np.array([["a", "S3NT1NEL"], ["b", 1]], dtype=object)
    refuses(lambda: list(ArraySource(mixed, names=["ok", "bad one"]).batches()), "bad one")
    late = np.array([1] * BATCH_ROWS + ["S3NT1NEL"], dtype=object)[:, None]
    refuses(lambda: list(ArraySource(late, names=["late"]).batches()), "'late'")
    refuses(lambda: list(ArraySource(np.array([[1j]]), names=["odd"]).batches()), "'odd'")
    refuses(lambda: ArraySource([[1, 2], [3]]), "same length")
    refuses(lambda: ArraySource([1, 2, 3]), "reshape")
    refuses(lambda: ArraySource(np.eye(3), [1, 2]), "number of rows")
    refuses(lambda: ArraySource(np.eye(2), names=["a", "a"]), "1 and 2")
    refuses(lambda: ArraySource(np.eye(2), names=["a"]), "1 names for 2")
    refuses(lambda: list(ArraySource(np.eye(2)).batches(["S"])), "'S'")
    refuses(lambda: ArraySource(np.eye(2), np.eye(2)), "one column")
    refuses(partial(as_source, pa.table({"a": [1]}), [1, 2]), "number of rows")
    with pytest.raises(DataError):
        list(ArraySource(np.array([[2**70]], dtype=object)).batches())


def test_an_arrow_table_without_rows_keeps_its_target():
    assert as_source(pa.table({"age": pa.array([], pa.float64())}), [], target="ill").names == ("age", "ill")


def test_polars(refuses) -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"a": [1, 2], "b": ["x", None]})
    assert values(as_source(frame)) == {"a": [1, 2], "b": ["x", None]}
    assert values(as_source(frame, [0, 1]))["target"] == [0, 1]
    for y in (None, [0, 1]):
        refuses(lambda y=y: as_source(frame.lazy(), y), "collect()")
