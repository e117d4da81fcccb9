"""Every registered algorithm that learns from a table learns the same wherever the table is."""

from __future__ import annotations

from functools import cache

import pytest
from pyarrow import parquet

from privet.checks.example import example, public
from privet.registry import ALGORITHMS
from privet.sources import ArrowSource, ParquetSource, open_source
from privet.sources.parts import PartedSource
from privet.sources.sql import TableSource
from tests.postgres import stored

FAMILIES = ("classify", "regress", "cluster", "select", "associate", "synthesise")
LEARNERS = [entry for entry in ALGORITHMS if entry.family in FAMILIES]


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("learners") / "people.parquet"
    parquet.write_table(example(), path, row_group_size=60)
    return path


@pytest.fixture(scope="module")
def on_spark(file, spark):
    """The table on a cluster, which keeps it: most learners ask of it many times."""
    from privet.sources.spark import SparkSource

    kept = spark.read.parquet(str(file)).coalesce(1).cache()
    yield SparkSource(kept)
    kept.unpersist()


@pytest.fixture(scope="module")
def in_parts(file):
    return PartedSource(ParquetSource(file), map, 4)


@pytest.fixture(scope="module")
def in_duckdb(file):
    import ibis

    return TableSource(ibis.duckdb.connect().read_parquet(str(file)))


@pytest.fixture(scope="module")
def in_postgres(postgres):
    return open_source(stored(postgres.database(), people=example())["people"])


def fitted(entry, source):
    make = entry.load()
    return make(schema=public(make), random_state=4).fit(source)


@cache
def in_memory(entry):
    """What is learned in memory, once for all who compare with it."""
    return fitted(entry, ArrowSource(example()))


@pytest.mark.parametrize("where", ["in_parts", "on_spark", "in_duckdb", "in_postgres"])
@pytest.mark.parametrize("entry", LEARNERS, ids=lambda entry: entry.name)
def test_learns_the_same(entry, where, request):
    one = fitted(entry, request.getfixturevalue(where))
    other = in_memory(entry)
    assert one.guarantee_.text() == other.guarantee_.text()
    assert one.in_words() == other.in_words()
    if hasattr(one, "predict"):
        assert list(one.predict(example(50))) == pytest.approx(list(other.predict(example(50))))
