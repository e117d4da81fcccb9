"""Refusals as a free oracle: what an analyst could learn from a table by being refused, and cannot now.

Each attack runs on two tables that differ by one record. Whatever is seen without paying must be the same.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner

from privet import NaiveBayes
from privet.budget import Ledger, Pure, budget, exact
from privet.cli import app
from privet.errors import LedgerError, SchemaError
from privet.schema import Category, Number, Schema, Unit, write_schema

NUMBERS = [str(number) for number in range(4700, 4720)]
OWNER = Schema.of({"id": NUMBERS, "age": (0, 120), "ill": ["no", "yes"]}, target="ill", dataset="ward")
VICTIM = "4711,45,yes,5"


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("PRIVET_LEDGER", "PRIVET_ANALYST", "PRIVET_DEBUG"):
        monkeypatch.delenv(name, raising=False)

    def invoke(*words: object, code: int | None = 0):
        result = CliRunner().invoke(app, [str(word) for word in words])
        assert code is None or result.exit_code == code, (result.exit_code, result.stdout, result.stderr)
        return result

    return invoke


@pytest.fixture
def tables(run) -> tuple[Path, Path]:
    """The table with and without the victim's record, and an account that its owner has opened."""
    lines = [f"{number},{30 + place},{('no', 'yes')[place % 2]},7" for place, number in enumerate(NUMBERS)]
    for folder, kept in (("with", [*lines, VICTIM]), ("without", [x for x in lines if x[:4] != "4711"])):
        Path(folder).mkdir()
        Path(folder, "ward.csv").write_text("\n".join(["id,age,ill,income", *kept]) + "\n")
    write_schema(OWNER, "ward.toml")
    run("ledger", "open", "with/ward.csv", "-s", "ward.toml", "--epsilon", 10)
    return Path("with/ward.csv"), Path("without/ward.csv")


def all_but(value: str) -> Schema:
    rest = Category("id", tuple(number for number in NUMBERS if number != value))
    return Schema((rest, OWNER["age"], OWNER["ill"]), target="ill", dataset="ward")


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_a_schema_that_lists_all_numbers_but_one(run, tables, engine):
    """Before: ``--dry-run`` ended with 4 exactly if 4711 was in the table, as often as asked, for nothing."""
    write_schema(all_but("4711"), "guess.toml")
    fit = ("fit", "naive-bayes", "-s", "guess.toml", "--engine", engine, "--epsilon", 1)
    dry = [run(*fit[:2], table, *fit[2:], "--dry-run") for table in tables]
    assert dry[0].stdout == dry[1].stdout
    assert dry[0].stderr == dry[1].stderr
    paid = [run(*fit[:2], table, *fit[2:], "-o", "m.json", "--force") for table in tables]
    assert paid[0].stderr == paid[1].stderr


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_a_schema_that_takes_an_odd_cell_for_a_number(run, tables, engine):
    """Before: a text or an infinity in a number's column was refused, for free."""
    Path("odd.csv").write_text(tables[1].read_text() + "4711,unknown,yes,5\n4712,inf,no,5\n")
    for extra in (("--dry-run",), ("-o", "m.json")):
        run("fit", "naive-bayes", "odd.csv", "-s", "ward.toml", "--engine", engine, "--epsilon", 1, *extra)


def test_a_table_without_records(run, tables):
    """Before: whether a table holds any record was told for free."""
    Path("empty.csv").write_text("id,age,ill\n")
    fit = ("fit", "naive-bayes", "empty.csv", "-s", "ward.toml", "--epsilon", 1)
    run(*fit, "--dry-run")
    run(*fit, "-o", "m.json")


def test_guesses_of_the_table_are_not_confirmed(run, tables):
    """Before: a guess of the whole table was recognised if right; 292 guesses found the last record."""
    nameless = Schema(OWNER.columns, target="ill")
    write_schema(nameless, "nameless.toml")
    seen = set()
    for schema in ("nameless.toml", "ward.toml"):
        seen.clear()
        for table in tables:
            words = ("fit", "naive-bayes", table, "-s", schema, "--epsilon", 1, "--dry-run")
            result = run(*words, code=3 if schema == "nameless.toml" else 0)
            seen.add((result.exit_code, result.stdout, result.stderr))
        assert len(seen) == 1
    assert "needs the name of its data set" in run(*words[:4], "nameless.toml", "--dry-run", code=3).stderr


def test_in_python_the_content_is_not_looked_at_either():
    """Before: ``Ledger.account_for`` gave the account's name for the right table only."""
    ledger = Ledger.in_memory()
    ledger.open_account("ward", budget(10.0), unit=Unit())
    schema = Schema.of({"age": (0, 120), "ill": ["no", "yes"]}, target="ill")
    for ages in ([30.0, 40.0], [30.0, 41.0]):
        with pytest.raises(SchemaError, match="needs the name"):
            NaiveBayes(schema=schema, ledger=ledger).fit(pa.table({"age": ages, "ill": ["no", "yes"]}))
    assert not hasattr(ledger, "account_for")


def test_in_python_cells_outside_the_schema_count_as_missing_in_paid_runs():
    ledger = Ledger.in_memory()
    ledger.open_account("ward", Pure(exact(100)), unit=Unit())
    schema = Schema.of({"age": (0, 120), "sex": ["f"], "ill": ["no", "yes"]}, target="ill", dataset="ward")
    table = pa.table({"age": [np.inf, -np.inf, 3.0], "sex": ["f", "m", "x"], "ill": ["no", "yes", "perhaps"]})
    model = NaiveBayes(schema=schema, ledger=ledger, epsilon=1.0).fit(table)
    assert any("damaged" in caveat for caveat in model.guarantee_.caveats)
    assert not any("does not fit its schema" in caveat for caveat in model.guarantee_.caveats)


@pytest.mark.parametrize(
    ("schema", "fault"),
    [
        (Schema.of({"age": (0, 150), "ill": ["no", "yes"]}), "beyond"),
        (Schema.of({"age": (0, 120), "ill": ["no", "maybe"]}), "does not list"),
        (Schema.of({"income": (0, 10), "ill": ["no", "yes"]}), "no column 'income'"),
        (Schema.of({"age": ["1", "2"], "ill": ["no", "yes"]}), "another kind"),
        (Schema.of({"age": (0, 120), "ill": ["no", "yes"]}, unit=Unit("replace")), "protects one record"),
    ],
)
def test_a_schema_that_is_not_the_owners_is_refused_for_public_reasons(run, tables, schema, fault):
    """Before: any schema would do, and its author chose what was asked of the table."""
    schema = Schema(schema.columns, target="ill", unit=schema.unit, dataset="ward")
    write_schema(schema, "other.toml")
    texts = []
    for table in tables:
        for extra in (("--dry-run",), ("-o", "m.json")):
            texts.append(run("fit", "naive-bayes", table, "-s", "other.toml", *extra, code=3).stderr)
    assert len(set(texts)) == 1
    assert fault in texts[0]
    assert len(json.loads(run("ledger", "history", "--json").stdout)["entries"]) == 3


def test_a_narrowing_of_the_owners_schema_is_welcome(run, tables):
    narrow = Schema((Number("age", 18, 65, cuts=(30.0,)), OWNER["ill"]), target="ill", dataset="ward")
    write_schema(narrow, "narrow.toml")
    run("fit", "naive-bayes", tables[0], "-s", "narrow.toml", "--epsilon", 1, "-o", "m.json")


def test_where_the_owner_has_asked_for_refusals_bounds_and_values_stay(run, tables):
    """Otherwise a narrower domain would be refused exactly if a value occurs."""
    ledger = Ledger.open("privet-ledger.db")
    for strict in ({"outside": "refuse"}, {"missing": "error"}):
        ledger.register_schema("ward", Schema(OWNER.columns, target="ill", dataset="ward", **strict))
        write_schema(all_but("4711"), "guess.toml")
        for table in tables:
            run("fit", "naive-bayes", table, "-s", "guess.toml", "--dry-run", code=3)
            run("fit", "naive-bayes", table, "-s", "ward.toml", "--dry-run")
    with pytest.raises(LedgerError, match="no account"):
        ledger.register_schema("nobody", OWNER)
