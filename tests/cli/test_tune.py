"""``privet fit … --tune``: the cost is shown first, paid once, and the model says what was chosen."""

from __future__ import annotations

import json


def test_the_cost_is_shown_first_and_paid_once(run, answer, account):
    words = (
        "fit",
        "naive-bayes",
        account,
        "-s",
        "people.toml",
        "--epsilon",
        1,
        "--tune",
        "--try",
        "bins=4,16",
    )
    plan = answer(*words, "--dry-run")
    assert plan["what"] == "tune naive-bayes"
    assert plan["amount"]["epsilon"] in (1, 1.0, "1")
    assert "random number of trials" in plan["steps"][0]["what"]
    assert answer("ledger", "show")["accounts"][0]["spent"] is None
    shown = run(*words, "--dry-run").stdout
    assert "It would cost ε = 1" in shown
    assert "Nothing has been spent" in shown
    done = answer(*words, "-o", "model.json")
    assert done["guarantee"]["epsilon"] == 1
    assert done["tuned"]["chosen"]["bins"] in (4, 16)
    assert 0.7 < done["tuned"]["accuracy"]["value"] <= 1.1
    assert json.loads(json.dumps(done)) == done
    spent = answer("ledger", "show")["accounts"][0]["spent"]
    assert float(spent["epsilon"]) == 1
    text = run("model", "show", "model.json").stdout
    assert "best of a random number of trials" in text
    run("predict", "model.json", account, "-o", "predicted.csv")


def test_the_algorithms_own_grid(run, answer, account):
    for name in ("logistic-regression", "one-r"):
        done = answer(
            "fit",
            name,
            account,
            "-s",
            "people.toml",
            "--epsilon",
            0.5,
            "--tune",
            "--trials",
            2,
            "-o",
            f"{name}.json",
        )
        assert done["tuned"]["chosen"]


def test_what_cannot_be_tuned_is_said_before_anything_is_paid(run, answer, account):
    words = ("fit", "naive-bayes", account, "-s", "people.toml", "--epsilon", 1, "-o", "model.json")
    assert "NAME=VALUE" in run(*words, "--tune", "--try", "bims=4", code=2).stderr
    assert "bins" in run(*words, "--tune", "--try", "bins=1,4", code=2).stderr
    assert "--tune" in run(*words, "--try", "bins=4,8", code=2).stderr
    assert "tuned" in run(*words, "--tune", "--try", "epsilon=1,2", code=2).stderr
    assert answer("ledger", "show")["accounts"][0]["spent"] is None


def test_a_table_without_an_account_is_told_how_to_get_one(run, people):
    words = ("fit", "naive-bayes", people, "-s", "people.toml", "--tune", "-o", "model.json")
    assert "privet ledger open" in run(*words, code=6).stderr
