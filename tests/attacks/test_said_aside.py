"""What a run says besides its release: warnings, logs, prints and errors are the same for neighbours."""

from __future__ import annotations

import contextlib
import logging
import sqlite3
import warnings
from dataclasses import replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from privet import LogisticRegression, NaiveBayes
from privet.budget import Ledger, budget
from privet.checks.example import example
from privet.curator.folds import Folds
from privet.curator.tables import as_source
from privet.engines import engine_for
from privet.errors import DataError
from privet.families import FAMILIES
from privet.isolation.blocks import block_tables
from privet.learning.cluster import KMeans
from privet.randomness import secure
from privet.registry import audited_algorithms
from privet.schema import Schema, Unit
from privet.sources import ArrowSource
from privet.stats import Contingency
from privet.stats.contribution import bound_batches

HOSTILE = {
    "age": [np.uint64(2**64 - 1), 10**400],
    "height": [float("inf"), 5e-324],
    "smoker": [np.datetime64("NaT"), "\x00"],
    "ill": [[1], b"\xff"],
}


def fitted(algorithm, table, capfd, caplog):
    """All that a paid fit says aside."""
    family = FAMILIES[algorithm.family]
    schema = Schema.of(family.example, target=family.example_target, dataset="ward", outside="count")
    payer = Ledger.in_memory()
    payer.open_account("ward", budget(1.0), unit=Unit())
    caplog.clear()
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        algorithm.load()(epsilon=1.0, schema=schema, ledger=payer).fit(table)
    logged = {each.getMessage() for each in caplog.records}
    return {str(each.message) for each in warned}, logged, capfd.readouterr()


@pytest.mark.parametrize("algorithm", audited_algorithms(), ids=lambda each: each.name)
def test_a_hostile_record_makes_no_algorithm_say_anything(algorithm, capfd, caplog):
    """Before: NumPy's largest unsigned integer in a cell ended a paid run in an OverflowError."""
    caplog.set_level(logging.DEBUG)
    plain = example(60).to_pandas().astype(object)
    assert fitted(algorithm, plain, capfd, caplog) == (set(), set(), ("", ""))
    for place in range(2):
        hostile = plain.copy()
        for name, cells in HOSTILE.items():
            hostile[name] = pd.Series([cells[place], *plain[name][1:]], dtype=object)
        assert fitted(algorithm, hostile, capfd, caplog) == (set(), set(), ("", ""))


TIMES = [pa.timestamp("s"), pa.timestamp("s", "Europe/London"), pa.duration("s"), pa.date64()]


@pytest.mark.parametrize("kind", TIMES, ids=str)
def test_an_id_that_is_no_time_of_python_does_not_stop_a_run(kind):
    """Before: "Python int too large to convert to C int", after the run was paid for."""
    far = 2**62 // 86_400_000 * 86_400_000  # whole days, as a date must be
    ids = pa.array([0, far, far, -far], pa.int64()).view(kind)
    table = pa.table({"who": ids, "word": list("abab"), "ill": ["no", "yes", "no", "yes"]})
    schema = Schema.of(
        {"word": ["a", "b"], "ill": ["no", "yes"]}, target="ill", unit=Unit(id="who"), dataset="ward"
    )
    payer = Ledger.in_memory()
    payer.open_account("ward", budget(1.0), unit=schema.unit)
    NaiveBayes(epsilon=1.0, schema=schema, ledger=payer).fit(table)
    assert sum(part.num_rows for part in bound_batches(table.to_batches(), schema.unit)) == 3
    blocks = block_tables(ArrowSource(table), schema, 2, secure())
    assert sum(block.num_rows for block in blocks) == 3
    folds = Folds(ArrowSource(table), schema, 2, secure())
    parts = [part for fold in range(2) for part in folds.inside(fold).batches(["who", "word"])]
    assert sum(part.num_rows for part in parts) == 4  # the second record of one person is dropped later


def test_two_people_whose_ids_a_clock_shows_alike_do_not_share_their_records():
    """When summer time ends an hour comes twice, and Python takes the two for equal.

    Before: the second person's record was kept if they came in one batch, and else only without the first's.
    """
    zone = ZoneInfo("Europe/London")
    first = datetime(2026, 10, 25, 1, 30, tzinfo=zone)
    second = first.replace(fold=1)
    assert first == second
    seconds = [int(each.timestamp()) for each in (first, second)]
    assert timedelta(seconds=seconds[1] - seconds[0]) == timedelta(hours=1)
    ids = pa.array(seconds, pa.timestamp("s", "Europe/London"))
    batches = pa.table({"who": ids}).to_batches(max_chunksize=1)
    kept = list(bound_batches(batches, Unit(id="who", most=1)))
    assert [part.num_rows for part in kept] == [1, 1]


@pytest.mark.parametrize("cell", ["'old'", "X'61'", "CAST(X'53334E54FF' AS TEXT)"])
@pytest.mark.parametrize("column", ["age", "ill", "who"])
def test_one_odd_cell_of_sqlite_does_not_stop_a_paid_run(tmp_path, column, cell):
    """Before: SQLite keeps any cell in any column, and a paid run stopped at one of another type. What is no
    Unicode was quoted as well.
    """
    ibis = pytest.importorskip("ibis")
    table, odd = tmp_path / "people.db", {"age": "30", "ill": "'no'", "who": "7"} | {column: cell}
    schema = Schema.of({"age": (0, 120), "ill": ["no", "yes"]}, target="ill", dataset="ward", outside="count")
    schema = replace(schema, unit=Unit(id="who", most=2, keep="content"))
    counted = []
    for more in (False, True):
        table.unlink(missing_ok=True)
        with contextlib.closing(sqlite3.connect(table)) as file:
            file.execute("CREATE TABLE t (who INTEGER, age INTEGER, ill TEXT)")
            rows = [(place, place, "no" if place % 2 else "yes") for place in range(60)]
            file.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
            if more:
                file.execute(f"INSERT INTO t VALUES ({odd['who']}, {odd['age']}, {odd['ill']})")
            file.commit()
        source = as_source(ibis.sqlite.connect(table).table("t"), schema=schema)
        counted.append(engine_for(source).answer([Contingency("age", "ill", (40.0,))], source, schema)[0])
    assert counted[0].sum() == 60
    assert np.abs(counted[1] - counted[0]).sum() <= 1
    refused = replace(schema, outside=None)
    with pytest.raises(DataError, match=f"'{column}'") as caught:
        NaiveBayes(schema=refused).fit(ibis.sqlite.connect(table).table("t"))
    assert "S3NT" not in str(caught.value)


def test_a_database_does_not_quote_the_cell_that_it_could_not_convert():
    """Before: an algorithm that reads rows passed on what DuckDB said, cell and all."""
    connection = pytest.importorskip("ibis").duckdb.connect()
    connection.raw_sql(
        "CREATE TABLE r AS SELECT if(i = 7, 'S3NT1NEL', (i % 90)::VARCHAR) AS a, "
        "if(i % 2 = 0, 'no', 'yes') AS ill FROM range(300) t(i)"
    )
    connection.raw_sql("CREATE VIEW v AS SELECT a::INTEGER AS age, ill FROM r")
    schema = Schema.of({"age": (0, 120), "ill": ["no", "yes"]}, target="ill")
    for kind in (NaiveBayes, LogisticRegression, KMeans):
        with pytest.raises(DataError) as caught:
            kind(schema=schema).fit(connection.table("v"))
        assert "S3NT1NEL" not in str(caught.value)
        assert caught.value.__suppress_context__
