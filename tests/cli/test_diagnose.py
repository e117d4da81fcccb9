"""Diagnoses on the command line: planned, paid for, stopped when it is enough, and what is free."""

from __future__ import annotations

import pytest


@pytest.fixture
def models(account, answer):
    for name, algorithm in (("one.json", "naive-bayes"), ("two.json", "one-r")):
        answer("fit", algorithm, account, "-s", "people.toml", "--epsilon", "0.1", "-o", name, "-y")
    return account


def test_curves_a_comparison_and_what_a_model_rests_on(models, run, answer):
    planned = answer("diagnose", "one.json", models, "--epsilon", "0.1", "--dry-run")
    assert planned["amount"]["epsilon"] == "1/10"
    found = answer("diagnose", "one.json", models, "--epsilon", "0.1", "-y", "-o", "page.html")
    assert found["guarantee"]["epsilon"] == 0.1
    paired = answer("compare-models", "one.json", "two.json", models, "--epsilon", "0.1", "-y")
    assert paired["models"] == ["one", "two"]
    spent = answer("ledger", "show")
    assert answer("importance", "one.json")["loss"]
    assert answer("ledger", "show") == spent
    assert answer("importance", "two.json")["rests_on"].endswith("own tables.")
    assert "draws no records" in run("importance", "two.json", "--released", "one.json", code=2).stderr


def test_a_run_that_stops_when_it_is_enough(models, run, answer):
    limit = ("evaluate", "one.json", models, "--epsilon", "0.2", "--until")
    assert "is given back" in answer(*limit, "0.5", "--dry-run")["how"]
    assert answer(*limit, "0.0000001", "-y")["guarantee"]["epsilon"] == 0.2
    run(*limit, "0.5", "--public", "--dry-run", code=2)
    run(*limit, "0.5", "--accuracy", "0.5", "--dry-run", code=2)
    run(*limit, "0.5", "--delta", "0.000001", "--dry-run", code=2)


def test_a_score_to_be_known(models, run, answer):
    asked = ("evaluate", "one.json", models, "--accuracy", "0.05", "--guess")
    assert "was chosen" in answer(*asked, "records=20000", "--dry-run")["how"]
    assert "Even without privacy" in run(*asked, "records=100", "--dry-run", code=2).stderr
    run("evaluate", "one.json", models, "--epsilon", "0.1", "--guess", "records=100", "--dry-run", code=2)
    pair = ("compare-models", "one.json", "two.json", models, "--accuracy", "0.05", "--guess")
    assert "difference in accuracy" in answer(*pair, "records=20000", "--dry-run")["how"]
    assert "Even without privacy" in run(*pair, "records=100", "--dry-run", code=2).stderr
