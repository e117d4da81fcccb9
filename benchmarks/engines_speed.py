"""The 22 tables of naive Bayes on every engine: CPU time of all processes, as ratios in one run; and memory.

Memory is the most that was resident in the process that asks (of Spark: with the JVM that it started, which in
this benchmark is driver and executors in one).

``PRIVET_BENCH_ROWS`` gives another number of rows than 10,000,000; starting a worker or a JVM weighs more then.
"""

from __future__ import annotations

import ctypes
import os
import resource
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.figures import Figure
from benchmarks.naive_bayes_file import COLUMNS, VALUES, write_table

ROWS = int(os.environ.get("PRIVET_BENCH_ROWS", 10_000_000))

_START = """
from privet.engines import engine_for
from privet.schema import Schema
from privet.sources import ParquetSource, TableSource, open_source
from privet.stats import Contingency
values = [str(v) for v in range({values})]
schema = Schema.of({{**{{f"x{{j}}": values for j in range({columns})}}, "y": ["no", "yes"]}}, target="y")
statistics = [Contingency(f"x{{j}}", "y") for j in range({columns})]
"""
_ASK = "\nfor _ in range({passes}):\n    engine_for(source).answer(statistics, source, schema)\n"
_PEAK = """
from pathlib import Path
def peak(process):
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
started = [child for each in Path("/proc/self/task").glob("*/children") for child in each.read_text().split()]
jvm = [child for child in started if "java" in Path(f"/proc/{child}/comm").read_text()]
print("PEAK", sum(peak(each) for each in ("self", *jvm)) / 1024)
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


def _adopt_orphans(whether: bool) -> None:
    """Whether orphans become this process's children (Linux's child subreaper)."""
    ctypes.CDLL(None).prctl(36, int(whether), 0, 0, 0)


@dataclass(frozen=True)
class _Spent:
    """CPU seconds, and MB at most."""

    cpu: float
    memory: float


def _run(code: str) -> _Spent:
    """What a Python program spends; CPU seconds also of all that it starts, orphans included."""
    _adopt_orphans(True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-c", code + _PEAK],
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    while True:
        try:
            os.wait()
        except ChildProcessError:
            break
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return _Spent(cpu, float(done.stdout.rpartition("PEAK")[2]))


def _of_one_pass(engine: str, path: Path) -> _Spent:
    """What one pass takes: of three passes less one, so that starting up does not count."""
    once, thrice = (
        _run(
            (_START + _ENGINES[engine] + _ASK).format(
                path=str(path), columns=COLUMNS, values=VALUES, passes=passes
            )
        )
        for passes in (1, 3)
    )
    return _Spent((thrice.cpu - once.cpu) / 2, max(once.memory, thrice.memory))


def _postgres(path: Path) -> list[Figure]:
    import psycopg
    import pyarrow as pa
    from pyarrow import csv, parquet

    from tests.postgres import Postgres

    rows = min(ROWS, 1_000_000)
    _adopt_orphans(False)  # else the server would be waited for
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
with psycopg.connect({url!r}) as connection:
    for _ in range({{passes}}):
        for j in range({COLUMNS}):
            connection.execute(f"SELECT x{{{{j}}}}, y, count(*) FROM t GROUP BY 1, 2").fetchall()
"""
        ours = (_START + f"source = open_source({url + '?table=t'!r})" + _ASK).format
        spent, memory = {}, 0.0
        for name, code in {"hand": by_hand.format, "ours": ours}.items():
            times = []
            for passes in (1, 3):
                before = _server_cpu(server.data)
                own = _run(code(passes=passes, columns=COLUMNS, values=VALUES))
                times.append(own.cpu + _server_cpu(server.data) - before)
                memory = own.memory
            spent[name] = (times[1] - times[0]) / 2
    finally:
        server.remove()
    return [
        Figure("PostgreSQL, of the same counts written by hand in SQL", spent["ours"] / spent["hand"], 1.1),
        Figure("  memory of the driver", memory, 1000, unit="MB"),
    ]


def _server_cpu(data: Path) -> float:
    """CPU seconds of the server and of its backends that have ended."""
    pid = (data / "postmaster.pid").read_text().splitlines()[0]
    cells = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, cells[11:15])) / os.sysconf("SC_CLK_TCK")


def run() -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.parquet"
        write_table(path, ROWS)
        memory = _of_one_pass("memory", path)
        found = [Figure(f"{ROWS:,} × {COLUMNS}, memory engine: memory", memory.memory, 1000, unit="MB")]
        for name, goal in {"processes": 1.3, "spark": 3.0, "duckdb": 3.0}.items():
            spent = _of_one_pass(name, path)
            found += [
                Figure(
                    f"{ROWS:,} × {COLUMNS}, {name}: CPU time, of the memory engine's",
                    spent.cpu / memory.cpu,
                    goal,
                ),
                Figure("  memory of the driver", spent.memory, 1000, unit="MB"),
            ]
        return [*found, *_postgres(path)]
