"""A query with groups on a Parquet file, by CPU time, beside DuckDB's own exact answer; in one run.

``PRIVET_BENCH_ROWS`` gives another number of rows than 10,000,000.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.figures import Figure

ROWS = int(os.environ.get("PRIVET_BENCH_ROWS", 10_000_000))
PASSES = 9
_SQL = "SELECT ward, {count}, AVG(cost) FROM {table} WHERE age > 40 GROUP BY ward"


def write_table(path: Path, rows: int) -> None:
    """Records with a ward, a cost and an age, written in pieces."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    draw, writer = np.random.default_rng(0), None
    names = pa.array([f"w{k}" for k in range(20)])
    for start in range(0, rows, 1_000_000):
        size = min(1_000_000, rows - start)
        wards = pa.DictionaryArray.from_arrays(pa.array(draw.integers(0, 20, size, np.int32)), names)
        part = pa.table({"ward": wards, "cost": draw.random(size) * 1000, "age": draw.integers(0, 100, size)})
        writer = writer or pq.ParquetWriter(path, part.schema)
        writer.write_table(part)
    if writer is not None:
        writer.close()


def run() -> list[Figure]:
    import duckdb

    from privet.queries import query
    from privet.queries.sql import from_sql

    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "table.parquet")
        write_table(Path(path), ROWS)
        schema = {"ward": [f"w{k}" for k in range(20)], "cost": (0, 1000), "age": (0, 120)}
        asked = from_sql(_SQL.format(count="COUNT(*) AS n", table="data"), query(path, schema))
        exact = _SQL.format(count="COUNT(*)", table=f"read_parquet('{path}')")
        ways: dict[str, Callable[[], Any]] = {
            "ours": lambda: asked.release(epsilon=1.0),
            "duckdb": lambda: duckdb.sql(exact).fetchall(),
        }
        spent: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(1 + PASSES):  # in turns, so that a busy machine is so for both
            for name, way in ways.items():
                before = time.process_time()
                way()
                spent[name].append(time.process_time() - before)
        ours, theirs = (statistics.median(times[1:]) for times in spent.values())  # the first one warms up
        what = f"{ROWS:,} rows, a query with groups: CPU time, of DuckDB's own exact answer"
        return [Figure(what, ours / theirs, 1.2)]
