"""Flows on a server: looked at for free, paid for in one transaction, their steps used again, and no leak."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from sqlalchemy import select

from privet.server import worker as module
from privet.server.tables import flow_keys, flow_steps
from privet.server.worker import Worker
from tests.server.house import ROWS, House, house

STEPS: dict[str, Any] = {
    "people": {"do": "source"},
    "parts": {"do": "split", "from": "people"},
    "chosen": {"do": "select-k-best", "from": "parts.train", "k": 1},
    "model": {"do": "naive-bayes", "from": "chosen"},
    "score": {"do": "evaluate", "from": ["model", "parts.test"], "measures": "confusion"},
    "page": {"do": "report", "from": ["model", "score"]},
}
SOURCE = {"people": {"do": "source"}}


def flow(steps: Any = None, **more: Any) -> dict[str, Any]:
    return {"name": "clinic", "epsilon": 1.0, "steps": steps or STEPS} | more


def body(dataset: str, until: str | None = None, document: Any = None, **more: Any) -> dict[str, Any]:
    given = {"flow": document or flow()} | ({"until": until} if until else {})
    return {"use_case": "flow run", "dataset": dataset, "parameters": given} | more


def run(home: House, dataset: str, until: str | None = None, document: Any = None, **more: Any) -> Any:
    plan = home.owner.post("/plans", body(dataset, until, document, **more))
    return home.finish(home.owner, home.start(home.owner, plan["id"])["id"])


def check(home: House, dataset: str, document: Any = None, until: str | None = None) -> Any:
    sent = {"dataset": dataset, "flow": document or flow(), "until": until}
    return home.owner.post("/flows/check", sent)


def step(looked: Any, name: str) -> Any:
    return next(each for each in looked["steps"] if each["name"] == name)


@pytest.fixture(scope="module")
def dataset(home: House) -> str:
    return home.new_dataset(5.0)


def test_every_kind_of_step_has_a_form_without_paths_seeds_or_an_owners_words(home: House):
    found = home.analyst.get(f"/flows/kinds?dataset={home.dataset}")
    kinds = {kind["do"]: kind for kind in found["kinds"]}
    assert check(home, home.dataset, found["beginning"])["total"]["epsilon"] == 1.0
    assert set(found["head"]["properties"]) == {"name", "delta", "allocation", "goal"}
    assert {"source", "keep", "evaluate", "naive-bayes", "synthesiser"} <= set(kinds)
    assert kinds["source"]["json_schema"]["properties"] == {}
    assert kinds["report"]["json_schema"]["properties"] == {}
    assert "bins" in kinds["naive-bayes"]["json_schema"]["properties"]
    assert "records" in kinds["synthesiser"]["json_schema"]["properties"]
    assert "epsilon" not in kinds["naive-bayes"]["json_schema"]["properties"]
    assert "number" in kinds["ridge"]["reason"]
    assert kinds["naive-bayes"]["reason"] is None
    assert not {"rotation", "map-reduce", "streaming-naive-bayes"} & set(kinds)


def test_a_flow_is_priced_step_by_step_and_has_the_text_of_its_file(home: House, dataset: str):
    found = check(home, dataset)
    parts = [each["amount"]["epsilon"] for each in found["steps"] if each["amount"]]
    assert len(parts) == 3
    assert sum(parts) == pytest.approx(1.0)
    assert found["total"]["text"] == "ε = 1"
    kinds = {(edge["source"], edge["target"]): edge["kind"] for edge in found["edges"]}
    assert kinds["parts", "chosen"] == kinds["parts", "score"] == "private rows"
    assert (kinds["model", "page"], kinds["score", "page"]) == ("model", "score")
    assert step(found, "model")["buys"]
    assert found["svg"].startswith("<svg")
    again = home.owner.post("/flows/read", {"dataset": dataset, "text": found["text"]})["flow"]
    assert again["steps"] == STEPS
    assert 'data = "people.csv"' in found["text"]


def test_a_private_edge_to_a_step_that_shows_it_cannot_be_drawn_and_the_server_says_why(home: House, dataset):
    steps = STEPS | {"open": {"do": "report"}, "loose": {"do": "evaluate", "from": ["model"]}}
    found = check(home, dataset, flow(steps))
    links = {(link["source"], link["target"]): link for link in found["links"]}
    assert links["people", "open"]["slot"] == -1
    assert "private edge can end only at a step that measures" in links["people", "open"]["reason"]
    assert links["model", "open"] == {"source": "model", "target": "open", "slot": 0, "reason": ""}
    assert links["parts.test", "loose"]["slot"] == 1
    assert "circle" in links["score", "model"]["reason"]
    assert "takes from no step" in links["model", "people"]["reason"]
    assert "not connected yet" in step(found, "loose")["problem"]
    assert step(found, "model")["problem"] == ""
    assert found["total"] is None


@pytest.mark.parametrize(
    ("steps", "name", "said"),
    [
        ({"page": {"do": "report", "from": "people"}}, "page", "private edge"),
        (
            {
                "a": {"do": "keep", "from": "b", "columns": []},
                "b": {"do": "keep", "from": "a", "columns": []},
            },
            "a",
            "circle",
        ),
        (
            {
                "one": {"do": "select-k-best", "from": "people", "k": 1},
                "cut": {"do": "keep", "from": "one", "columns": ["age"]},
                "model": {"do": "naive-bayes", "from": "cut"},
            },
            "cut",
            "may drop",
        ),
        ({"model": {"do": "naive-bayes", "from": "people", "bins": 1}}, "model", "at least 2"),
        ({"model": {"do": "nothing", "from": "people"}}, "model", "no kind of step"),
        ({"model": {"do": "ridge", "from": "people"}}, "model", "number"),
    ],
)
def test_what_is_wrong_is_said_at_its_step_before_anything_is_spent(home: House, dataset, steps, name, said):
    before = home.spent(dataset)
    document = flow(SOURCE | steps)
    found = check(home, dataset, document)
    assert said in step(found, name)["problem"]
    assert found["total"] is None
    answer = home.owner.ask("POST", "/plans", json=body(dataset, document=document))
    assert answer.status_code == 422
    assert answer.json()["cost"] == "Nothing was spent."
    assert home.spent(dataset) == before


@pytest.mark.parametrize(
    "hostile",
    [
        {"people": {"do": "source", "data": "/etc/passwd"}},
        {"people": {"do": "source", "schema": "x.toml"}},
        {"people": {"do": "source", "public": True}},
        {"people": {"do": "source", "owner_says": "fine"}},
        SOURCE | {"p": {"do": "report", "from": [], "output": "../x.html"}},
        SOURCE | {"m": {"do": "naive-bayes", "from": "people", "random_state": 1}},
        SOURCE | {"m": {"do": "naive-bayes", "from": "people", "ledger": "x"}},
        SOURCE | {"m": {"do": "naive-bayes", "from": "people", "schema": {}}},
        SOURCE | {"m": {"do": "naive-bayes", "from": 5}},
        SOURCE | {"m": {"do": "naive-bayes", "from": [["people"]]}},
        SOURCE | {"m": {"do": ["naive-bayes"], "from": "people"}},
        SOURCE | {"../m": {"do": "naive-bayes", "from": "people"}},
        SOURCE | {"m.train": {"do": "naive-bayes", "from": "people"}},
        {"people": "source"},
        SOURCE | {"s": {"do": "synthesiser", "from": "people", "records": 10**9}},
        SOURCE | {"c": {"do": "clip", "from": "people", "bounds": {"age": ["low", []]}}},
        {f"s{k}": {"do": "source"} for k in range(41)},
        {},
    ],
)
def test_documents_have_no_paths_no_seeds_and_no_code(home: House, dataset: str, hostile):
    answer = home.owner.ask("POST", "/plans", json=body(dataset, document=flow() | {"steps": hostile}))
    assert answer.status_code == 422, answer.text
    looked = home.owner.ask("POST", "/flows/check", json={"dataset": dataset, "flow": {"steps": hostile}})
    assert looked.status_code in (200, 422), looked.text
    assert looked.status_code == 422 or looked.json()["total"] is None


def test_other_bad_requests_are_refused(home: House, dataset: str):
    for parameters in (
        {},
        {"flow": "people"},
        {"flow": flow(), "until": 3},
        {"flow": flow(), "until": "nowhere"},
        {"flow": flow(), "store": "/tmp/x"},
        {"flow": flow(), "epsilon": "much"},
        {"flow": flow(epsilon=-1)},
        {"flow": flow(name="a\nb")},
        {"flow": flow(nodes=[])},
        {"flow": flow(), "seed": 1},
    ):
        sent = {"use_case": "flow run", "dataset": dataset, "parameters": parameters}
        assert home.owner.ask("POST", "/plans", json=sent).status_code == 422, parameters
    text = {"dataset": dataset, "text": "steps = ["}
    assert home.owner.ask("POST", "/flows/read", json=text).status_code == 422
    asked = {"use_case": "flow run", "dataset": dataset, "algorithm": "naive-bayes"}
    assert home.owner.ask("POST", "/forecasts", json=asked).status_code == 422


def test_it_runs_to_a_step_and_goes_on_later_for_the_rest_alone(home: House):
    dataset = home.new_dataset(1.0)
    whole = check(home, dataset)
    first = check(home, dataset, until="chosen")
    assert first["total"] == step(whole, "chosen")["amount"]
    assert step(first, "model")["later"]
    done = run(home, dataset, "chosen")
    assert done["state"] == "released"
    assert home.spent(dataset) == pytest.approx(first["total"]["epsilon"])
    again = check(home, dataset)
    assert "used again" in step(again, "chosen")["free"]
    assert step(again, "chosen")["release"] == done["release"]
    assert again["total"]["epsilon"] == pytest.approx(1 - first["total"]["epsilon"])
    assert run(home, dataset)["state"] == "released"
    assert home.spent(dataset) == pytest.approx(1.0)
    plan = home.owner.post("/plans", body(dataset))
    assert (plan["state"], plan["price"]["text"]) == ("free", "nothing")
    once_more = run(home, dataset)
    assert (once_more["state"], once_more["cost"]) == ("released", "Nothing was spent.")
    assert home.spent(dataset) == pytest.approx(1.0)
    shown = home.owner.get(f"/releases/{once_more['release']}")
    assert [row[3] for row in shown["tables"][0]["rows"] if row[2] != "nothing"] == ["before: used again"] * 3
    entries = home.auditor.get(f"/accounts/{dataset}/history")["entries"]
    assert sum(entry["kind"] == "reserve" for entry in entries) == 2


def test_its_result_has_its_steps_its_model_and_can_be_run_elsewhere(home: House, tmp_path):
    dataset = home.new_dataset(5.0)
    done = run(home, dataset)
    shown = home.owner.get(f"/releases/{done['release']}")
    assert shown["title"] == "Flow clinic · people"
    assert shown["epsilon"] == pytest.approx(1.0)
    assert [row[0] for row in shown["tables"][0]["rows"]] == list(STEPS)
    assert shown["has_model"]
    assert "<h2" in home.owner.ask("GET", f"/releases/{done['release']}/report").text
    script = home.owner.ask("GET", f"/releases/{done['release']}/export?as=python").text
    command = home.owner.ask("GET", f"/releases/{done['release']}/export?as=cli").text
    assert str(home.server.settings.home) not in script + command
    assert "privet flow run people.flow.toml" in command
    (tmp_path / "people.csv").write_text(ROWS)
    schema = home.owner.get(f"/datasets/{dataset}/schema")["text"]
    (tmp_path / "people.schema.toml").write_text(schema)
    (tmp_path / "run.py").write_text(script.replace("Session(ledger='privet-ledger.db')", "Session()"))
    said = subprocess.run([sys.executable, "run.py"], cwd=tmp_path, capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    assert "The flow 'clinic' has run." in said.stdout
    assert (tmp_path / "page.html").exists()


def test_practice_is_free_and_keeps_nothing(home: House):
    dataset = home.new_dataset(1.0)
    done = run(home, dataset, practice=True)
    assert done["state"] == "released"
    assert home.spent(dataset) == 0
    assert check(home, dataset)["total"]["epsilon"] == 1.0
    with home.server.database.read() as connection:
        assert connection.execute(select(flow_steps).where(flow_steps.c.dataset == dataset)).all() == []


def test_too_much_is_refused_as_a_whole_and_the_most_that_fits_is_named(home: House):
    dataset = home.new_dataset(0.5)
    plan = home.owner.post("/plans", body(dataset))
    assert (plan["state"], plan["most"]) == ("too_much", 0.5)
    assert home.finish(home.owner, home.start(home.owner, plan["id"])["id"])["state"] == "refused"
    assert home.spent(dataset) == 0
    fits = home.owner.post("/plans", body(dataset) | {"parameters": {"flow": flow(), "epsilon": 0.5}})
    assert (fits["state"], fits["price"]["epsilon"]) == ("fits", 0.5)


def test_two_flows_at_once_on_one_account_are_paid_for_once(home: House):
    dataset = home.new_dataset(5.0)
    plans = [home.owner.post("/plans", body(dataset))["id"] for _ in range(2)]
    started = [home.start(home.owner, plan)["id"] for plan in plans]
    first, second = (home.finish(home.owner, each) for each in started)
    assert (first["state"], second["state"]) == ("released", "refused")
    assert "its price has changed" in second["problem"]
    assert home.spent(dataset) == 1.0
    assert home.owner.post("/plans", body(dataset))["state"] == "free"


def test_a_step_is_not_found_before_its_run_has_ended_and_a_lost_run_does_not_tell_how_far_it_came(
    tmp_path, monkeypatch
):
    with house(tmp_path, workers=0) as idle:
        dataset = idle.new_dataset(2.0)
        plan = idle.owner.post("/plans", body(dataset))
        started = idle.start(idle.owner, plan["id"])["id"]
        seen: list[Any] = []

        def looking(*given: Any) -> Any:
            seen.append(check(idle, dataset))
            raise RuntimeError("the disk is full")

        with monkeypatch.context() as patched:
            patched.setattr(module, "release_of", looking)
            Worker(idle.server).work_once()
        assert all(each["release"] is None for each in seen[0]["steps"])
        assert seen[0]["total"]["epsilon"] == 1.0, "before its end on the grid, nothing is told"
        assert idle.owner.get(f"/runs/{started}")["state"] == "lost"
        assert idle.spent(dataset) == 1.0
        after = check(idle, dataset)
        assert all(each["release"] is None for each in after["steps"])
        assert after["total"]["epsilon"] == 1.0
        once_more = idle.start(idle.owner, idle.owner.post("/plans", body(dataset))["id"])["id"]
        Worker(idle.server).work_once()
        assert idle.owner.get(f"/runs/{once_more}")["state"] == "released"
        assert idle.spent(dataset) == 2.0
        assert idle.owner.post("/plans", body(dataset))["state"] == "free"


def test_a_new_schema_makes_old_steps_no_steps_of_it(home: House):
    dataset = home.new_dataset(5.0)
    run(home, dataset)
    schema = home.owner.get(f"/datasets/{dataset}/schema")
    schema["columns"][0]["high"] = 130
    home.owner.put(f"/datasets/{dataset}/schema", schema)
    assert check(home, dataset)["total"]["epsilon"] == 1.0


def test_keys_of_splits_are_drawn_once_and_shown_nowhere(home: House):
    dataset = home.new_dataset(5.0)
    done = run(home, dataset, "chosen")
    mine = select(flow_keys.c.secret).where(flow_keys.c.dataset == dataset)
    with home.server.database.read() as connection:
        secret = connection.execute(mine).scalar_one()
    run(home, dataset)
    with home.server.database.read() as connection:
        assert connection.execute(mine).scalars().all() == [secret]
    shown = json.dumps(home.owner.get(f"/releases/{done['release']}")) + json.dumps(check(home, dataset))
    assert not any(word in shown for word in secret.split())


def test_whoever_may_not_plan_may_not_look(home: House):
    sent = {"dataset": home.dataset, "flow": flow()}
    for who, status in (("auditor", 403), ("contributor", 403), ("stranger", 404), ("nobody", 401)):
        assert home.callers[who].ask("POST", "/flows/check", json=sent).status_code == status


def add_public(home: House, dataset: str, filename: str, rows: str = ROWS) -> Any:
    return home.owner.ask("PUT", f"/datasets/{dataset}/public?filename={filename}", content=rows.encode())


PUBLIC_STEPS = {
    "people": {"do": "source"},
    "census": {"do": "source", "public": True, "data": "census"},
    "model": {"do": "naive-bayes", "from": "people"},
    "score": {"do": "evaluate", "from": ["model", "census"]},
}


def test_public_rows_are_measured_for_free_and_private_ones_are_never_taken_for_them(home: House):
    dataset = home.new_dataset(2.0)
    unknown = check(home, dataset, flow(PUBLIC_STEPS))
    assert "no public table of that name" in step(unknown, "census")["problem"]
    assert step(unknown, "census")["setting"] == "data"
    assert add_public(home, dataset, "Census.csv").json() == {"name": "census"}
    assert home.owner.get(f"/flows/kinds?dataset={dataset}")["public"] == ["census"]
    found = check(home, dataset, flow(PUBLIC_STEPS))
    kinds = {(edge["source"], edge["target"]): edge["kind"] for edge in found["edges"]}
    assert kinds["census", "score"] == "public rows"
    assert step(found, "score")["amount"] is None, "it reads no private rows"
    assert found["total"]["epsilon"] == 1.0
    again = home.owner.post("/flows/read", {"dataset": dataset, "text": found["text"]})["flow"]
    assert again["steps"] == PUBLIC_STEPS
    done = run(home, dataset, document=flow(PUBLIC_STEPS))
    assert done["state"] == "released"
    assert home.spent(dataset) == 1.0
    told = json.dumps(home.owner.get(f"/releases/{done['release']}"))
    assert "score: no guarantee" in told
    notes = json.dumps(home.owner.get(f"/studies/{home.study}/audit"))
    assert "added a public table" in notes


@pytest.mark.parametrize(
    ("filename", "rows", "said"),
    [
        ("census.csv", "age,smoker\n40,no\n", "ill"),
        ("taken.csv", ROWS, "stays as it is"),
        ("census.exe", ROWS, "tables in one file"),
    ],
)
def test_a_public_table_must_fit_and_is_never_replaced(home: House, dataset: str, filename, rows, said):
    add_public(home, dataset, "taken.csv")
    answer = add_public(home, dataset, filename, rows)
    assert 400 <= answer.status_code < 500
    assert said in answer.text


@pytest.mark.parametrize(
    "source",
    [
        {"public": True},
        {"public": True, "data": "../rows"},
        {"data": "rows"},
        {"data": ["DATASET"]},
        {"data": ["DATASET"], "people": "same", "public": True},
        {"people": "new"},
        {"owner_says": "fine", "public": True, "data": "taken"},
    ],
)
def test_a_source_that_means_no_table_is_refused(home: House, dataset: str, source: dict[str, Any]):
    if isinstance(source.get("data"), list):
        source = source | {"data": [dataset]}
    steps = {"people": {"do": "source"} | source, "model": {"do": "naive-bayes", "from": "people"}}
    for path, sent in (
        ("/flows/check", {"dataset": dataset, "flow": flow(steps)}),
        ("/plans", body(dataset, document=flow(steps))),
    ):
        answer = home.owner.ask("POST", path, json=sent)
        refused = answer.status_code == 422 or (path == "/flows/check" and answer.json()["total"] is None)
        assert refused, answer.text


def in_parts(*parts: str, people: str = "new") -> dict[str, Any]:
    source = {"do": "source", "data": list(parts), "people": people}
    return flow({"people": source, "model": {"do": "naive-bayes", "from": "people"}})


def test_a_part_that_comes_later_is_paid_for_by_its_own_people_alone(home: House):
    may, june = home.new_dataset(1.0, "may"), home.new_dataset(1.0, "june")
    assert {may, june} <= {each["dataset"] for each in home.owner.get(f"/flows/kinds?dataset={may}")["parts"]}
    assert run(home, may, document=in_parts(may))["state"] == "released"
    found = check(home, june, in_parts(may, june))
    assert (found["parts"][0]["name"], found["parts"][0]["total"]) == ("may", None)
    assert found["parts"][1]["total"]["epsilon"] == 1.0
    assert "compose in parallel" in found["composition"]
    assert found["edges"][0]["incremental"] is True
    assert home.owner.post("/plans", body(may, document=in_parts(may, june)))["state"] == "free"
    assert run(home, june, document=in_parts(may, june))["state"] == "released"
    assert (home.spent(may), home.spent(june)) == (1.0, 1.0)
    again = home.owner.post("/flows/read", {"dataset": june, "text": found["text"]})["flow"]
    assert again["steps"] == in_parts(may, june)["steps"]


def test_parts_that_do_not_compose_are_refused_before_anything_is_spent(home: House, dataset: str):
    other = home.new_dataset(1.0)
    same = check(home, dataset, in_parts(dataset, other, people="same"))
    assert same["total"] is None
    assert "several data sets" in same["problem"]
    answer = home.owner.ask("POST", "/plans", json=body(dataset, document=in_parts(other)))
    assert answer.status_code == 422
    assert "none of the flow" in answer.text
    strange = {"dataset": dataset, "flow": in_parts(dataset, "no-such-table")}
    assert home.owner.ask("POST", "/flows/check", json=strange).status_code == 404
