"""Several web processes and several run processes on one PostgreSQL: started as an operator starts them."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from privet.budget import Ledger
from privet.server.settings import Settings
from privet.server.state import Server
from privet.server.store import people
from tests.server.house import ROWS, SCHEMA


class Running:
    """``privet serve`` in processes of its own, and somebody with a token for each name."""

    def __init__(self, home: Path, database: str) -> None:
        self.home, self.database = home, database
        server = Server(Settings(home, database=database))
        server.database.prepare()
        self.tokens = {}
        with server.database.write() as connection:
            for name in ("owner", "ann", "bob"):
                user = people.add_user(connection, name, None, owner=name == "owner")
                scopes = ["read", "plan", "run", "manage"]
                _, self.tokens[name] = people.add_token(connection, user, "t", scopes, time.time() + 3600)
        server.database.close()
        words = ["serve", "--home", str(home), "--port", "0", "--web", "2", "--runs", "2", "--grid", "0"]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "privet", *words],
            env=os.environ | {"PRIVET_DATABASE": database},
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stderr is not None
        for line in self.process.stderr:
            if found := re.search(r"http://127.0.0.1:(\d+)", line):
                self.address = f"http://127.0.0.1:{found[1]}"
                break
        self.client = httpx.Client(timeout=60)
        self.patiently(lambda: self.client.get(f"{self.address}/ready").status_code == 200)

    def patiently(self, done: Any) -> None:
        for _ in range(3000):
            try:
                if done():
                    return
            except httpx.HTTPError:
                pass
            time.sleep(0.1)
        raise AssertionError("it took too long")

    def ask(self, who: str, method: str, path: str, **more: Any) -> Any:
        headers = {"Authorization": f"Bearer {self.tokens[who]}"} | more.pop("headers", {})
        answer = self.client.request(method, f"{self.address}/api/v1{path}", headers=headers, **more)
        assert answer.status_code < 300, (path, answer.text)
        return answer.json()

    def children(self, kind: str) -> list[int]:
        """The processes of one kind, oldest first: web processes are started first."""
        words = ["ps", "-o", "pid=,args=", "--ppid", str(self.process.pid)]
        found = subprocess.run(words, capture_output=True, text=True, check=True)
        spawned = [line for line in found.stdout.splitlines() if "spawn_main" in line]
        # By when they were started: numbers of processes begin anew at some point.
        born = {int(line.split()[0]): 0 for line in spawned}
        for pid in born:
            born[pid] = int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[19])
        numbers = sorted(born, key=lambda pid: born[pid])
        return numbers[:2] if kind == "web" else numbers[2:]

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=120)
        return int(self.process.returncode)


@pytest.fixture
def running(postgres_url: str, tmp_path: Path) -> Iterator[Running]:
    found = Running(tmp_path, postgres_url)
    yield found
    if found.process.poll() is None:
        found.stop()


@pytest.mark.storm
def test_several_processes_share_one_budget_and_survive_each_other(running: Running):
    study = running.ask("owner", "POST", "/studies", json={"name": "s"})["id"]
    for name in ("ann", "bob"):
        running.ask("owner", "PUT", f"/studies/{study}/members/{name}", json={"role": "analyst"})
    dataset = running.ask("owner", "POST", "/datasets", json={"study": study, "name": "people"})["id"]
    running.ask("owner", "PUT", f"/datasets/{dataset}/rows?filename=x.csv", content=ROWS.encode())
    running.ask("owner", "PUT", f"/datasets/{dataset}/schema", json=SCHEMA)
    running.ask("owner", "POST", f"/datasets/{dataset}/open", json={"epsilon": 1})
    body = {"use_case": "fit", "dataset": dataset, "algorithm": "naive-bayes", "parameters": {"epsilon": 0.1}}
    plans = {who: running.ask(who, "POST", "/plans", json=body)["id"] for who in ("ann", "bob")}

    def start(who: str, key: str) -> str:
        sent = {"json": {"plan": plans[who]}, "headers": {"Idempotency-Key": key}}
        return str(running.ask(who, "POST", "/runs", **sent)["id"])

    started = [(who, start(who, f"{who} {k}")) for k in range(4) for who in ("ann", "bob")]
    os.kill(running.children("runs")[0], signal.SIGKILL)  # in the middle of whatever it does
    os.kill(running.children("web")[0], signal.SIGKILL)
    running.client.close()
    running.client = httpx.Client(timeout=60)
    for k in range(4, 8):
        for who in ("ann", "bob"):
            running.patiently(lambda who=who, k=k: started.append((who, start(who, f"{who} {k}"))) or True)
    states: Counter[str] = Counter()
    ended = ("released", "lost", "refused", "cancelled")

    def all_ended() -> bool:
        nonlocal states
        states = Counter(running.ask(who, "GET", f"/runs/{run}")["state"] for who, run in started)
        return set(states) <= set(ended)

    running.patiently(all_ended)
    # What was paid for is what was released or lost, and never more than the limit.
    assert states["released"] + states["lost"] == 10
    assert states["refused"] == 6
    assert states["lost"] <= 1
    account = running.ask("ann", "GET", f"/datasets/{dataset}")["account"]
    assert account["spent"]["epsilon"] == 1.0
    assert running.ask("owner", "POST", "/ledger/verify")["intact"]
    assert running.ask("owner", "GET", f"/studies/{study}/audit")["intact"]
    assert running.stop() == 0
    ledger = Ledger.open(running.database)
    spends = [entry for entry in ledger.history(dataset) if entry.kind == "reserve"]
    assert len(spends) == 10
