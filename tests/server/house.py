"""A server for tests: real people with real passwords, a study, a small open dataset, and callers to try."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any

from fastapi.testclient import TestClient

from privet.server.application import application
from privet.server.settings import Limits, Settings
from privet.server.store import people

PASSWORD = "a long enough password"
HOST = "http://localhost"
LIMITS = Limits(logins_per_minute=100_000, plans_per_minute=100_000)
ROWS = "age,smoker,ill\n" + "".join(
    f"{20 + (7 * k) % 60},{'yes' if k % 3 else 'no'},{'yes' if k % 3 and k % 2 else 'no'}\n"
    for k in range(300)
)
SCHEMA = {
    "columns": [
        {"name": "age", "kind": "integer", "low": 0, "high": 120},
        {"name": "smoker", "kind": "category", "values": ["no", "yes"]},
        {"name": "ill", "kind": "category", "values": ["no", "yes"]},
    ],
    "target": "ill",
}


NAMES = ("owner", "analyst", "second", "contributor", "auditor", "stranger", "other", "operator")

_TABLES = count()


@dataclass
class Caller:
    """Somebody who makes requests: with a cookie, a token, or neither."""

    client: TestClient
    name: str = ""
    cookie: str | None = None
    token: str | None = None
    headers: dict[str, str] = field(default_factory=dict)

    def ask(self, method: str, path: str, **more: Any) -> Any:
        """The response, whatever it is."""
        headers = {"Origin": HOST} | self.headers | more.pop("headers", {})
        if self.token is not None:
            headers["Authorization"] = f"Bearer {self.token}"
        if self.cookie is not None:
            headers["Cookie"] = f"privet_session={self.cookie}"
        self.client.cookies.clear()
        place = path if path.startswith("/api") else f"/api/v1{path}"
        return self.client.request(method, place, headers=headers, **more)

    def get(self, path: str, **more: Any) -> Any:
        return self._done("GET", path, **more)

    def post(self, path: str, body: Any = None, **more: Any) -> Any:
        return self._done("POST", path, json=body, **more)

    def put(self, path: str, body: Any = None, **more: Any) -> Any:
        return self._done("PUT", path, json=body, **more)

    def _done(self, method: str, path: str, **more: Any) -> Any:
        answer = self.ask(method, path, **more)
        assert answer.status_code < 300, (method, path, answer.status_code, answer.text)
        return answer.json() if answer.content else None


@dataclass
class House:
    """One server with its people, of whom those that are named by their role are in the study."""

    app: Any
    client: TestClient
    callers: dict[str, Caller]
    study: str = ""
    dataset: str = ""

    def __getattr__(self, name: str) -> Caller:
        try:
            return self.callers[name]
        except KeyError:
            raise AttributeError(name) from None

    @property
    def server(self) -> Any:
        return self.app.state.server

    def new_dataset(self, epsilon: float | None = 1.0, name: str = "people", **more: Any) -> str:
        """A dataset with rows of its own and, unless epsilon is None, an open account."""
        made = self.owner.post("/datasets", {"study": self.study, "name": name})["id"]
        more_people, age = divmod(next(_TABLES), 100)  # no two tables are the same: the ledger would notice
        rows = ROWS + f"{age},no,no\n" * (1 + more_people)
        answer = self.owner.ask("PUT", f"/datasets/{made}/rows?filename=x.csv", content=rows.encode())
        assert answer.status_code == 200, answer.text
        self.owner.put(f"/datasets/{made}/schema", SCHEMA)
        if epsilon is not None:
            self.owner.post(f"/datasets/{made}/open", {"epsilon": epsilon, **more})
        return str(made)

    def plan(self, who: Caller, dataset: str, epsilon: float = 0.1, **more: Any) -> Any:
        body = {"use_case": "fit", "dataset": dataset, "algorithm": "naive-bayes"}
        return who.post("/plans", body | {"parameters": {"epsilon": epsilon}} | more)

    def start(self, who: Caller, plan: str, key: str | None = None) -> Any:
        key = key or f"key-{time.monotonic_ns()}"
        return who.post("/runs", {"plan": plan}, headers={"Idempotency-Key": key})

    def finish(self, who: Caller, run: str) -> Any:
        """The run once it has ended."""
        for _ in range(1200):
            found = who.get(f"/runs/{run}")
            if found["state"] in ("released", "lost", "refused", "cancelled"):
                return found
            time.sleep(0.05)
        raise AssertionError(f"the run did not end: {found}")

    def run(self, who: Caller, dataset: str, epsilon: float = 0.1, **more: Any) -> Any:
        return self.finish(who, self.start(who, self.plan(who, dataset, epsilon, **more)["id"])["id"])

    def spent(self, dataset: str) -> float:
        return float(self.owner.get(f"/datasets/{dataset}")["account"]["spent"]["epsilon"])


@contextmanager
def lived_in(app: Any) -> Iterator[House]:
    """A running server whose people are there already."""
    callers = {}
    with TestClient(app, base_url=HOST) as client:
        for name in NAMES:
            with app.state.server.database.write() as connection:
                user = people.named(connection, name)
                assert user is not None
                cookie = people.new_session(connection, user.id, 1.0)
            callers[name] = Caller(client, name, cookie)
        callers["nobody"] = Caller(client, "nobody")
        callers["wrong cookie"] = Caller(client, "wrong", cookie="no such session")
        callers["wrong token"] = Caller(client, "wrong", token="privet_nothing")
        yield House(app, client, callers)


@contextmanager
def house(home: Path, **settings: Any) -> Iterator[House]:
    """A running server with people in every role."""
    given = Settings(home, grid_seconds=0.0, limits=LIMITS)
    app = application(replace(given, **settings))
    with app.state.server.database.write() as connection:
        for name in NAMES:
            if people.named(connection, name) is None:
                owns = name in ("owner", "other")
                people.add_user(connection, name, None, owner=owns, operator=name == "operator")
    with lived_in(app) as found:
        found.study = found.owner.post("/studies", {"name": "a study"})["id"]
        for name, role in (
            ("analyst", "analyst"),
            ("second", "analyst"),
            ("contributor", "contributor"),
            ("auditor", "auditor"),
        ):
            found.owner.put(f"/studies/{found.study}/members/{name}", {"role": role})
        found.dataset = found.new_dataset(1000.0)
        yield found
