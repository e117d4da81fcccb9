"""How a CSV file may be written: decimal commas, Excel's first line, delimiters."""

from __future__ import annotations

import pytest

from privet.errors import ParameterError
from privet.schema import Number, Schema, draft
from privet.sources import CsvSource, ReadOptions, open_source
from tests.sources.tables import values

GERMAN = "größe;gewicht;note;code\n1,72;70;1,3;A,1\n 1,8 ;?;2;B\n;85,5;-3,25e1;A,1\n"


def asked(source):
    return source.table().to_pyarrow().to_pydict()


def test_decimal_commas_are_recognised_in_files_separated_by_semicolons(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(GERMAN)
    source = CsvSource(path)
    expected = {
        "größe": [1.72, 1.8, None],
        "gewicht": [70.0, None, 85.5],
        "note": [1.3, 2.0, -32.5],
        "code": ["A,1", "B", "A,1"],
    }
    assert values(source) == asked(source) == expected
    drafted = draft(source.batches(["größe", "gewicht"]))
    assert [(c.low, c.high) for c in drafted.columns] == [(1.72, 1.8), (70, 85.5)]
    schema = Schema((Number("größe", 0, 3), Number("note", 0, 6)))
    declared = CsvSource(path, schema)
    assert values(declared, ["note", "größe"]) == {"note": [1.3, 2, -32.5], "größe": [1.72, 1.8, None]}
    assert asked(declared)["note"] == [1.3, 2, -32.5]


def test_one_cell_never_decides_how_another_is_read(tmp_path, refuses):
    """Points and commas may both mark decimals: each cell is read by itself."""
    path = tmp_path / "t.csv"
    schema = Schema((Number("a", 0, 9),))
    for more in ("", "2,5\n", "2.5\n"):
        path.write_text("a;b\n1.5;x\n" + more.replace("\n", ";y\n"))
        assert values(CsvSource(path, schema), ["a"])["a"][0] == 1.5
    path.write_text("a;b\n1.500,5;S3NT1NEL\n")
    refuses(lambda: list(CsvSource(path, schema).batches()), "'a'", "number", "decimal")


def test_a_decimal_sign_that_is_declared_is_the_only_one(tmp_path, refuses):
    path = tmp_path / "t.tsv"
    path.write_text("a\tb\n1,5\tx\n")
    assert values(open_source(path))["a"] == ["1,5"]  # it may be a thousand and a half
    comma = ReadOptions(decimal=",")
    assert (
        values(open_source(path, options=comma))["a"] == [1.5] == asked(open_source(path, options=comma))["a"]
    )
    schema = Schema((Number("a", 0, 9),))
    path.write_text("a\tb\n1.5\tx\n")
    assert values(open_source(path, options=comma))["a"] == ["1.5"]
    refuses(lambda: list(open_source(path, schema, comma).batches()), "'a'", "number")
    path = tmp_path / "t.csv"
    path.write_text("a;b\n1,5;x\n")
    point = ReadOptions(decimal=".")
    assert values(open_source(path, options=point))["a"] == ["1,5"]
    refuses(lambda: list(open_source(path, schema, point).batches()), "'a'", "number")


@pytest.mark.parametrize("first", ["sep=;\n", '"sep=;"\n', "\ufeffsep=;\n"])
def test_the_first_line_of_excel(tmp_path, first, refuses):
    path = tmp_path / "t.csv"
    path.write_text(first + "a,b;c\n1;x\n2;y\n")
    source = CsvSource(path)
    assert source.names == ("a,b", "c")
    assert values(source) == asked(source) == {"a,b": [1, 2], "c": ["x", "y"]}
    path.write_text(first + 'a;b\n1;x\n2;"S3NT1NEL\n')
    refuses(lambda: list(CsvSource(path).batches()), "Line 4")
    path.write_text(first)
    refuses(lambda: CsvSource(path), "empty")


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiters(tmp_path, delimiter):
    path = tmp_path / "t.csv"
    path.write_text(f"a{delimiter}b\n1{delimiter}x\n")
    expected = {"a": [1], "b": ["x"]}
    for options in (ReadOptions(), ReadOptions(delimiter=delimiter)):
        source = open_source(path, options=options)
        assert values(source) == asked(source) == expected


def test_options_that_make_no_sense(tmp_path):
    for wrong in (
        {"decimal": "·"},
        {"delimiter": ",", "decimal": ","},
        {"delimiter": '"'},
        {"delimiter": "ab"},
    ):
        with pytest.raises(ParameterError):
            ReadOptions(**wrong)
    with pytest.raises(ParameterError, match="for CSV files"):
        open_source(tmp_path / "t.parquet", options=ReadOptions(encoding="latin-1"))
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,x\n")
    with pytest.raises(ParameterError, match="cannot mark decimals"):
        open_source(path, options=ReadOptions(decimal=","))


def test_a_file_that_duckdb_cannot_decode_is_left_to_the_memory_engine(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes("a;b\n1,5;ü\n".encode("latin-1"))
    source = open_source(path, options=ReadOptions(encoding="latin-1"))
    assert source.table() is None
    assert values(source) == {"a": [1.5], "b": ["ü"]}


def test_lines_that_end_differently_are_left_to_the_memory_engine(tmp_path):
    """DuckDB expects one kind, and gave an empty table where the first line had another one."""
    path = tmp_path / "t.csv"
    for text in (b"sep=;\r\na;b\n1;x\n", b"a;b\r\n1;x\n", b"a;b\n1;x\r", b"a;b\r\n1;x\r\n"):
        path.write_bytes(text)
        source = CsvSource(path)
        assert values(source) == {"a": [1], "b": ["x"]}
        assert (source.table() is None) == (text.count(b"\r\n") != text.count(b"\n"))
