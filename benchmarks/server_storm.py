"""A storm on a whole server: clients, web processes, run processes and PostgreSQL are all killed while runs are paid.

A round is one new dataset on a running ``privet serve``: eight clients start runs until its budget refuses, and
repeat what got no answer under the same key. Then the tables of the server, the ledger and what clients were told
must agree exactly. A request is one call on the ledger: a reservation, a commit, or a refusal.
"""

from __future__ import annotations

import json
import os
import random
import signal
import time
import uuid
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import httpx
import psycopg

from benchmarks.storm import CLIENTS, Tally
from privet.budget import Ledger, Pure, exact
from tests.server.fleet import PATIENCE, Fleet

__all__ = ["NAMES", "account", "storm"]

NAMES = tuple(f"analyst-{number}" for number in range(CLIENTS))
STEP = "0.01"
ENDED = ("released", "lost", "refused", "cancelled")


def client(fleet: Fleet, who: str, dataset: str, plan: str, limit: float, notes: Path) -> int:
    """Start runs, one after the other, until there is no budget; 5 is the exit code for that."""
    parent = os.getppid()
    fleet.client = httpx.Client(timeout=PATIENCE)  # not the parent's connections
    file = os.open(notes, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def asked(method: str, path: str, **more: Any) -> Any:
        """What the server answers; again while it, or its database, is away."""
        while os.getppid() == parent:
            try:
                answer = fleet.send(who, method, path, **more)
                if answer.status_code < 500:
                    assert answer.status_code < 300, answer.text
                    return answer.json()
            except httpx.TransportError:
                pass
            time.sleep(0.05)
        os._exit(70)  # the storm itself was killed

    while True:
        sent = {"json": {"plan": plan}, "headers": {"Idempotency-Key": str(uuid.uuid4())}}
        run = asked("POST", "/runs", **sent)["id"]
        os.write(file, f"queued {run}\n".encode())
        while (state := asked("GET", f"/runs/{run}")["state"]) not in ENDED:
            time.sleep(0.05)
        os.write(file, f"{state} {run}\n".encode())
        if state == "refused":
            balance = asked("GET", f"/datasets/{dataset}")["account"]
            if balance["spent"]["epsilon"] >= limit:
                return 5


def storm(
    fleet: Fleet,
    folder: Path,
    *,
    steps: int,
    kills: int,
    crash: Callable[[], None] | None = None,
    crashes: int = 0,
    seed: int | None = None,
) -> Tally:
    """One round on a new dataset whose budget is ``steps`` runs. Clients, web and run processes are killed in equal parts."""
    limit, chance = steps * exact(STEP), random.Random(seed)
    _, dataset = fleet.study(NAMES, float(limit))
    plans = {who: fleet.plan(who, dataset, float(STEP)) for who in NAMES}
    running: dict[int, str] = {}
    births = killed = processes = crashed = 0

    def start(who: str) -> None:
        nonlocal births
        births += 1
        child = os.fork()
        if child == 0:
            code = 70
            try:
                code = client(fleet, who, dataset, plans[who], float(limit), folder / f"notes-{births}")
            finally:
                os._exit(code)
        running[child] = who

    for name in NAMES:
        start(name)
    # Spread over the round by how many runs have ended, not by the clock: a slow machine gets them too.
    events = [("client", "web", "runs")[number % 3] for number in range(kills)] + ["crash"] * crashes
    chance.shuffle(events)
    due = sorted(chance.sample(range(1, steps), len(events)))
    try:
        while running:
            time.sleep(0.05)
            ended = sum(path.read_text().count("\n") for path in folder.glob("notes-*")) // 2
            if due and ended >= due[0]:
                due.pop(0)
                match events.pop():
                    case "client":
                        os.kill(chance.choice(list(running)), signal.SIGKILL)
                        killed += 1
                    case "crash":
                        assert crash is not None
                        crash()
                        crashed += 1
                    case kind:
                        fleet.kill(kind, chance)
                        processes += 1
            for child in list(running):
                gone, status = os.waitpid(child, os.WNOHANG)
                if gone:
                    who, code = running.pop(child), os.waitstatus_to_exitcode(status)
                    assert code in (5, -signal.SIGKILL), f"a client ended with {code}"
                    if code != 5:
                        start(who)
    finally:
        for child in running:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    told = [line.split() for path in folder.glob("notes-*") for line in path.read_text().splitlines()]
    fleet.patiently(lambda: not _unended(fleet.database, dataset))
    found = account(fleet.database, dataset, limit, [(state, run) for state, run in told])
    return found + Tally(killed=killed, processes=processes, crashes=crashed)


def _unended(database: str, dataset: str) -> int:
    with psycopg.connect(database) as connection:
        found = connection.execute(
            "SELECT count(*) FROM runs WHERE dataset = %s AND NOT state = ANY(%s)", (dataset, list(ENDED))
        ).fetchone()
    assert found is not None
    return int(found[0])


def account(database: str, dataset: str, limit: Fraction, told: list[tuple[str, str]]) -> Tally:
    """Compare the server's tables, the ledger's rows and what clients were told."""
    ledger = Ledger.open(database)
    ledger.verify()
    rows = [
        (row.number, row.kind, json.loads(row.body)) for row in ledger._chain.rows() if row.dataset == dataset
    ]
    reserved = {
        number: Fraction(body["event"]["epsilon"]) for number, kind, body in rows if kind == "reserve"
    }
    committed = Counter(body["reservation"] for _, kind, body in rows if kind == "commit")
    with psycopg.connect(database) as connection:
        runs = connection.execute(
            "SELECT id, state, reservation, (SELECT count(*) FROM releases WHERE run = runs.id) "
            "FROM runs WHERE dataset = %s",
            (dataset,),
        ).fetchall()
    paid = Counter(number for _, _, number, _ in runs if number is not None)
    states = {run: state for run, state, _, _ in runs}
    total = sum(reserved.values(), Fraction(0))
    overspent = int(total != limit) + int(ledger.spent(dataset) != Pure(total))
    # Paid for and in the ledger are the same; a run is released with one release, and lost with none.
    double = sum(1 for count in (*paid.values(), *committed.values()) if count > 1)
    lost = len(set(paid) ^ set(reserved))
    for _, state, number, releases in runs:
        double += int(releases > 1)
        lost += int((releases == 1) != (state == "released"))
        lost += int((number is not None) != (state in ("released", "lost")))
        lost += int(state == "released" and committed[number] == 0)
    # What somebody was told stands: every run is there, in the state it was said to have ended in.
    lost += sum(1 for state, run in told if run not in states or state not in ("queued", states[run]))
    refused = sum(1 for state in states.values() if state == "refused")
    requests = len(reserved) + sum(committed.values()) + refused
    return Tally(requests, 1, sum(committed.values()), 0, 0, overspent, lost, double)
