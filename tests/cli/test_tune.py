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


def test_the_plan_is_shown_where_nobody_is_asked(run, answer, account):
    """Without a terminal (as here), with --yes and with --json: before anything is spent."""
    words = ("fit", "naive-bayes", account, "-s", "people.toml", "--epsilon", 0.5, "--tune", "--trials", 1)
    for place, more in enumerate(((), ("--yes",), ("--json",))):
        done = run(*words, "--try", "bins=4,16", *more, "-o", f"model{place}.json")
        for line in (
            "It would cost ε = 0.5",
            "Settings that may be tried (2):\n  bins = 4 | 16\n",
            "one in 5",
            "Budget: ε = 0.5 in all",
            "Each trial has ε = 0.25 for its fit, and ε = 0.25 for its score",
            "Nothing has been spent yet.",
        ):
            assert line in done.stderr
            assert line not in done.stdout
        assert done.stderr.index("Nothing has been spent yet.") < done.stderr.index("Chosen: ")
    assert json.loads(done.stdout)["tuned"]
    plan = answer(*words, "--try", "bins=4,16", "--dry-run")["search"]
    assert plan["settings"] == [{"bins": 4}, {"bins": 16}]
    assert plan["trial"] == {"epsilon": 0.25, "delta": 0}
    assert plan["held_out"] == 0.2


def test_the_plan_comes_before_the_spending(run, account, monkeypatch):
    """What fails when it comes to spending has shown its plan."""
    from privet.service import Fit

    def no(*words, **how):
        raise RuntimeError

    monkeypatch.setattr(Fit, "run", no)
    words = ("fit", "naive-bayes", account, "-s", "people.toml", "--tune", "--yes", "-o", "model.json")
    assert "Settings that may be tried" in run(*words, code=1).stderr


def test_a_method_and_its_steps_are_tuned_together(run, answer, account):
    words = ("fit", "logistic-regression", account, "-s", "people.toml", "--epsilon", 1, "--tune")
    grid = ("--try", "method=objective,newton", "--try", "steps=1,2")
    shown = run(*words, *grid, "--dry-run").stdout
    assert "  method = newton, steps = 1 | 2\n  method = objective, steps = None\n" in shown
    assert "Left out (2), as the algorithm refuses them:\n  method = objective, steps = 1 | 2: " in shown
    done = answer(*words, *grid, "--trials", 1, "-o", "model.json")
    assert done["tuned"]["chosen"]["method"] in ("newton", "objective")
    none = run(*words, "--method", "objective", "--try", "steps=1,2", "-o", "other.json", code=2).stderr
    assert "None of the 2 settings can be tried" in none
    assert "What to do: Leave steps out" in none


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
    assert "NAME=VALUE" in run(*words, "--tune", "--try", "bins", code=2).stderr
    unknown = run(*words, "--tune", "--try", "bims=4", code=2).stderr
    assert "'bims' is not a parameter of naive-bayes" in unknown
    assert "bins" in unknown
    assert "bins" in run(*words, "--tune", "--try", "bins=1,4", code=2).stderr
    assert "--tune" in run(*words, "--try", "bins=4,8", code=2).stderr
    assert "tuned" in run(*words, "--tune", "--try", "epsilon=1,2", code=2).stderr
    assert answer("ledger", "show")["accounts"][0]["spent"] is None


def test_a_table_without_an_account_is_told_how_to_get_one(run, people):
    words = ("fit", "naive-bayes", people, "-s", "people.toml", "--tune", "-o", "model.json")
    assert "privet ledger open" in run(*words, code=6).stderr
