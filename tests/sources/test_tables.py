"""What a database reads and what the stream of batches gives are the same values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ibis
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings

from privet.schema import Schema
from privet.sources import (
    ArrowSource,
    CsvSource,
    ParquetSource,
    ReadOptions,
    Source,
    TableSource,
    write_csv,
    write_parquet,
)
from tests.sources.tables import tables, values

few = settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def asked(source: Source) -> dict[str, list[Any]]:
    table = source.table()
    assert table is not None
    return table.to_pyarrow().to_pydict()


@few
@given(tables(strip=True))
def test_csv(tmp_path: Path, drawn: tuple[pa.Table, Schema]) -> None:
    table, schema = drawn
    for name in ("t.csv", "t.csv.gz"):
        write_csv(ArrowSource(table), tmp_path / name)
        for source in (CsvSource(tmp_path / name, schema), CsvSource(tmp_path / name)):
            assert asked(source) == values(source) == table.to_pydict()


def test_csv_with_all_that_is_awkward(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('\ufeffa; b ;"c ""d"""\n1; x;"p;\nq"\n ?;?; NA\n\n 3 ;  x  ;""\n1e3;\ty;null\n')
    source = CsvSource(path, options=ReadOptions(newlines=True))
    assert asked(source) == values(source)
    assert values(source)["a"] == [1, None, 3, 1000]


@few
@given(tables())
def test_parquet(tmp_path: Path, drawn: tuple[pa.Table, Schema]) -> None:
    table, _ = drawn
    write_parquet(ArrowSource(table), tmp_path / "t.parquet")
    source = ParquetSource(tmp_path / "t.parquet")
    assert asked(source) == values(source) == table.to_pydict()


def test_a_folder_of_parquet(tmp_path: Path) -> None:
    for name in "ab":
        pq.write_table(pa.table({"n": [name]}), tmp_path / f"{name}.parquet")
    source = ParquetSource(tmp_path)
    assert asked(source) == values(source) == {"n": ["a", "b"]}


def test_text_in_a_numbers_column_is_not_quoted_by_the_database(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\nS3NT1NEL,3\n")
    table = CsvSource(path, Schema.of({"a": (0, 1)})).table()
    assert table.b.sum().to_pyarrow().as_py() == 5
    with pytest.raises(Exception, match=r"Column 'a' of t\.csv holds text") as caught:
        table.a.sum().to_pyarrow()
    assert "S3NT1NEL" not in str(caught.value)


def test_ibis_tables(refuses) -> None:
    table = ibis.duckdb.connect().create_table("people", pa.table({"a": [1, None, 3], "b": ["x", "y", None]}))
    source = TableSource(table.order_by("a"))
    assert isinstance(source, Source)
    assert source.names == ("a", "b")
    assert values(source, ["b", "a"]) == {"b": ["x", None, "y"], "a": [1, 3, None]}
    assert asked(source) == values(source)
    refuses(lambda: TableSource("people"), "Ibis")
    refuses(lambda: list(source.batches(["z"])), "'z'")
