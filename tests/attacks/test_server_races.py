"""Two people at the same moment, and what changes between a look and a deed: each once went through."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import event

from privet.server import alone
from privet.server.settings import Settings
from privet.server.state import Server
from privet.server.store import datasets, people, studies
from privet.server.store import runs as stored_runs
from privet.server.worker import Worker
from privet.service.ledgers import OpenAccount
from tests.postgres import Postgres
from tests.server.house import LIMITS, SCHEMA, Caller, House, house


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A server whose runs nobody works on, until a test does."""
    with house(tmp_path_factory.mktemp("races"), workers=0) as found:
        yield found


def work(home: House) -> None:
    worker = Worker(home.server)
    assert worker.work_once()
    worker.close()


@contextmanager
def meanwhile(address: str, doing: Callable[[], Any]) -> Iterator[Future[Any]]:
    """Somebody who does this in the middle of what stands below: it has got as far as it can."""
    with ThreadPoolExecutor(1) as pool, psycopg.connect(address, autocommit=True) as watch:
        future = pool.submit(doing)
        waits = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
        while not future.done():
            found = watch.execute(waits).fetchone()
            if found is not None and found[0]:
                break
            time.sleep(0.02)
        yield future


def test_what_two_processes_do_at_once_on_postgresql(postgres: Postgres, postgres_url: str, tmp_path: Path):
    with house(tmp_path, database=postgres_url, workers=0) as found:
        mine = Server(Settings(tmp_path, database=postgres_url))  # as another web process
        with found.server.database.read() as connection:
            rows = {name: people.named(connection, name) for name in ("owner", "other", "stranger")}
        ids = {name: row.id for name, row in rows.items() if row is not None}
        found.owner.put(f"/studies/{found.study}/members/other", {"role": "owner"})

        # Two owners take each other out: one of them stays.
        out = f"/studies/{found.study}/members/owner"
        with mine.database.write() as connection:
            assert studies.remove_member(connection, found.study, ids["other"])
            with meanwhile(postgres_url, lambda: found.other.ask("DELETE", out)) as theirs:
                connection.commit()
                assert theirs.result().status_code == 409
        assert found.owner.get(f"/studies/{found.study}")["role"] == "owner"

        # The same person is given a role twice; the last word counts.
        to = f"/studies/{found.study}/members/stranger"
        with mine.database.write() as connection:
            studies.set_member(connection, found.study, ids["stranger"], "auditor")
            again = lambda: found.owner.ask("PUT", to, json={"role": "analyst"})  # noqa: E731
            with meanwhile(postgres_url, again) as theirs:
                connection.commit()
                assert theirs.result().status_code == 200
        assert found.stranger.get(f"/studies/{found.study}")["role"] == "analyst"

        # Two people take the same name.
        with mine.database.write() as connection:
            people.add_user(connection, "eve", None)
            body = {"name": "eve", "password": "a long password"}
            with meanwhile(postgres_url, lambda: found.owner.ask("POST", "/users", json=body)) as theirs:
                connection.commit()
                assert theirs.result().status_code == 409

        # And without a database there is a clear answer, that does not say how far a request has come.
        plan = found.plan(found.analyst, found.dataset)["id"]
        # A plan does not wait for the disk, so a crash may take it; what is written next waits for both.
        found.owner.put(to, {"role": "analyst"})
        mine.database.close()
        postgres.crash()
        try:
            asked = {"json": {"plan": plan}, "headers": {"Idempotency-Key": "through a crash"}}
            answer = found.analyst.ask("POST", "/runs", **asked)
            assert (answer.status_code, answer.json()["title"]) == (503, "The database does not answer")
            assert "the same key" in answer.json()["cost"]
            assert found.client.get("/ready").status_code == 503
        finally:
            postgres.start()
        assert found.analyst.ask("POST", "/runs", **asked).status_code == 202
        assert len(found.analyst.get("/runs")) == 1


# What an owner does with a dataset


def test_a_table_that_is_being_opened_is_not_exchanged_for_another(
    home: House, monkeypatch: pytest.MonkeyPatch
):
    """Its schema was compared with the first one, and its account knows that one again."""
    dataset = home.new_dataset(None)
    stored = home.server.folder(dataset) / "rows.csv"
    rows, run, answers = stored.read_bytes(), OpenAccount.run, []
    monkeypatch.setattr(alone, "PATIENCE", 0.2)

    def opened(self: OpenAccount, session: Any) -> Any:
        place = f"/datasets/{dataset}"
        upload = home.owner.ask("PUT", f"{place}/rows?filename=x.csv", content=b"age,smoker,ill\n1,no,no\n")
        schema = home.owner.ask("PUT", f"{place}/schema", json=SCHEMA | {"target": "smoker"})
        again = home.owner.ask("POST", f"{place}/open", json={"epsilon": 9})
        deleted = home.owner.ask("DELETE", f"{place}/rows")
        answers.extend(answer.status_code for answer in (upload, schema, again, deleted))
        return run(self, session)

    monkeypatch.setattr(OpenAccount, "run", opened)
    shown = home.owner.post(f"/datasets/{dataset}/open", {"epsilon": 1})
    assert answers == [409] * 4
    assert (shown["state"], shown["target"], shown["account"]["limit"]["epsilon"]) == ("open", "ill", 1.0)
    assert stored.read_bytes() == rows
    assert not list((home.server.settings.home / "incoming").iterdir())


def test_a_server_that_was_stopped_while_it_opened_a_dataset_goes_on_with_the_same_table(
    home: House, monkeypatch: pytest.MonkeyPatch
):
    dataset = home.new_dataset(None)
    place = f"/datasets/{dataset}"

    def stopped(*given: Any, **more: Any) -> None:
        raise OSError  # in the moment at which the account is there, and nothing says so yet

    with monkeypatch.context() as patched:
        patched.setattr(datasets, "change", stopped)
        assert home.owner.ask("POST", f"{place}/open", json={"epsilon": 1}).status_code == 500
    other = home.owner.ask("PUT", f"{place}/rows?filename=x.csv", content=b"age,smoker,ill\n1,no,no\n")
    schema = home.owner.ask("PUT", f"{place}/schema", json=SCHEMA | {"target": "smoker"})
    confirmed = home.owner.ask("POST", f"{place}/schema/confirm", json={"columns": ["age"]})
    draft = home.owner.ask("POST", f"{place}/draft", json={"target": "smoker"})
    assert [answer.status_code for answer in (other, schema, confirmed, draft)] == [409] * 4
    shown = home.owner.post(f"{place}/open", {"epsilon": 1})
    assert (shown["state"], shown["target"]) == ("open", "ill")
    run = home.start(home.analyst, home.plan(home.analyst, dataset)["id"])["id"]
    work(home)
    assert home.analyst.get(f"/runs/{run}")["state"] == "released"
    # Rows that are deleted in such a moment do not bring the budget back either.
    dataset = home.new_dataset(None)
    with monkeypatch.context() as patched:
        patched.setattr(datasets, "change", stopped)
        home.owner.ask("POST", f"/datasets/{dataset}/open", json={"epsilon": 1})
    assert home.owner.ask("DELETE", f"/datasets/{dataset}/rows").json()["state"] == "deleted"


@pytest.mark.parametrize("change", ["member", "role", "rows", "schema"])
def test_what_changes_between_a_workers_look_and_the_payment_costs_nothing(
    home: House, monkeypatch: pytest.MonkeyPatch, change: str
):
    dataset = home.new_dataset(1.0)
    run = home.start(home.second, home.plan(home.second, dataset)["id"])["id"]
    place, session = f"/studies/{home.study}/members/second", Worker._session

    def changed(self: Worker, *given: Any) -> Any:
        if change == "member":
            assert home.owner.ask("DELETE", place).status_code == 204
        elif change == "role":
            home.owner.put(place, {"role": "auditor"})
        elif change == "rows":
            assert home.owner.ask("DELETE", f"/datasets/{dataset}/rows").status_code == 200
        else:
            fewer = [each for each in SCHEMA["columns"] if each["name"] != "smoker"]
            home.owner.put(f"/datasets/{dataset}/schema", SCHEMA | {"columns": fewer})
        return session(self, *given)

    with monkeypatch.context() as patched:
        patched.setattr(Worker, "_session", changed)
        work(home)
    home.owner.put(place, {"role": "analyst"})
    found = home.second.get(f"/runs/{run}")
    assert (found["state"], found["cost"]) == ("refused", "Nothing was spent.")
    assert home.spent(dataset) == 0.0


# Who follows a run


def ended(home: House, who: Caller, run: str) -> tuple[threading.Thread, list[Any]]:
    """Somebody who follows a run, and what they were told once that has ended."""
    told: list[Any] = []
    thread = threading.Thread(target=lambda: told.append(who.ask("GET", f"/runs/{run}/events")))
    thread.start()
    while not home.server.streams.open and thread.is_alive():
        time.sleep(0.02)
    return thread, told


@pytest.mark.parametrize("how", ["signed out", "revoked", "taken out"])
def test_whoever_is_out_is_told_nothing_more_of_a_run_that_they_follow(home: House, how: str):
    dataset = home.new_dataset(1.0)
    run = home.start(home.analyst, home.plan(home.analyst, dataset)["id"])["id"]
    with home.server.database.write() as connection:
        second = people.named(connection, "second")
        assert second is not None
        cookie = people.new_session(connection, second.id, 1.0)
    who = Caller(home.client, "second", cookie)
    if how == "revoked":
        made = home.second.post("/tokens", {"name": "t", "scopes": ["read"]})
        who = Caller(home.client, "second", token=made["token"])
    thread, told = ended(home, who, run)
    assert thread.is_alive()
    if how == "signed out":
        assert who.ask("DELETE", "/session").status_code == 204
    elif how == "revoked":
        assert home.second.ask("DELETE", f"/tokens/{made['id']}").status_code == 204
    else:
        assert home.owner.ask("DELETE", f"/studies/{home.study}/members/second").status_code == 204
    thread.join()
    home.owner.put(f"/studies/{home.study}/members/second", {"role": "analyst"})
    assert told[0].text.count("event: state") <= 1
    assert "released" not in told[0].text
    assert not home.server.streams.open
    work(home)  # it goes on, and whoever asked for it is told
    thread, told = ended(home, home.analyst, run)
    thread.join()
    assert '"state": "released"' in told[0].text


def test_one_person_does_not_keep_the_server_busy_with_following(tmp_path: Path):
    from dataclasses import replace

    with house(tmp_path, workers=0, limits=replace(LIMITS, followed_runs=1)) as found:
        run = found.start(found.analyst, found.plan(found.analyst, found.dataset)["id"])["id"]
        thread, _ = ended(found, found.analyst, run)
        assert found.analyst.ask("GET", f"/runs/{run}/events").status_code == 429
        assert found.analyst.ask("GET", f"/runs/{run}").status_code == 200
        work(found)
        thread.join()
        assert "released" in found.analyst.ask("GET", f"/runs/{run}/events").text


# Who asks for much


def test_much_practice_and_many_cancelled_runs_hide_nothing(home: House, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(stored_runs, "MOST_SHOWN", 3)
    study = home.owner.post("/studies", {"name": "careful", "approval": True})["id"]
    for name in ("analyst", "second"):
        home.owner.put(f"/studies/{study}/members/{name}", {"role": "analyst"})
    before, home.study = home.study, study
    try:
        dataset = home.new_dataset(1.0)
    finally:
        home.study = before
    paid = home.start(home.owner, home.plan(home.owner, dataset)["id"])["id"]
    work(home)
    asked = home.start(home.analyst, home.plan(home.analyst, dataset, 0.2)["id"])["id"]
    for number in range(4):
        home.start(home.second, home.plan(home.second, dataset, practice=True)["id"], f"practice {number}")
        work(home)
        run = home.start(home.second, home.plan(home.second, dataset, 0.3)["id"], f"cancelled {number}")["id"]
        home.second.post(f"/runs/{run}/cancel")
    assert [each["run"] for each in home.analyst.get(f"/releases?dataset={dataset}")] == [paid]
    assert asked in [each["id"] for each in home.owner.get(f"/runs?dataset={dataset}")]
    assert not any(each["practice"] for each in home.analyst.get(f"/runs?dataset={dataset}"))
    assert len(home.second.get(f"/releases?dataset={dataset}")) == 3


def test_guessing_many_passwords_at_once_takes_neither_memory_nor_the_database(tmp_path: Path):
    from privet.server import credentials

    hasher, at_once, most, lock = credentials._hasher(), 0, 0, threading.Lock()

    class Counting:
        """The real one, and how many of it work at the same time."""

        def hash(self, password: str) -> str:
            return str(hasher.hash(password))

        def verify(self, known: str, given: str) -> bool:
            nonlocal at_once, most
            with lock:
                at_once += 1
                most = max(most, at_once)
                in_use.append(found.server.database.engine.pool.checkedout())  # type: ignore[attr-defined]
            try:
                return bool(hasher.verify(known, given))
            finally:
                with lock:
                    at_once -= 1

    in_use: list[int] = []
    with house(tmp_path, workers=0) as found, pytest.MonkeyPatch.context() as patched:
        patched.setattr(credentials, "_hasher", Counting)
        credentials._nobody()
        guess = lambda k: found.client.post(  # noqa: E731
            "/api/v1/session", json={"name": f"user {k}", "password": "a wrong password"}
        )
        with ThreadPoolExecutor(12) as pool:
            assert {answer.status_code for answer in pool.map(guess, range(16))} == {401}
    assert 1 <= most <= 4
    # None of those who have a password checked holds a connection; others may be looking a name up.
    assert len(in_use) == 16
    assert min(in_use) == 0


def test_a_full_disk_is_a_clear_answer_and_the_same_key_spends_once(home: House):
    dataset = home.new_dataset(1.0)
    plan, engine = home.plan(home.analyst, dataset)["id"], home.server.database.engine
    asked = {"json": {"plan": plan}, "headers": {"Idempotency-Key": "on a full disk"}}
    engine.dispose()

    def full(connection: Any, record: Any) -> None:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")

    event.listen(engine, "connect", full)
    for _ in range(100):  # until the pages that are there are used up
        answer = home.owner.ask("POST", "/studies", json={"name": "x" * 200})
        if answer.status_code != 201:
            break
    assert (answer.status_code, answer.json()["title"]) == (507, "The server has no room")
    assert home.analyst.ask("POST", "/runs", **asked).status_code in (202, 507)
    assert home.analyst.ask("GET", "/session").status_code == 200
    event.remove(engine, "connect", full)
    engine.dispose()
    again = home.analyst.ask("POST", "/runs", **asked)
    assert again.status_code == 202
    assert home.analyst.ask("POST", "/runs", **asked).json()["id"] == again.json()["id"]
    work(home)
    assert home.spent(dataset) == pytest.approx(0.1)
    assert home.auditor.get(f"/studies/{home.study}/audit")["intact"]
