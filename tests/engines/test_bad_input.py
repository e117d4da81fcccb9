"""What databases and clusters hold that no schema expects: the same answer everywhere, or a clear refusal."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from privet.engines import MemoryEngine, SqlEngine, engine_for
from privet.engines.sql import _result
from privet.errors import DataError
from privet.queries import query
from privet.schema import Category, Number, Schema, Unit
from privet.sources import ArrowSource, TableSource, open_source
from privet.stats import Coded, CrossTable, Moments
from privet.stats.group_sums import GroupSums
from tests.postgres import stored

HOSTILE = 'a"; DROP TABLE people; --'
ODD = "größe `x` 'y' %s $1"
LARGE = 2**63 - 1
TABLE = pa.table(
    {
        HOSTILE: ["x", "y", "X", "x ", None, "x"],
        ODD: pa.array([LARGE, -LARGE, 5, 0, None, LARGE], pa.int64()),
        "money": pa.array(
            [Decimal("0.10"), Decimal("99.99"), Decimal("-5"), None, Decimal("7"), Decimal("7")]
        ),
        "half": pa.array([float("nan"), float("inf"), -0.0, 1e308, None, 2.5]),
        "yes": [True, False, None, True, True, False],
    }
)
SCHEMA = Schema(
    (
        Category(HOSTILE, ("x", "y", "X", "x ")),
        Number(ODD, -10, 10),
        Number("money", 0.0, 50.0),
        Number("half", 0.0, 3.0),
        Category("yes", ("true", "false")),
    ),
    outside="count",
)
QUESTIONS = (
    CrossTable((Coded(HOSTILE), Coded("yes"))),
    CrossTable((Coded(ODD, (0.5,)), Coded("money", (1.0, 7.0)))),
    GroupSums((Coded(HOSTILE),), ODD, squares=True),
    GroupSums((), "half"),
    Moments("money", HOSTILE),
    Moments(ODD, "yes"),
)


@pytest.fixture(params=["duckdb", "postgres", "spark frame"])
def at_home(request, tmp_path):
    """A table, where the parameter says: as a source."""

    def made(table):
        if request.param == "duckdb":
            import ibis

            return TableSource(ibis.duckdb.connect().create_table("people", table))
        if request.param == "postgres":
            return open_source(stored(request.getfixturevalue("postgres_url"), people=table)["people"])
        from privet.sources.spark import SparkSource

        path = tmp_path / "people.parquet"
        parquet.write_table(table, path)
        # Where there are two records, one of three partitions is empty.
        return SparkSource(request.getfixturevalue("spark").read.parquet(str(path)).repartition(3))

    return made


def test_hostile_names_decimals_infinities_and_large_numbers(at_home):
    source = at_home(TABLE)
    expected = MemoryEngine().answer(QUESTIONS, ArrowSource(TABLE), SCHEMA)
    together = engine_for(source).answer(QUESTIONS, source, SCHEMA)
    alone = [engine_for(source).answer([question], source, SCHEMA)[0] for question in QUESTIONS]
    for question, *answers in zip(QUESTIONS, expected, together, alone, strict=True):
        np.testing.assert_array_equal(answers[0], answers[1], str(question)[:60])
        np.testing.assert_array_equal(answers[0], answers[2], str(question)[:60])


@pytest.mark.parametrize("at_home", ["duckdb", "postgres"], indirect=True)
def test_a_sum_of_more_than_64_bits_is_refused_and_never_another_number(at_home):
    source = at_home(pa.table({"n": pa.array([2**62, 2**62], pa.int64())}))
    n = source.table().n
    for asked in (n.sum(), n.sum() * 2, (n * n).sum(), -(n + n).sum()):
        with pytest.raises(DataError) as caught:
            _result(source, asked.name("n").as_table(), ["n"])
        assert str(2**62) not in str(caught.value)
        assert str(2**63) not in str(caught.value)
    held = _result(source, (-n).sum().name("n").as_table(), ["n"])
    assert held.to_pydict() == {"n": [-(2**63)]}  # the last one that 64 bits hold


def test_times_and_texts_where_numbers_are_declared_quote_no_cell(at_home):
    noon = dt.datetime(2026, 3, 29, 12, 34, 56, tzinfo=dt.UTC)
    source = at_home(
        pa.table({"t": pa.array([noon, None], pa.timestamp("us", "UTC")), "n": ["S3NT1NEL", "1"]})
    )
    for asked in ({"t": (0, 10)}, {"n": (0, 10)}):
        with pytest.raises(DataError) as caught:
            query(source, asked).sum(next(iter(asked))).release(1.0)
        assert "S3NT1NEL" not in str(caught.value)
        assert "12:34" not in str(caught.value)
        assert f"'{next(iter(asked))}'" in str(caught.value)


def test_a_key_that_is_not_unique_and_one_that_most_records_have(at_home):
    skewed = pa.table({"ward": ["a"] * 300 + ["b"], "cost": [1.0] * 301})
    here, there = (
        query(each, Schema((Category("ward", ("a", "b")), Number("cost", 0, 2)))).join(
            query(skewed.select(["ward"]), Schema((Category("ward", ("a", "b")),))), "ward", (5, 1)
        )
        for each in (skewed, at_home(skewed))
    )
    assert here.count().release(1e6).value.value == there.count().release(1e6).value.value == 6
    assert there.data.relation.facts.changed == 2 * (1 * 1 + 1 * 5)


def test_nobody_and_people_without_a_name(at_home):
    nobody = pa.table({"person": pa.array([None, None], pa.string()), "n": [1, 2]})
    schema = Schema((Number("n", 0, 9),), unit=Unit(id="person", most=1, keep="content"))
    assert query(at_home(nobody), schema).count().release(1e6).value.value == 0


MOMENT = dt.datetime(2026, 3, 29, 1, 59, 59, 999999, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("ids", "kept"),
    [
        (pa.array(["a", "A", "a ", None, "a"]), 3),
        (pa.array([float("nan"), 0.1, 0.1, -0.0, 0.0]), 2),
        (pa.array([2**53, 2**53 + 1, -1, -1, None], pa.int64()), 3),
        (
            pa.array(
                [MOMENT, MOMENT + dt.timedelta(microseconds=1), None, MOMENT, MOMENT],
                pa.timestamp("us", "UTC"),
            ),
            2,
        ),
        (
            pa.array(
                [Decimal("1.10"), Decimal("1.1"), Decimal("1.11"), None, Decimal("0")], pa.decimal128(12, 2)
            ),
            3,
        ),
    ],
    ids=["text", "float", "whole number", "time", "decimal"],
)
def test_people_are_the_same_whatever_says_who_they_are(at_home, ids, kept, request):
    """No case, no rounding and no time zone makes two people one, or one person two."""
    table = pa.table({"who": ids, "x": [1, 2, 3, 4, 5]})
    schema = Schema((Number("x", 0, 9),), unit=Unit(id="who", most=1, keep="content"), outside="count")
    question = [CrossTable((Coded("x", (1.5, 2.5, 3.5, 4.5)),))]
    [here] = MemoryEngine().answer(question, ArrowSource(table), schema)
    source = at_home(table)
    if request.node.callspec.id.startswith("postgres"):  # decimals stay exact where the schema is known
        source = open_source(source._address + "?table=people", schema)
    [there] = engine_for(source).answer(question, source, schema)
    assert here.sum() == there.sum() == kept
    # Times and decimals are written in each engine's own way: of a person another record may be kept.
    if not (pa.types.is_timestamp(ids.type) or pa.types.is_decimal(ids.type)):
        assert here.tolist() == there.tolist()


def test_parts_without_a_record(tmp_path):
    folder = tmp_path / "people"
    folder.mkdir()
    for place, people in enumerate((TABLE.slice(0, 0), TABLE, TABLE.slice(0, 0))):
        parquet.write_table(people, folder / f"{place}.parquet")
    from privet.sources.parts import PartedSource

    source = PartedSource(open_source(folder), map, 6)
    expected = MemoryEngine().answer(QUESTIONS, ArrowSource(TABLE), SCHEMA)
    for one, other in zip(expected, engine_for(source).answer(QUESTIONS, source, SCHEMA), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    "shaky",
    [
        "SELECT a, random() AS r FROM t",
        "SELECT a FROM above",
        "SELECT a FROM t LIMIT 3",
        "SELECT a FROM t USING SAMPLE 10",
        "SELECT a, uuid() AS r FROM t",
        "SELECT a, current_timestamp AS r FROM t",
        "SELECT a, now() AS r FROM t",
        "SELECT a, dice() AS r FROM t",
        "SELECT a FROM t OFFSET 2",
        "SELECT a, row_number() OVER () AS r FROM t",
        "SELECT DISTINCT ON (a % 2) a FROM t",
        "SELECT a % 2 AS b, first(a) AS r FROM t GROUP BY b",
        "SELECT a % 2 AS b, any_value(a) AS r FROM t GROUP BY b",
        "SELECT a % 2 AS b, string_agg(a::text, ',') AS r FROM t GROUP BY b",
        "SELECT a % 2 AS b, len(list(a)) AS r FROM t GROUP BY b",
        "FROM t POSITIONAL JOIN (SELECT a AS r FROM t)",
        "SELECT a % 2 AS b, arbitrary(a) AS r FROM t GROUP BY b",
        "SELECT a % 2 AS b, arg_max(a, a % 3) AS r FROM t GROUP BY b",
        "SELECT a % 2 AS b, min_by(a, a % 3) AS r FROM t GROUP BY b",
        "SELECT a % 2 AS b, mode(a) AS r FROM t GROUP BY b",
        "SELECT a % 2 AS b, first(a ORDER BY a % 3) AS r FROM t GROUP BY b",
        "SELECT a % 2 AS b, string_agg(a::text, ',' ORDER BY a % 3) AS r FROM t GROUP BY b",
        "SELECT a % 2 AS b, approx_quantile(a, 0.5) AS r FROM t GROUP BY b",
        "SELECT a % 2 AS b, reservoir_quantile(a, 0.5) AS r FROM t GROUP BY b",
        "SELECT a, getvariable('v') AS r FROM t",
        "SELECT a, age(TIMESTAMP '2000-01-01') AS r FROM t",
        "SELECT a, rowid AS r FROM t",
        "SELECT a FROM t WHERE rowid < 3",
        "SELECT a % 2 AS b, json_group_array(a) AS r FROM t GROUP BY b",
        "SELECT a % 2 AS b, json_group_object(a::text, a) AS r FROM t GROUP BY b",
        "SELECT * FROM (SUMMARIZE t)",
        "SELECT t.a, u.a AS r FROM t ASOF JOIN (SELECT a, a // 3 AS k FROM t) u ON t.a >= u.k",
    ],
)
def test_a_duckdb_view_that_is_not_the_same_each_time(shaky):
    import ibis

    connection = ibis.duckdb.connect()
    for text in (
        "CREATE TABLE t AS SELECT range AS a FROM range(9)",
        "CREATE VIEW above AS SELECT a, random() AS r FROM t",
        "CREATE MACRO dice() AS random()",
        f"CREATE VIEW shaky AS {shaky}",
    ):
        connection.raw_sql(text)
    for table in (connection.table("shaky"), connection.sql(shaky)):
        with pytest.raises(DataError, match="not the same each time"):
            TableSource(table)


def test_an_ibis_table_that_is_not_the_same_each_time():
    import ibis

    connection = ibis.duckdb.connect()
    table = connection.create_table("t", pa.table({"a": [1, 2, 3], "random()": ["LIMIT 3", "now()", "x"]}))
    for shaky in (
        table.limit(2),
        table.sample(0.5),
        table.mutate(r=ibis.random()),
        table.mutate(r=ibis.now()),
        table.mutate(r=ibis.row_number()),
        table.mutate(r=table.rowid()),
        table.mutate(r=table.a - table.a.mean()),
        table.distinct(on="a"),
        table.group_by("a").agg(r=table.a.arbitrary()),
        table.group_by("a").agg(r=table.a.collect().length()),
        table.group_by("a").agg(r=table.a.argmax(table.a % 2)),
        table.group_by("a").agg(r=table.a.mode()),
        table.group_by("a").agg(r=table.a.approx_quantile(0.5)),
        table.group_by("a").agg(r=table["random()"].group_concat(order_by=table.a)),
        table.asof_join(table.view(), "a"),
    ):
        with pytest.raises(DataError, match="not the same each time"):
            TableSource(shaky)
    connection.raw_sql(
        """CREATE VIEW good AS SELECT a, lower("random()") AS b FROM t WHERE "random()" <> 'now()'"""
    )
    assert TableSource(connection.table("good")).names == ("a", "b")
    for place, decided in enumerate(
        (
            "string_agg(a ORDER BY a)",
            "first(a ORDER BY a % 2, a)",
            "array_agg(a ORDER BY a DESC)",
            "age(TIMESTAMP '2000-01-01', TIMESTAMP '2001-01-01')",
            "max(a)",
        )
    ):
        connection.raw_sql(f"CREATE VIEW decided{place} AS SELECT a, {decided} AS b FROM t GROUP BY a")
        assert TableSource(connection.table(f"decided{place}")).names == ("a", "b")
    assert TableSource(table.filter(table.a > 1)).names == ("a", "random()")


def test_texts_that_a_collation_of_duckdb_takes_for_equal_are_kept_apart():
    import ibis

    connection = ibis.duckdb.connect()
    connection.raw_sql(
        "CREATE TABLE t (w VARCHAR COLLATE NOCASE.NOACCENT, ill VARCHAR, who VARCHAR COLLATE NOCASE)"
    )
    connection.raw_sql(
        "INSERT INTO t VALUES ('a', 'no', 'p'), ('A', 'no', 'P'), ('\u00e4', 'no', NULL), (NULL, 'no', 'q')"
    )
    columns = (Category("w", ("a", "A", "\u00e4")), Category("ill", ("no",)))
    for table in (
        connection.table("t"),
        connection.sql("SELECT * FROM t"),
        connection.table("t").filter(True),
    ):
        source = TableSource(table)
        [one], [other] = (
            SqlEngine().answer([CrossTable((Coded("w"),))], source, Schema(columns, unit=unit))
            for unit in (Unit(), Unit(id="who", most=1, keep="content"))
        )
        assert one.tolist() == [1, 1, 1, 1]
        assert other.tolist() == [1, 1, 0, 1]  # p and P are two people
    connection.raw_sql("SET default_collation = 'nocase'")
    with pytest.raises(DataError, match="default_collation"):
        TableSource(connection.table("t"))


@pytest.fixture
def in_sqlite(tmp_path):
    """A table of SQLite, after these statements."""
    import sqlite3

    import ibis

    def made(*statements):
        with sqlite3.connect(tmp_path / "people.db") as file:
            for statement in statements:
                file.execute(statement)
        return TableSource(ibis.sqlite.connect(tmp_path / "people.db").table("t"))

    return made


def test_a_database_that_may_compare_texts_in_its_own_way_counts_nothing(in_sqlite):
    """SQLite, as most databases, has collations that nothing here knows: its rows are read."""
    source = in_sqlite("CREATE TABLE t (w TEXT COLLATE NOCASE)", "INSERT INTO t VALUES ('a'), ('A')")
    [answer] = engine_for(source).answer([CrossTable((Coded("w"),))], source, Schema.of({"w": ["a", "A"]}))
    assert answer.tolist() == [1, 1, 0]


def test_a_missing_cell_changes_nobody_elses(in_sqlite):
    """The attack: beside a NULL, two people's whole numbers became floats, and one and the same."""
    table = "CREATE TABLE t (who INTEGER, b BOOLEAN, f REAL, n NUMERIC, d DATE, at TIMESTAMP)"
    day = dt.date(2026, 3, 29), dt.datetime(2026, 3, 29, 12, 30)
    rows = [
        (2**53, True, 1.0, Decimal("0.25"), *day),
        (2**53 + 1, False, 0.1, Decimal("0.300000000"), *day),
    ]
    put = [f"INSERT INTO t VALUES ({who}, {b:d}, {f}, {n}, '{d}', '{at}')" for who, b, f, n, d, at in rows]
    schema = Schema((Category("b", ("true", "false")),), unit=Unit(id="who", most=1, keep="content"))
    for statements in ((table, *put), ("INSERT INTO t VALUES (NULL, NULL, NULL, NULL, NULL, NULL)",)):
        source = in_sqlite(*statements)
        [answer] = engine_for(source).answer([CrossTable((Coded("b"),))], source, schema)
        assert answer.tolist() == [1, 1, 0]
        found = [tuple(row.values()) for batch in source.batches() for row in batch.to_pylist()]
        assert found[:2] == rows


@pytest.mark.parametrize("kind", ["INTEGER", "REAL", "BOOLEAN", "NUMERIC", "DATE", "TIMESTAMP"])
def test_cells_of_another_type_than_declared_are_refused_and_not_quoted(in_sqlite, kind):
    source = in_sqlite(f"CREATE TABLE t (a {kind})", "INSERT INTO t VALUES ('S3NT1NEL')")
    with pytest.raises(DataError, match="'a' holds cells of another type") as caught:
        list(source.batches())
    assert "S3NT1NEL" not in str(caught.value)
    assert caught.value.__suppress_context__


def test_a_table_of_duckdb_that_is_altered_during_a_run():
    import ibis

    connection = ibis.duckdb.connect()
    source = TableSource(connection.create_table("t", pa.table({"w": ["S3NT1NEL"], "v": ["x"]})))
    schema = Schema((Category("w", ("S3NT1NEL",)),), outside="count")
    connection.raw_sql("ALTER TABLE t DROP COLUMN w")
    with pytest.raises(DataError, match="'w'") as caught:
        SqlEngine().answer([CrossTable((Coded("w"),))], source, schema)
    assert "S3NT1NEL" not in str(caught.value)
