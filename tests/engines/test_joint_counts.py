"""A database counts several tables in one read; values that no schema lists never make it a large one."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import ibis
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from privet.engines import MemoryEngine, SqlEngine, joint_counts
from privet.schema import Category, Number, Schema, Unit
from privet.sources import TableSource, open_source
from privet.sources.arrays import as_source
from privet.stats import Coded, Contingency, CrossTable, Moments

NAMES = ("a", "b", "c", "d")
SCHEMA = Schema(
    (*(Category(name, ("0", "1"), other="more") for name in NAMES), Number("age", 0, 100)), target="d"
)
STATISTICS = [
    *(Contingency(name, "d") for name in "abc"),
    Contingency(None, "d"),
    CrossTable((Coded("age", (50.0,)), Coded("a"))),
]


class Counting(TableSource):
    """A table that counts what it is asked."""

    asked = 0

    def execute(self, expression: Any) -> pa.Table:
        self.asked += 1
        return super().execute(expression)


def made(values: int) -> pa.Table:
    draw = np.random.default_rng(5)
    columns = {name: pa.array(draw.integers(0, values, 1500).astype(str)) for name in NAMES}
    ages = draw.choice([np.nan, 10.0, 50.0, 120.0], 1500)
    people = pa.array(draw.integers(0, 300, 1500))
    return pa.table({**columns, "age": pa.array(ages), "person": people})


@pytest.mark.parametrize(
    ("values", "lines", "asked"), [(4, 1 << 20, 1), (30, 1 << 20, 6), (300, 100, 2)], ids=str
)
@pytest.mark.parametrize(
    "unit", [Unit(), Unit(id="person", most=4, keep="content")], ids=["record", "person"]
)
def test_equal_to_memory(
    values: int, lines: int, asked: int, unit: Unit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few values: one question. Many: one by one. Too many for one answer: folded here."""
    monkeypatch.setattr(joint_counts, "MOST_LINES", lines)
    monkeypatch.setattr(joint_counts, "MOST_CELLS", 4**4 * 3)
    monkeypatch.setattr(joint_counts, "LINES_OF_A_CELL", 1)
    table, schema = made(values), Schema(SCHEMA.columns, unit=unit, target="d")
    source = Counting(ibis.memtable(table))
    found = SqlEngine().answer(STATISTICS, source, schema)
    expected = MemoryEngine().answer(STATISTICS, as_source(table), schema)
    for one, other in zip(found, expected, strict=True):
        assert np.array_equal(one, other)
    assert source.asked == asked


#: What databases read in ways of their own: case, accents, blanks, numerals, two zeros, no numbers, decimals.
CELLS = {
    "w": ["a", "A", "ä", "Ä", "a ", "", "b", "1", "1.0", "01", "TRUE", "true", "x'--", "\\N", "\n", None],
    "c": ["ab", "AB", "1", None],
    "f": [0.0, -0.0, float("nan"), float("inf"), -float("inf"), 1e308, 5e-324, 0.5, 1.5, 3.0, None],
    "k": [2**63 - 1, -(2**63) + 1, 2**53 + 1, 0, 1, -1, None],
    "d": [Decimal(n).scaleb(-4) for n in (1, 3, -7, 123_4567, 314_159_265, 99_999_999_999)] + [None],
    "b": [True, False, None],
    "who": ["p", "P", "p ", "q", None],
}
KINDS = {"w": pa.string(), "c": pa.string(), "f": pa.float64(), "k": pa.int64(), "b": pa.bool_()}
KINDS |= {"d": pa.decimal128(12, 4), "who": pa.string()}
COLUMNS = (
    Category("w", ("a", "A", "ä", "1", "true")),
    Category("c", ("ab", "1"), other="else"),
    Number("f", -1.0, 3.0),
    Number("k", -10, 10),
    Number("d", -1e6, 1e6),
    Category("b", ("true", "false")),
)
KEYS = (
    Coded("w"),
    Coded("c"),
    Coded("f", (0.0, 1.5)),
    Coded("k", (0.0, 2.0**53)),
    Coded("d", (0.0003, 123.4567, 31415.9265)),
    Coded("b"),
)


@pytest.fixture(scope="module")
def anywhere(postgres):
    """Puts a table into both databases, where texts have a collation without case; gives their sources."""
    import psycopg

    url = postgres.database()
    connection, database = ibis.duckdb.connect(), psycopg.connect(url, autocommit=True)
    connection.raw_sql(
        "CREATE TABLE t (w VARCHAR COLLATE NOCASE, c VARCHAR COLLATE NOACCENT, f DOUBLE, k BIGINT, "
        "d DECIMAL(12, 4), b BOOLEAN, who VARCHAR COLLATE NOCASE)"
    )
    database.execute(
        "CREATE COLLATION anycase (provider = icu, locale = 'und-u-ks-level1', deterministic = false)"
    )
    database.execute(
        "CREATE TABLE t (w text COLLATE anycase, c char(5), f float8, k bigint, d numeric(12, 4), b boolean, "
        "who text COLLATE anycase)"
    )

    def put(table: pa.Table) -> list[TableSource]:
        connection.raw_sql("DELETE FROM t")
        connection.con.register("given", table)
        connection.raw_sql("INSERT INTO t SELECT * FROM given")
        database.execute("DELETE FROM t")
        with database.cursor().copy("COPY t FROM STDIN") as copy:
            for row in table.to_pylist():
                copy.write_row(tuple(row.values()))
        return [TableSource(connection.table("t")), open_source(f"{url}?table=t")]

    yield put
    database.close()


@settings(max_examples=30, phases=(Phase.explicit, Phase.reuse, Phase.generate))
@given(st.data())
def test_random_tables_and_questions(anywhere, data) -> None:
    """Joint tables, single ones and folds, of all that texts and numbers can be, as memory has it."""
    drawn = data.draw(st.lists(st.tuples(*(st.sampled_from(cells) for cells in CELLS.values())), max_size=40))
    columns = list(zip(*drawn, strict=True)) or [()] * len(CELLS)
    table = pa.table({name: pa.array(cells, KINDS[name]) for name, cells in zip(CELLS, columns, strict=True)})
    asked: list[Any] = [
        CrossTable(tuple(keys))
        for keys in data.draw(
            st.lists(st.lists(st.sampled_from(KEYS), max_size=3, unique=True), min_size=1, max_size=4)
        )
    ]
    asked += data.draw(st.lists(st.sampled_from([Moments("d", "b"), Contingency("w", "b")]), max_size=1))
    person = Unit(id="who", most=data.draw(st.integers(1, 3)), keep="content")
    schema = Schema(COLUMNS, unit=data.draw(st.sampled_from([Unit(), person])), target="b", outside="count")
    expected = MemoryEngine().answer(asked, as_source(table), schema)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(joint_counts, "LINES_OF_A_CELL", data.draw(st.sampled_from([1, 16])))
        patch.setattr(joint_counts, "MOST_CELLS", data.draw(st.sampled_from([8, 1 << 11])))
        patch.setattr(joint_counts, "MOST_LINES", data.draw(st.sampled_from([8, 1 << 20])))
        for source in anywhere(table):
            for one, other in zip(expected, SqlEngine().answer(asked, source, schema), strict=True):
                assert one.tolist() == other.tolist()
