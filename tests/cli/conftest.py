"""A table on disk, and the command line run in its folder."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from privet.cli import app
from privet.schema import Schema, write_schema

Run = Callable[..., Result]

SCHEMA = Schema.of({"age": (0, 120), "sex": ["f", "m"], "ill": ["no", "yes"]}, target="ill", dataset="people")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """``run("fit", ..., code=0)``: one command in an empty folder, which must end with this exit code."""
    monkeypatch.chdir(tmp_path)
    for name in ("PRIVET_LEDGER", "PRIVET_ANALYST", "PRIVET_DEBUG"):
        monkeypatch.delenv(name, raising=False)

    def invoke(*words: object, code: int = 0, input: str | None = None) -> Result:
        result = CliRunner().invoke(app, [str(word) for word in words], input=input)
        assert result.exit_code == code, (result.exit_code, result.stdout, result.stderr, result.exception)
        return result

    return invoke


@pytest.fixture
def answer(run: Run) -> Callable[..., Any]:
    """``answer("ledger", "show")``: the command's JSON."""
    return lambda *words, code=0: json.loads(run(*words, "--json", code=code).stdout)


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """A table of 600 people and its schema, people.toml, in the folder."""
    generator = np.random.default_rng(0)
    ill = generator.integers(0, 2, 600)
    age = np.clip(40 + 30 * ill + generator.normal(0, 8, 600), 0, 120).round()
    sex = generator.choice(["f", "m"], 600)
    lines = [f"{a:.0f},{s},{('no', 'yes')[i]}" for a, s, i in zip(age, sex, ill, strict=True)]
    path = tmp_path / "people.csv"
    path.write_text("\n".join(["age,sex,ill", *lines]) + "\n")
    write_schema(SCHEMA, tmp_path / "people.toml")
    return path


@pytest.fixture
def account(run: Run, people: Path) -> Path:
    """The table with an account of ε = 2 in the default ledger."""
    run("ledger", "open", people, "-s", "people.toml", "--epsilon", "2")
    return people
