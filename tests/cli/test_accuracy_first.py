"""``--error`` and ``--accuracy`` instead of ``--epsilon``: the plan says what is chosen; that is spent."""

from __future__ import annotations

COUNT = "SELECT count(*) FROM data"


def test_a_question_with_an_error(account, run, answer):
    asked = ("query", account, COUNT, "-s", "people.toml", "--error", "50")
    planned = answer(*asked, "--dry-run")
    assert "epsilon = 0.0594 was chosen" in planned["how"]
    assert answer(*asked, "-y")["guarantee"]["amount"]["epsilon"] == planned["amount"]["epsilon"]
    assert "Give one of the two" in run(*asked, "--epsilon", "0.5", code=2).stderr


def test_a_model_with_an_accuracy(account, run, answer):
    asked = ("fit", "naive-bayes", account, "-s", "people.toml", "--accuracy", "0.05")
    guessed = (*asked, "--guess", "records=50000", "-o", "model.json")
    planned = answer(*guessed, "--dry-run")
    assert "was chosen" in planned["how"]
    assert answer(*guessed, "-y")["guarantee"]["amount"]["epsilon"] == planned["amount"]["epsilon"]
    run(*asked, "--tune", "--dry-run", code=2)
    run(*asked, "--epsilon", "0.5", "--dry-run", code=2)
