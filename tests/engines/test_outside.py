"""Cells outside a schema that counts them: the same in memory and in a database, each judged by itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from privet.engines import MemoryEngine, SqlEngine
from privet.errors import DataError
from privet.schema import Category, Number, Schema
from privet.sources import ArrowSource, CsvSource, TableSource, open_source
from privet.stats import Coded, Contingency, CrossTable, Moments
from privet.stats.linear.encoding import Encoding
from privet.stats.linear.products import Products

SCHEMA = Schema(
    (
        Number("age", 0, 120, cuts=(40.0, 80.0)),
        Category("sex", ("f", "m")),
        Category("ward", (1, 2), other="another"),
        Category("ill", ("no", "yes")),
    ),
    target="ill",
    outside="count",
)
ODD = [
    "inf",
    "-inf",
    "unknown",
    "1e999",
    "-1e999",
    "1_000",
    "0x10",
    "",
    "nan",
    "NaN",
    "+7",
    ".5",
    "5.",
    "1e2",
]
HEADER = "age,sex,ward,ill\n"
GOOD = "".join(f"{20 + n},{'fm'[n % 2]},{1 + n % 2},{('no', 'yes')[n % 3 == 0]}\n" for n in range(60))
STRANGE = (
    "".join(f"{cell},f,1,no\n" for cell in ODD) + "30,x,1,no\n30,f,seven,yes\n30,f,9,yes\n30,m,1.0,maybe\n"
)


def questions(schema):
    number, ill = schema["age"], "ill"
    return [
        Contingency("age", ill, number.cuts),
        Contingency("sex", ill),
        Contingency("ward", ill),
        Moments("age", ill),
        CrossTable((Coded("age", number.cuts), Coded("sex"), Coded("ward"), Coded(ill))),
        Products(Encoding.of(schema)),
        Products(Encoding.of(schema), given=ill),
        Products(Encoding.of(schema), given="age"),
    ]


def answers(engine, source, schema=SCHEMA):
    return [np.asarray(each).tolist() for each in engine.answer(questions(schema), source, schema)]


def test_memory_and_database_count_the_same(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(HEADER + GOOD + STRANGE)
    source = CsvSource(path, SCHEMA)
    assert answers(MemoryEngine(), source) == answers(SqlEngine(), TableSource(source.table()))
    with pytest.raises(DataError):
        answers(MemoryEngine(), CsvSource(path, replace(SCHEMA, outside=None)), replace(SCHEMA, outside=None))


def test_text_columns_of_parquet_count_the_same(tmp_path):
    path = tmp_path / "t.parquet"
    cells = [line.split(",") for line in (GOOD + STRANGE).splitlines()]
    columns = list(zip(*cells, strict=True))
    parquet.write_table(pa.table(dict(zip(SCHEMA.names, map(pa.array, columns), strict=True))), path)
    source = open_source(path)
    assert answers(MemoryEngine(), source) == answers(SqlEngine(), TableSource(source.table()))


@pytest.mark.parametrize("cell", ODD)
def test_one_odd_cell_changes_its_own_record_only(tmp_path, cell):
    """Otherwise one record would change how the others are read, and no sensitivity would hold."""
    tables = {"without": HEADER + GOOD + STRANGE, "with": HEADER + GOOD + STRANGE + f"{cell},f,1,no\n"}
    plain = {"without": HEADER + GOOD, "with": HEADER + GOOD + f"{cell},f,1,no\n"}
    changes = []
    for pair in (tables, plain):
        found = []
        for name, content in pair.items():
            (tmp_path / name).with_suffix(".csv").write_text(content)
            source = CsvSource((tmp_path / name).with_suffix(".csv"), SCHEMA, block_bytes=256)
            found.append([np.array(each) for each in answers(MemoryEngine(), source)])
        changes.append([(after - before).tolist() for before, after in zip(*found, strict=True)])
    assert changes[0] == changes[1]


def test_infinities_are_the_bounds_in_products():
    infinite = pa.table({"age": [np.inf, -np.inf], "sex": ["f", "m"], "ward": [1, 2], "ill": ["no", "yes"]})
    bounds = infinite.set_column(0, "age", pa.array([120.0, 0.0]))
    assert answers(MemoryEngine(), ArrowSource(infinite)) == answers(MemoryEngine(), ArrowSource(bounds))
