"""privet perturb input: formats, what the guarantee covers, statistics beside, and bad input."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from privet.cli import app
from privet.schema import Schema, write_schema
from privet.sources import open_source

SCHEMA = Schema.of({"age": (0, 120), "town": ["a", "b"], "ill": ["no", "yes"]}, target="ill")
COMMON = ["perturb", "input", "people.csv"]


@pytest.fixture(autouse=True)
def people(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    draw = np.random.default_rng(0)
    lines = [f"{draw.integers(18, 90)},{'ab'[draw.integers(2)]},no" for _ in range(300)]
    Path("people.csv").write_text("\n".join(["age,town,ill", *lines, ",,yes"]) + "\n")
    write_schema(SCHEMA, "people.toml")


def run(*words, code=0):
    result = CliRunner().invoke(app, [*COMMON, *map(str, words), "-s", "people.toml"])
    assert result.exit_code == code, (result.stdout, result.stderr, result.exception)
    return result


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".arff"])
def test_every_format_and_a_guarantee_that_holds(ending):
    done = run(f"out{ending}", "--epsilon", 3, "--target")
    assert done.stdout.startswith("Guarantee: ")
    assert "NONE" not in done.stdout
    assert sum(batch.num_rows for batch in open_source(f"out{ending}", None).batches()) == 301


def test_what_leaves_in_the_clear_voids_it_and_is_named():
    told = json.loads(run("out.csv", "--json").stdout)
    assert told["guarantee"]["voided"]
    assert "ill" in json.dumps(told["guarantee"])
    assert "statistics" not in told
    each = json.loads(run("each.csv", "--json", "--target", "--per", "attribute", "--epsilon", 2).stdout)
    assert each["guarantee"]["epsilon"] == 6
    seeded = run("seeded.csv", "--target", "--seed", 1)
    assert "NONE" in seeded.stdout
    assert "seed" in seeded.stderr


def test_statistics_are_of_the_perturbed_table_and_exact_ones_only_for_public_data():
    free = json.loads(run("out.csv", "--json", "--statistics", "--target", "--epsilon", 1000).stdout)
    [age] = free["statistics"]
    assert set(age) == {"column", "mean", "standard deviation", "variance"}
    both = json.loads(run("two.csv", "--json", "--public", "--target", "--epsilon", 1000).stdout)
    [age] = both["statistics"]
    assert age["mean"][0] == pytest.approx(age["mean"][1], abs=1)
    assert age["correlation"] > 0.99
    assert "→" in run("three.csv", "--public", "--target").stdout


def test_bad_input():
    run("out.csv", "--epsilon", 0, code=2)
    run("out.csv", "--per", "person", code=2)
    run("out.csv")
    assert "--force" in run("out.csv", code=2).stderr
    Path("people.csv").write_text("age,town,ill\n30,S3CRET,no\n")
    refused = run("other.csv", code=4)
    assert "S3CRET" not in refused.stderr + refused.stdout
    assert not Path("other.csv").exists()
    Path("people.csv").write_text("age,town,ill\n")
    run("other.csv", code=4)
