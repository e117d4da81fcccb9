"""A query with groups on a Parquet file, by CPU time, beside DuckDB's own exact answer; in one run.

``PRIVET_BENCH_ROWS`` gives another number of rows than 10,000,000.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.engines_speed import _cpu
from benchmarks.figures import Figure

ROWS = int(os.environ.get("PRIVET_BENCH_ROWS", 10_000_000))
_SQL = "SELECT ward, {count}, AVG(cost) FROM {table} WHERE age > 40 GROUP BY ward"
_OURS = """
from privet.queries import query
from privet.queries.sql import from_sql
wards = [f"w{{k}}" for k in range(20)]
asked = from_sql({sql!r}, query({path!r}, {{"ward": wards, "cost": (0, 1000), "age": (0, 120)}}))
for _ in range({passes}):
    asked.release(epsilon=1.0)
"""
_DUCKDB = """
import duckdb
for _ in range({passes}):
    duckdb.sql({sql!r}).fetchall()
"""


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
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "table.parquet")
        write_table(Path(path), ROWS)
        spent = {}
        codes = {
            "ours": (_OURS, _SQL.format(count="COUNT(*) AS n", table="data")),
            "duckdb": (_DUCKDB, _SQL.format(count="COUNT(*)", table=f"read_parquet('{path}')")),
        }
        for name, (code, sql) in codes.items():
            once, thrice = (_cpu(code.format(path=path, sql=sql, passes=passes)) for passes in (1, 3))
            spent[name] = (thrice - once) / 2
        what = f"{ROWS:,} rows, a query with groups: CPU time, of DuckDB's own exact answer"
        return [Figure(what, spent["ours"] / spent["duckdb"], 1.2)]
