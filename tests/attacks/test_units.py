"""A model that others gave is scored on people with many records: the noise must be for all of a person's."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from click.testing import CliRunner

from privet import NaiveBayes
from privet.budget import Ledger, Pure, budget, exact
from privet.cli import app
from privet.curator.run import Run
from privet.errors import ParameterError
from privet.flow import Flow, running
from privet.model import save_model
from privet.randomness import seeded
from privet.schema import Schema, Unit, write_schema

MOST = 20
OTHERS = Schema.of({"age": (0, 120), "ill": ["no", "yes"]}, target="ill", dataset="elsewhere")
PEOPLE = replace(OTHERS, dataset="ward", unit=Unit(id="who", most=MOST))
AGES = np.arange(400.0) % 100
ILL = ["no", "yes"] * 200
TABLE = pa.table({"who": [f"p{place // MOST}" for place in range(400)], "age": AGES, "ill": ILL})
STEPS = {
    "people": {"do": "source", "data": "ward.csv"},
    "others": {"do": "source", "data": "others.csv", "public": True},
    "model": {"do": "naive-bayes", "from": "others"},
    "score": {"do": "evaluate", "from": ["model", "people"], "measures": "confusion"},
}
TABLES = {"people": (TABLE, PEOPLE), "others": (TABLE.drop_columns(["who"]), OTHERS)}
FLOW = Flow.from_dict({"epsilon": 1.0, "steps": STEPS})


@pytest.fixture
def ledger():
    found = Ledger.in_memory()
    found.open_account("ward", Pure(exact(9)), unit=PEOPLE.unit)
    return found


def test_a_score_in_a_flow_protects_the_people_in_its_rows(ledger):
    """Before: noise for one record, under a guarantee for somebody with 20: ε = 20 at a claim of 1."""
    alone = {**STEPS, "model": {"do": "naive-bayes", "from": "people"}}
    [asked] = FLOW.plan(TABLES).steps[-1].buys
    [same] = (
        Flow.from_dict({"epsilon": 2.0, "allocation": "equal", "steps": alone}).plan(TABLES).steps[-1].buys
    )
    assert asked.error == same.error >= MOST
    result = FLOW.run(TABLES, ledger=ledger)
    assert result["score"].guarantee.unit == result.guarantee.unit == PEOPLE.unit
    assert result["score"].guarantee.steps[0].error == same.error


def test_a_score_that_is_drawn_again_is_paid_for_by_the_people_in_its_rows(ledger, monkeypatch, tmp_path):
    """Before: asked of an account that the model's schema names."""
    with monkeypatch.context() as patch:
        patch.setattr(running, "_document", lambda found: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            FLOW.run(TABLES, ledger=ledger, store=tmp_path)
    FLOW.run(TABLES, ledger=ledger, store=tmp_path)
    assert ledger.balance("ward").spent.epsilon == 2


def test_no_part_of_a_run_protects_less_than_the_whole_promises():
    run = Run(PEOPLE, budget(1.0))
    with pytest.raises(ParameterError, match="would protect one record"):
        run.part(budget(1.0), seeded(0), OTHERS, "a score")


@pytest.mark.parametrize("words", [("evaluate", "m.json"), ("compare-models", "m.json", "m.json")])
def test_so_does_a_score_by_the_command(tmp_path, monkeypatch, words):
    """Before: one record was protected, though the schema beside the table says that people have 20."""
    monkeypatch.chdir(tmp_path)
    save_model(NaiveBayes(epsilon=1.0, schema=OTHERS).fit(TABLE.drop_columns(["who"])), Path("m.json"))
    pa.csv.write_csv(TABLE, "ward.csv")
    write_schema(PEOPLE, "ward.schema.toml")
    given = [*words, "ward.csv", "--epsilon", "1", "--no-ledger", "--yes", "--json"]
    result = CliRunner().invoke(app, given)
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["guarantee"]["unit"]["most"] == MOST
