"""A long, resumable storm on the ledger: ``python -m benchmarks ledger_storm --requests 1000000``.

Rounds of a new ledger each, on SQLite and on PostgreSQL in turn, with clients killed at random and PostgreSQL stopped
in immediate mode. What was counted so far is kept in a folder: start it again to go on. Without options, as one of
the benchmarks, it is a short one.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from dataclasses import asdict
from pathlib import Path

from benchmarks.figures import Figure, print_figures
from benchmarks.storm import Tally, storm
from tests.postgres import Postgres

STEPS = 500  # about a thousand requests a round


def run() -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        return _rounds(2000, Path(folder), ("sqlite", "postgres"))


def main(words: list[str]) -> int:
    options = argparse.ArgumentParser(prog="python -m benchmarks ledger_storm", description=__doc__)
    options.add_argument(
        "--requests", type=int, default=1_000_000, help="in total, with those of earlier starts"
    )
    options.add_argument("--folder", type=Path, default=Path("ledger-storm"), help="where the count is kept")
    options.add_argument("--store", choices=["sqlite", "postgres", "both"], default="both")
    given = options.parse_args(words)
    stores = ("sqlite", "postgres") if given.store == "both" else (given.store,)
    figures = _rounds(given.requests, given.folder, stores)
    print_figures(figures)
    return 1 if any(figure.reached is False for figure in figures) else 0


def _rounds(requests: int, folder: Path, stores: tuple[str, ...]) -> list[Figure]:
    folder.mkdir(parents=True, exist_ok=True)
    tallies = {name: _read(folder / f"{name}.json") for name in stores}
    server = Postgres.make() if "postgres" in stores else None
    try:
        while sum(tally.requests for tally in tallies.values()) < requests:
            name = min(stores, key=lambda each: tallies[each].requests)
            tallies[name] += _round(folder / "round", server if name == "postgres" else None)
            (folder / "new").write_text(json.dumps(asdict(tallies[name])))
            (folder / "new").replace(folder / f"{name}.json")
            print(f"  {name}: {tallies[name]}", flush=True)
            if tallies[name].faults:
                break
    finally:
        if server is not None:
            server.remove()
    return [figure for name, tally in tallies.items() for figure in _figures(name, tally)]


def _round(folder: Path, server: Postgres | None) -> Tally:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    if server is None:
        return storm(str(folder / "ledger.db"), folder, steps=STEPS, kills=12)

    def crash() -> None:
        server.crash()
        server.start()

    return storm(server.emptied(), folder, steps=STEPS, kills=8, crash=crash, crashes=2)


def _read(path: Path) -> Tally:
    return Tally(**json.loads(path.read_text())) if path.exists() else Tally()


def _figures(name: str, tally: Tally) -> list[Figure]:
    said = f"{name}, {tally.requests} requests, {tally.killed} clients killed, {tally.crashes} crashes"
    return [
        Figure(f"overspent or under-spent budgets: {said}", tally.overspent, 0, unit=""),
        Figure(f"acknowledged entries lost, of {tally.commits} commits: {name}", tally.lost, 0, unit=""),
        Figure(f"reservations granted or committed twice: {name}", tally.double, 0, unit=""),
    ]
