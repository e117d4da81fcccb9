from __future__ import annotations

import gzip
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings

from privet.schema import Schema
from privet.sources import ArrowSource, CsvSource, ReadOptions, write_csv
from tests.sources.tables import tables, values

quick = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def written(folder: Path, text: str | bytes, name: str = "t.csv") -> Path:
    path = folder / name
    data = text.encode() if isinstance(text, str) else text
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return path


@quick
@given(tables(strip=True))
def test_round_trip(tmp_path: Path, drawn: tuple[pa.Table, Schema]) -> None:
    table, schema = drawn
    for name in ("t.csv", "t.csv.gz"):
        write_csv(ArrowSource(table), tmp_path / name)
        assert values(CsvSource(tmp_path / name, schema)) == table.to_pydict()
        assert values(CsvSource(tmp_path / name)) == table.to_pydict()


@pytest.mark.parametrize(
    ("column", "lines"),
    [
        (pa.array([1.5, None, 2.0]), ["1.5", "NA", "2"]),
        (pa.array([1, 2, None]), ["1", "2", "NA"]),
        (pa.array(["a", None, "b"]), ['"a"', "NA", '"b"']),
        (pa.array([None, None], pa.null()), ["NA", "NA"]),
    ],
)
def test_a_file_of_one_column(tmp_path: Path, column: pa.Array, lines: list[str]) -> None:
    """Numbers are plain numbers, and a missing cell is no empty line."""
    write_csv(ArrowSource(pa.table({"x": column})), tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text().splitlines() == ['"x"', *lines]
    assert values(CsvSource(tmp_path / "t.csv")) == {"x": column.to_pylist()}


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz"])
def test_the_type_of_a_column_is_that_of_all_its_cells(tmp_path: Path, name: str) -> None:
    rows = "".join(f"{i},{i},{i},\n" for i in range(5000)) + "1,1.5,word,\n"
    source = CsvSource(written(tmp_path, "i,f,t,e\n" + rows, name), block_bytes=4096)
    kinds = {batch.schema for batch in source.batches()}
    (kind,) = kinds
    assert [kind.field(n).type for n in "ife"] == [pa.int64(), pa.float64(), pa.float64()]
    assert pa.types.is_dictionary(kind.field("t").type)
    found = values(source)
    assert found["t"][:2] == ["0", "1"]
    assert found["t"][-1] == "word"
    assert found == values(source)


def test_missing_marks_blanks_quotes_and_bom(tmp_path: Path) -> None:
    text = '\ufeffa, b ,"c ""d"""\n1, x,"p,\nq"\n ?,?, NA\n 3 ,  x  ,""\n'
    source = CsvSource(written(tmp_path, text), options=ReadOptions(newlines=True))
    assert values(source) == {"a": [1, None, 3], "b": ["x", None, "x"], 'c "d"': ["p,\nq", None, None]}
    (batch,) = source.batches(["b"])
    assert batch.column(0).dictionary.to_pylist() == ["x"]
    aligned = written(tmp_path, "a,b\n    1,  x\n    ?,  ?\n     ,\n")
    for schema in (None, Schema.of({"a": (0, 1), "b": ["x"]})):
        assert values(CsvSource(aligned, schema)) == {"a": [1, None, None], "b": ["x", None, None]}
    own = CsvSource(written(tmp_path, "a\n-9\n?\n"), missing=["-9"])
    assert values(own) == {"a": [None, "?"]}


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_delimiters_are_found(tmp_path: Path, delimiter: str) -> None:
    path = written(tmp_path, f'"a,;,;"{delimiter}b\n1{delimiter}x\n')
    assert values(CsvSource(path)) == {"a,;,;": [1], "b": ["x"]}


def test_the_schema_decides(tmp_path: Path) -> None:
    schema = Schema.of({"code": ["1", "2"], "level": [1, 2], "size": (0, 9), "yes": [True, False]})
    path = written(tmp_path, "code,level,size,yes,more\n1,2,3,true,x\n")
    assert values(CsvSource(path, schema)) == {
        "code": ["1"],
        "level": [2.0],
        "size": [3.0],
        "yes": ["true"],
        "more": ["x"],
    }


def test_header_alone(tmp_path: Path) -> None:
    for text in ("a,b\n", "a,b", "a,b\r\n", "a,b\n\n"):
        source = CsvSource(written(tmp_path, text))
        assert source.names == ("a", "b")
        assert list(source.batches()) == []


def test_windows_line_ends_and_no_last_line_end(tmp_path: Path) -> None:
    assert values(CsvSource(written(tmp_path, "a,b\r\n1,x\r\n2,y"))) == {"a": [1, 2], "b": ["x", "y"]}


def test_bad_files(tmp_path: Path, refuses) -> None:
    number = Schema.of({"a": (0, 1)})

    def read(text: str | bytes, schema: Schema | None = None) -> object:
        return list(CsvSource(written(tmp_path, text), schema).batches())

    refuses(lambda: read("a,b\n1,2\nS3NT1NEL,3\n", number), "'a'", "number")
    refuses(lambda: read("a,b\n1,2\n3,4\nS3NT1NEL\n"), "Row 4", "1 cell,", "2 columns")
    refuses(lambda: read("a,b\n1,2\n3,4,S3NT1NEL\n"), "Row 3")
    refuses(lambda: read(""), "empty")
    refuses(lambda: read("\n\n"), "empty")
    refuses(lambda: read("S3NT1NEL,b,S3NT1NEL\n1,2,3\n"), "Columns 1 and 3")
    refuses(lambda: read("a,,c\n1,2,3\n"), "Column 2")
    refuses(lambda: read("a,b\n1,S3NT1NEL\xff\n".encode("latin-1")), "UTF-8")
    refuses(lambda: read("S3NT1NEL\xff,b\n1,2\n".encode("latin-1")), "UTF-8")
    refuses(lambda: CsvSource(tmp_path / "none.csv"), "no file none.csv")
    refuses(lambda: CsvSource(tmp_path), "folder")
    refuses(lambda: list(CsvSource(written(tmp_path, "a\n1\n")).batches(["z"])), "'z'")


def test_truncated_and_false_gzip(tmp_path: Path, refuses) -> None:
    whole = gzip.compress(b"a,b\n" + b"".join(b"%d,S3NT1NEL\n" % (i * i) for i in range(100_000)))
    path = tmp_path / "t.csv.gz"
    path.write_bytes(whole[: len(whole) // 2])
    refuses(lambda: list(CsvSource(path).batches()), "cut off")
    path.write_bytes(whole[:12])
    refuses(lambda: CsvSource(path), "cut off")
    path.write_bytes(b"a,b\n1,2\n")
    refuses(lambda: CsvSource(path), "damaged")


def test_constant_memory(tmp_path: Path) -> None:
    path = written(tmp_path, "a,b\n" + "123456.5,some text\n" * 400_000)
    source = CsvSource(path, block_bytes=1 << 14)
    before = pa.total_allocated_bytes()
    most = 0
    for _ in source.batches():
        most = max(most, pa.total_allocated_bytes() - before)
    assert most < path.stat().st_size / 4


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = written(tmp_path, "a\n1\n")

    def broken():  # type: ignore[no-untyped-def]
        yield pa.record_batch({"a": [5]})
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write_csv(broken(), path)
    assert [p.name for p in tmp_path.iterdir()] == ["t.csv"]
    assert path.read_text() == "a\n1\n"
