"""The whole way, from a table on disk to a refused request, as a person would type it."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import numpy as np
import pyarrow.parquet as parquet
import pytest

import privet
from privet.schema import write_schema


def test_the_story(run, answer, people):
    run("schema", "draft", "people.csv", "--target", "ill")
    draft = privet.read_schema("people.schema.toml")
    assert draft.drafted == ("age", "sex", "ill")
    assert "read off the data" in Path("people.schema.toml").read_text()

    fit = ("fit", "naive-bayes", "people.csv", "-s", "people.schema.toml", "-o", "model.json")
    refused = run(*fit, code=3)
    assert "age" in refused.stderr
    assert "privet schema confirm" in refused.stderr

    assert answer("schema", "confirm", "people.schema.toml", "--yes")["confirmed"] is True
    refused = run(*fit, code=6)
    assert "privet ledger open people.csv --schema people.schema.toml" in refused.stderr

    run("ledger", "open", "people.csv", "-s", "people.schema.toml", "--epsilon", "1.5")
    assert stat.S_IMODE(Path("privet-ledger.db").stat().st_mode) == 0o600

    plan = answer(*fit, "--dry-run", "--epsilon", "1")
    assert plan["amount"]["about"] == {"epsilon": 1.0}
    assert plan["after"]["left"]["about"] == {"epsilon": 0.5}
    assert [step["error"] > 0 for step in plan["steps"]] == [True, True]
    assert not Path("model.json").exists()
    assert answer("ledger", "show")["accounts"][0]["spent"] is None

    done = answer(*fit, "--epsilon", "1", "--analyst", "ana")
    assert done["guarantee"]["epsilon"] == 1.0
    assert privet.load_model("model.json").guarantee_.holds

    shown = run("model", "show", "model.json").stdout
    assert "differential privacy with ε = 1" in shown
    assert "How the privacy was spent" in shown

    run("predict", "model.json", "people.csv", "-o", "predicted.csv", "--keep", "ill")
    lines = Path("predicted.csv").read_text().splitlines()
    assert lines[0] == '"ill","predicted"'
    assert len(lines) == 601
    assert sum(a == b for a, b in (line.split(",") for line in lines[1:])) > 500

    scores = answer("evaluate", "model.json", "people.csv", "--epsilon", "0.4")
    assert scores["guarantee"]["epsilon"] == 0.4
    assert scores["accuracy"]["error"] > 0

    [account] = answer("ledger", "show")["accounts"]
    assert account["left"]["about"] == {"epsilon": pytest.approx(0.1)}
    assert account["analysts"]["ana"]["spent"]["about"] == {"epsilon": 1.0}
    entries = answer("ledger", "history")["entries"]
    assert [entry["state"] for entry in entries if entry["kind"] == "reserve"] == ["committed"] * 2

    head = answer("ledger", "head")["head"]
    late = answer(*fit[:-1], "late.json", "--epsilon", "0.2", "--analyst", "ben", code=5)
    assert late["error"]["kind"] == "BudgetExceeded"
    assert late["error"]["exit_code"] == 5
    assert not Path("late.json").exists()
    assert answer("ledger", "verify", "--head", head)["head"] == head  # a refusal writes nothing
    run("ledger", "limit", account["dataset"], "--epsilon", "3")
    run(*fit[:-1], "late.json", "--epsilon", "0.2", "--analyst", "ben")
    assert Path("late.json").exists()


def test_arff_domains_are_public_by_declaration_and_bounds_are_not(run):
    Path("w.arff").write_text(
        "@relation w\n@attribute sky {dry,wet,snow}\n@attribute warm real\n@attribute go {no,yes}\n@data\n"
        "dry,20.5,yes\nwet,?,no\n"
    )
    run("schema", "draft", "w.arff", "--target", "go", "-o", "w.toml")
    schema = privet.read_schema("w.toml")
    assert [column.origin for column in schema.columns] == [
        "declared by the file's header",
        "read off the data",
        "declared by the file's header",
    ]
    assert schema["sky"].values == ("dry", "wet", "snow")
    assert schema.names == ("sky", "warm", "go")
    assert schema.target == "go"


def test_declaring_wholesale_is_said_in_the_guarantee(run, people):
    drafted = run("schema", "draft", people, "--target", "ill", "--declare-public")
    assert "WARNING" in drafted.stderr
    run("ledger", "open", people, "-s", "people.schema.toml", "--epsilon", "1")
    run("fit", "naive-bayes", people, "-s", "people.schema.toml", "-o", "m.json")
    assert "declared public wholesale" in run("model", "show", "m.json").stdout


def test_people_with_several_records(run, answer):
    rows = [f"p{number % 40},{number % 90},{('no', 'yes')[number % 2]}" for number in range(120)]
    Path("visits.csv").write_text("\n".join(["person,age,ill", *rows]) + "\n")
    run(
        "schema",
        "draft",
        "visits.csv",
        "--target",
        "ill",
        "--id",
        "person",
        "--most",
        "3",
        "--declare-public",
    )
    schema = privet.read_schema("visits.schema.toml")
    assert schema.unit == privet.Unit(id="person", most=3)
    assert "person" not in schema
    run("ledger", "open", "visits.csv", "-s", "visits.schema.toml", "--epsilon", "1")
    run("fit", "naive-bayes", "visits.csv", "-s", "visits.schema.toml", "-o", "m.json")
    assert "at most 3 of them" in run("model", "show", "m.json").stdout


def test_cross_validation_shows_its_whole_cost_and_pays_it(run, answer, account):
    words = ("cross-validate", "naive-bayes", account, "-s", "people.toml", "--folds", "3")
    words += ("--epsilon", "0.5", "--score-epsilon", "0.5")
    assert answer(*words, "--dry-run")["amount"]["about"] == {"epsilon": 1.5}
    result = answer(*words)
    assert result["folds"] == 3
    assert result["evaluation"]["accuracy"]["value"] > 0.5
    [view] = answer("ledger", "show")["accounts"]
    assert view["spent"]["about"] == {"epsilon": 1.5}
    run(*words, code=5)


def test_public_scores_are_exact_and_free(run, answer, account):
    run("fit", "naive-bayes", account, "-s", "people.toml", "-o", "m.json", "--epsilon", "1")
    before = answer("ledger", "show")
    word = ("--owner-says", "Ann: a test")
    scores = answer("evaluate", "m.json", account, "--public", *word)
    assert scores["accuracy"]["error"] == 0
    assert scores["guarantee"]["holds"] is False
    run("cross-validate", "naive-bayes", account, "-s", "people.toml", "--folds", "2", "--public", *word)
    assert answer("ledger", "show") == before
    run("evaluate", "m.json", account, code=2)
    run("evaluate", "m.json", account, "--public", "--epsilon", "1", code=2)


def test_signed_models(run, answer, account):
    run("keys", "owner")
    assert stat.S_IMODE(Path("owner").stat().st_mode) == 0o600
    run("keys", "owner", code=2)
    fit = ("fit", "naive-bayes", account, "-s", "people.toml", "--epsilon", "0.5")
    assert answer(*fit, "-o", "m.json", "--sign-key", "owner")["signed"] is True
    run("predict", "m.json", account, "-o", "p.csv", "--verify-key", "owner.pub")
    document = json.loads(Path("m.json").read_text())
    document["parameters"]["epsilon"] = 0.1
    Path("forged.json").write_text(json.dumps(document))
    assert "altered" in run("model", "show", "forged.json", code=7).stderr
    run(*fit, "-o", "plain.json")
    run("predict", "plain.json", account, "-o", "q.csv", "--verify-key", "owner.pub", code=7)


@pytest.mark.parametrize("name", ["p.csv", "p.csv.gz", "p.parquet", "p.arff"])
def test_predictions_in_every_format(run, account, name):
    run("fit", "naive-bayes", account, "-s", "people.toml", "-o", "m.json")
    run("predict", "m.json", account, "-o", name, "--probabilities", "--keep", "sex")
    from privet.sources import open_source

    rows = list(open_source(name).batches())
    assert sum(batch.num_rows for batch in rows) == 600
    assert rows[0].schema.names == ["sex", "predicted", "probability_no", "probability_yes"]
    assert set(rows[0].column("predicted").to_pylist()) == {"no", "yes"}
    if name.endswith("parquet"):
        table = parquet.read_table(name).to_pydict()
        totals = [a + b for a, b in zip(table["probability_no"], table["probability_yes"], strict=True)]
        assert totals == pytest.approx([1] * 600)


def test_the_duckdb_engine_gives_the_same_model_under_the_same_seed(run, answer, people):
    fit = ("fit", "naive-bayes", people, "-s", "people.toml", "--no-ledger", "--seed", "1")
    run(*fit, "-o", "a.json")
    run(*fit, "-o", "b.json", "--engine", "duckdb")
    a, b = (json.loads(Path(name).read_text()) for name in ("a.json", "b.json"))
    assert a["learned"] == b["learned"]


def test_duckdb_pays_from_the_same_account(run, answer, account):
    run("fit", "naive-bayes", account, "-s", "people.toml", "-o", "a.json", "--engine", "duckdb")
    [view] = answer("ledger", "show")["accounts"]
    assert view["spent"]["about"] == {"epsilon": 1.0}


def test_another_table_of_the_same_name_shares_the_budget_and_a_copy_has_no_second_one(run, answer, account):
    Path("copy.csv").write_text(account.read_text())
    Path("other.toml").write_text(Path("people.toml").read_text().replace('"people"', '"others"'))
    refused = run("ledger", "open", "copy.csv", "-s", "other.toml", "--epsilon", "9", code=6)
    assert "second budget" in refused.stderr
    Path("later.csv").write_text("age,sex,ill\n" + "50,f,no\n60,m,yes\n" * 20)
    run("fit", "naive-bayes", "later.csv", "-s", "people.toml", "-o", "m.json")
    assert answer("ledger", "show", "people")["accounts"][0]["spent"]["about"] == {"epsilon": 1.0}


def test_a_regression_from_draft_to_score(run, answer, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [f"{hours},{5 + 2 * hours + (hours % 3)}" for hours in [*range(250), *range(250)]]
    Path("wages.csv").write_text("\n".join(["hours,wage", *lines]) + "\n")
    run("schema", "draft", "wages.csv", "--target", "wage", "-o", "wages.toml")
    run("schema", "confirm", "wages.toml", "--yes")
    run("ledger", "open", "wages.csv", "-s", "wages.toml", "--epsilon", "20")
    fit = ("fit", "ridge", "wages.csv", "-s", "wages.toml", "--epsilon", "10")
    assert "How: Noisy second moments and one linear solve" in run(*fit, "--dry-run").stdout
    assert "How: Noisy second moments and one linear solve" in run(*fit, "-o", "m.json").stdout
    assert "How: Noisy second moments and one linear solve" in run("model", "show", "m.json").stdout
    scores = answer("evaluate", "m.json", "wages.csv", "--epsilon", "5")
    assert scores["r2"]["value"] > 0.5
    assert scores["guarantee"]["epsilon"] == 5.0
    run("predict", "m.json", "wages.csv", "-o", "predicted.csv", "--keep", "wage")
    assert len(Path("predicted.csv").read_text().splitlines()) == 501
    run("predict", "m.json", "wages.csv", "-o", "alone.csv")
    head, *numbers = Path("alone.csv").read_text().splitlines()
    assert head == '"predicted"'
    assert len([float(number) for number in numbers]) == 500  # plain numbers, without quotes
    refused = run("predict", "m.json", "wages.csv", "-o", "p.csv", "--probabilities", code=2)
    assert "no probabilities" in refused.stderr
    run("evaluate", "m.json", "wages.csv", "--epsilon", "6", code=5)
    assert run("cross-validate", "ridge", "wages.csv", code=2)


def test_why_a_method_was_chosen_and_equal_steps_in_one_line(run, account):
    words = (
        "fit",
        "logistic-regression",
        account,
        "-s",
        "people.toml",
        "--method",
        "privgene",
        "--steps",
        40,
    )
    assert "1 to 40. which weight to move: " in run(*words, "--dry-run").stdout
    assert "How: 40 private choices of a weight to move, as asked for." in run(*words, "-o", "w.json").stdout
    shown = run("model", "show", "w.json").stdout
    assert "How: 40 private choices" in shown
    assert shown.count("which weight to move") == 1


def test_a_regression_is_cross_validated(run, answer):
    draw = np.random.default_rng(0)
    hours = draw.uniform(0, 10, 2000)
    wage = np.clip(5 + 2 * hours + draw.normal(0, 1, 2000), 0, 30)
    lines = [f"{h:.3f},{w:.3f}" for h, w in zip(hours, wage, strict=True)]
    Path("wages.csv").write_text("\n".join(["hours,wage", *lines]) + "\n")
    schema = privet.Schema.of({"hours": (0.0, 10.0), "wage": (0.0, 30.0)}, target="wage", dataset="wages")
    write_schema(schema, "wages.toml")
    run("ledger", "open", "wages.csv", "-s", "wages.toml", "--epsilon", "9")
    words = ("cross-validate", "ridge", "wages.csv", "-s", "wages.toml", "--folds", 3, "--score-epsilon", 2)
    plan = answer(*words, "--dry-run")
    assert plan["amount"]["about"] == {"epsilon": 4.0}
    found = answer(*words)
    assert found["evaluation"]["r2"]["value"] > 0.8
    assert answer("ledger", "show")["accounts"][0]["left"]["about"] == {"epsilon": 5.0}
    assert "R²" in run(*words[:-2], "--public", "--owner-says", "Ann: a test").stdout


def test_a_dry_run_says_which_method_and_why(run, answer, account):
    words = ("fit", "logistic-regression", account, "-s", "people.toml", "--dry-run")
    plan = answer(*words, "--records", 600)
    assert "600 records (as declared)" in plan["how"]
    assert f"How: {plan['how']}" in run(*words, "--records", 600).stdout
    # What an estimate would decide is not known before it is paid for, but how it decides is.
    estimated = answer(*words)["how"]
    assert estimated.startswith(
        "The number of records is estimated first, with a small share of the budget. By it"
    )
    assert "the method is chosen: a tilted objective where" in estimated
    with_delta = answer(*words, "--delta", "1e-6", "--no-ledger")["how"]
    assert "else Newton steps" in with_delta  # a δ is taken only where it helps
    newton = answer(*words, "--method", "newton")["how"]
    assert "as many noisy gradients are taken as this budget carries" in newton
    # Nothing is estimated where nothing depends on it.
    asked = answer(*words, "--steps", 2)["how"]
    assert asked == "Class sums and 2 noisy gradients, as asked for; chosen because steps are asked for."
    assert "estimated" not in answer(*words, "--method", "functional")["how"]
    assert "estimated" not in answer(*words, "--records", 600)["how"]
    assert answer("fit", "naive-bayes", account, "-s", "people.toml", "--dry-run")["how"] == ""
