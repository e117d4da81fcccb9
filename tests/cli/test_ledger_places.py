"""A ledger in a database, a move, and a published head: on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest


def test_a_ledger_in_a_database_works_as_one_in_a_file(run, answer, people, postgres, postgres_url):
    schema, ledger = ("-s", "people.toml"), ("--ledger", postgres_url)
    missing = run("fit", "naive-bayes", people, *schema, *ledger, "-o", "m.json", code=6)
    opened = run("ledger", "open", people, *schema, "--epsilon", 2, *ledger)
    fitted = run(
        "fit",
        "naive-bayes",
        people,
        *schema,
        *ledger,
        "--epsilon",
        0.5,
        "-o",
        "m.json",
        "--save-run",
        "r.json",
    )
    [account] = answer("ledger", "show", *ledger)["accounts"]
    assert json.dumps(account).count("1/2")
    verified = run("ledger", "verify", *ledger)
    refused = run("fit", "naive-bayes", people, *schema, *ledger, "--epsilon", 9, "-o", "n.json", code=5)
    said = [o for done in (missing, opened, fitted, verified, refused) for o in (done.stdout, done.stderr)]
    assert postgres.password not in "".join(said) + Path("r.json").read_text()
    assert "postgresql://privet@127.0.0.1" in Path("r.json").read_text()


def test_a_ledger_moves_and_the_old_one_is_closed(run, answer, account, postgres, postgres_url):
    people = Path("people.csv")
    head = answer("ledger", "head", "--publish", "head.json")["head"]
    moved = run("ledger", "move", "privet-ledger.db", postgres_url)
    assert "is closed" in moved.stdout
    assert postgres.password not in moved.stdout
    shown = run("ledger", "head", "--check", "head.json", "--ledger", postgres_url).stdout
    assert "is in the history" in shown
    assert head == json.loads(Path("head.json").read_text())["head"]
    run("fit", "naive-bayes", people, "-s", "people.toml", "--epsilon", 1, "-o", "a.json", code=6)
    run(
        "fit",
        "naive-bayes",
        people,
        "-s",
        "people.toml",
        "--epsilon",
        1,
        "-o",
        "a.json",
        "--ledger",
        postgres_url,
    )
    run("ledger", "move", "privet-ledger.db", "third.db", code=6)


def test_a_head_that_is_not_in_the_history_is_said(run, answer, account):
    count = answer("ledger", "head")["head"].partition(":")[0]
    assert "noted down" in run("ledger", "head", "--check", f"{count}:00", code=6).stderr
    assert "neither a head" in run("ledger", "head", "--check", "people.csv", code=6).stderr


def test_an_address_that_leads_nowhere(run, people):
    run("ledger", "show", "--ledger", "postgresql://127.0.0.1:1/none", code=6)


@pytest.mark.parametrize("place", ["sqlite:///ledger.db", "mysql://ann:secret@server/ledger"])
def test_an_address_of_another_kind_is_no_file(run, people, place):
    for words in (("history",), ("open", people, "-s", "people.toml", "--epsilon", 1)):
        refused = run("ledger", *words, "--ledger", place, code=2)
        assert "No ledger can be kept at an address" in refused.stderr
        assert "secret" not in refused.stderr
    assert not list(Path().glob("*ledger*"))
