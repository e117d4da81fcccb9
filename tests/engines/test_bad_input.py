"""What databases and clusters hold that no schema expects: the same answer everywhere, or a clear refusal."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from privet.engines import MemoryEngine, engine_for
from privet.errors import DataError
from privet.queries import query
from privet.schema import Category, Number, Schema, Unit
from privet.sources import ArrowSource, TableSource, open_source
from privet.stats import Coded, CrossTable, Moments
from privet.stats.group_sums import GroupSums

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
            return in_postgres(request.getfixturevalue("postgres_url"), table)
        from privet.sources.spark import SparkSource

        path = tmp_path / "people.parquet"
        parquet.write_table(table, path)
        # Where there are two records, one of three partitions is empty.
        return SparkSource(request.getfixturevalue("spark").read.parquet(str(path)).repartition(3))

    return made


def in_postgres(url, table):
    import psycopg
    from psycopg import sql

    kinds = {"int64": "bigint", "string": "text", "double": "float8", "bool": "boolean"}
    columns = [
        sql.SQL("{} {}").format(sql.Identifier(f.name), sql.SQL(kinds.get(str(f.type), kind_of(f.type))))
        for f in table.schema
    ]
    with psycopg.connect(url) as connection:
        connection.execute(sql.SQL("CREATE TABLE people ({})").format(sql.SQL(", ").join(columns)))
        with connection.cursor().copy("COPY people FROM STDIN") as copy:
            for row in table.to_pylist():
                copy.write_row(tuple(row.values()))
    return open_source(f"{url}?table=people")


def kind_of(kind):
    return "numeric(12, 2)" if pa.types.is_decimal(kind) else "timestamptz"


def test_hostile_names_decimals_infinities_and_large_numbers(at_home):
    source = at_home(TABLE)
    expected = MemoryEngine().answer(QUESTIONS, ArrowSource(TABLE), SCHEMA)
    together = engine_for(source).answer(QUESTIONS, source, SCHEMA)
    alone = [engine_for(source).answer([question], source, SCHEMA)[0] for question in QUESTIONS]
    for question, *answers in zip(QUESTIONS, expected, together, alone, strict=True):
        np.testing.assert_array_equal(answers[0], answers[1], str(question)[:60])
        np.testing.assert_array_equal(answers[0], answers[2], str(question)[:60])


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
    ):
        with pytest.raises(DataError, match="not the same each time"):
            TableSource(shaky)
    connection.raw_sql(
        """CREATE VIEW good AS SELECT a, lower("random()") AS b FROM t WHERE "random()" <> 'now()'"""
    )
    assert TableSource(connection.table("good")).names == ("a", "b")
    assert TableSource(table.filter(table.a > 1)).names == ("a", "random()")
