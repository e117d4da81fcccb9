"""Several web processes and several run processes on one PostgreSQL: started as an operator starts them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from benchmarks.server_storm import account
from privet.budget import exact
from tests.postgres import Postgres
from tests.server.fleet import PATIENCE, Fleet

ENDED = ("released", "lost", "refused", "cancelled")


@pytest.fixture
def fleet(postgres: Postgres, postgres_url: str, tmp_path: Path) -> Iterator[Fleet]:
    found = Fleet(tmp_path, postgres.by_socket(postgres_url), ("ann", "bob"))
    yield found
    found.stop()


def test_several_processes_share_one_budget_and_survive_each_other(fleet: Fleet):
    study, dataset = fleet.study(("ann", "bob"), 1)
    plans = {who: fleet.plan(who, dataset, 0.1) for who in ("ann", "bob")}
    started: list[tuple[str, str]] = []

    def start(who: str, key: str) -> bool:
        sent = {"json": {"plan": plans[who]}, "headers": {"Idempotency-Key": key}}
        started.append((who, str(fleet.ask(who, "POST", "/runs", **sent)["id"])))
        return True

    for k in range(4):
        for who in ("ann", "bob"):
            start(who, f"{who} {k}")
    fleet.kill("runs")
    fleet.kill("web")
    fleet.client.close()
    fleet.client = httpx.Client(timeout=PATIENCE)
    for k in range(4, 8):
        for who in ("ann", "bob"):
            fleet.patiently(lambda who=who, k=k: start(who, f"{who} {k}"))
    assert len(set(started)) == 16
    states: Counter[str] = Counter()

    def all_ended() -> bool:
        nonlocal states
        states = Counter(fleet.ask(who, "GET", f"/runs/{run}")["state"] for who, run in started)
        return set(states) <= set(ENDED)

    fleet.patiently(all_ended)
    paid = next(run for who, run in started if fleet.ask(who, "GET", f"/runs/{run}")["state"] == "released")
    # What was paid for is what was released or lost, and never more than the limit.
    assert states["released"] + states["lost"] == 10
    assert states["refused"] == 6
    assert states["lost"] <= 1
    assert fleet.ask("ann", "GET", f"/datasets/{dataset}")["account"]["spent"]["epsilon"] == 1.0
    assert fleet.ask("owner", "POST", "/ledger/verify")["intact"]
    assert fleet.ask("owner", "GET", f"/studies/{study}/audit")["intact"]
    assert fleet.stop() == 0
    assert not any("with a network" in line for line in fleet.said)  # by its socket, the database needs none
    # The server's tables, the ledger and what was told agree; and the comparison sees what it is there for.
    told = [("queued", run) for _, run in started]
    tally = account(fleet.database, dataset, exact(1), told)
    assert (tally.faults, tally.requests) == (0, 10 + tally.commits + 6)
    wrong = account(fleet.database, dataset, exact("0.9"), [*told, ("queued", "none"), ("lost", paid)])
    assert (wrong.overspent, wrong.lost) == (1, 2)
