from __future__ import annotations

import gzip
import random
from pathlib import Path

import arff as liac
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings

from privet.errors import DataError
from privet.schema import Category, Schema
from privet.schema.columns import HEADER
from privet.sources import ArffSource, ArrowSource, write_arff
from tests.sources.tables import tables, values

HEAD = "@relation r\n@attribute a numeric\n@attribute s {x,'y z',\"q,r\",'o\\'k'}\n@data\n"


def written(folder: Path, text: str | bytes, name: str = "t.arff") -> Path:
    path = folder / name
    data = text.encode() if isinstance(text, str) else text
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return path


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tables())
def test_round_trip(tmp_path: Path, drawn: tuple[pa.Table, Schema]) -> None:
    table, schema = drawn
    for name in ("t.arff", "t.arff.gz"):
        write_arff(ArrowSource(table), tmp_path / name, schema)
        source = ArffSource(tmp_path / name)
        assert values(source) == table.to_pydict()
        declared = source.declared()
        categories = [column for column in schema.columns if isinstance(column, Category)]
        if declared is None:
            assert not categories
        else:
            assert [(c.name, c.values) for c in declared.columns] == [(c.name, c.values) for c in categories]
            assert {c.origin for c in declared.columns} == {HEADER}
            assert declared.target is None


def test_names_keywords_comments_and_domains(tmp_path: Path) -> None:
    text = """\ufeff% a comment
@RELATION 'my rel'
@Attribute "a b" NUMERIC % trailing
@ATTRIBUTE 'it\\'s' { x , 'y z',"q,r" }
@attribute\tc\t{1,2,3}
@attribute d integer [0,5]

@DATA
"""
    source = ArffSource(written(tmp_path, text))
    assert source.names == ("a b", "it's", "c", "d")
    assert source.declared() == Schema(
        (
            Category("it's", ("x", "y z", "q,r"), origin=HEADER),
            Category("c", ("1", "2", "3"), origin=HEADER),
        )
    )
    assert list(source.batches()) == []
    assert ArffSource(written(tmp_path, "@relation r\n@attribute a real\n@data\n")).declared() is None


@pytest.mark.parametrize("block_bytes", [8, 1 << 20])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_every_way_to_write_a_row(tmp_path: Path, block_bytes: int, end: str) -> None:
    rows = [
        "1,x",
        "",
        "% S",
        "2 , 'y z'",
        '3,"q,r"',
        "4 x",
        "5\tx % why",
        "'6','o\\'k'",
        "?,?",
        " 8, x",
        "9,'x'",
    ]
    path = written(tmp_path, HEAD.replace("\n", end) + end.join(rows))
    expected = {
        "a": [1, 2, 3, 4, 5, 6, None, 8, 9],
        "s": ["x", "y z", "q,r", "x", "x", "o'k", None, "x", "x"],
    }
    assert values(ArffSource(path, block_bytes=block_bytes)) == expected


def test_fast_and_slow_rows_agree(tmp_path: Path) -> None:
    random.seed(1)
    rows = [f"{random.choice(['?', '1', '-2.5e3', '.5'])},{random.choice(['x', '?'])}\n" for _ in range(500)]
    fast = values(ArffSource(written(tmp_path, HEAD + "".join(rows))))
    slow = values(ArffSource(written(tmp_path, HEAD + "".join(row.replace(",", "\t") for row in rows))))
    assert fast == slow


def test_sparse_rows(tmp_path: Path) -> None:
    head = "@relation s\n@attribute a numeric\n@attribute b {x,'y z'}\n@attribute c {u,v}\n@data\n"
    rows = "{0 5, 1 'y z'}\n{}\n{1 ?, 2 v}\n{2 \"v\" }\n{0\t3,1\t'y z'}\n{ 0 ? }\n"
    path = written(tmp_path, head + rows)
    expected = {
        "a": [5, 0, 0, 0, 3, None],
        "b": ["y z", "x", None, "x", "y z", "x"],
        "c": ["u", "u", "v", "v", "u", "u"],
    }
    assert values(ArffSource(path)) == expected
    assert values(ArffSource(path), ["c"]) == {"c": expected["c"]}


def test_columns_are_dictionaries_over_the_whole_domain(tmp_path: Path) -> None:
    (batch,) = ArffSource(written(tmp_path, HEAD + "1,x\n2,'y z'\n")).batches(["s", "a"])
    assert batch.schema.names == ["s", "a"]
    assert batch.column(0).dictionary.to_pylist() == ["x", "y z", "q,r", "o'k"]


def test_strings_and_dates(tmp_path: Path, refuses) -> None:
    head = "@relation r\n@attribute n string\n@attribute a real\n@attribute d date 'yyyy-MM-dd'\n@data\n"
    path = written(tmp_path, head + "'S3NT1NEL, x',1,'2020-01-01'\n\"it's\",2,?\n")
    source = ArffSource(path)
    assert source.names == ("n", "a", "d")
    refuses(lambda: list(source.batches()), "'n'", "string")
    refuses(lambda: list(source.batches(["d"])), "'d'", "date")
    assert values(source, ["a"]) == {"a": [1, 2]}
    assert values(ArffSource(path, ignore=["n", "d"])) == {"a": [1, 2]}
    assert values(ArffSource(path, Schema.of({"a": (0, 1)}))) == {"a": [1, 2]}


def test_liac_arff_agrees(tmp_path: Path) -> None:
    random.seed(2)
    domain = ["a", "b c", "d,e", "f'g", "100%", 'h"i']
    data = [[random.choice([None, 1.5, -3.0]), random.choice([None, *domain])] for _ in range(200)]
    table = pa.table({"n u m": [row[0] for row in data], "c l": [row[1] for row in data]})
    schema = Schema.of({"c l": domain})
    write_arff(ArrowSource(table), tmp_path / "t.arff", schema)
    theirs = liac.loads((tmp_path / "t.arff").read_text())
    assert [[row[0], row[1]] for row in theirs["data"]] == data
    text = liac.dumps({"relation": "r", "attributes": [("n u m", "REAL"), ("c l", domain)], "data": data})
    assert values(ArffSource(written(tmp_path, text))) == table.to_pydict()


def test_bad_files(tmp_path: Path, refuses) -> None:
    def read(rows: str, head: str = HEAD) -> object:
        return list(ArffSource(written(tmp_path, head + rows)).batches())

    refuses(lambda: read("1,x\n2,S3NT1NEL\n"), "'s'", "does not declare")
    refuses(lambda: read("S3NT1NEL,x\n"), "'a'", "number")
    refuses(lambda: read("1_000,x\n"), "'a'", "number")
    refuses(lambda: read("'?',x\n"), "'a'", "number")
    refuses(lambda: read("1,x\n\nS3NT1NEL\n"), "Line 7", "1 cells", "2 attributes")
    refuses(lambda: read("1,,x,S3NT1NEL\n"), "Line 5")
    refuses(lambda: read("1,'S3NT1NEL\n"), "Line 5", "quote")
    refuses(lambda: read("1,x,{3}\n"), "Line 5", "weight")
    refuses(lambda: read("{0 1},{3}\n"), "weight")
    refuses(lambda: read("{0 1\n"), "brace")
    refuses(lambda: read("{5 1}\n"), "beyond")
    refuses(lambda: read("{0 1,0 2}\n"), "twice")
    refuses(lambda: read("{S3NT1NEL}\n"), "sparse")
    refuses(lambda: read("", ""), "empty")
    refuses(lambda: read("", "a,b\n1,2\n"), "@data")
    refuses(lambda: read("", "S3NT1NEL\n@data\n"), "Line 1")
    refuses(lambda: read("", "@relation r\n@data\n"), "no attribute")
    refuses(lambda: read("", "@attribute a real\n@attribute a real\n@data\n"), "1 and 2")
    refuses(lambda: read("", "@attribute a {x,x}\n@data\n"), "'a'")
    refuses(lambda: read("", "@attribute a {x\n@data\n"), "brace")
    refuses(lambda: read("", "@attribute a relational\n@data\n"), "relational")
    refuses(lambda: read("", "@attribute a thing\n@data\n"), "unknown kind")
    refuses(lambda: ArffSource(tmp_path / "none.arff"), "no file")
    refuses(lambda: list(ArffSource(written(tmp_path, HEAD.encode() + b"1,\xff\n")).batches()), "UTF-8")


def test_truncated_gzip(tmp_path: Path, refuses) -> None:
    rows = "".join(f"{random.random()},x\n" for _ in range(50_000))
    path = written(tmp_path, HEAD + rows, "t.arff.gz")
    path.write_bytes(path.read_bytes()[:-2000])
    refuses(lambda: list(ArffSource(path).batches()), "cut off")


@pytest.mark.parametrize("row", ["123456.5,'y z'\n", "{0 123456.5, 1 'y z'}\n"])
def test_constant_memory(tmp_path: Path, row: str) -> None:
    path = written(tmp_path, HEAD + row * 50_000)
    before, most = pa.total_allocated_bytes(), 0
    for _ in ArffSource(path, block_bytes=1 << 14).batches():
        most = max(most, pa.total_allocated_bytes() - before)
    assert most < path.stat().st_size / 4


def test_a_domain_is_never_read_off_the_rows(tmp_path: Path, refuses) -> None:
    source = ArrowSource(pa.table({"t": ["S3NT1NEL"]}))
    refuses(lambda: write_arff(source, tmp_path / "t.arff"), "'t'", "domain")
    with pytest.raises(DataError, match="outside"):
        write_arff(source, tmp_path / "t.arff", Schema.of({"t": ["a"]}))
    assert list(tmp_path.iterdir()) == []


def test_coded_categories_booleans_and_other(tmp_path: Path) -> None:
    table = pa.table({"level": [1.0, None, 2.0], "yes": [True, None, False], "t": ["a", "zz", None]})
    schema = Schema.of({"level": [1, 2], "t": Category("t", ("a",), other="rest")})
    write_arff(ArrowSource(table), tmp_path / "t.arff", schema)
    source = ArffSource(tmp_path / "t.arff")
    assert values(source) == {
        "level": ["1", None, "2"],
        "yes": ["true", None, "false"],
        "t": ["a", "rest", None],
    }
    write_arff(source, tmp_path / "again.arff", relation="t")
    assert (tmp_path / "again.arff").read_text() == (tmp_path / "t.arff").read_text()
