"""``privet --server URL``: the same commands, with a dataset on the server for the file."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from privet.cli import app
from privet.model import load_model


@pytest.fixture
def run(live, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PRIVET_TOKEN", live.token)
    monkeypatch.delenv("PRIVET_SERVER", raising=False)

    def invoke(*words, code=0):
        result = CliRunner().invoke(app, ["--server", live.url, *map(str, words)])
        assert result.exit_code == code, (result.stdout, result.stderr, result.exception)
        return result

    return invoke


def test_fit_evaluate_and_look_at_the_account(live, run):
    dataset = live.house.new_dataset(2.0, name="people-at-home")
    planned = run("fit", "naive-bayes", dataset, "--epsilon", 0.4, "-o", "model.json", "--dry-run")
    assert "Nothing has been spent" in planned.stdout
    assert live.house.spent(dataset) == 0
    made = run("fit", "naive-bayes", dataset, "--epsilon", 0.4, "-o", "model.json", "--json")
    assert load_model("model.json").guarantee_.epsilon == 0.4
    release = json.loads(made.stdout)["id"]
    run("evaluate", release, dataset, "--epsilon", 0.2)
    run("compare-models", release, release, dataset, "--epsilon", 0.1)
    assert round(live.house.spent(dataset), 6) == 0.7
    assert "people-at-home: ε = 0.7 spent of ε = 2" in run("ledger", "show").stdout
    assert "evaluate" in run("ledger", "history", dataset).stdout
    run("fit", "naive-bayes", dataset, "--epsilon", 5, "-o", "more.json", code=5)


def test_what_a_server_does_not_do_is_said(run):
    assert "on this machine" in run("schema", "draft", "people.csv", code=2).stderr
    assert "There are:" in run("fit", "naive-bayes", "nobody", "-o", "m.json", code=2).stderr


def test_no_token_is_said_and_none_is_taken_from_the_command_line(run, monkeypatch):
    monkeypatch.delenv("PRIVET_TOKEN")
    assert "PRIVET_TOKEN" in run("ledger", "show", code=2).stderr
    assert "--token " not in run("--help").stdout
