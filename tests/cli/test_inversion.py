"""``privet audit inversion`` on a released model."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def model(account, run):
    lines = account.read_text().splitlines()
    (account.parent / "others.csv").write_text("\n".join([lines[0], *lines[301:]]) + "\n")
    run("fit", "naive-bayes", account, "-s", "people.toml", "--epsilon", "1", "-o", "model.json", "-y")
    return "model.json"


def test_side_by_side(model, account, run, answer):
    found = answer("audit", "inversion", model, account, "-a", "age", "--others", "others.csv", "--seed", 1)
    assert found["private"] is False
    assert len(found["attempts"]) == 4
    assert {each["model"] for each in found["attempts"]} == set(found["memorised"])
    assert all(each["over_base_rate"]["low"] > 0 for each in found["attempts"])
    text = run(
        "audit", "inversion", model, account, "-a", "sex", "--beside", "none", "-o", "page.html"
    ).stdout
    assert "NaiveBayes, ε = 1" in text
    assert "without privacy" not in text
    assert "not private" in text
    folder = account.parent
    assert "<svg" in (folder / "page.html").read_text()
    assert json.loads((folder / "page.json").read_text())["attribute"] == "sex"


def test_an_audit_of_a_file_says_what_can_be_done_with_it(model, run):
    for name in (model, "nothing.json"):
        refused = run("audit", name, code=2).stderr
        assert f"'{name}' is a file" in refused
        assert f"privet audit inversion {name} DATA --attribute NAME" in refused
        assert f"privet model show {name}" in refused
    assert "privet audit perturbation ORIGINAL people.csv" in run("audit", "people.csv", code=2).stderr
    assert "There is no algorithm 'one-rr'" in run("audit", "one-rr", code=2).stderr


def test_errors_say_what_to_do(model, account, run):
    assert (
        "Choose one of: age, sex" in run("audit", "inversion", model, account, "-a", "height", code=2).stderr
    )
    assert "is the class" in run("audit", "inversion", model, account, "-a", "ill", code=2).stderr
    run("audit", "inversion", model, account, code=2)
    run("audit", "inversion", "nothing.json", account, "-a", "sex", code=7)
