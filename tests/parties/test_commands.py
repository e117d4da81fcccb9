"""``privet study`` and ``privet party``: the commands of a study from beginning to end."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
from dataclasses import replace

import pyarrow as pa
import pytest
from click.testing import CliRunner
from pyarrow import csv

from privet.cli import app
from privet.model import load_model
from privet.schema import Unit, write_schema
from tests.parties.conftest import SCHEMA, people

NAMES = ("north", "south", "west")


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_schema(SCHEMA, tmp_path / "clinics.toml")
    for number, name in enumerate(NAMES):
        csv.write_csv(people(number), f"{name}.csv")

    def invoke(*words, code=0):
        result = CliRunner().invoke(app, [str(word) for word in words])
        assert result.exit_code == code, (result.stdout, result.stderr, result.exception)
        return result

    for name in NAMES:
        invoke("keys", name)
    return invoke


def make(run, *more, code=0):
    parties = [word for name in NAMES for word in ("--party", f"{name}={name}.pub")]
    return run("study", "make", "shared", "-s", "clinics.toml", "--epsilon", 2, *parties, *more, code=code)


def party(run, name, *more, code=0):
    return run("party", "shared", "--as", name, "--key", name, "--data", f"{name}.csv", *more, code=code)


def test_masked_sums_from_beginning_to_end(run, tmp_path):
    assert "No single party" in make(run, "--honest", 2).stdout
    for name in NAMES:
        assert "joined" in party(run, name).stdout
    assert "Closed" in run("study", "next", "shared").stdout
    unseen = party(run, "north", code=2)
    assert "You send 2 tables" in unseen.stderr
    assert not (tmp_path / "shared" / "send").exists()
    for name in NAMES[:2]:  # west vanishes
        party(run, name, "--yes")
    assert "Waiting for west" in run("study", "next", "shared").stdout
    run("study", "next", "shared", "--close")
    for _ in range(2):
        for name in NAMES[:2]:
            party(run, name)
    done = run("study", "next", "shared", "-o", "model.json", "--json")
    result = json.loads(done.stdout)["result"]
    assert result["losses"] == {"north": "ε = 2", "south": "ε = 2", "west": "nothing"}
    assert load_model("model.json").guarantee_.epsilon == 2.0
    assert (tmp_path / "shared" / "result.json").exists()


def test_the_trusted_mode_deletes_the_rows(run, tmp_path):
    make(run, "--mode", "trusted", code=2)  # without a key of the coordinator's
    make(run, "--mode", "trusted", "--secret", "coordinator.key", "--question", "selection")
    for name in NAMES:
        party(run, name, "--yes")
    run("study", "next", "shared", code=2)  # the rows are sealed
    shown = run("study", "next", "shared", "--secret", "coordinator.key").stdout
    assert "age: " in shown
    assert "each person loses at most ε = 2" in shown
    assert not list((tmp_path / "shared" / "send").iterdir())


def test_columns_of_the_same_people_from_beginning_to_end_in_processes_of_their_own(run, tmp_path):
    """A ward has ages and diagnoses, a laboratory the rest; neither sees the other's, nor who is in it."""
    schema = replace(SCHEMA, unit=Unit(id="person"))
    write_schema(schema, "joined.toml")
    whole = people(7, 800).append_column("person", pa.array([f"p{n}" for n in range(800)]))
    csv.write_csv(whole.select(["person", "age", "ill"]), "north.csv")
    csv.write_csv(whole.select(["cough", "person"])[100:], "south.csv")
    parties = [word for name in NAMES[:2] for word in ("--party", f"{name}={name}.pub")]
    words = ["shared", "-s", "joined.toml", "--epsilon", 2, "--mode", "trusted", "--join", "person"]
    shown = run("study", "make", *words, "--secret", "coordinator.key", *parties).stdout
    assert "The coordinator is trusted" in shown

    def start(*words):
        return subprocess.Popen(
            [sys.executable, "-m", "privet", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    both = {
        name: start("party", "shared", "--as", name, "--key", name, "--data", f"{name}.csv", "--yes")
        for name in NAMES[:2]
    }
    for name, process in both.items():
        said, more = process.communicate()
        assert process.returncode == 0, more
        assert "receipt" in said
        receipt = tmp_path / f"{name}.receipts"
        assert stat.S_IMODE(receipt.stat().st_mode) == 0o600
        kept = json.loads(receipt.read_text())
        assert (kept["party"], set(kept["send"]["body"])) == (name, {"public", "rows"})
        assert kept["send"] == json.loads((tmp_path / "shared" / "send" / f"{name}.json").read_text())
    end = start("study", "next", "shared", "--secret", "coordinator.key", "-o", "model.json")
    said, more = end.communicate()
    assert end.returncode == 0, more
    for words in (
        "Mode trusted",
        "north: each person loses at most ε = 2",
        "south: each person loses at most",
    ):
        assert words in said
    model = load_model("model.json")
    assert abs(model.class_count_.sum() - 700) < 60  # those whom both have
    text = model.guarantee_.text()
    assert "mode of the study: trusted. The coordinator is trusted" in text
    assert "learns who is in the tables" in text
    assert not list((tmp_path / "shared" / "send").iterdir())


def test_a_party_pays_from_a_ledger_of_its_own(run):
    write_schema(SCHEMA.__class__.from_dict(SCHEMA.to_dict() | {"dataset": "patients"}), "clinics.toml")
    make(run, "--mode", "party-noise")
    run("ledger", "open", "north.csv", "-s", "clinics.toml", "--epsilon", 1, "--ledger", "own.db")
    party(run, "north", "--yes", "--pay-from", "own.db", code=5)
    run("ledger", "limit", "patients", "--epsilon", 3, "--ledger", "own.db")
    party(run, "north", "--yes", "--pay-from", "own.db")
    assert "ε = 2" in run("ledger", "show", "--ledger", "own.db").stdout


def test_bad_input_is_said(run):
    make(run, "--honest", 9, code=2)
    make(run)
    assert "already" in make(run, code=2).stderr
    assert "no party of this study" in run("party", "shared", "--as", "east", "--key", "north", code=2).stderr
    assert "no study" in run("study", "next", "nowhere", code=2).stderr
