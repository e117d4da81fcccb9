"""Delta and Iceberg: real tables with rows that were deleted. Who is gone is not counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from privet.engines import engine_for
from privet.schema import Schema
from privet.sources import open_source
from privet.stats import Contingency

SCHEMA = Schema.of({"ill": ["no", "yes"]}, target="ill")
PEOPLE = pa.table(
    {"name": ["Ada", "Bo", "Cy", None], "age": [30.5, 40.0, None, 7.0], "ill": ["no", "yes"] * 2}
)


def write_delta(place: Path) -> Path:
    from deltalake import DeltaTable, write_deltalake

    write_deltalake(place, PEOPLE)
    DeltaTable(place).delete("name = 'Bo'")
    write_deltalake(place, PEOPLE.slice(1, 1).set_column(0, "name", [["Di"]]), mode="append")
    return place


def write_iceberg(place: Path) -> Path:
    from pyiceberg.catalog.memory import InMemoryCatalog

    catalog = InMemoryCatalog("test", warehouse=place.as_uri())
    catalog.create_namespace("clinic")
    table = catalog.create_table("clinic.people", PEOPLE.schema)
    table.append(PEOPLE)
    table.delete("name = 'Bo'")
    table.append(PEOPLE.slice(1, 1).set_column(0, "name", [["Di"]]))
    return Path(table.metadata_location.removeprefix("file://"))


WRITERS = {"delta": write_delta, "iceberg": write_iceberg}


@pytest.fixture(params=list(WRITERS))
def written(request: Any, tmp_path: Path) -> Path:
    return WRITERS[request.param](tmp_path / "people")


def test_a_table_is_read_as_it_is_now(written: Path) -> None:
    source = open_source(written)
    assert source.names == ("name", "age", "ill")
    rows = [row for batch in source.batches(["ill", "name"]) for row in batch.to_pylist()]
    assert sorted(map(str, rows)) == sorted(
        str({"ill": ill, "name": name})
        for name, ill in [("Ada", "no"), ("Di", "yes"), ("Cy", "no"), (None, "yes")]
    )
    [counts] = engine_for(source).answer([Contingency(None, "ill")], source, SCHEMA)
    assert counts.tolist() == [[2, 2]]


def test_one_version_is_read_from_then_on(tmp_path: Path) -> None:
    from deltalake import DeltaTable

    source = open_source(write_delta(tmp_path / "people"))
    DeltaTable(tmp_path / "people").delete()
    assert sum(batch.num_rows for batch in source.batches()) == 4
    assert sum(batch.num_rows for batch in open_source(tmp_path / "people").batches()) == 0


@pytest.mark.parametrize(
    "change",
    [
        '{"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["deletionVectors"],'
        '"writerFeatures":["deletionVectors"]}}',
        '{"protocol":{"minReaderVersion":2,"minWriterVersion":5}}',
    ],
    ids=["deletion vectors", "column mapping"],
)
def test_what_hides_rows_inside_files_is_refused(tmp_path: Path, change: str, refuses: Any) -> None:
    place = write_delta(tmp_path / "people")
    log = place / "_delta_log" / "00000000000000000000.json"
    lines = log.read_text().splitlines()
    lines = [change if line.startswith('{"protocol"') else line for line in lines]
    if "readerFeatures" not in change:
        mapped = '"configuration":{"delta.columnMapping.mode":"name"}'
        lines = [line.replace('"configuration":{}', mapped) for line in lines]
        assert any(mapped in line for line in lines)
    log.write_text("\n".join(lines) + "\n")
    refuses(lambda: list(open_source(place).batches()), "people", "people.parquet")


def test_a_folder_of_iceberg_needs_a_hint_at_its_current_metadata(tmp_path: Path, refuses: Any) -> None:
    current = write_iceberg(tmp_path)
    folder = current.parent.parent
    refuses(lambda: open_source(folder), "catalog", ".metadata.json")
    (current.parent / "version-hint.text").write_text(current.name)
    assert sum(batch.num_rows for batch in open_source(folder).batches()) == 4


def test_a_file_that_is_gone_says_nothing_of_its_rows(written: Path, refuses: Any) -> None:
    source = open_source(written)
    folder = written if written.is_dir() else written.parent.parent
    for file in folder.rglob("*.parquet"):
        file.unlink()
    refuses(lambda: list(source.batches()), "could not be read")
