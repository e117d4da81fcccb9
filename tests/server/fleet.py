"""``privet serve`` as an operator starts it, on PostgreSQL: web and run processes, which may be killed."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

from privet.server.settings import Settings
from privet.server.state import Server
from privet.server.store import people
from tests.server.house import ROWS, SCHEMA

__all__ = ["PATIENCE", "Fleet"]

#: Only against a test that would never end: no result depends on how fast the machine is.
PATIENCE = 900.0


class Fleet:
    """A server of several processes, and somebody with a token for each name.

    Which processes there are is read off the server's own log. All of it is read: a pipe that fills up would
    stop whoever writes to it.
    """

    def __init__(
        self, home: Path, database: str, names: tuple[str, ...], web: int = 2, runs: int = 2
    ) -> None:
        self.home, self.database = home, database
        self.tokens = self._people(names)
        self.address = ""
        self.alive: dict[str, list[int]] = {"web": [], "runs": []}
        self.said: list[str] = []
        self._address_known = threading.Event()
        words = [
            "serve",
            "--home",
            str(home),
            "--port",
            "0",
            "--web",
            str(web),
            "--runs",
            str(runs),
            "--grid",
            "0",
        ]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "privet", *words],
            env=os.environ | {"PRIVET_DATABASE": database},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        assert self._address_known.wait(PATIENCE)
        assert self.address, self.said
        self.client = httpx.Client(timeout=PATIENCE)
        self.patiently(lambda: self.client.get(f"{self.address}/ready").status_code == 200)

    def _people(self, names: tuple[str, ...]) -> dict[str, str]:
        server, tokens = Server(Settings(self.home, database=self.database)), {}
        server.database.prepare()
        with server.database.write() as connection:
            for name in ("owner", *names):
                user = people.add_user(connection, name, None, owner=name == "owner")
                scopes = ["read", "plan", "run", "manage"]
                _, tokens[name] = people.add_token(connection, user, "t", scopes, time.time() + 86_400)
        server.database.close()
        return tokens

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.said.append(line)
            if found := re.search(r"http://127.0.0.1:\d+", line):
                self.address = found[0]
                self._address_known.set()
            elif line.startswith("{"):
                entry = json.loads(line)
                if entry["message"] == "process started":
                    self.alive[entry["kind"]].append(entry["pid"])
                elif entry["message"] == "process ended":
                    self.alive[entry["kind"]].remove(entry["pid"])
        self._address_known.set()

    def patiently(self, done: Callable[[], bool]) -> None:
        """Until it is done. A server that is away for a moment is asked again."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                if done():
                    return
            except httpx.HTTPError:
                pass
            time.sleep(0.1)
        raise AssertionError("it took too long")

    def send(self, who: str, method: str, path: str, **more: Any) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self.tokens[who]}"} | more.pop("headers", {})
        return self.client.request(method, f"{self.address}/api/v1{path}", headers=headers, **more)

    def ask(self, who: str, method: str, path: str, **more: Any) -> Any:
        answer = self.send(who, method, path, **more)
        assert answer.status_code < 300, (path, answer.text)
        return answer.json()

    def study(self, analysts: tuple[str, ...], epsilon: float) -> tuple[str, str]:
        """A study with an open dataset: their names."""
        study = self.ask("owner", "POST", "/studies", json={"name": "s"})["id"]
        for name in analysts:
            self.ask("owner", "PUT", f"/studies/{study}/members/{name}", json={"role": "analyst"})
        dataset = self.ask("owner", "POST", "/datasets", json={"study": study, "name": "people"})["id"]
        self.ask("owner", "PUT", f"/datasets/{dataset}/rows?filename=x.csv", content=ROWS.encode())
        self.ask("owner", "PUT", f"/datasets/{dataset}/schema", json=SCHEMA)
        self.ask("owner", "POST", f"/datasets/{dataset}/open", json={"epsilon": epsilon})
        return study, dataset

    def plan(self, who: str, dataset: str, epsilon: float) -> str:
        parameters = {"epsilon": epsilon}
        body = {"use_case": "fit", "dataset": dataset, "algorithm": "naive-bayes", "parameters": parameters}
        return str(self.ask(who, "POST", "/plans", json=body)["id"])

    def kill(self, kind: str, chance: random.Random | None = None) -> None:
        """End one of the web or run processes, in the middle of whatever it does."""
        alive = list(self.alive[kind])
        victim = alive[0] if chance is None else chance.choice(alive)
        os.kill(victim, signal.SIGKILL)
        # Its place is known to be empty once the server has noticed; nobody else has its number before that.
        self.patiently(lambda: victim not in self.alive[kind] or self.process.poll() is not None)

    def stop(self) -> int:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=PATIENCE)
        self._reader.join()
        self.client.close()
        return int(code)
