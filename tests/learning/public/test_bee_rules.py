"""Rules by bee colony on public tables: three ways, their stopping rules, and odd tables."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from sklearn.datasets import load_iris

from privet.errors import DataError, ParameterError
from privet.learning.public.bee_rules import BeeRules
from privet.schema import Schema
from reproduction.rules.presets import thesis_parameters

FEW = {"iterations": 120, "random_state": 0}


def iris():
    X, y = load_iris(return_X_y=True)
    return X, np.array(["setosa", "versicolor", "virginica"])[y]


@pytest.mark.parametrize("method", ["covering", "several", "one"])
def test_iris(method):
    X, y = iris()
    model = BeeRules(method=method, per_class=2, **FEW).fit(X, y)
    assert np.mean(model.predict(X) == y) > 0.9
    by_class = [sum(rule.label == label for rule in model.rules.rules) for label in model.classes_]
    assert max(by_class) <= {"covering": 200, "several": 2, "one": 1}[method]
    assert not model.guarantee_.holds
    assert "public" in model.guarantee_.headline


def test_covering_leaves_at_most_a_twentieth_of_each_class():
    X, y = iris()
    model = BeeRules(method="covering", **FEW).fit(X, y)
    path = model.decision_path(X)
    for label in model.classes_:
        assert (path[y == label] == len(model.rules.rules)).mean() <= 0.05


def test_counts_are_what_each_rule_decides():
    X, y = iris()
    model = BeeRules(method="several", per_class=3, **FEW).fit(X, y)
    listed, path = model.rules, model.decision_path(X)
    for place, rule in enumerate((*listed.rules, listed.default)):
        assert list(rule.counts) == [((path == place) & (y == label)).sum() for label in listed.classes]


def test_seeds():
    X, y = iris()
    one, again = (BeeRules(method="one", **FEW).fit(X, y).rules for _ in range(2))
    assert one == again
    assert one != BeeRules(method="one", iterations=2, random_state=1).fit(X, y).rules


def test_nominal_and_missing_values():
    draw = np.random.default_rng(0)
    colour = draw.choice(["red", "blue", "green"], 300)
    y = np.where(colour == "red", "yes", "no")
    table = pa.table(
        {"colour": pa.array(colour, mask=draw.random(300) < 0.1), "empty": pa.nulls(300), "y": y}
    )
    schema = Schema.of(
        {"colour": ["red", "blue", "green"], "empty": (0.0, 1.0), "y": ["no", "yes"]}, target="y"
    )
    model = BeeRules(schema=schema, **FEW).fit(table)
    assert "IF colour is red THEN y = yes" in str(model.rules)
    assert np.mean(model.predict(table) == y) > 0.9


def test_odd_classes():
    """A class with one record, and one of the domain without any."""
    X = np.linspace(0, 1, 41)[:, None]
    y = np.where(X[:, 0] < 0.5, "a", "b").astype(object)
    y[-1] = "rare"
    schema = Schema.of({"x": (0.0, 1.0), "y": ["a", "b", "rare", "never"]}, target="y")
    model = BeeRules(schema=schema, **FEW).fit(X, y)
    assert "never" not in {rule.label for rule in model.rules.rules}
    assert np.mean(model.predict(X) == y) > 0.9


@pytest.mark.parametrize("method", ["covering", "several", "one"])
def test_attributes_that_say_nothing(method):
    """One value, all missing, and a number without spread: the rules are made of the one that tells."""
    draw = np.random.default_rng(0)
    x = draw.random(120)
    table = pa.table(
        {
            "x": x,
            "only": ["one"] * 120,
            "same": [3.0] * 120,
            "empty": pa.nulls(120),
            "y": np.where(x < 0.4, "a", "b"),
        }
    )
    schema = Schema.of(
        {"x": (0.0, 1.0), "only": ["one"], "same": (0.0, 9.0), "empty": ["p", "q"], "y": ["a", "b"]},
        target="y",
    )
    model = BeeRules(schema=schema, method=method, **FEW).fit(table)
    assert np.mean(model.predict(table.drop_columns(["y"])) == np.array(table["y"].to_pylist())) > 0.9


def test_no_attributes_at_all():
    with pytest.raises(DataError, match="no attribute"):
        BeeRules(schema=Schema.of({"y": ["a", "b"]}, target="y")).fit(pa.table({"y": ["a", "b"]}))


@pytest.mark.parametrize("dataset", ["iris", "ecoli", "breast_w", "heart_statlog", "sonar"])
@pytest.mark.parametrize("epsilon", [None, 1, 2, 3])
def test_the_thesis_parameters_fit_the_miner(dataset, epsilon):
    for method in ("covering", "several", "one"):
        given = thesis_parameters(dataset, method, epsilon)
        assert BeeRules(**given).get_params()["method"] == method
        if method != "covering":
            assert given["alpha"] + given["beta"] == pytest.approx(1)


def test_the_thesis_has_no_parameters_for_other_sets():
    with pytest.raises(ParameterError):
        thesis_parameters("adult", "one")
    with pytest.raises(ParameterError):
        thesis_parameters("iris", "one", 4)


def test_threads_change_nothing():
    """Classes are mined in threads, each from its own seed."""
    X, y = iris()
    found = {str(BeeRules(method="several", per_class=2, **FEW).fit(X, y).rules) for _ in range(3)}
    assert len(found) == 1


def test_more_rules_than_there_are():
    schema = Schema.of({"a": [0, 1], "y": [0, 1]}, target="y")
    model = BeeRules(schema=schema, method="several", per_class=50, **FEW).fit([[0], [1]] * 20, [0, 1] * 20)
    assert len(model.rules.rules) <= 2
    assert model.predict([[0], [1]]).tolist() == [0, 1]


@pytest.mark.parametrize(
    "bad", [{"alpha": 0.0, "beta": 0.0}, {"swarm": 2}, {"factor": 2.0}, {"method": "other"}]
)
def test_bad_parameters(bad):
    X, y = iris()
    with pytest.raises(ParameterError):
        BeeRules(**bad).fit(X, y)
