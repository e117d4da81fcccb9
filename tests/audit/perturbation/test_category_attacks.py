"""Attacks on categories: what must be found is found, and what cannot be known is not."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner
from pyarrow import csv

from privet.audit.perturbation.categories import audit_categories, changed_columns
from privet.cli import app
from privet.errors import DataError, ParameterError
from privet.perturbation import Geometric
from privet.perturbation.nominal import Hierarchy, KAnonymity, RandomisedColumns
from privet.schema import Schema, write_schema

TOWNS = [f"town {place}" for place in range(20)]
SCHEMA = Schema.of({"age": (0, 120), "town": TOWNS, "sex": ["f", "m"], "ill": ["flu", "none"]}, target="ill")


@pytest.fixture(scope="module")
def table():
    generator = np.random.default_rng(0)
    return pa.table(
        {
            "age": generator.integers(18, 90, 800),
            "town": generator.choice(TOWNS, 800),
            "sex": generator.choice(["f", "m"], 800),
            "ill": generator.choice(["flu", "none"], 800, p=[0.3, 0.7]),
        }
    )


def found(report, name, about=None):
    return next(a for a in report.attacks if a.name == name and about in (None, a.about))


def test_a_release_as_it_was_gives_everything_away(table):
    report = audit_categories(table, table, ["age", "town", "sex"], sensitive="ill", random_state=0)
    assert found(report, "guess", "town").right == 1.0
    assert found(report, "guess", "town").error == 0.0
    assert found(report, "record linkage").right > 0.7
    assert found(report, "sensitive value").right > 0.85


def test_anonymity_limits_linkage_to_one_in_k(table):
    ladders = [Hierarchy("age", widths=(10, 40)), Hierarchy("town", dict.fromkeys(TOWNS, ("all",)))]
    model = KAnonymity(hierarchies=ladders, k=10, suppression=0.05)
    report = audit_categories(table, model.fit_transform(table), ["age", "town"], sensitive="ill")
    assert found(report, "record linkage").right <= 1 / 10
    assert found(report, "sensitive value").right < 0.8


def test_a_group_that_is_alike_gives_all_its_people_away():
    towns = ["a"] * 50 + ["b"] * 50
    before = pa.table({"town": towns, "ill": ["flu"] * 50 + ["none"] * 50})
    report = audit_categories(before, before, ["town"], sensitive="ill")
    assert found(report, "record linkage").right == pytest.approx(1 / 50)
    assert found(report, "sensitive value").right == 1.0
    assert report.weakest.error == 0.0


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 8.0])
def test_randomised_response_is_guessed_as_often_as_its_epsilon_allows(epsilon):
    generator = np.random.default_rng(1)
    before = pa.table(
        {"sex": generator.choice(["f", "m"], 4000), "ill": generator.choice(["flu", "none"], 4000)}
    )
    model = RandomisedColumns(schema=SCHEMA, columns=["sex"], epsilon=epsilon, random_state=3)
    report = audit_categories(before, model.fit_transform(before), ["sex"], sensitive="ill", records=4000)
    allowed = math.exp(epsilon) / (1 + math.exp(epsilon))
    assert found(report, "guess").right == pytest.approx(max(allowed, 0.5), abs=0.03)
    assert found(report, "record linkage").right < 3 / 4000


def test_more_noise_resists_more(table):
    errors = []
    for epsilon in (20.0, 4.0, 0.5):
        model = RandomisedColumns(schema=SCHEMA, columns=["town", "sex"], epsilon=epsilon, random_state=3)
        report = audit_categories(table, model.fit_transform(table), ["town", "sex"])
        errors.append(found(report, "guess", "town").error)
    assert errors[0] < errors[1] < errors[2]
    assert errors[0] < 0.05
    assert errors[2] > 0.8


def test_every_form_and_what_is_refused(table):
    report = audit_categories(table, table, ["town"])
    assert report.verdict.startswith("The weakest column is 'town'")
    assert json.loads(json.dumps(report.to_dict()))["weakest_column"] == "town"
    assert "<svg" in report.page().html()
    assert "not proved" in str(report)
    with pytest.raises(DataError, match="800 records"):
        audit_categories(table, table.slice(0, 3), ["town"])
    with pytest.raises(ParameterError, match="no column 'county'"):
        audit_categories(table, table, ["county"])
    with pytest.raises(DataError, match="nothing to attack"):
        audit_categories(table, table, [])


def test_the_command_attacks_numbers_and_categories(table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_schema(SCHEMA, "s.toml")
    texts = RandomisedColumns(schema=SCHEMA, columns=["town"], epsilon=2.0).fit_transform(table)
    both = Geometric(schema=SCHEMA, columns=["age"], candidates=1).fit_transform(texts)
    for name, released in (("d", table), ("texts", texts), ("both", both)):
        csv.write_csv(released, f"{name}.csv")
    assert changed_columns(table, both) == (["age"], ["town"])
    runner = CliRunner()
    done = runner.invoke(app, ["audit", "perturbation", "d.csv", "texts.csv", "-s", "s.toml", "--json"])
    assert done.exit_code == 0, done.output
    assert [a["attack"] for a in json.loads(done.stdout)["attacks"]] == [
        "guess",
        "record linkage",
        "sensitive value",
    ]
    done = runner.invoke(
        app, ["audit", "perturbation", "d.csv", "both.csv", "-s", "s.toml", "--json", "-o", "r.html"]
    )
    assert done.exit_code == 0, done.output
    data = json.loads(done.stdout)
    assert data["columns"] == ["age"]
    assert data["categories"]["columns"] == ["town"]
    assert Path("r-categories.html").exists()
    done = runner.invoke(app, ["audit", "perturbation", "d.csv", "both.csv", "-s", "s.toml", "-c", "town"])
    assert done.stdout.startswith("The weakest column is 'town'")
