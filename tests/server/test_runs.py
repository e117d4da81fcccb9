"""Runs: paid for once or not at all, whatever happens to whoever runs them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import event, update

from privet.errors import LedgerError
from privet.server import worker as module
from privet.server.routes import forecasts
from privet.server.store import runs as stored_runs
from privet.server.tables import tokens
from privet.server.worker import Worker, settle_the_dead
from privet.service.exchanging import exported
from tests.server.house import SCHEMA, Caller, House, house

# A worker in a process of its own, which stops for good at a place that its caller names.
STOPPING = """
import sys, time
from pathlib import Path
from privet.server import releasing, seeing, worker
from privet.server.settings import Settings
from privet.server.state import Server

def stop(*given, **more):
    print("here", flush=True)
    time.sleep(600)

home, place = sys.argv[1:]
if place == "before paying":
    seeing.ServerSession.table = stop
elif place == "after paying":
    worker.release_of = stop
elif place == "after storing":
    worker.Worker._show = stop
worker.Worker(Server(Settings(Path(home), grid_seconds=0.0))).work_once()
"""


@pytest.fixture(scope="module")
def idle(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A server whose runs nobody works on, until a test does."""
    with house(tmp_path_factory.mktemp("idle"), workers=0) as found:
        yield found


def test_two_people_on_one_budget_get_exactly_the_limit(home: House):
    dataset = home.new_dataset(1.0)
    plans = [home.plan(who, dataset)["id"] for who in (home.analyst, home.second)]
    askers = [(home.analyst, plans[0]), (home.second, plans[1])] * 8
    started = [(who, home.start(who, plan)["id"]) for who, plan in askers]
    states = Counter(home.finish(who, run)["state"] for who, run in started)
    assert states == {"released": 10, "refused": 6}
    assert home.spent(dataset) == 1.0
    entries = home.auditor.get(f"/accounts/{dataset}/history")["entries"]
    assert sum(entry["kind"] == "reserve" for entry in entries) == 10


def test_the_most_that_fits_is_named_where_one_run_costs_several_fits(home: House):
    """Ten folds at 0.5 cost nine times that, and their scores."""
    dataset = home.new_dataset(1.0)
    asked = {"use_case": "cross-validate", "dataset": dataset, "algorithm": "one-r"}

    def plan(epsilon: float) -> dict[str, Any]:
        return dict(home.analyst.post("/plans", asked | {"parameters": {"epsilon": epsilon}}))

    refused = plan(0.5)
    assert refused["state"] == "too_much"
    assert refused["most"] < 0.5
    fits = plan(refused["most"])
    assert (fits["state"], fits["most"]) == ("fits", None)
    assert plan(refused["most"] * 1.2)["state"] == "too_much"


def test_analysts_with_own_limits_cannot_pool_them_beyond_the_dataset(home: House):
    dataset = home.new_dataset(0.3, per_analyst=0.2)
    assert home.run(home.analyst, dataset, 0.2)["state"] == "released"
    assert home.plan(home.analyst, dataset, 0.1)["state"] == "empty"  # of their own limit
    assert home.run(home.analyst, dataset, 0.1)["state"] == "refused"
    refused = home.plan(home.second, dataset, 0.2)
    assert (refused["state"], refused["most"]) == ("too_much", 0.1)
    assert home.run(home.second, dataset, 0.1)["state"] == "released"
    assert home.spent(dataset) == pytest.approx(0.3)


def test_a_key_that_is_sent_again_gives_the_same_run_and_spends_once(home: House):
    dataset = home.new_dataset(1.0)
    plan = home.plan(home.analyst, dataset)["id"]
    first = home.start(home.analyst, plan, "my key")
    assert home.start(home.analyst, plan, "my key")["id"] == first["id"]
    home.finish(home.analyst, first["id"])
    again = home.start(home.analyst, plan, "my key")
    assert (again["id"], again["state"]) == (first["id"], "released")
    assert home.spent(dataset) == pytest.approx(0.1)
    other = home.plan(home.analyst, dataset, 0.2)["id"]
    headers = {"Idempotency-Key": "my key"}
    assert home.analyst.ask("POST", "/runs", json={"plan": other}, headers=headers).status_code == 422
    assert home.analyst.ask("POST", "/runs", json={"plan": other}).status_code == 400
    # Another person's key is another key.
    mine = home.plan(home.second, dataset)["id"]
    assert home.start(home.second, mine, "my key")["id"] != first["id"]


def test_a_key_that_is_sent_many_times_at_once_spends_once(home: House):
    dataset = home.new_dataset(1.0)
    plan = home.plan(home.analyst, dataset)["id"]
    together = threading.Barrier(6)

    def send(_: int) -> str:
        caller = Caller(home.client, "analyst", home.analyst.cookie)
        together.wait()
        return str(home.start(caller, plan, "at once")["id"])

    with ThreadPoolExecutor(6) as pool:
        found = set(pool.map(send, range(6)))
    assert len(found) == 1
    home.finish(home.analyst, found.pop())
    assert home.spent(dataset) == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("place", "state", "spent"),
    [("before paying", "queued", 0.0), ("after paying", "lost", 0.1), ("after storing", "released", 0.1)],
)
def test_a_worker_that_is_killed_neither_loses_nor_doubles_a_spend(
    idle: House, place: str, state: str, spent: float
):
    dataset = idle.new_dataset(1.0)
    run = idle.start(idle.analyst, idle.plan(idle.analyst, dataset)["id"])["id"]
    home = str(idle.server.settings.home)
    worker = subprocess.Popen(
        [sys.executable, "-c", STOPPING, home, place], stdout=subprocess.PIPE, text=True
    )
    assert worker.stdout is not None
    assert worker.stdout.readline() == "here\n"
    settle_the_dead(idle.server)  # it is alive: nothing is taken from it
    assert idle.analyst.get(f"/runs/{run}")["state"] == (
        "queued" if place.startswith("before") else "running"
    )
    os.kill(worker.pid, signal.SIGKILL)
    worker.wait()
    worker.stdout.close()
    settle_the_dead(idle.server)
    found = idle.analyst.get(f"/runs/{run}")
    assert found["state"] == state
    assert idle.spent(dataset) == pytest.approx(spent)
    # The next worker takes up what was not paid for, and nothing else.
    other = Worker(idle.server)
    assert other.work_once() is (state == "queued")
    other.close()
    assert idle.analyst.get(f"/runs/{run}")["state"] == ("released" if state == "queued" else state)
    assert idle.spent(dataset) == pytest.approx(0.1)
    assert idle.owner.post("/ledger/verify")["intact"]


def test_a_run_is_paid_for_in_one_step_with_its_state(idle: House):
    """If the state cannot change, because somebody cancelled in between, nothing is reserved."""
    dataset = idle.new_dataset(1.0)
    run = idle.start(idle.analyst, idle.plan(idle.analyst, dataset)["id"])["id"]
    with idle.server.database.write() as connection:
        assert stored_runs.take(connection, "somebody") == run
        row = stored_runs.find(connection, run)
    assert row is not None
    idle.analyst.post(f"/runs/{run}/cancel")
    ledger = idle.server.database.ledger
    worker = Worker(idle.server)
    worker.name = "somebody"
    with pytest.raises(LedgerError, match="cancelled"):
        worker._carry_out(run)
    worker.close()
    assert idle.spent(dataset) == 0.0
    assert not [entry for entry in ledger.history(dataset) if entry.kind == "reserve"]


def test_a_cancelled_run_costs_nothing(idle: House):
    dataset = idle.new_dataset(1.0)
    run = idle.start(idle.analyst, idle.plan(idle.analyst, dataset)["id"])["id"]
    found = idle.analyst.post(f"/runs/{run}/cancel")
    assert (found["state"], found["cost"]) == ("cancelled", "Nothing was spent.")
    worker = Worker(idle.server)
    assert not worker.work_once()
    worker.close()
    assert idle.analyst.ask("POST", f"/runs/{run}/cancel").status_code == 409
    assert idle.spent(dataset) == 0.0


def test_whoever_is_taken_out_of_the_study_runs_nothing_more(idle: House):
    dataset = idle.new_dataset(1.0)
    run = idle.start(idle.second, idle.plan(idle.second, dataset)["id"])["id"]
    assert idle.owner.ask("DELETE", f"/studies/{idle.study}/members/second").status_code == 204
    worker = Worker(idle.server)
    assert worker.work_once()
    worker.close()
    found = idle.owner.get(f"/runs/{run}")
    assert found["state"] == "refused"
    assert "may not run it any more" in found["problem"]
    assert idle.spent(dataset) == 0.0
    assert idle.second.ask("GET", f"/runs/{run}").status_code == 404
    idle.owner.put(f"/studies/{idle.study}/members/second", {"role": "analyst"})


def test_a_token_that_is_revoked_while_its_run_waits_sees_nothing_more(idle: House):
    dataset = idle.new_dataset(1.0)
    made = idle.analyst.post("/tokens", {"name": "t", "scopes": ["read", "plan", "run"]})
    program = Caller(idle.client, "analyst", token=made["token"])
    run = idle.start(program, idle.plan(program, dataset)["id"])["id"]
    assert idle.analyst.ask("DELETE", f"/tokens/{made['id']}").status_code == 204
    worker = Worker(idle.server)
    assert worker.work_once()
    worker.close()
    assert program.ask("GET", f"/runs/{run}").status_code == 401
    assert idle.analyst.get(f"/runs/{run}")["state"] == "released"  # the person is still a member


@pytest.mark.parametrize("how", ["revoked", "expired"])
def test_a_token_that_ends_in_the_middle_of_a_run_sees_nothing_more(
    idle: House, monkeypatch: pytest.MonkeyPatch, how: str
):
    dataset = idle.new_dataset(1.0)
    made = idle.analyst.post("/tokens", {"name": "t", "scopes": ["read", "plan", "run"]})
    program = Caller(idle.client, "analyst", token=made["token"])
    run = idle.start(program, idle.plan(program, dataset)["id"])["id"]
    states, release = [], module.release_of

    def ended_before(*given: Any) -> Any:  # it is paid for, and its rows have been read
        states.append(program.get(f"/runs/{run}")["state"])
        if how == "revoked":
            assert idle.analyst.ask("DELETE", f"/tokens/{made['id']}").status_code == 204
        else:
            with idle.server.database.write() as connection:
                connection.execute(update(tokens).where(tokens.c.id == made["id"]).values(expires=0.0))
        states.append(program.ask("GET", f"/runs/{run}").status_code)
        return release(*given)

    monkeypatch.setattr(module, "release_of", ended_before)
    worker = Worker(idle.server)
    assert worker.work_once()
    worker.close()
    assert states == ["running", 401]
    found = idle.analyst.get(f"/runs/{run}")  # the person is still a member, and has paid
    assert found["state"] == "released"
    for path in (f"/runs/{run}", f"/runs/{run}/events", f"/releases/{found['release']}/model"):
        assert program.ask("GET", path).status_code == 401
    assert idle.spent(dataset) == pytest.approx(0.1)


@pytest.mark.parametrize(("place", "state"), [("release_of", "lost"), ("_show", "released")])
def test_a_run_that_could_not_be_ended_is_ended_by_its_own_worker(
    idle: House, monkeypatch: pytest.MonkeyPatch, place: str, state: str
):
    """The database goes away in the middle: before the release is stored, or after; the worker lives on."""
    dataset = idle.new_dataset(1.0)
    run = idle.start(idle.analyst, idle.plan(idle.analyst, dataset)["id"])["id"]

    def away(*given: Any) -> Any:
        raise ConnectionError

    worker = Worker(idle.server)
    with monkeypatch.context() as patched:
        patched.setattr(Worker, "_failed", away)
        patched.setattr(*((module, place) if place == "release_of" else (Worker, place)), away)
        with pytest.raises(ConnectionError):
            worker.work_once()
    assert idle.analyst.get(f"/runs/{run}")["state"] == "running"
    settle_the_dead(idle.server)  # by another: this one lives
    assert idle.analyst.get(f"/runs/{run}")["state"] == "running"
    settle_the_dead(idle.server, idle=worker.name)
    worker.close()
    assert idle.analyst.get(f"/runs/{run}")["state"] == state
    assert idle.spent(dataset) == pytest.approx(0.1)


def test_somebody_elses_key_is_nobodys(idle: House):
    dataset = idle.new_dataset(1.0)
    mine, theirs = (idle.plan(who, dataset)["id"] for who in (idle.analyst, idle.second))
    first = idle.start(idle.analyst, mine, "a key that was overheard")["id"]
    stolen = {"json": {"plan": mine}, "headers": {"Idempotency-Key": "a key that was overheard"}}
    assert idle.second.ask("POST", "/runs", **stolen).status_code == 404
    assert idle.start(idle.second, theirs, "a key that was overheard")["id"] != first
    for who, run in ((idle.analyst, first), (idle.second, idle.second.get("/runs")[0]["id"])):
        assert who.ask("POST", f"/runs/{run}/cancel").status_code == 200


def test_rows_that_are_deleted_are_not_read_and_the_ledger_stays(idle: House):
    dataset = idle.new_dataset(1.0)
    worker = Worker(idle.server)
    idle.start(idle.analyst, idle.plan(idle.analyst, dataset)["id"])
    assert worker.work_once()
    run = idle.start(idle.analyst, idle.plan(idle.analyst, dataset)["id"])["id"]
    assert idle.owner.ask("DELETE", f"/datasets/{dataset}/rows").json()["state"] == "deleted"
    assert not list(idle.server.folder(dataset).glob("rows*"))
    assert worker.work_once()
    worker.close()
    assert idle.analyst.get(f"/runs/{run}")["state"] == "refused"
    assert idle.spent(dataset) == pytest.approx(0.1)
    again = idle.owner.ask("PUT", f"/datasets/{dataset}/rows?filename=a.csv", content=b"a\n1\n")
    assert again.status_code == 409  # no fresh budget for the same people
    assert idle.owner.ask("POST", f"/datasets/{dataset}/open", json={"epsilon": 9}).status_code == 409


def test_a_disk_that_is_full_at_the_release_leaves_a_lost_run_and_an_exact_ledger(idle: House):
    dataset = idle.new_dataset(1.0)
    run = idle.start(idle.analyst, idle.plan(idle.analyst, dataset)["id"])["id"]
    engine = idle.server.database.engine
    engine.dispose()

    def full(connection: Any, record: Any) -> None:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")

    event.listen(engine, "connect", full)
    worker = Worker(idle.server)
    assert worker.work_once()
    worker.close()
    event.remove(engine, "connect", full)
    engine.dispose()
    found = idle.analyst.get(f"/runs/{run}")
    assert (found["state"], found["cost"]) == ("lost", "ε = 0.1 was spent.")
    assert "never repeated" in found["problem"]
    assert idle.spent(dataset) == pytest.approx(0.1)
    assert idle.owner.post("/ledger/verify")["intact"]


def test_what_failed_after_records_were_read_is_told_to_the_owner_alone(idle: House):
    dataset = idle.new_dataset(1.0)
    stored = idle.server.folder(dataset) / "rows.csv"
    stored.write_bytes(stored.read_bytes() + b"\xff\xfe,broken\n")  # a disk that fails
    run = idle.start(idle.analyst, idle.plan(idle.analyst, dataset)["id"])["id"]
    worker = Worker(idle.server)
    assert worker.work_once()
    worker.close()
    mine, owners = (who.get(f"/runs/{run}")["problem"] for who in (idle.analyst, idle.owner))
    assert "For the owner" not in mine
    assert "Error" not in mine
    assert "For the owner: DataError" in owners
    assert idle.analyst.get(f"/runs/{run}")["state"] == "lost"
    assert idle.spent(dataset) == pytest.approx(0.1)


def test_what_came_out_without_a_guarantee_is_not_released(idle: House, monkeypatch: pytest.MonkeyPatch):
    """A learner that takes back its promise once it is paid: its exact figures stay inside."""
    from privet import NaiveBayes

    fit = NaiveBayes._fit

    def taken_back(self: Any, curator: Any) -> Any:
        found = fit(self, curator)
        if not curator.rehearsing:
            curator.void("The noise could not be drawn.")
        return found

    monkeypatch.setattr(NaiveBayes, "_fit", taken_back)
    dataset = idle.new_dataset(1.0)
    run = idle.start(idle.analyst, idle.plan(idle.analyst, dataset)["id"])["id"]
    worker = Worker(idle.server)
    assert worker.work_once()
    worker.close()
    found = idle.analyst.get(f"/runs/{run}")
    assert (found["state"], found["release"]) == ("lost", None)
    assert idle.analyst.get(f"/releases?dataset={dataset}") == []
    assert "without a guarantee" in idle.owner.get(f"/runs/{run}")["problem"]


def test_what_is_remembered_of_a_plan_is_public_and_no_way_in(home: House):
    """The second plan is looked up: access, balance and schema are looked at all the same."""
    dataset = home.new_dataset(0.25)
    first = home.plan(home.analyst, dataset, 0.2)
    again = home.plan(home.second, dataset, 0.2)
    assert {**first, "id": "", "created": ""} == {**again, "id": "", "created": ""}
    assert home.server.preparing.hits >= 1
    body = {"use_case": "fit", "dataset": dataset, "algorithm": "naive-bayes", "parameters": {"epsilon": 0.2}}
    assert home.stranger.ask("POST", "/plans", json=body).status_code == 404
    assert home.contributor.ask("POST", "/plans", json=body).status_code == 403
    home.finish(home.analyst, home.start(home.analyst, first["id"])["id"])
    spent = home.plan(home.second, dataset, 0.2)
    assert (first["state"], spent["state"]) == ("fits", "too_much")
    assert spent["left"]["epsilon"] == pytest.approx(0.05)
    fewer = {**SCHEMA, "columns": [each for each in SCHEMA["columns"] if each["name"] != "smoker"]}
    home.owner.put(f"/datasets/{dataset}/schema", fewer)
    other = home.plan(home.second, dataset, 0.01)
    assert other["hash"] != first["hash"]
    assert "smoker" not in json.dumps(other["assumed"])
    assert "smoker" in json.dumps(first["assumed"])


def test_what_is_remembered_of_a_plan_tells_nothing_of_another_study_or_of_a_run(idle: House):
    """The same question about tables of the same name, schema and limit, in a study of somebody else."""
    theirs = idle.other.post("/studies", {"name": "elsewhere"})["id"]
    mine, study, owner = idle.new_dataset(1.0), idle.study, idle.callers["owner"]
    try:
        idle.study, idle.callers["owner"] = theirs, idle.other
        elsewhere = idle.new_dataset(1.0)
    finally:
        idle.study, idle.callers["owner"] = study, owner
    with ThreadPoolExecutor(8) as pool:  # nothing is remembered yet, and both ask at once
        both = [(idle.analyst, mine), (idle.other, elsewhere)] * 4
        plans = list(pool.map(lambda each: idle.plan(*each), both))
    own = ("id", "created", "hash", "dataset", "command", "words")  # words: they name the account
    assert len({json.dumps({k: v for k, v in each.items() if k not in own}) for each in plans}) == 1
    for each, (_, dataset) in zip(plans, both, strict=True):
        other = elsewhere if dataset == mine else mine
        assert each["dataset"] == dataset
        assert other not in json.dumps(each)
    assert len({each["hash"] for each in plans}) == 2
    run = idle.start(idle.analyst, plans[0]["id"])["id"]
    worker = Worker(idle.server)
    assert worker.work_once()
    worker.close()
    release = idle.analyst.get(f"/runs/{run}")["release"]
    after, there = idle.plan(idle.analyst, mine), idle.plan(idle.other, elsewhere)
    assert (after["already"], there["already"]) == (release, None)
    assert {**there, "id": "", "created": ""} == {**plans[1], "id": "", "created": ""}
    # Nothing of the run, whose noise is drawn by then, is in what is remembered.
    for key in ("steps", "assumed", "price", "hash", "command"):
        assert after[key] == plans[0][key]
    assert idle.other.ask("GET", f"/releases/{release}").status_code == 404


def test_the_owner_is_asked_where_the_study_says_so(home: House):
    study = home.owner.post("/studies", {"name": "careful", "approval": True})["id"]
    home.owner.put(f"/studies/{study}/members/analyst", {"role": "analyst"})
    before, home.study = home.study, study
    dataset = home.new_dataset(1.0)
    home.study = before
    plan = home.plan(home.analyst, dataset)
    assert plan["state"] == "ask_owner"
    first, second = (home.start(home.analyst, plan["id"])["id"] for _ in range(2))
    assert home.analyst.get(f"/runs/{first}")["state"] == "approval"
    assert home.analyst.ask("POST", f"/runs/{first}/approve").status_code == 403
    # Whoever is to approve it can look at what is asked for, and price it as things are now.
    asked = home.owner.get(f"/plans/{plan['id']}")
    assert asked["parameters"] == {"epsilon": 0.1}
    assert home.second.ask("GET", f"/plans/{plan['id']}").status_code == 404
    rehearsed = home.plan(home.analyst, dataset, practice=True)["id"]
    assert home.owner.ask("GET", f"/plans/{rehearsed}").status_code == 404, "practice is one's own"
    home.owner.post(f"/runs/{first}/approve")
    assert home.finish(home.analyst, first)["state"] == "released"
    refused = home.owner.post(f"/runs/{second}/refuse")
    assert (refused["state"], refused["cost"]) == ("refused", "Nothing was spent.")
    assert home.owner.ask("POST", f"/runs/{second}/approve").status_code == 409
    assert home.run(home.owner, dataset)["state"] == "released"  # an owner asks nobody
    assert home.run(home.analyst, dataset, practice=True)["state"] == "released"  # nor does practice
    assert home.spent(dataset) == pytest.approx(0.2)


def test_practice_costs_nothing_and_is_ones_own(home: House):
    dataset = home.new_dataset(0.5)
    done = home.run(home.analyst, dataset, 50.0, practice=True)
    assert (done["state"], done["cost"]) == ("released", "Nothing was spent.")
    assert home.spent(dataset) == 0.0
    release = home.analyst.get(f"/releases/{done['release']}")
    assert release["practice"]
    assert release["epsilon"] is None
    assert home.second.ask("GET", f"/releases/{done['release']}").status_code == 404
    assert home.second.ask("GET", f"/runs/{done['id']}").status_code == 404
    assert done["release"] not in {r["id"] for r in home.second.get("/releases")}
    assert home.plan(home.analyst, dataset, 50.0)["already"] is None


def test_what_was_released_already_is_named_and_free_to_read(home: House):
    dataset = home.new_dataset(1.0)
    done = home.run(home.analyst, dataset)
    plan = home.plan(home.second, dataset, parameters={"bins": 16, "epsilon": 0.1})  # 16 is the default
    assert plan["already"] == done["release"]
    assert home.second.get(f"/releases/{done['release']}")["figures"]
    assert home.plan(home.second, dataset, 0.2)["already"] is None
    assert home.spent(dataset) == pytest.approx(0.1)


def test_every_use_case_of_the_api_runs(home: House):
    dataset = home.new_dataset(10.0)
    fitted = home.run(home.analyst, dataset, 1.0)
    model = home.analyst.ask("GET", f"/releases/{fitted['release']}/model").json()
    assert model["algorithm"] == "naive-bayes"
    scored = home.run(
        home.analyst, dataset, use_case="evaluate", algorithm=None, release=fitted["release"],
        parameters={"epsilon": 1.0},
    )  # fmt: skip
    assert scored["state"] == "released"
    drawn = home.run(
        home.analyst, dataset, use_case="diagnose", algorithm=None, release=fitted["release"],
        parameters={"epsilon": 1.0},
    )  # fmt: skip
    assert home.analyst.get(f"/releases/{drawn['release']}")["charts"]
    second = home.run(home.analyst, dataset, algorithm="one-r", parameters={"epsilon": 0.5})["release"]
    compared = home.run(
        home.analyst, dataset, use_case="compare-models", algorithm=None, release=fitted["release"],
        other=second, parameters={"epsilon": 0.5},
    )  # fmt: skip
    figures = home.analyst.get(f"/releases/{compared['release']}")["figures"]
    assert figures["measure"] == "accuracy"
    assert "difference" in figures
    for wrong in ({"other": fitted["release"][::-1]}, {}):
        body = {"use_case": "compare-models", "dataset": dataset, "release": second, **wrong}
        refused = home.analyst.ask("POST", "/plans", json=body | {"parameters": {"epsilon": 0.5}})
        assert (refused.status_code, refused.json()["field"]) == (422, "other")
    folds = {"epsilon": 0.5, "folds": 3, "score_epsilon": 1.0}
    folded = home.run(home.analyst, dataset, use_case="cross-validate", parameters=folds)
    assert folded["state"] == "released"
    best = {"epsilon": 1.0, "k": 1}
    chosen = home.run(home.analyst, dataset, use_case="select", algorithm="select-k-best", parameters=best)
    assert home.analyst.get(f"/releases/{chosen['release']}")["figures"]["chosen"]
    looked = home.run(home.analyst, dataset, use_case="describe", algorithm=None)
    assert home.analyst.get(f"/releases/{looked['release']}")["charts"]
    question = {"epsilon": 0.5, "sql": "SELECT smoker, COUNT(*) FROM data GROUP BY smoker"}
    answered = home.run(home.analyst, dataset, use_case="query", algorithm=None, parameters=question)
    assert answered["state"] == "released"
    report = home.analyst.ask("GET", f"/releases/{fitted['release']}/report")
    assert report.headers["content-type"].startswith("text/html")
    assert "script" not in report.headers["content-security-policy"]
    assert len(home.second.get(f"/releases?dataset={dataset}")) == 9


def test_the_exported_script_runs_elsewhere(home: House, tmp_path: Path):
    dataset = home.new_dataset(1.0, name="people")
    done = home.run(home.analyst, dataset)
    script = home.analyst.ask("GET", f"/releases/{done['release']}/export?as=python").text
    stored = home.server.folder(dataset) / "rows.csv"
    (tmp_path / "people.csv").write_bytes(stored.read_bytes())
    text = home.analyst.get(f"/datasets/{dataset}/schema")["text"]
    (tmp_path / "people.schema.toml").write_text(text, encoding="utf-8")
    opened = (
        "from privet.service import OpenAccount, Session\n"
        "OpenAccount(data='people.csv', schema='people.schema.toml', epsilon=1.0)"
        ".run(Session(ledger='privet-ledger.db'))\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", opened + script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert json.loads((tmp_path / "model.json").read_text())["algorithm"] == "naive-bayes"
    for form in ("notebook", "cli"):
        assert home.analyst.ask("GET", f"/releases/{done['release']}/export?as={form}").status_code == 200


def test_the_exported_model_is_the_released_one(home: House):
    dataset = home.new_dataset(1.0, name="people")
    done = home.run(home.analyst, dataset)
    document = home.analyst.get(f"/releases/{done['release']}/model")
    for form in ("onnx", "pmml"):
        answer = home.analyst.ask("GET", f"/releases/{done['release']}/export?as={form}")
        assert answer.status_code == 200
        assert answer.content == exported(document, form)
        assert f"model.{form}" in answer.headers["content-disposition"]


def test_events_tell_states_and_steps_and_never_rows(home: House):
    run = home.start(home.analyst, home.plan(home.analyst, home.dataset)["id"])["id"]
    lines = home.analyst.ask("GET", f"/runs/{run}/events").text.splitlines()
    told = [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]
    assert told[-1] == {"state": "released", "step": "done"}
    known = {"waiting", "starting", "measuring", "Fitting naive-bayes", "done"}
    assert {each["step"] for each in told} <= known
    assert not any(any(c.isdigit() for c in each["step"]) for each in told)


def test_runs_end_on_a_public_grid(idle: House, monkeypatch: pytest.MonkeyPatch):
    clock, slept = [100.0], []

    def waited(seconds: float) -> None:
        slept.append(seconds)
        clock[0] += seconds

    def looked() -> float:
        clock[0] += 0.37
        return clock[0]

    monkeypatch.setattr(module, "time", SimpleNamespace(sleep=waited, monotonic=looked))
    monkeypatch.setattr(idle.server, "settings", replace(idle.server.settings, grid_seconds=7.0))
    dataset = idle.new_dataset(1.0)
    idle.start(idle.analyst, idle.plan(idle.analyst, dataset)["id"])
    worker = Worker(idle.server)
    assert worker.work_once()
    worker.close()
    assert slept == [pytest.approx(7.0 - 0.37)]


def test_forecasts_draw_from_a_synthesiser_that_was_paid_for(home: House):
    """And what was foretold is remembered for whoever asked: nobody learns what others have asked for."""
    dataset = home.new_dataset(5.0)
    asked = {"use_case": "fit", "algorithm": "one-r", "dataset": dataset}

    def rests_on(who: str = "analyst") -> str:
        return " ".join(home.callers[who].post("/forecasts", asked)["rests_on"])

    made_up, released = "made up from the schema", "released already"
    assert made_up in rests_on()
    more = {"use_case": "fit", "algorithm": "synthesiser", "practice": True}
    assert home.run(home.analyst, dataset, 2.0, **more)["state"] == "released"
    assert made_up in rests_on(), "practice says nothing about these people"
    assert home.run(home.analyst, dataset, 2.0, **more | {"practice": False})["state"] == "released"
    assert released in rests_on()
    assert "not guessed" in rests_on()
    wider = [{"name": "age", "kind": "integer", "low": 0, "high": 150}, *SCHEMA["columns"][1:]]
    home.owner.put(f"/datasets/{dataset}/schema", SCHEMA | {"columns": wider})
    assert made_up in rests_on(), "columns were declared otherwise since"
    assert home.spent(dataset) == 2.0

    other = home.new_dataset(1.0)
    asked |= {"dataset": other}
    rests_on()
    asked |= {"dataset": home.new_dataset(1.0)}  # of the same schema
    known = set(forecasts._answers)
    rests_on()
    assert set(forecasts._answers) == known
    rests_on("second")
    assert len(set(forecasts._answers) - known) == 1
