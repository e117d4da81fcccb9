"""Naive Bayes from a Parquet file of 10,000,000 × 22, beside DuckDB counting the same 22 tables itself."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.figures import Figure

ROWS, COLUMNS, VALUES = 10_000_000, 22, 6

# Each job runs in a process of its own, so that its resident memory is its own. (VmHWM, not ru_maxrss: that
# one starts from what the parent had when it forked.)
_PRIVET = """
import json, time
from privet import NaiveBayes, Schema
values = [str(v) for v in range({values})]
schema = Schema.of({{**{{f"x{{j}}": values for j in range({columns})}}, "y": ["no", "yes"]}}, target="y")
times = []
for _ in range(3):
    start = time.perf_counter()
    NaiveBayes(schema=schema).fit({path!r})
    times.append(time.perf_counter() - start)
peak = next(line for line in open('/proc/self/status') if line.startswith('VmHWM'))
print(json.dumps([min(times), int(peak.split()[1]) / 1024]))
"""
_DUCKDB = """
import json, time, duckdb
times = []
for _ in range(3):
    start = time.perf_counter()
    for j in range({columns}):
        duckdb.sql(f"select x{{j}}, y, count(*) from read_parquet({path!r}) group by 1, 2").fetchall()
    times.append(time.perf_counter() - start)
peak = next(line for line in open('/proc/self/status') if line.startswith('VmHWM'))
print(json.dumps([min(times), int(peak.split()[1]) / 1024]))
"""


def write_table(path: Path, rows: int = ROWS) -> None:
    """A nominal table as text columns, written in pieces."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    generator = np.random.default_rng(0)
    values = pa.array([str(v) for v in range(VALUES)])
    classes = pa.array(["no", "yes"])
    writer = None
    for start in range(0, rows, 500_000):
        size = min(500_000, rows - start)
        columns = {
            f"x{j}": pa.DictionaryArray.from_arrays(
                generator.integers(0, VALUES, size, dtype=np.int8), values
            )
            for j in range(COLUMNS)
        }
        columns["y"] = pa.DictionaryArray.from_arrays(generator.integers(0, 2, size, dtype=np.int8), classes)
        table = pa.table(columns).cast(pa.schema([(name, pa.string()) for name in columns]))
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    assert writer is not None
    writer.close()


def _measure(code: str, path: Path) -> tuple[float, float]:
    text = code.format(path=str(path), columns=COLUMNS, values=VALUES)
    seconds, memory = json.loads(
        subprocess.run([sys.executable, "-c", text], check=True, capture_output=True, text=True).stdout
    )
    return seconds, memory


def run() -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.parquet"
        write_table(path)
        ours, memory = _measure(_PRIVET, path)
        theirs, _ = _measure(_DUCKDB, path)
    return [
        Figure("fit 10M × 22 nominal Parquet, of DuckDB's time for the tables", ours / theirs, 1.0),
        Figure("  resident memory", memory, 600, unit="MB"),
    ]
