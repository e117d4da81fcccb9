from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings

from privet.schema import Schema
from privet.sources import ArrowSource, ParquetSource, open_source, write_parquet
from tests.sources.tables import tables, values


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tables())
def test_round_trip(tmp_path: Path, drawn: tuple[pa.Table, Schema]) -> None:
    table, _ = drawn
    path = tmp_path / "t.parquet"
    write_parquet(ArrowSource(table), path)
    assert values(ParquetSource(path)) == table.to_pydict()


def test_columns_dictionaries_and_names_with_dots(tmp_path: Path) -> None:
    table = pa.table({"a": [1, 2], "a.b": ["x", "y"], "c": pa.array([1, 2], pa.int8())})
    pq.write_table(table, tmp_path / "t.parquet")
    source = ParquetSource(tmp_path / "t.parquet")
    (batch,) = source.batches(["c", "a.b"])
    assert batch.schema.names == ["c", "a.b"]
    assert pa.types.is_dictionary(batch.schema.field("a.b").type)
    assert batch.schema.field("c").type == pa.int8()
    assert values(source, ["a"]) == {"a": [1, 2]}


def test_a_folder_is_one_table_in_the_order_of_names(tmp_path: Path) -> None:
    for place, name in enumerate(["b.parquet", "a.parquet", "c.pq"]):
        pq.write_table(pa.table({"n": [place]}), tmp_path / name)
    (tmp_path / "_SUCCESS").write_text("")
    assert values(ParquetSource(tmp_path)) == {"n": [1, 0, 2]}


def test_constant_memory(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    group = pa.table({f"x{i}": [f"v{j % 7}" for j in range(20_000)] for i in range(5)})
    with pq.ParquetWriter(path, group.schema) as writer:
        for _ in range(50):
            writer.write_table(group)
    before = pa.total_allocated_bytes()
    most = max(pa.total_allocated_bytes() - before for _ in ParquetSource(path).batches())
    assert most < 50 * group.nbytes / 4


def test_bad_files(tmp_path: Path, refuses) -> None:
    bad = tmp_path / "bad.parquet"
    bad.write_bytes(b"S3NT1NEL" * 20)
    refuses(lambda: ParquetSource(bad), "no Parquet file")
    bad.write_bytes(b"")
    refuses(lambda: ParquetSource(bad), "bad.parquet")
    refuses(lambda: ParquetSource(tmp_path / "none.parquet"), "no file none.parquet")
    bad.unlink()
    refuses(lambda: ParquetSource(tmp_path), "holds no .parquet")
    pq.write_table(pa.table({"a": [1]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"b": [1]}), tmp_path / "b.parquet")
    refuses(lambda: list(ParquetSource(tmp_path).batches()), "b.parquet lacks")


def test_a_file_damaged_in_the_middle(tmp_path: Path, refuses) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": [f"S3NT1NEL{i}" for i in range(10_000)]}), path)
    data = bytearray(path.read_bytes())
    data[4:2000] = bytes(1996)
    path.write_bytes(data)
    refuses(lambda: list(ParquetSource(path).batches()), "t.parquet")


@pytest.mark.parametrize(
    "made", ["_delta_log/00000000000000000000.json", "metadata/v1.metadata.json", ".hoodie/hoodie.properties"]
)
def test_a_folder_of_a_table_format_is_not_read_as_plain_parquet(tmp_path: Path, made: str, refuses) -> None:
    """Such folders keep the files of rows that were deleted: people who are gone would be counted."""
    part = tmp_path / "people" / "year=2024" / "part-0.parquet"
    part.parent.mkdir(parents=True)
    pq.write_table(pa.table({"a": [1, 2]}), part)
    assert sum(batch.num_rows for batch in open_source(tmp_path / "people").batches()) == 2
    log = tmp_path / "people" / made
    log.parent.mkdir()
    log.write_text("{}")
    for path in (tmp_path, part.parent, part):
        refuses(lambda path=path: open_source(path), "deleted", "people.parquet")
    refuses(lambda: open_source(tmp_path / "people"), "people")


def test_a_folder_that_is_called_metadata_is_no_table_format(tmp_path: Path) -> None:
    (tmp_path / "metadata").mkdir()
    pq.write_table(pa.table({"a": [1, 2]}), tmp_path / "metadata" / "part-0.parquet")
    assert sum(batch.num_rows for batch in open_source(tmp_path).batches()) == 2
