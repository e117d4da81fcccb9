"""What ``privet export`` makes is executed: a script, a notebook and a command do again what was done."""

from __future__ import annotations

import json
import os
import runpy
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from privet.cli import app
from privet.model import load_model
from privet.schema import Schema, read_schema, write_schema

SCHEMA = Schema.of({"age": (0, 120), "sex": ["f", "m"], "ill": ["no", "yes"]}, target="ill", dataset="people")
TABLE = ("people.csv", "-s", "people.toml")


def invoke(*words: str) -> Any:
    ended = CliRunner().invoke(app, [*words])
    assert ended.exit_code == 0, (words, ended.stdout, ended.stderr)
    return ended


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a table, its schema, a model, and a ledger with an account."""
    folder = tmp_path_factory.mktemp("prepared")
    generator = np.random.default_rng(0)
    ill = generator.integers(0, 2, 400)
    rows = zip((40 + 30 * ill).tolist(), generator.choice(["f", "m"], 400), ill.tolist(), strict=True)
    lines = [f"{age},{sex},{('no', 'yes')[code]}" for age, sex, code in rows]
    (folder / "people.csv").write_text("\n".join(["age,sex,ill", *lines]) + "\n")
    write_schema(SCHEMA, folder / "people.toml")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        invoke("fit", "naive-bayes", *TABLE, "--no-ledger", "-o", "model.json")
        invoke("ledger", "open", *TABLE, "--epsilon", "9")
    return folder


def is_model(path: Path) -> None:
    assert load_model(path).guarantee_.holds


def is_draft(path: Path) -> None:
    assert read_schema(path).drafted == ("age", "sex", "ill")


def is_predictions(path: Path) -> None:
    lines = path.read_text().splitlines()
    assert lines[0] == '"sex","predicted"'
    assert len(lines) == 401


def is_ledger(path: Path) -> None:
    assert path.stat().st_size


WORD = ("--owner-says", "Ann: a test")

CASES: dict[str, tuple[tuple[str, ...], dict[str, Callable[[Path], None]]]] = {
    "fit": (
        ("fit", "naive-bayes", *TABLE, "--epsilon", "0.5", "--bins", "8", "-o", "m.json"),
        {"m.json": is_model},
    ),
    "tune": (
        ("fit", "naive-bayes", *TABLE, "--tune", "--try", "bins=4,8", "--trials", "2", "-o", "m.json"),
        {"m.json": is_model},
    ),
    "select": (("select", *TABLE, "-k", "1", "-o", "chosen.json"), {"chosen.json": is_model}),
    "evaluate": (("evaluate", "model.json", "people.csv", "--epsilon", "0.5"), {}),
    "evaluate public": (("evaluate", "model.json", "people.csv", "--public", *WORD), {}),
    "cross-validate": (
        (
            "cross-validate",
            "naive-bayes",
            *TABLE,
            "--folds",
            "3",
            "--epsilon",
            "0.2",
            "--score-epsilon",
            "0.2",
        ),
        {},
    ),
    "uncounted": (
        ("cross-validate", "one-r", *TABLE, "--folds", "2", "--score-epsilon", "0.2", "--no-ledger", *WORD),
        {},
    ),
    "predict": (
        ("predict", "model.json", "people.csv", "-o", "predicted.csv", "--keep", "sex"),
        {"predicted.csv": is_predictions},
    ),
    "schema draft": (
        ("schema", "draft", "people.csv", "--target", "ill", "-o", "a draft.toml"),
        {"a draft.toml": is_draft},
    ),
    "schema confirm": (("schema", "confirm", "people.toml", "--yes"), {}),
    "ledger open": (
        ("ledger", "open", *TABLE, "--epsilon", "2", "--analyst-limit", "ana=0.5", "--ledger", "other.db"),
        {"other.db": is_ledger},
    ),
    "algorithms": (("algorithms", "naive-bayes", "--json-schema"), {}),
}


def as_command(folder: Path, made: str) -> dict[str, Any]:
    program, *words = shlex.split(made)
    assert program == "privet"
    found: dict[str, Any] = json.loads(invoke(*words, "--json").stdout)
    return found


def as_script(folder: Path, made: str) -> dict[str, Any]:
    """As the main program, in this interpreter: to start another for each takes longer than what it does."""
    (folder / "script.py").write_text(made)
    names = runpy.run_path("script.py", run_name="__main__")
    (folder / "script.py").unlink()
    found: dict[str, Any] = json.loads(json.dumps(names["result"].to_dict()))
    return found


def as_program(folder: Path, made: str) -> dict[str, Any]:
    """In an interpreter of its own."""
    (folder / "script.py").write_text(made + "import json\nprint(json.dumps(result.to_dict()))\n")
    path = os.pathsep.join(sys.path)
    done = subprocess.run(
        [sys.executable, "script.py"], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path}
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def as_notebook(folder: Path, made: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    for cell in json.loads(made)["cells"]:
        if cell["cell_type"] == "code":
            exec(cell["source"], names)
    found: dict[str, Any] = json.loads(json.dumps(names["result"].to_dict()))
    return found


FORMS = {"cli": as_command, "python": as_script, "notebook": as_notebook}


def shape(data: Any) -> Any:
    """What kind of JSON this is: its keys, without what depends on the noise."""
    return {key: shape(value) for key, value in data.items()} if isinstance(data, dict) else None


@pytest.mark.parametrize("name", CASES)
def test_what_was_exported_does_the_same(
    name: str, prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    words, written = CASES[name]
    original = shutil.copytree(prepared, tmp_path / "original")
    before = {path.name for path in prepared.iterdir()}
    monkeypatch.chdir(original)
    done = json.loads(invoke(*words, "--save-run", "run.json", "--json").stdout)
    for form, run in FORMS.items():
        folder = shutil.copytree(prepared, tmp_path / form)
        made = invoke(
            "export", str(original / "run.json"), "--as", form, "-o", str(tmp_path / f"made-{form}")
        )
        assert "made-" in made.stdout
        monkeypatch.chdir(folder)
        again = run(folder, (tmp_path / f"made-{form}").read_text())
        assert shape(again) == shape(done), form
        assert {path.name for path in folder.iterdir()} - before == set(written), form
        for file, check in written.items():
            check(folder / file)


def test_a_spending_run_is_planned_and_paid_for_again(
    prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    folder = shutil.copytree(prepared, tmp_path / "folder")
    monkeypatch.chdir(folder)
    invoke(*CASES["fit"][0], "--save-run", "run.json")
    made = invoke("export", "run.json", "--as", "python").stdout
    (folder / "m.json").unlink()
    as_program(folder, made)
    [account] = json.loads(invoke("ledger", "show", "--json").stdout)["accounts"]
    assert account["spent"]["about"] == {"epsilon": 1.0}
    assert "costs nothing" in made
    refused = CliRunner().invoke(app, ["export", "run.json", "-o", "m.json"])
    assert refused.exit_code == 2
    assert "--force" in refused.stderr


def test_a_dry_run_can_be_saved_and_run_later(
    prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    folder = shutil.copytree(prepared, tmp_path / "folder")
    monkeypatch.chdir(folder)
    invoke(*CASES["fit"][0], "--dry-run", "--save-run", "run.json")
    assert not Path("m.json").exists()
    as_command(folder, invoke("export", "run.json", "--as", "cli").stdout)
    is_model(folder / "m.json")
