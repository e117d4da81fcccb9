"""``privet audit inversion`` on a released model."""

from __future__ import annotations

import json

import numpy as np
import pytest

from privet.model import save_model
from privet.schema import Schema, write_schema
from privet.selection.k_best import SelectKBest


@pytest.fixture
def model(account, run):
    lines = account.read_text().splitlines()
    (account.parent / "others.csv").write_text("\n".join([lines[0], *lines[301:]]) + "\n")
    run("fit", "naive-bayes", account, "-s", "people.toml", "--epsilon", "1", "-o", "model.json", "-y")
    return "model.json"


def test_side_by_side(model, account, run, answer):
    found = answer("audit", "inversion", model, account, "-a", "age", "--others", "others.csv", "--seed", 1)
    assert found["private"] is False
    assert len(found["attempts"]) == 4
    assert {each["model"] for each in found["attempts"]} == set(found["memorised"])
    assert all(each["over_base_rate"]["low"] > 0 for each in found["attempts"])
    text = run(
        "audit", "inversion", model, account, "-a", "sex", "--beside", "none", "-o", "page.html"
    ).stdout
    assert "NaiveBayes, ε = 1" in text
    assert "without privacy" not in text
    assert "not private" in text
    folder = account.parent
    assert "<svg" in (folder / "page.html").read_text()
    assert json.loads((folder / "page.json").read_text())["attribute"] == "sex"


def test_an_audit_of_a_file_says_what_can_be_done_with_it(model, run):
    for name in (model, "nothing.json"):
        refused = run("audit", name, code=2).stderr
        assert f"'{name}' is a file" in refused
        assert f"privet audit inversion {name} DATA --attribute NAME" in refused
        assert f"privet model show {name}" in refused
    assert "privet audit perturbation ORIGINAL people.csv" in run("audit", "people.csv", code=2).stderr
    assert "There is no algorithm 'one-rr'" in run("audit", "one-rr", code=2).stderr


def test_errors_say_what_to_do(model, account, run):
    assert (
        "Choose one of: age, sex" in run("audit", "inversion", model, account, "-a", "height", code=2).stderr
    )
    assert "is the class" in run("audit", "inversion", model, account, "-a", "ill", code=2).stderr
    run("audit", "inversion", model, account, code=2)
    run("audit", "inversion", "nothing.json", account, "-a", "sex", code=7)


@pytest.fixture
def ridge(run, tmp_path):
    """A dose that the gene decides, a ridge regression of it, and records put aside."""
    draw = np.random.default_rng(0)
    gene, age = draw.integers(0, 2, 2000), draw.uniform(20, 80, 2000)
    dose = 5 + 4 * gene + age / 20 + draw.normal(0, 1, 2000)
    lines = [f"{'ab'[g]},{a:.1f},{d:.2f}" for g, a, d in zip(gene, age, dose, strict=True)]
    for name, part in (("doses.csv", lines[:1000]), ("aside.csv", lines[1000:])):
        (tmp_path / name).write_text("\n".join(["gene,age,dose", *part]) + "\n")
    schema = Schema.of({"gene": ["a", "b"], "age": (0.0, 100.0), "dose": (0.0, 20.0)}, target="dose")
    write_schema(schema, tmp_path / "doses.toml")
    words = ("--no-ledger", "--seed", "1", "--epsilon", "5")
    run("fit", "ridge", "doses.csv", "-s", "doses.toml", *words, "-o", "ridge.json")
    return "ridge.json"


def test_a_regression_from_end_to_end(ridge, run, answer, tmp_path):
    words = ("audit", "inversion", ridge, "doses.csv", "-a", "gene", "--others", "aside.csv", "--seed", 1)
    found = answer(*words)
    assert found["target"] == "dose"
    names = list(found["memorised"])
    assert names[0].startswith("Ridge, ")
    assert names[1] == "linear regression without privacy"
    for each in found["attempts"]:
        # Genes are 4 standard deviations of the dose apart: the best guess is right in 97.7 %.
        assert each["accuracy"]["value"] > 0.93
        assert each["without_model"] > 0.93
    text = run(*words, "--beside", "tree", "-o", "page.html").stdout
    assert "decision tree without privacy" in text
    assert "how large its errors are" in text
    assert "<svg" in (tmp_path / "page.html").read_text()
    assert "without privacy" not in run(*words, "--beside", "none").stdout


def test_models_that_do_not_fit_the_target_are_refused(ridge, model, account, run):
    words = ("audit", "inversion", ridge, "doses.csv", "-a", "gene", "--beside", "logistic")
    assert "Choose linear or tree" in run(*words, code=2).stderr
    words = ("audit", "inversion", model, account, "-a", "sex", "--beside", "linear")
    assert "Choose logistic or tree" in run(*words, code=2).stderr
    selector = SelectKBest(epsilon=1.0, k=1, schema="people.toml", random_state=0).fit(account)
    save_model(selector, "selector.json")
    refused = run("audit", "inversion", "selector.json", account, "-a", "sex", code=2).stderr
    assert "SelectKBest is no fitted classifier" in refused
