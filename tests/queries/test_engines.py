"""Every kind of query on every engine: the same answers as in memory, to the last digit."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest
from pyarrow import parquet

from privet.queries import partition, query
from privet.queries.describe import describe
from privet.queries.sql import from_sql
from privet.schema import Category, Number, Schema, Unit
from privet.sources import ParquetSource, open_source
from privet.sources.parts import PartedSource
from tests.postgres import stored

ENGINES = ("duckdb", "postgres", "parts", "spark frame")
WARD = Category("ward", ("a", "b", "c"), other="else")
BY_PERSON = Unit(id="person", most=3, keep="content")
VISITS = (Number("cost", 0.0, 100.0), Number("days", 0, 30, integer=True), WARD)
PEOPLE = (Number("age", 0.0, 100.0), Category("sex", ("f", "m")), WARD)


def rows(seed, people, **cells):
    """Records with every kind of missing, unlisted and far-off value."""
    draw = random.Random(seed)
    return pa.table(
        {
            "person": pa.array([f"p{draw.randrange(people)}" if k % 50 else None for k in range(600)]),
            **{name: pa.array([draw.choice(values) for _ in range(600)]) for name, values in cells.items()},
        }
    )


WARDS = ["a", "a", "b", "c", "z", "Z", "ä", None]
TABLES = {
    "visits": rows(
        1, 150, cost=[0.1, 7.25, 99.9, 1e300, -3.0, float("nan"), None], days=[*range(40)], ward=WARDS
    ),
    "people": rows(2, 150, age=[0.5, 33.3, 64.0, 200.0, None], sex=["f", "m", None], ward=WARDS[1:]),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("tables")
    for name, table in TABLES.items():
        parquet.write_table(table, place / f"{name}.parquet", row_group_size=150)
    return place


@pytest.fixture(scope="module", params=ENGINES)
def data(request, folder):
    """Both tables, at home in one engine."""
    files = {name: str(folder / f"{name}.parquet") for name in TABLES}
    if request.param == "duckdb":
        import ibis

        connection = ibis.duckdb.connect()
        return {name: connection.read_parquet(file) for name, file in files.items()}
    if request.param == "postgres":
        return in_postgres(request.getfixturevalue("postgres").database())
    if request.param == "parts":
        return {name: PartedSource(ParquetSource(file), map, 3) for name, file in files.items()}
    from privet.sources.spark import SparkSource

    spark = request.getfixturevalue("spark")
    return {name: SparkSource(spark.read.parquet(file)) for name, file in files.items()}


def in_postgres(url):
    return {name: open_source(place) for name, place in stored(url, **TABLES).items()}


def asked(data, unit=BY_PERSON):
    return (
        query(data["visits"], Schema(VISITS, unit=unit)),
        query(data["people"], Schema(PEOPLE, unit=unit)),
    )


def by_record(data):
    return asked(data, Unit())


def grouped(data):
    visits, _ = by_record(data)
    made = visits.with_columns(dear=visits["cost"] > 50, twice=visits["cost"] * 2 + 1)
    chosen = made.where((made["days"] < 25) | made["cost"].is_missing())
    return chosen.group_by("ward", "dear").count().mean("twice").sum("days").variance("cost").distinct("ward")


def ranked(data):
    visits, _ = asked(data)
    return visits.group_by(("days", [7, 14])).quantile("cost", 0.25, 0.5).count("cost")


def looked_up(data):
    visits, _ = by_record(data)
    joined = visits.join_public({"ward": ["a", "b"], "beds": [10, 30], "wing": ["n", "s"]}, on="ward")
    return joined.group_by("wing").mean("beds").count()


def sql(text, delta=0.0, **names):
    def make(data):
        visits, people = asked(data)
        return from_sql(text, visits, private={"people": people}, **names)

    make.delta = delta
    return make


QUERIES = {
    "all records": lambda data: by_record(data)[0].count(),
    "groups": grouped,
    "quantiles": ranked,
    "a public table": looked_up,
    "join on the person": lambda data: (
        (lambda v, p: v.join(p, ["person", "ward"]))(*asked(data)).mean("age").count()
    ),
    "join by a key": lambda data: (
        (lambda v, p: v.join(p, "ward", (3, 2)))(*by_record(data)).group_by("sex").count()
    ),
    "union": lambda data: (lambda v, p: v.union(p))(*asked(data)).group_by("ward").count(),
    "a record for each person": lambda data: (
        asked(data)[0].per_person("ward", spent=("sum", "cost"), stays="count").group_by("ward").mean("spent")
    ),
    "found values": sql("SELECT ward, COUNT(*) FROM data GROUP BY FREQUENT(ward)", delta=1e-3),
    "rollup": sql("SELECT ward, COUNT(*), SUM(cost) FROM data GROUP BY ROLLUP (ward)"),
    "join in SQL": sql("SELECT sex, AVG(cost) AS c FROM data JOIN people USING (person, ward) GROUP BY sex"),
    "persons in SQL": sql(
        "SELECT AVG(n) AS m FROM (SELECT person, COUNT(*) AS n FROM data WHERE days > 3 GROUP BY person)"
    ),
}


def shown(answer):
    return answer.header, [(keys, [(f.value, f.error) for f in figures]) for keys, figures in answer.rows]


@pytest.mark.parametrize("name", QUERIES)
def test_a_query_is_answered_the_same(name, data):
    make = QUERIES[name]
    delta = getattr(make, "delta", 0.0)
    here, there = (make(each).release(5.0, delta, random_state=3) for each in (TABLES, data))
    assert shown(here) == shown(there)
    assert here.guarantee.text() == there.guarantee.text()


def test_parts_are_answered_the_same(data):
    def parts(each):
        visits, _ = asked(each)
        made = {"a": lambda part: part.mean("cost"), "else": lambda part: part.group_by(("days", 3)).count()}
        return partition(visits, "ward", made).release(5.0, random_state=3)

    here, there = parts(TABLES), parts(data)
    assert {label: shown(answer) for label, answer in here.items()} == {
        label: shown(answer) for label, answer in there.items()
    }


def test_a_first_look_is_the_same(data):
    schema = Schema((*VISITS[:2], WARD), target="ward", unit=BY_PERSON)
    here, there = (describe(each["visits"], schema, epsilon=5.0, random_state=3) for each in (TABLES, data))
    assert list(map(shown, here.answers)) == list(map(shown, there.answers))
