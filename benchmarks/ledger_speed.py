"""Paid reservations a second (reserve and commit) with eight clients, on SQLite and on PostgreSQL.

Both on this machine, durable in earnest, each client a process. The latency is that of one client among the eight, on
average: SQLite's lock is unfair, so half of its clients hardly wait while others wait for a second, and a median would
hide that.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from pathlib import Path

from benchmarks.figures import Figure
from privet.budget import Ledger, Pure, PureEvent, exact
from privet.schema import Unit
from tests.postgres import Postgres

CLIENTS, EACH = 8, 60


def run() -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        sqlite_rate, sqlite_latency = _measure(str(Path(folder) / "ledger.db"))
    server = Postgres.make()
    try:
        rate, latency = _measure(server.database())
    finally:
        server.remove()
    return [
        Figure(
            "paid reservations a second on PostgreSQL, eight clients", rate, 100, at_least=True, unit="/s"
        ),
        Figure("paid reservations a second on SQLite, eight clients", sqlite_rate, unit="/s"),
        Figure("mean latency, PostgreSQL to SQLite", latency / sqlite_latency, 2),
        Figure("mean latency on PostgreSQL", 1000 * latency, unit="ms"),
    ]


def _measure(address: str) -> tuple[float, float]:
    Ledger.open(address, create=True).open_account("patients", Pure(exact(1000)), unit=Unit())
    readers = []
    start = time.perf_counter()
    for _ in range(CLIENTS):
        reader, writer = os.pipe()
        if os.fork() == 0:
            os.write(writer, " ".join(f"{took:.6f}" for took in _client(address)).encode())
            os._exit(0)
        os.close(writer)
        readers.append(reader)
    times = []
    for reader in readers:
        with os.fdopen(reader) as pipe:
            times += [float(word) for word in pipe.read().split()]
        os.wait()
    return len(times) / (time.perf_counter() - start), statistics.fmean(times)


def _client(address: str) -> list[float]:
    ledger, took = Ledger.open(address), []
    for _ in range(EACH):
        start = time.perf_counter()
        reservation = ledger.reserve("patients", PureEvent(exact("0.001")), unit=Unit(), what="spend")
        ledger.commit(reservation, {"epsilon": "0.001"})
        took.append(time.perf_counter() - start)
    return took
