"""One line of a CSV file can only change its own record, whoever reads the file."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pyarrow import csv as arrow_csv

from privet.engines import MemoryEngine, SqlEngine
from privet.errors import DataError, ParameterError
from privet.schema import Category, Schema
from privet.sources import CsvSource, ReadOptions
from privet.sources.lines import CheckedLines
from privet.stats import Contingency
from tests.sources.tables import values

SCHEMA = Schema(
    (Category("smoker", ("no", "yes"), other="rest"), Category("ill", ("no", "yes"), other="rest")),
    target="ill",
)
OTHERS = "no,no\n" * 300 + "yes,yes\n" * 200


@pytest.mark.parametrize("engine", [MemoryEngine(), SqlEngine()])
@pytest.mark.parametrize("record", ['yes,"yes', '"yes,no', '"yes","no', '"'])
def test_a_record_with_an_unclosed_quote_does_not_swallow_the_others(tmp_path, engine, record, refuses):
    """The attack: one record that makes hundreds of others vanish into its own last cell."""
    path = tmp_path / "t.csv"
    path.write_text(f"smoker,ill\n{record}\n{OTHERS}")
    source = CsvSource(path, SCHEMA)
    refuses(
        lambda: engine.answer([Contingency("smoker", "ill")], source, SCHEMA), "Line 2 of t.csv has a quote"
    )


@pytest.mark.parametrize("engine", [MemoryEngine(), SqlEngine()])
def test_a_quote_within_a_cell_is_a_part_of_it(tmp_path, engine):
    counts = []
    for record in ("", 'yes,y"es\n'):
        path = tmp_path / "t.csv"
        path.write_text(f"smoker,ill\n{record}{OTHERS}")
        [answer] = engine.answer([Contingency("smoker", "ill")], CsvSource(path, SCHEMA), SCHEMA)
        counts.append(answer)
    assert abs(counts[0] - counts[1]).sum() == 1


def test_the_refusal_says_what_to_do_and_quotes_nothing(tmp_path, refuses):
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b'a,b\n1,2\n3,"S3NT1NEL\n5,6\n'))
    for columns in (None, ["a"], ["b"]):
        refuses(lambda columns=columns: list(CsvSource(path).batches(columns)), "Line 3", "newlines")
    refuses(lambda: CsvSource(path).table(), "Line 3", "newlines")
    path = tmp_path / "t.csv"
    path.write_text('a,"S3NT1NEL\n1,2\n')
    refuses(lambda: CsvSource(path), "first line", "quote")


def test_cells_of_several_lines_are_read_where_the_owner_says_so(tmp_path, refuses):
    path = tmp_path / "t.csv"
    path.write_text('a,b\n1,"p\nq"\n2,r\n')
    refuses(lambda: list(CsvSource(path).batches()), "Line 2")
    source = CsvSource(path, options=ReadOptions(newlines=True))
    assert values(source) == {"a": [1, 2], "b": ["p\nq", "r"]}
    assert source.table().to_pyarrow().to_pydict() == values(source)
    path.write_text('a,b\n1,"S3NT1NEL\n2,r\n')
    refuses(lambda: list(source.batches()), "quote", "end of the file")
    refuses(lambda: source.table(), "quote", "end of the file")


CELLS = st.text(alphabet='ab",;\n\r é', max_size=40)


def parsed(data: bytes) -> list[dict]:
    options = arrow_csv.ReadOptions(column_names=["a", "b"], block_size=1 << 10)
    text = arrow_csv.ConvertOptions(column_types={"a": pa.string(), "b": pa.string()}, null_values=[])
    skip = arrow_csv.ParseOptions(invalid_row_handler=lambda row: "skip")
    try:
        return arrow_csv.read_csv(pa.BufferReader(data), options, skip, text).to_pylist()
    except pa.ArrowInvalid:  # "Empty CSV file"
        return []


@settings(max_examples=400, deadline=None)
@given(CELLS, st.integers(1, 7))
def test_what_is_let_through_reads_the_same_line_by_line(text, size):
    """The checker's view of quotes is that of the parser behind it: lines apart and together are the same."""
    data = text.encode()
    lines = CheckedLines(io.BytesIO(data), Path("t.csv"), ",", "utf-8", newlines=False)
    parts = []
    try:
        while part := lines.read(size):
            parts.append(part)
    except DataError:
        return
    assert b"".join(parts) == data
    apart = [row for line in data.splitlines() for row in parsed(line)]
    assert parsed(data) == apart


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(alphabet='ab"; é', max_size=6), min_size=1, max_size=8))
@example([' "', ';"'])  # a quote after a blank, which DuckDB takes for the beginning of a quoted cell
def test_a_line_that_is_let_through_changes_no_other_record_in_either_reader(tmp_path, cells):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "".join(f"x{place},{cell}\n" for place, cell in enumerate(cells)))
    source = CsvSource(path, Schema((Category("a", ("x",)), Category("b", ("x",)))))
    try:
        found = values(source)
    except DataError:
        return
    assert found["a"] == [f"x{place}" for place in range(len(cells))]
    try:
        asked = source.table().to_pyarrow().to_pydict()
    except Exception:  # DuckDB refuses text after a closing quote
        return
    assert asked["a"] == found["a"]


def test_a_file_without_a_quote_costs_nothing_extra(tmp_path):
    """Blocks without a quote are passed on as they are, and never held together."""
    data = b"1,2\n" * 1000
    lines = CheckedLines(io.BytesIO(data), Path("t.csv"), ",", "utf-8", newlines=False)
    assert lines.read(1 << 20) == data
    assert lines.read(1 << 20) == b""


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-8"])
def test_encodings(tmp_path, encoding, refuses):
    path = tmp_path / "t.csv"
    path.write_bytes('name,größe\n"Jürgen",1.5\n'.encode(encoding))
    source = CsvSource(path, options=ReadOptions(encoding=encoding))
    assert values(source) == {"name": ["Jürgen"], "größe": [1.5]}
    path.write_bytes('name,größe\n"Jür\ngen",1.5\n'.encode(encoding))
    refuses(lambda: list(source.batches()), "Line 2")


def test_an_encoding_that_the_file_does_not_have(tmp_path, refuses):
    path = tmp_path / "t.csv"
    path.write_bytes("a,b\n1,S3NT1NELü\n".encode("latin-1"))
    refuses(lambda: list(CsvSource(path).batches()), "UTF-8", "encoding")
    path.write_bytes(b"a,b\n1,S3NT1NEL\x81\n")
    refuses(
        lambda: list(CsvSource(path, options=ReadOptions(encoding="cp1252")).batches()), "not cp1252 text"
    )
    for encoding in ("klingon", "rot13", "base64"):
        with pytest.raises(ParameterError, match="no text encoding"):
            ReadOptions(encoding=encoding)
