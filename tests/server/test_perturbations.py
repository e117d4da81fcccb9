"""Perturbations on a server: tried on made-up people by everybody; rows leave by their owner's word."""

from __future__ import annotations

import csv
import io

import pytest

from privet.registry import algorithms_with
from tests.server.house import House

SAYS = "the ethics board agreed on 3 May"


@pytest.mark.parametrize("name", [each.name for each in algorithms_with("perturb")])
def test_every_method_is_tried_on_made_up_people(home: House, name: str, monkeypatch) -> None:
    """No row is read: the stored table could as well be away."""
    place = home.server.folder(home.dataset) / "rows.csv"
    away = place.rename(place.with_name("away"))
    try:
        found = home.analyst.post("/perturbations", {"dataset": home.dataset, "algorithm": name})
    finally:
        away.rename(place)
    assert found["records"] == 1000
    assert found["verdicts"]
    assert found["attacks"][0]["rows"]
    assert found["charts"]
    assert "NONE" in found["headline"] or "local" in found["headline"]
    assert found["promises"] is ("NONE" not in found["headline"])
    assert home.spent(home.dataset) == 0


def test_the_owner_takes_a_perturbed_table_by_their_word(home: House) -> None:
    dataset = home.new_dataset(1.0)
    body = {"algorithm": "rotation", "columns": [], "says": SAYS}
    answer = home.owner.ask("POST", f"/datasets/{dataset}/perturbed", json=body)
    assert answer.status_code == 200, answer.text
    assert answer.headers["x-privet-guarantee"] == "none"
    assert "no-store" in answer.headers["cache-control"]
    original = (home.server.folder(dataset) / "rows.csv").read_text().splitlines()
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert len(rows) == len(original) - 1
    assert not list((home.server.settings.home / "outgoing").iterdir()), "no copy stays"
    said = home.owner.get(f"/accounts/{dataset}/history")["entries"]
    assert any(SAYS in entry["what"] for entry in said), said
    log = home.auditor.get(f"/studies/{home.study}/audit")["entries"]
    [entry] = [each for each in log if each["what"] == "took a perturbed table"]
    assert entry["about"]["says"] == SAYS
    assert home.spent(dataset) == 0


def test_nobody_else_and_not_without_a_word(home: House) -> None:
    body = {"algorithm": "rotation", "says": SAYS}
    for who in (home.analyst, home.auditor, home.contributor, home.other):
        assert who.ask("POST", f"/datasets/{home.dataset}/perturbed", json=body).status_code in (403, 404)
    token = home.owner.post("/tokens", {"name": "wide", "scopes": ["read", "plan", "run", "manage"]})["token"]
    program = type(home.owner)(home.client, "program", token=token)
    assert program.ask("POST", f"/datasets/{home.dataset}/perturbed", json=body).status_code == 403
    for says in ("", "short", "          "):
        answer = home.owner.ask("POST", f"/datasets/{home.dataset}/perturbed", json=body | {"says": says})
        assert answer.status_code == 422


@pytest.mark.parametrize("words", ["random_state", "schema", "key", "nothing"])
def test_what_only_an_owner_at_the_machine_may_say_is_no_setting(home: House, words: str) -> None:
    asked = {"dataset": home.dataset, "algorithm": "rotation", "parameters": {words: 1}}
    answer = home.analyst.ask("POST", "/perturbations", json=asked)
    assert answer.status_code == 422
    assert f"{words} is no setting" in answer.text
