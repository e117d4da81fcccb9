"""A long, resumable storm on the ledger: ``python -m benchmarks ledger_storm --requests 1000000``.

Rounds of a new ledger each, on SQLite and on PostgreSQL in turn, with clients killed at random and PostgreSQL stopped
in immediate mode; with ``--store server`` on a whole server, whose web and run processes are killed, too. What was
counted so far is kept in a folder: start it again to go on. Without options, as one of the benchmarks, it is a short
one. It is several times as fast with ``TMPDIR=/dev/shm``, where nothing waits for a disk: killed programs and
servers lose no more there than on a disk, which only a power cut would.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path

from benchmarks import server_storm
from benchmarks.figures import Figure, print_figures
from benchmarks.storm import Tally, storm
from tests.postgres import Postgres
from tests.server.fleet import Fleet

STEPS = 500  # about a thousand requests a round
RUNS = 60  # of a round on a whole server: each reads a table and fits a model
STORES = ("sqlite", "postgres", "server")
KEPT = Path("docs/experiments/results/storm")


def run() -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        return _rounds(2000, Path(folder), ("sqlite", "postgres"))


def main(words: list[str]) -> int:
    options = argparse.ArgumentParser(prog="python -m benchmarks ledger_storm", description=__doc__)
    options.add_argument(
        "--requests", type=int, default=1_000_000, help="in total, with those of earlier starts"
    )
    options.add_argument("--folder", type=Path, default=KEPT, help="where the count is kept")
    options.add_argument("--store", choices=STORES, nargs="+", default=["sqlite", "postgres"])
    given = options.parse_args(words)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # stopped: servers are ended, and the count is kept
    figures = _rounds(given.requests, given.folder, tuple(given.store))
    print_figures(figures)
    return 1 if any(figure.reached is False for figure in figures) else 0


def _rounds(requests: int, folder: Path, stores: tuple[str, ...]) -> list[Figure]:
    folder.mkdir(parents=True, exist_ok=True)
    tallies = {name: _read(folder / f"{name}.json") for name in stores}
    with ExitStack() as stack:
        server = fleet = None
        if {"postgres", "server"} & set(stores):
            server = Postgres.make()
            stack.callback(server.remove)
        if "server" in stores:
            assert server is not None
            home = stack.enter_context(tempfile.TemporaryDirectory())
            fleet = Fleet(Path(home), server.database(), server_storm.NAMES)
            stack.callback(fleet.stop)
        seconds = dict.fromkeys(stores, 0.0)
        while sum(tally.requests for tally in tallies.values()) < requests:
            # Each store gets as much time, not as many requests: those of a whole server take far longer.
            name = min(stores, key=lambda each: seconds[each])
            start = time.monotonic()
            with tempfile.TemporaryDirectory() as notes:
                tallies[name] += _round(name, Path(notes), server, fleet)
            seconds[name] += time.monotonic() - start
            (folder / "new").write_text(json.dumps(asdict(tallies[name])))
            (folder / "new").replace(folder / f"{name}.json")
            print(f"  {name}: {tallies[name]}", flush=True)
            if tallies[name].faults:
                break
    return [figure for name, tally in tallies.items() for figure in _figures(name, tally)]


def _round(name: str, folder: Path, server: Postgres | None, fleet: Fleet | None) -> Tally:
    if server is None or name == "sqlite":
        return storm(str(folder / "ledger.db"), folder, steps=STEPS, kills=12)

    def crash() -> None:
        server.crash()
        server.start()

    if fleet is None or name == "postgres":
        return storm(server.emptied(), folder, steps=STEPS, kills=8, crash=crash, crashes=2)
    return server_storm.storm(fleet, folder, steps=RUNS, kills=6, crash=crash, crashes=1)


def _read(path: Path) -> Tally:
    return Tally(**json.loads(path.read_text())) if path.exists() else Tally()


def _figures(name: str, tally: Tally) -> list[Figure]:
    killed = f"{tally.killed} clients and {tally.processes} processes of the server"
    said = f"{name}, {tally.requests} requests, {killed} killed, {tally.crashes} crashes"
    return [
        Figure(f"overspent or under-spent budgets: {said}", tally.overspent, 0, unit=""),
        Figure(f"acknowledged entries lost, of {tally.commits} commits: {name}", tally.lost, 0, unit=""),
        Figure(f"reservations granted or committed twice: {name}", tally.double, 0, unit=""),
    ]
