"""Ways around the ledger on a table that it knows: exact scores and large fits that left no trace."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner

from privet import NaiveBayes
from privet.budget import Ledger, budget
from privet.cli import app
from privet.errors import LedgerError, ParameterError
from privet.evaluation import cross_validate, evaluate
from privet.schema import Schema, Unit, write_schema

SCHEMA = Schema.of({"age": (0, 120), "ill": ["no", "yes"]}, target="ill", dataset="ward")
WORD = "Ann Lee: published in 2019"


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("PRIVET_LEDGER", "PRIVET_ANALYST", "PRIVET_DEBUG"):
        monkeypatch.delenv(name, raising=False)

    def invoke(*words: object, code: int = 0):
        result = CliRunner().invoke(app, [str(word) for word in words])
        assert result.exit_code == code, (result.exit_code, result.stdout, result.stderr)
        return result

    return invoke


@pytest.fixture
def ward(run) -> Path:
    """A table whose budget is spent, and a model that was paid for."""
    rows = [f"{30 + place % 50},{('no', 'yes')[place % 2]}" for place in range(200)]
    Path("ward.csv").write_text("\n".join(["age,ill", *rows]) + "\n")
    write_schema(SCHEMA, "ward.toml")
    run("ledger", "open", "ward.csv", "-s", "ward.toml", "--epsilon", 1)
    run("fit", "naive-bayes", "ward.csv", "-s", "ward.toml", "--epsilon", 1, "-o", "m.json")
    return Path("ward.csv")


def history(run) -> list[dict]:
    return json.loads(run("ledger", "history", "--json").stdout)["entries"]


UNPAID = {
    "a fit": (
        *("fit", "naive-bayes", "ward.csv", "-s", "ward.toml", "--epsilon", 50, "--no-ledger"),
        *("-o", "n.json"),
    ),
    "scores declared public": ("evaluate", "m.json", "ward.csv", "--public"),
    "scores": ("evaluate", "m.json", "ward.csv", "--epsilon", 50, "--no-ledger"),
    "cross-validation": (
        *("cross-validate", "naive-bayes", "ward.csv", "-s", "ward.toml", "--folds", 2, "--public"),
        *("--epsilon", 1),
    ),
}  # fmt: skip


@pytest.mark.parametrize("how", UNPAID)
def test_an_unpaid_run_on_people_that_the_ledger_knows(run, ward, how):
    """Before: exact scores and ε = 50 fits with nothing left in the ledger, and no trace of them."""
    before = history(run)
    refused = run(*UNPAID[how], code=6)
    assert "has an account in the ledger" in refused.stderr
    assert "--owner-says" in refused.stderr
    run(*UNPAID[how], "--owner-says", " ", code=6)
    assert history(run) == before
    run(*UNPAID[how], "--owner-says", WORD, "--analyst", "bob")
    [*_, entry] = history(run)
    assert entry["kind"] == "word"
    assert entry["who"] == "bob"
    assert entry["what"].endswith(f"The owner's word: {WORD}")
    run("ledger", "verify")


def test_a_schema_without_a_name_is_no_way_around(run, ward):
    """Without a name nobody can say whether the ledger knows these people."""
    write_schema(Schema(SCHEMA.columns, target="ill"), "nameless.toml")
    words = ("fit", "naive-bayes", ward, "-s", "nameless.toml", "--no-ledger")
    assert "needs the name" in run(*words, "-o", "n.json", code=3).stderr


def test_people_that_no_ledger_knows_need_no_word(run, ward):
    write_schema(Schema(SCHEMA.columns, target="ill", dataset="elsewhere"), "other.toml")
    run("fit", "naive-bayes", ward, "-s", "other.toml", "--no-ledger", "-o", "n.json")


def test_a_model_of_other_people_is_no_way_around(run, ward):
    """Before: who was named in the *model's* schema paid, or nobody, and not who stood in the table."""
    write_schema(Schema(SCHEMA.columns, target="ill", dataset="elsewhere"), "other.toml")
    run("fit", "naive-bayes", ward, "-s", "other.toml", "--no-ledger", "-o", "n.json")
    write_schema(SCHEMA, "ward.schema.toml")
    refused = run("evaluate", "n.json", "ward.csv", "--public", code=6)
    assert "'ward' has an account in the ledger" in refused.stderr
    before = history(run)
    run("evaluate", "n.json", "ward.csv", "--epsilon", 0.5, "--yes", code=5)
    Path("elsewhere.csv").write_text("age,ill\n50,no\n")
    run("ledger", "open", "elsewhere.csv", "-s", "other.toml", "--epsilon", 1)
    run("evaluate", "n.json", "ward.csv", "--epsilon", 0.5, "--yes", code=5)
    assert [entry["what"] for entry in history(run)[len(before) :] if entry["kind"] == "reserve"] == []


def test_the_same_in_python():
    """Before: ``evaluate(public=True)`` gave exact scores of people whom the model's ledger counts."""
    ledger = Ledger.in_memory().as_analyst("bob")
    ledger.open_account("ward", budget(1.0), unit=Unit())
    table = pa.table({"age": np.arange(100.0), "ill": ["no", "yes"] * 50})
    model = NaiveBayes(epsilon=1.0, schema=SCHEMA, ledger=ledger).fit(table)
    with pytest.raises(LedgerError, match="has an account"):
        evaluate(model, table, public=True)
    with pytest.raises(ParameterError, match="ledger was given too"):
        cross_validate(model, table, folds=2, public=True)
    assert [entry.kind for entry in ledger.history()] == ["account", "reserve"]
    evaluate(model, table, public=True, owner_says=WORD)
    assert ledger.history()[-1].what == f"not paid for: evaluate NaiveBayes. The owner's word: {WORD}"
