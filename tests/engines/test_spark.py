"""Spark: whole algorithms on a cluster of two executors, one of which is killed in the middle of a fit."""

from __future__ import annotations

import os
import signal

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from privet import LogisticRegression, NaiveBayes, Schema
from privet.budget import Ledger, budget
from privet.errors import DataError
from privet.sources import ArrowSource, ParquetSource
from privet.sources.parts import PartedSource
from privet.sources.spark import SparkMap, SparkSource
from tests.server import house as server

SCHEMA = Schema.of(
    {"age": (0, 120), "ward": ["a", "b"], "ill": ["no", "yes"]}, target="ill", dataset="people"
)


def people(records=2000):
    draw = np.random.default_rng(3)
    age = draw.integers(0, 120, records)
    ill = np.where(age + draw.normal(0, 20, records) > 60, "yes", "no")
    return pa.table({"age": age, "ward": draw.choice(["a", "b"], records), "ill": ill})


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("spark") / "people.parquet"
    parquet.write_table(people(), path, row_group_size=500)
    return path


class Deadly(SparkMap):
    """Kills one executor while its second pass over the table runs."""

    passes = 0
    killed = 0

    def __call__(self, function, parts):
        self.passes += 1
        if self.passes == 2:
            find = "lambda part: __import__('os').getppid()"  # sent as text: executors have no test modules
            daemons = self._spark.sparkContext.parallelize(range(2), 2).map(eval(find)).collect()
            with open(f"/proc/{daemons[0]}/stat") as file:
                self.killed = int(file.read().rpartition(")")[2].split()[1])
            os.kill(self.killed, signal.SIGKILL)
        return super().__call__(function, parts)


def test_an_executor_that_dies_changes_nothing_and_costs_nothing(spark, file):
    ledger = Ledger.in_memory()
    ledger.open_account("people", budget(1.0), unit=SCHEMA.unit, schema=SCHEMA, fingerprint=b"0" * 16)
    settings = {"epsilon": 0.5, "schema": SCHEMA, "method": "objective"}
    deadly = Deadly(spark)
    fitted = LogisticRegression(**settings, ledger=ledger).fit(PartedSource(ParquetSource(file), deadly, 4))
    assert deadly.killed
    assert deadly.passes > 2
    assert ledger.spent("people") == budget(0.5) == fitted.guarantee_.amount
    seeded = {**settings, "random_state": 7}
    one = LogisticRegression(**seeded).fit(PartedSource(ParquetSource(file), SparkMap(spark), 4))
    other = LogisticRegression(**seeded).fit(ArrowSource(people()))
    np.testing.assert_allclose(one.coef_, other.coef_, rtol=1e-9, atol=1e-12)


def test_frames_that_are_no_files(spark):
    frame = spark.createDataFrame(people(200).to_pylist())
    one = NaiveBayes(schema=SCHEMA, random_state=2).fit(SparkSource(frame))
    other = NaiveBayes(schema=SCHEMA, random_state=2).fit(ArrowSource(people(200)))
    assert (one.predict(people(50)) == other.predict(people(50))).all()


def test_frames_that_change_are_refused(spark):
    from pyspark.sql import Window, functions

    frame = spark.range(10).withColumn("b", functions.col("id") % 2)
    for shaky in (
        frame.withColumn("r", functions.rand()),
        frame.limit(3),
        frame.offset(3),
        frame.sample(0.5),
        frame.dropDuplicates(["b"]),
        frame.withColumn("r", functions.current_timestamp()),
        frame.withColumn("r", functions.sum("id").over(Window.partitionBy("b"))),
        frame.groupBy("b").agg(functions.first("id")),
        # Of those that share a place the one that is read first; a sketch of what came in which order.
        frame.groupBy("b").agg(functions.max_by("id", "b")),
        frame.groupBy("b").agg(functions.mode("id")),
        frame.groupBy("b").agg(functions.collect_set("id")),
        frame.groupBy("b").agg(functions.percentile_approx("id", 0.5)),
        frame.groupBy("b").agg(functions.expr("histogram_numeric(id, 3)")),
        frame.groupBy("b").agg(functions.expr("kll_sketch_agg_bigint(id)")),
    ):
        with pytest.raises(DataError, match="not the same each time"):
            SparkSource(shaky)
    named = frame.select(functions.col("id").alias("Limit Sample Window"), functions.lit("now").alias("b"))
    assert SparkSource(named.distinct()).names == ("Limit Sample Window", "b")


def test_an_error_on_an_executor_names_no_cell(spark):
    frame = spark.createDataFrame([{"age": "S3NT1NEL", "ward": "a", "ill": "no"}])
    with pytest.raises(DataError) as caught:
        NaiveBayes(schema=SCHEMA, random_state=2).fit(SparkSource(frame))
    assert "S3NT1NEL" not in str(caught.value)
    assert "'age'" in str(caught.value)


def test_a_table_of_a_catalogue_is_opened_by_the_server_and_measured_where_it_is(tmp_path, spark):
    rows = [
        {"age": 20 + i % 60, "smoker": ("no", "yes")[i % 3 > 0], "ill": ("no", "yes")[i % 2]}
        for i in range(80)
    ]
    spark.createDataFrame(rows).coalesce(1).createOrReplaceTempView("people")
    settings = '[cluster]\naddress = "spark://local"\ntables = ["people", "gone"]\n'
    (tmp_path / "connections.toml").write_text(settings)
    with server.house(tmp_path) as home:
        asked = {"study": home.study}
        assert home.owner.get("/connections") == [{"name": "cluster", "tables": ["people", "gone"]}]
        dataset = home.owner.post("/connections/cluster", asked | {"table": "people"})["id"]
        home.owner.put(f"/datasets/{dataset}/schema", server.SCHEMA)
        home.owner.post(f"/datasets/{dataset}/open", {"epsilon": 1.0})
        run = home.run(home.analyst, dataset, 1.0)
        assert run["state"] == "released", run
        assert home.spent(dataset) == 1.0
        gone = home.owner.post("/connections/cluster", asked | {"table": "gone"})["id"]
        answer = home.owner.ask("POST", f"/datasets/{gone}/draft", json={})
        assert answer.status_code == 422
        assert "does not know that table" in answer.text
