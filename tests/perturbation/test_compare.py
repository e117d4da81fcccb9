"""privet compare: itself, rotated data, WEKA's measures, the trade-off."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner

from privet.cli import app
from privet.errors import DataError, ParameterError
from privet.evaluation.comparison import LEARNERS, compare
from privet.perturbation import AdditiveNoise, Geometric, Rotation
from privet.schema import Schema, write_schema
from privet.service.trade_off import trade_off
from privet.sources import ArrowSource, write_csv

SCHEMA = Schema.of(
    {**{f"x{j}": (-3.0, 5.0) for j in range(3)}, "town": ["a", "b"], "ill": ["no", "yes"]}, target="ill"
)


@pytest.fixture(scope="module")
def table():
    generator = np.random.default_rng(0)
    X = generator.uniform(-3, 5, (400, 3))
    ill = X[:, 0] + X[:, 1] * X[:, 2] / 4 + generator.normal(0, 0.5, 400) > 1
    town = np.where(generator.random(400) < 0.3 + 0.4 * ill, "a", "b")
    return pa.table({**{f"x{j}": X[:, j] for j in range(3)}, "town": town, "ill": np.where(ill, "yes", "no")})


def test_a_table_compared_with_itself_moves_nothing(table):
    found = compare(table, table, SCHEMA, folds=3)
    assert tuple(found.scores) == LEARNERS
    for before, after in found.scores.values():
        assert before.accuracy == after.accuracy > 0.7
        assert before.root_relative_squared_error == after.root_relative_squared_error
    assert "not private" in found.text()
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["private"] is False
    assert "<svg" in found.page().html()


def test_distance_learners_see_no_difference_in_rotated_data(table):
    released = Rotation(schema=SCHEMA).fit_transform(table)
    found = compare(table, released, SCHEMA, folds=5, learners=["k-nearest neighbours", "support vectors"])
    for before, after in found.scores.values():
        assert before.accuracy == after.accuracy


def test_noise_costs_accuracy(table):
    released = AdditiveNoise(schema=SCHEMA, level=3.0, random_state=1).fit_transform(table)
    found = compare(table, released, SCHEMA, folds=3, learners=["logistic regression", "naive Bayes"])
    for before, after in found.scores.values():
        assert after.accuracy < before.accuracy - 0.03


def test_the_measures_are_wekas(table):
    from sklearn.metrics import cohen_kappa_score
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.naive_bayes import GaussianNB

    numbers = table.select(["x0", "x1", "x2", "ill"])
    schema = Schema.of({**{f"x{j}": (-3.0, 5.0) for j in range(3)}, "ill": ["no", "yes"]}, target="ill")
    scores, _ = compare(numbers, numbers, schema, learners=["naive Bayes"], folds=4).scores["naive Bayes"]
    X = np.column_stack([numbers[f"x{j}"] for j in range(3)])
    y = np.array([value == "yes" for value in numbers["ill"].to_pylist()]).astype(int)
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    chances = cross_val_predict(GaussianNB(), X, y, cv=folds, method="predict_proba")
    assert np.isclose(scores.accuracy, (chances.argmax(axis=1) == y).mean())
    assert np.isclose(scores.kappa, cohen_kappa_score(y, chances.argmax(axis=1)))
    assert np.isclose(scores.mean_absolute_error, np.abs(chances - np.eye(2)[y]).mean(), atol=1e-4)


def test_what_cannot_be_compared_is_refused(table):
    with pytest.raises(DataError, match="400 records and the perturbed table 10"):
        compare(table, table.slice(0, 10), SCHEMA)
    with pytest.raises(ParameterError, match="no learner 'oracle'"):
        compare(table, table, SCHEMA, learners=["oracle"])
    with pytest.raises(DataError, match="fewer than 10 records"):
        compare(table.slice(0, 12), table.slice(0, 12), SCHEMA)


def test_more_noise_resists_more(table):
    found = trade_off(table, SCHEMA, [0.01, 1.0], records=400, folds=3, seed=1)
    assert found.resistance[0] < 0.2 < found.resistance[1]
    assert found.accuracy[0] > found.accuracy[1]
    assert found.figure() is not None
    with pytest.raises(ParameterError, match="no noise level"):
        trade_off(table, SCHEMA, [1.0], method="rotation")


def test_the_command(table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_csv(ArrowSource(table), "d.csv")
    write_csv(ArrowSource(Geometric(schema=SCHEMA).fit_transform(table)), "e.csv")
    write_schema(SCHEMA, "s.toml")

    def run(*words, code=0):
        result = CliRunner().invoke(app, ["compare", *words])
        assert result.exit_code == code, (result.stdout, result.stderr, result.exception)
        return result.stdout

    assert "kappa" in run(
        "d.csv", "e.csv", "-s", "s.toml", "--folds", "3", "--learner", "decision tree", "-o", "p.html"
    )
    assert "<svg" in Path("p.html").read_text()
    data = json.loads(
        run("d.csv", "e.csv", "-s", "s.toml", "--folds", "3", "--learner", "naive Bayes", "--json")
    )
    assert set(data["learners"]) == {"naive Bayes"}
    assert "resistance" in run(
        "d.csv", "-s", "s.toml", "--over-noise", "additive", "--levels", "0.1,0.5", "-o", "t.html"
    )
    assert "<svg" in Path("t.html").read_text()
    run("d.csv", "-s", "s.toml", code=2)
    run("d.csv", "-s", "s.toml", "--over-noise", "additive", "--levels", "many", code=2)
