"""Experiments on a server: free cells in a process of its own, private cells as runs, paid for once."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from privet.experiment import Experiment
from privet.server.experimenter import folder_of
from privet.server.store import runs
from privet.server.worker import Worker
from tests.server.house import House, house

FREE = {"made_up": "people.schema.toml", "records": 200}
GRID: dict[str, Any] = {
    "name": "grid",
    "epsilons": [1.0],
    "repetitions": 1,
    "folds": 2,
    "score_epsilon": 0.5,
    "data": {"made-up": FREE},
    "algorithms": {"naive-bayes": {}, "one-r": {}},
}
BOTH = GRID | {"data": {"made-up": FREE, "real": {"file": "people.csv"}}}


@pytest.fixture(scope="module")
def idle(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A server that works on nothing by itself."""
    with house(tmp_path_factory.mktemp("idle"), workers=0) as found:
        yield found


def make(home: House, document: dict[str, Any], dataset: str, who: str = "analyst") -> Any:
    return home.callers[who].post("/experiments", {"dataset": dataset, "document": document})


def do_free_cells(home: House, experiment: str) -> None:
    folder = folder_of(home.server, experiment)
    words = [sys.executable, "-m", "privet.service.experimenting", str(folder), "1", str(os.getpid())]
    subprocess.run(words, check=True, timeout=900)


def test_free_cells_are_done_and_shown(home: House):
    dataset = home.new_dataset(5.0)
    made = make(home, GRID, dataset)
    for _ in range(9000):
        found = home.analyst.get(f"/experiments/{made['id']}")
        if found["state"] != "running":
            break
        time.sleep(0.1)
    assert (found["state"], found["done"], found["cells"]) == ("done", 4, 4), found
    [row] = found["rows"]
    assert [(e["done"], e["of"]) for e in row["entries"]] == [(2, 2), (2, 2)]
    assert found["winners"][0]["label"] in ("naive-bayes", "one-r")
    assert found["winners"][0]["family"] == "classify"
    assert found["charts"][0]["kind"] == "bars"
    assert home.spent(dataset) == 0.0
    for form, part in (("csv", "naive-bayes"), ("arff", "@attribute"), ("tex", "tabular"), ("html", "<svg")):
        answer = home.analyst.ask("GET", f"/experiments/{made['id']}/file?as={form}")
        assert part in answer.text
        assert "attachment" in answer.headers["content-disposition"]
    text = home.analyst.ask("GET", f"/experiments/{made['id']}/file").text
    assert Experiment.parse(text).to_dict() == found["document"]
    again = home.analyst.post("/experiments/price", {"dataset": dataset, "text": text})
    assert again["document"] == found["document"]


def test_private_cells_are_priced_as_a_whole_and_paid_for_once(idle: House):
    dataset = idle.new_dataset(3.0, name="real people")
    document = BOTH | {"data": {"real": {"file": "real-people.csv"}}}
    made = make(idle, document, dataset)
    price = made["price"]
    assert made["state"] == "done"  # there is nothing free
    assert price["rows"][0]["prices"] == ["ε = 1.5", "ε = 1.5"]
    assert price["tables"][0]["price"]["epsilon"] == 3.0
    assert price["tables"][0]["state"] == "fits"
    place = f"/experiments/{made['id']}/measure"
    assert idle.analyst.ask("POST", place, json={"agreed": "ε = 1"}).status_code == 409
    first = idle.analyst.post(place, {"agreed": price["total"]})
    assert [cell["state"] for cell in first["private"]] == ["queued", "queued"]
    assert idle.analyst.ask("POST", place, json={"agreed": price["total"]}).status_code == 409
    assert idle.spent(dataset) == 0.0
    worker = Worker(idle.server)
    while worker.work_once():
        pass
    worker.close()
    found = idle.analyst.get(f"/experiments/{made['id']}")
    assert [cell["state"] for cell in found["private"]] == ["released", "released"]
    assert idle.spent(dataset) == 3.0
    assert "±" in found["rows"][0]["entries"][0]["text"]
    assert found["rows"][0]["entries"][0]["mark"] == ""
    assert found["price"]["total"] == "nothing"
    assert any("no test is made" in line for line in found["explained"])
    report = idle.analyst.ask("GET", f"/experiments/{made['id']}/file?as=html").text
    assert "Guarantees" in report


def test_nothing_is_queued_if_the_budget_does_not_hold_all_of_it(idle: House):
    dataset = idle.new_dataset(2.9, name="few")
    made = make(idle, GRID | {"data": {"real": {"file": "few.csv"}}}, dataset)
    assert made["price"]["tables"][0]["state"] == "too_much"
    body = {"agreed": made["price"]["total"]}
    answer = idle.analyst.ask("POST", f"/experiments/{made['id']}/measure", json=body)
    assert answer.status_code == 409
    assert "Nothing was spent" in answer.text
    with idle.server.database.read() as connection:
        assert not runs.all_runs(connection, [dataset], "")


def test_a_lost_cell_is_asked_for_again_and_paid_for_again(idle: House):
    dataset = idle.new_dataset(10.0, name="lossy")
    made = make(idle, GRID | {"data": {"real": {"file": "lossy.csv"}}}, dataset)
    place = f"/experiments/{made['id']}/measure"
    cells = idle.analyst.post(place, {"agreed": made["price"]["total"]})["private"]
    with idle.server.database.write() as connection:
        runs.change(connection, cells[0]["run"], ("queued",), state="lost", step="done")
    found = idle.analyst.get(f"/experiments/{made['id']}")
    assert found["price"]["tables"][0]["price"]["epsilon"] == 1.5
    assert found["price"]["tables"][0]["again"] == 1
    more = idle.analyst.post(place, {"agreed": found["price"]["total"]})["private"]
    assert [cell["state"] for cell in more] == ["lost", "queued", "queued"]


def test_a_private_cell_shows_nothing_before_its_run_has_ended(idle: House):
    """A release that is stored and not yet out on the public grid is not in the table either."""
    dataset = idle.new_dataset(10.0, name="early")
    made = make(idle, GRID | {"data": {"real": {"file": "early.csv"}}}, dataset)
    place = f"/experiments/{made['id']}"
    idle.analyst.post(f"{place}/measure", {"agreed": made["price"]["total"]})
    worker = Worker(idle.server)
    worker._show = lambda run, started: None  # type: ignore[method-assign]
    while worker.work_once():
        pass
    worker.close()
    found = idle.analyst.get(place)
    assert found["private"][0]["state"] == "running"
    assert found["private"][0]["release"] is None
    assert found["done"] == 0
    assert "real" not in idle.analyst.ask("GET", f"{place}/file?as=csv").text


def test_pausing_and_a_server_that_was_killed_lose_and_repeat_nothing(idle: House, tmp_path: Path):
    made = make(idle, GRID | {"repetitions": 40}, idle.dataset)
    place, folder = f"/experiments/{made['id']}", folder_of(idle.server, made["id"])
    assert idle.analyst.post(f"{place}/pause")["state"] == "paused"
    assert idle.analyst.ask("POST", f"{place}/pause").status_code == 409
    assert idle.analyst.post(f"{place}/resume")["state"] == "running"
    store = folder / "results.jsonl"
    words = [sys.executable, "-m", "privet.service.experimenting", str(folder), "2", str(os.getpid())]
    child = subprocess.Popen(words)
    while child.poll() is None and (not store.exists() or store.read_bytes().count(b"\n") < 3):
        time.sleep(0.02)
    child.send_signal(signal.SIGKILL)
    child.wait()
    kept = store.read_bytes()
    do_free_cells(idle, made["id"])
    assert store.read_bytes().startswith(kept[: kept.rfind(b"\n") + 1])
    cells = [json.loads(line)["cell"] for line in store.read_text().splitlines()]
    assert len(cells) == len(set(cells)) == made["cells"]
    assert idle.analyst.get(place)["done"] == made["cells"]


def test_who_goes_on_waits_for_a_process_that_outlived_its_server(idle: House):
    """It still writes to the results when the next server begins: once it has noticed, nothing has failed."""
    made = make(idle, GRID, idle.dataset)
    folder = folder_of(idle.server, made["id"])
    words = [sys.executable, "-m", "privet.service.experimenting", str(folder), "1", str(os.getpid())]
    with (folder / "results.jsonl").open("ab") as outlived:
        fcntl.flock(outlived, fcntl.LOCK_EX)
        child = subprocess.Popen(words)
        waits = f"-> FLOCK  ADVISORY  WRITE {child.pid} "
        while child.poll() is None and waits not in Path("/proc/locks").read_text():
            time.sleep(0.02)
        assert child.returncode is None
    assert child.wait() == 0
    assert idle.analyst.get(f"/experiments/{made['id']}")["done"] == made["cells"]


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"data": {"a": {"file": "/etc/passwd"}}}, "no such table"),
        ({"data": {"a": {"file": "people.csv", "public": True}}}, "no such table"),
        ({"data": {"a": {"made_up": "../people.schema.toml"}}}, "no such table"),
        ({"data": {"a": {"file": "people.csv", "schema": "/etc/passwd"}}}, "no such table"),
        ({"data": {"a": {"generated": "clinic", "records": 10_000_000}}}, "Too many"),
        ({"algorithms": {"naive-bayes": {"random_state": 1}}}, "random_state"),
        ({"algorithms": {"naive-bayes": {"bins": 1}}}, "bins"),
        ({"algorithms": {"naive-bayes": {"nonsense": 1}}}, "nonsense"),
        ({"algorithms": {"x": {"use": "sample-aggregate"}}}, "sample-aggregate"),
        ({"repetitions": 100_000}, "too large"),
        ({"name": "\n"}, "name"),
    ],
)
def test_bad_experiments_are_refused(idle: House, change: dict[str, Any], word: str):
    for path in ("/experiments/price", "/experiments"):
        body = {"dataset": idle.dataset, "document": GRID | change}
        answer = idle.analyst.ask("POST", path, json=body)
        assert answer.status_code == 422, answer.text
        assert word in answer.text
        assert "root:" not in answer.text


def test_experiments_of_others_do_not_exist(idle: House):
    made = make(idle, GRID, idle.dataset)
    place = f"/experiments/{made['id']}"
    assert idle.second.ask("GET", place).status_code == 404
    assert idle.second.ask("POST", f"{place}/measure", json={"agreed": "x"}).status_code == 404
    assert idle.owner.get(place)["who"] == "analyst"
    assert made["id"] in [each["id"] for each in idle.owner.get("/experiments")]
    assert made["id"] not in [each["id"] for each in idle.second.get("/experiments")]
    assert idle.stranger.get("/experiments") == []


def test_what_an_experiment_can_be_made_of_can_be_sent_back(idle: House):
    parts = idle.analyst.get(f"/experiments/parts?dataset={idle.dataset}")
    assert {"naive-bayes", "one-r"} <= {each["name"] for each in parts["algorithms"]}
    assert not parts["tables"][0]["private"]
    for document in (parts["document"], *(each["document"] for each in parts["presets"])):
        price = idle.analyst.post("/experiments/price", {"dataset": idle.dataset, "document": document})
        assert price["total"] == "nothing"
        assert {entry for row in price["rows"] for entry in row["prices"]} == {"free"}
