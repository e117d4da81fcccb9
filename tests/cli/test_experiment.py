"""``privet experiment`` on generated and on private people."""

from __future__ import annotations

from pathlib import Path

GRID = """epsilons = [1.0]
folds = 2
repetitions = 1
score_epsilon = 0.5

[data.generated]
generated = "clinic"
records = 300

[data.people]
file = "DATA"
schema = "people.toml"

[algorithms.naive-bayes]
"""


def test_a_preset_is_made_and_shown_without_a_ledger(run, answer):
    run("experiment", "make", "clinic", "-o", "grid.toml")
    text = Path("grid.toml").read_text(encoding="utf-8")
    Path("grid.toml").write_text(
        text.replace("5000", "200")
        .replace("folds = 10", "folds = 2")
        .replace("repetitions = 3", "repetitions = 1"),
        encoding="utf-8",
    )
    assert answer("experiment", "show", "grid.toml")["measured"] == 0
    assert "costs no privacy" in run("experiment", "run", "grid.toml", "--dry-run").stdout
    assert answer("experiment", "run", "grid.toml", "-o", "grid.csv")["measured"] == 24
    assert len(Path("grid.csv").read_text(encoding="utf-8").splitlines()) == 25
    run("experiment", "show", "grid.toml", "-o", "grid.docx", code=2)


def test_private_people_are_priced_and_paid_for_once(account, run, answer):
    Path("mine.toml").write_text(GRID.replace("DATA", str(account)), encoding="utf-8")
    assert "ε = 1.5" in run("experiment", "run", "mine.toml", "--dry-run").stdout
    assert answer("experiment", "run", "mine.toml", "-y")["measured"] == 3
    assert answer("experiment", "run", "mine.toml", "-y")["measured"] == 3
    assert "ε = 1.5" in run("ledger", "show").stdout
