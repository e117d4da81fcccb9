"""Excel files: real ones, written by openpyxl."""

from __future__ import annotations

import datetime
import zipfile

import pytest

from privet.schema import Category, Number, Schema, draft
from privet.sources import ExcelSource, Source, open_source
from tests.sources.tables import values

openpyxl = pytest.importorskip("openpyxl")


def written(path, sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


ROWS = [
    ["age", " sex ", "size", "smoker", "seen"],
    [30, "f", 1.72, True, datetime.datetime(2024, 5, 31)],
    [None, " m ", 2, False, datetime.datetime(2024, 5, 31, 12, 30)],
    [],
    [41, "NA", None, None, "?"],
]


def test_kinds_of_cells(tmp_path):
    path = written(tmp_path / "t.xlsx", {"people": ROWS, "Ward 3": [["a"], [7]]})
    source = open_source(path)
    assert isinstance(source, Source)
    assert isinstance(source, ExcelSource)
    assert values(source) == {
        "age": [30, None, 41],
        "sex": ["f", "m", None],
        "size": [1.72, 2.0, None],
        "smoker": ["true", "false", None],
        "seen": ["2024-05-31", "2024-05-31 12:30:00", None],
    }
    assert values(source, ["sex", "age"]) == {"sex": ["f", "m", None], "age": [30, None, 41]}
    assert values(open_source(f"{path}#Ward 3")) == {"a": [7]}
    assert draft(source.batches(["age"])).columns[0].high == 41


def test_the_schema_decides(tmp_path, refuses):
    path = written(tmp_path / "t.xlsx", {"s": [["code", "size"], [1, 3], [2, "4.5"]]})
    schema = Schema((Category("code", ("1", "2")), Number("size", 0, 9)))
    assert values(open_source(path, schema)) == {"code": ["1", "2"], "size": [3.0, 4.5]}
    path = written(tmp_path / "t.xlsx", {"s": [["code", "size"], [1, "S3NT1NEL"]]})
    refuses(lambda: list(open_source(path, schema).batches()), "'size'", "number")


def test_many_rows_come_in_batches(tmp_path):
    path = written(tmp_path / "t.xlsx", {"s": [["n", "t"], *([i, f"v{i % 3}"] for i in range(20_000))]})
    batches = list(open_source(path).batches())
    assert len(batches) > 1
    assert [x for b in batches for x in b.column(0).to_pylist()] == list(range(20_000))


def test_bad_files(tmp_path, refuses):
    path = tmp_path / "t.xlsx"
    refuses(lambda: open_source(path), "no file")
    path.write_bytes(b"S3NT1NEL")
    refuses(lambda: open_source(path), "no Excel file")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("S3NT1NEL.xml", "S3NT1NEL")
    refuses(lambda: open_source(path), "no Excel file")
    refuses(lambda: open_source(written(path, {"s": []})), "empty")
    refuses(lambda: open_source(written(path, {"s": [["a", None, "c"], [1, 2, 3]]})), "Column 2")
    refuses(lambda: open_source(written(path, {"s": [["S3NT1NEL", "S3NT1NEL"]]})), "Columns 1 and 2")
    refuses(lambda: list(open_source(written(path, {"s": [["a"], [1], [1, "S3NT1NEL"]]})).batches()), "Row 3")
    refuses(lambda: open_source(f"{written(path, {'S3NT1NEL': [['a']]})}#b"), "no sheet")
