"""The owner registers a schema with the account, is shown how the table fits it, and may change it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from privet.schema import Category, Number, Schema, read_schema, write_schema
from tests.cli.conftest import SCHEMA


def test_the_owner_is_shown_what_runs_would_count_as_something_else(run, answer, people):
    lines = people.read_text().splitlines()
    people.write_text(
        "\n".join([*lines[:1], "200,f,no", "inf,f,no", "30,x,no", "30,y,yes", *lines[5:]]) + "\n"
    )
    narrow = replace(
        SCHEMA, columns=(SCHEMA["age"], Category("sex", ("f", "m"), other="else"), SCHEMA["ill"])
    )
    write_schema(narrow, "people.toml")
    opened = answer("ledger", "open", people, "-s", "people.toml", "--epsilon", 2)
    shares = {(each["column"], each["what"]): each["share"] for each in opened["fit"]["shares"]}
    assert shares == {("age", "be clamped"): 2 / 600, ("sex", "count as 'else'"): 2 / 600}
    assert [fault["column"] for fault in opened["fit"]["faults"]] == ["age"]  # the infinity
    checked = run("schema", "check", people, "-s", "people.toml", code=4)
    assert "age: 0.33% of its cells would be clamped." in checked.stderr
    assert "200" not in checked.stdout + checked.stderr


def test_a_schema_that_refuses_must_fit_when_it_is_registered(run, people):
    Path("odd.csv").write_text(people.read_text() + "30,x,no\n")
    write_schema(replace(SCHEMA, outside="refuse"), "strict.toml")
    refused = run("ledger", "open", "odd.csv", "-s", "strict.toml", "--epsilon", 2, code=4)
    assert "Column 'sex'" in refused.stderr
    run("ledger", "open", people, "-s", "strict.toml", "--epsilon", 2)
    paid = run("fit", "naive-bayes", "odd.csv", "-s", "people.toml", "-o", "m.json", "--epsilon", 1, code=4)
    assert "stays spent" in paid.stderr


def test_a_new_version_replaces_the_old_one(run, answer, account):
    Path("registered.toml").write_text(run("ledger", "schema", "people").stdout)
    assert read_schema("registered.toml") == SCHEMA
    wide = replace(SCHEMA, columns=(Number("age", 0, 150), *SCHEMA.columns[1:]))
    write_schema(wide, "wide.toml")
    fit = ("fit", "naive-bayes", account, "-s", "wide.toml", "-o", "m.json", "--epsilon", "0.5")
    assert "privet ledger schema" in run(*fit, code=3).stderr
    assert answer("ledger", "register", account, "-s", "wide.toml")["version"] == 2
    run(*fit)
    assert answer("ledger", "schema", "people") == wide.to_dict()
    run("ledger", "schema", "nobody", code=6)


def test_nothing_is_registered_that_nobody_has_confirmed_or_named(run, people):
    run("schema", "draft", people, "--target", "ill", "-o", "draft.toml")
    assert read_schema("draft.toml").dataset == "people"
    run("ledger", "open", people, "-s", "draft.toml", "--epsilon", 2, code=3)
    write_schema(Schema(SCHEMA.columns, target="ill"), "nameless.toml")
    refused = run("ledger", "open", people, "-s", "nameless.toml", "--epsilon", 2, code=3)
    assert "dataset = " in refused.stderr
    assert not Path("privet-ledger.db").exists()


def test_the_same_table_has_no_second_account(run, account):
    write_schema(replace(SCHEMA, dataset="others"), "others.toml")
    refused = run("ledger", "open", account, "-s", "others.toml", "--epsilon", 2, code=6)
    assert "registered as 'people'" in refused.stderr
