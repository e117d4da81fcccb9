"""``privet model show``: the weights of linear models, in words, as JSON and as drawings."""

from __future__ import annotations

from pathlib import Path

import pytest

import privet
from privet.exchange import to_onnx, to_pmml
from privet.schema import Schema, write_schema


@pytest.fixture
def fitted(run, people):
    words = ("logistic-regression", people, "-s", "people.toml", "--no-ledger", "--method", "newton")
    run("fit", *words, "-o", "m.json")
    return privet.load_model("m.json")


def test_the_weights_are_shown_with_their_error_bars(run, answer, fitted):
    shown = run("model", "show", "m.json").stdout
    assert "Weights, the largest first (± for the noise, 95 %):" in shown
    assert f"{fitted.coef_[0][0]:.4g} ± {fitted.coef_error_[0][0]:.2g}" in shown
    assert "more." not in shown
    weights = answer("model", "show", "m.json")["weights"]
    by_name = {each["name"]: each for each in weights["coefficients"]}
    assert set(by_name) == set(fitted.feature_names_)
    assert by_name["age"] == {
        "name": "age",
        "class": "yes",
        "weight": fitted.coef_[0][0],
        "error": fitted.coef_error_[0][0],
    }
    assert weights["intercept"][0]["weight"] == fitted.intercept_[0]


def test_a_method_without_error_bars_says_so(run, answer, people):
    words = ("logistic-regression", people, "-s", "people.toml", "--no-ledger", "--method", "objective")
    run("fit", *words, "-o", "m.json")
    assert "gives no error bars" in run("model", "show", "m.json").stdout
    assert {each["error"] for each in answer("model", "show", "m.json")["weights"]["coefficients"]} == {None}


def test_of_many_weights_the_largest_are_shown(run, answer):
    towns = [f"t{place}" for place in range(30)]
    lines = [f"{town},{place}" for place, town in enumerate(towns)]
    Path("t.csv").write_text("\n".join(["town,cost", *lines]) + "\n")
    write_schema(Schema.of({"town": towns, "cost": (0.0, 30.0)}, target="cost"), "t.toml")
    run("fit", "ridge", "t.csv", "-s", "t.toml", "--no-ledger", "-o", "m.json")
    ended = run("model", "show", "m.json")
    shown = ended.stdout
    assert "… and 10 more.\n" in shown
    assert "--all" in ended.stderr
    assert shown.count("town=t") == 20
    assert run("model", "show", "m.json", "--all").stdout.count("town=t") == 30
    assert len(answer("model", "show", "m.json")["weights"]["coefficients"]) == 30


def test_the_weights_are_drawn(run, fitted):
    run("model", "show", "m.json", "-o", "m.svg")
    assert "<svg" in Path("m.svg").read_text()
    run("model", "show", "m.json", "-o", "m.html")
    page = Path("m.html").read_text()
    assert "sex=f" in page
    assert "differential privacy with ε = 1" in page
    before = Path("m.json").read_text()
    assert ".svg" in run("model", "show", "m.json", "-o", "m.json", code=2).stderr
    assert Path("m.json").read_text() == before


def test_other_models_have_no_weights(run, answer, people):
    run("fit", "naive-bayes", people, "-s", "people.toml", "--no-ledger", "-o", "m.json")
    assert "Weights" not in run("model", "show", "m.json").stdout
    assert "weights" not in answer("model", "show", "m.json")
    run("model", "show", "m.json", "-o", "m.svg")
    assert "<svg" in Path("m.svg").read_text()
    run("model", "show", "m.json", "-o", "m.html")
    assert "within each class" in Path("m.html").read_text()


def test_a_model_is_exported_with_its_guarantee(run, answer, fitted):
    told = answer("model", "export", "m.json", "-o", "m.onnx")
    assert told["format"] == "onnx"
    assert told["bytes"] == Path("m.onnx").stat().st_size
    assert told["guarantee"] == fitted.guarantee_.to_dict()
    assert Path("m.onnx").read_bytes() == to_onnx(fitted)
    shown = run("model", "export", "m.json", "-o", "m.pmml").stdout
    assert "m.json is in m.pmml, as PMML." in shown
    assert fitted.guarantee_.headline in shown
    assert Path("m.pmml").read_bytes() == to_pmml(fitted)


def test_an_export_says_its_format_and_replaces_nothing(run, fitted):
    ended = run("model", "export", "m.json", "-o", "m.txt", code=2)
    assert "ends in .onnx or in .pmml" in ended.stderr
    Path("m.pmml").write_text("mine")
    assert "is there already" in run("model", "export", "m.json", "-o", "m.pmml", code=2).stderr
    assert Path("m.pmml").read_text() == "mine"
    run("model", "export", "m.json", "-o", "m.pmml", "--force")
