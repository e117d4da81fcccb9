from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import privet.sources as sources
from privet.schema import Schema
from privet.sources import ArrowSource, Source, open_source, write_arff, write_csv, write_parquet
from tests.sources.tables import values

TABLE = pa.table({"age": [30.5, None], "sex": ["f", "m"]})
SCHEMA = Schema.of({"age": (0, 120), "sex": ["f", "m"]})


@pytest.mark.parametrize("name", ["t.csv", "T.CSV", "t.csv.gz", "t.arff", "t.arff.gz", "t.parquet", "t.pq"])
def test_the_ending_of_the_name_chooses_the_reader(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    if "arff" in name:
        write_arff(ArrowSource(TABLE), path, SCHEMA)
    else:
        (write_csv if "csv" in name.lower() else write_parquet)(ArrowSource(TABLE), path)
    for schema in (None, SCHEMA):
        source = open_source(path, schema)
        assert isinstance(source, Source)
        assert values(source) == values(source) == TABLE.to_pydict()


def test_tabs(tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text("a,1\tb\n1\tx\n")
    assert values(open_source(tmp_path / "t.tsv")) == {"a,1": [1], "b": ["x"]}


def test_a_folder_and_unknown_endings(tmp_path: Path, refuses) -> None:
    write_parquet(ArrowSource(TABLE), tmp_path / "part.parquet")
    assert values(open_source(tmp_path)) == TABLE.to_pydict()
    refuses(lambda: open_source("t.docx"), ".csv.gz", ".parquet", ".arff")


def test_writing_a_table_without_rows(tmp_path: Path, refuses) -> None:
    empty = ArrowSource(TABLE.slice(0, 0))
    write_csv(empty, tmp_path / "t.csv")
    write_arff(empty, tmp_path / "t.arff", SCHEMA)
    write_parquet(empty, tmp_path / "t.parquet")
    for name in ("t.csv", "t.arff", "t.parquet"):
        source = open_source(tmp_path / name)
        assert source.names == ("age", "sex")
        assert values(source) == {"age": [], "sex": []}
    refuses(lambda: write_csv([], tmp_path / "none.csv"), "nothing to write")


def test_the_public_face() -> None:
    assert all(hasattr(sources, name) for name in sources.__all__)


def test_the_documentation_lists_every_ending_and_address() -> None:
    from privet.sources.files import COMPRESSED
    from privet.sources.formats import ADDRESSES, FORMATS

    page = (Path(__file__).parents[2] / "docs/how-to/large-data.md").read_text(encoding="utf-8")
    table = page.partition("## What is read and written")[2]
    plain = [ending for ending in FORMATS if not ending.endswith(COMPRESSED)]
    for name in [*plain, *COMPRESSED]:
        assert f"`{name}`" in table, name
    for scheme in set(ADDRESSES) - {
        "http",
        "postgres",
    }:  # for loopback; another spelling
        assert f"`{scheme}://`" in table, scheme
