"""The 22 tables of naive Bayes on every engine: CPU time of all processes, as ratios in one run; and memory.

Memory is the most that was resident in the process that asks (of Spark: with the JVM that it started, which in
this benchmark is driver and executors in one).

``PRIVET_BENCH_ROWS`` gives another number of rows than 10,000,000; starting a worker or a JVM weighs more then.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.figures import Figure
from benchmarks.naive_bayes_file import COLUMNS, VALUES, write_table

ROWS = int(os.environ.get("PRIVET_BENCH_ROWS", 10_000_000))
PASSES = 2

_START = """
from benchmarks.spent import adopt_orphans, cpu_seconds, peak_megabytes
from privet.engines import engine_for
from privet.schema import Schema
from privet.sources import ParquetSource, TableSource, open_source
from privet.stats import Contingency
adopt_orphans()
values = [str(v) for v in range({values})]
schema = Schema.of({{**{{f"x{{j}}": values for j in range({columns})}}, "y": ["no", "yes"]}}, target="y")
statistics = [Contingency(f"x{{j}}", "y") for j in range({columns})]
def ask():
    engine_for(source).answer(statistics, source, schema)
"""
# The first pass starts what is started once, and does not count.
_MEASURE = """
ask()
before = cpu_seconds({server})
for _ in range({passes}):
    ask()
print("SPENT", (cpu_seconds({server}) - before) / {passes}, peak_megabytes())
"""
_ENGINES = {
    "memory": "source = ParquetSource({path!r})",
    "processes": """
from privet.sources.parts import PartedSource
from privet.sources.processes import Processes
source = PartedSource(ParquetSource({path!r}), Processes(2), 8)""",
    "duckdb": "source = TableSource(ParquetSource({path!r}).table())",
    "spark": """
from privet.sources.parts import PartedSource
from privet.sources.spark import SparkMap
source = PartedSource(ParquetSource({path!r}), SparkMap(), 8)""",
}


@dataclass(frozen=True)
class _Spent:
    """CPU seconds of one pass, and MB at most."""

    cpu: float
    memory: float


def _of_one_pass(code: str, server: int | str = "") -> _Spent:
    """What one pass of a program's ``ask`` takes, in all processes that it starts and in the server's."""
    whole = code + _MEASURE.format(passes=PASSES, server=server)
    done = subprocess.run(
        [sys.executable, "-c", whole],
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    cpu, memory = done.stdout.rpartition("SPENT")[2].split()
    return _Spent(float(cpu), float(memory))


def _postgres(path: Path) -> list[Figure]:
    import psycopg
    import pyarrow as pa
    from pyarrow import csv, parquet

    from tests.postgres import Postgres

    rows = min(ROWS, 1_000_000)
    server = Postgres.make("fsync=off")
    try:
        url = server.database()
        names = [f"x{j}" for j in range(COLUMNS)] + ["y"]
        plain = csv.WriteOptions(include_header=False)
        with psycopg.connect(url) as connection:
            connection.execute(f"CREATE TABLE t ({', '.join(f'{name} text' for name in names)})")
            with connection.cursor().copy("COPY t FROM STDIN (FORMAT csv)") as copy:
                for batch in parquet.ParquetFile(path).iter_batches(columns=names):
                    sink = pa.BufferOutputStream()
                    csv.write_csv(batch.slice(0, rows), sink, plain)
                    copy.write(sink.getvalue().to_pybytes())
                    rows -= batch.num_rows
                    if rows <= 0:
                        break
            connection.commit()
            connection.autocommit = True
            connection.execute("VACUUM ANALYZE t")
        by_hand = f"""
import psycopg
from benchmarks.spent import cpu_seconds, peak_megabytes
connection = psycopg.connect({url!r})
def ask():
    for j in range({COLUMNS}):
        connection.execute(f"SELECT x{{j}}, y, count(*) FROM t GROUP BY 1, 2").fetchall()
"""
        ours = _START.format(columns=COLUMNS, values=VALUES) + f"source = open_source({url + '?table=t'!r})"
        process = int((server.data / "postmaster.pid").read_text().splitlines()[0])
        hand, mine = (_of_one_pass(code, process) for code in (by_hand, ours))
    finally:
        server.remove()
    return [
        Figure("PostgreSQL, of the same counts written by hand in SQL", mine.cpu / hand.cpu, 1.1),
        Figure("  memory of the driver", mine.memory, 1000, unit="MB"),
    ]


def _engine(name: str, path: Path) -> _Spent:
    return _of_one_pass((_START + _ENGINES[name]).format(path=str(path), columns=COLUMNS, values=VALUES))


def run() -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.parquet"
        write_table(path, ROWS)
        memory = _engine("memory", path)
        found = [Figure(f"{ROWS:,} × {COLUMNS}, memory engine: memory", memory.memory, 1000, unit="MB")]
        for name, goal in {"processes": 1.3, "spark": 3.0, "duckdb": 3.0}.items():
            spent = _engine(name, path)
            found += [
                Figure(
                    f"{ROWS:,} × {COLUMNS}, {name}: CPU time, of the memory engine's",
                    spent.cpu / memory.cpu,
                    goal,
                ),
                Figure("  memory of the driver", spent.memory, 1000, unit="MB"),
            ]
        return [*found, *_postgres(path)]
