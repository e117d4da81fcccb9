"""``privet select`` on a table of people."""

from __future__ import annotations


def test_select(account, run, answer):
    plan = run("select", account, "-s", "people.toml", "--epsilon", "1", "--dry-run")
    assert "Nothing has been spent" in plan.stdout
    assert "Planned: fit select-k-best. It would cost ε = 1" in plan.stdout
    assert "after: ε = 1 spent" in plan.stdout
    found = answer("select", account, "-s", "people.toml", "--epsilon", "1.5", "-y")
    assert found["chosen"] == ["age"]
    assert found["guarantee"]["epsilon"] == 1.5
    run("select", account, "-s", "people.toml", "--epsilon", "1", code=5)
    unpaid = ("--no-ledger", "--owner-says", "Ann: a test")
    text = run(
        "select", account, "-s", "people.toml", "--epsilon", "9", "-k", 2, "--no-values", *unpaid
    ).stdout
    assert "age" in text
    assert "sex" in text
    run("select", account, "-s", "people.toml", "--epsilon", "9", "-k", 3, *unpaid, code=2)
    run("select", account, "-s", "people.toml", "--epsilon", "9", "--criterion", "chi2", *unpaid, code=3)
