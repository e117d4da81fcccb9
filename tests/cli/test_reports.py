"""Models in words, and reports of fits and scores."""

from __future__ import annotations

from pathlib import Path


def test_rules_are_shown_but_for_those_that_noise_alone_made(run, answer, account):
    run(
        "fit",
        "rules",
        account,
        "-s",
        "people.toml",
        "--epsilon",
        1,
        "-o",
        "rules.json",
        "--report",
        "fit.html",
    )
    shown = run("model", "show", "rules.json").stdout
    assert "IF age" in shown
    assert "OTHERWISE ill" in shown
    rules = [line for line in shown.splitlines() if line.strip().startswith("IF")]
    assert not any("too few to tell" in line for line in rules)  # of what no rule covers, it may be said
    assert answer("model", "show", "rules.json")["in_words"] in shown
    page = Path("fit.html").read_text()
    assert "OTHERWISE ill" in page
    assert '<pre class="prose">' in page
    assert "differential privacy with ε = 1" in page


def test_scores_as_a_page(run, account):
    run("fit", "naive-bayes", account, "-s", "people.toml", "--epsilon", 1, "-o", "m.json")
    done = run("evaluate", "m.json", account, "--epsilon", 0.5, "-o", "scores.html")
    assert "The report was written to scores.html." in done.stderr
    page = Path("scores.html").read_text()
    for words in ("accuracy", "Confusion matrix", "± covers the privacy noise", "ε = 0.5"):
        assert words in page


def test_a_report_that_is_there_already_is_not_replaced(run, answer, account):
    Path("fit.html").write_text("precious")
    before = answer("ledger", "head")
    run("fit", "one-r", account, "-s", "people.toml", "-o", "m.json", "--report", "fit.html", code=2)
    assert Path("fit.html").read_text() == "precious"
    assert answer("ledger", "head") == before


def test_keys_are_never_replaced_and_nobody_is_told_that_they_could_be(run):
    run("keys", "owner.key")
    kept = Path("owner.key").read_bytes()
    refused = run("keys", "owner.key", code=2)
    assert "--force" not in refused.stderr
    assert "another name" in refused.stderr
    assert Path("owner.key").read_bytes() == kept
