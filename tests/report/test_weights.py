"""Weights of linear models as tables, drawings and plain data."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from privet.errors import ModelError
from privet.report import Page
from privet.report.weights import Weights


def model(**changes):
    learned = {
        "feature_names_": ["age", "town=a", "town=b"],
        "coef_": np.array([[0.5, -2.0, 1.0]]),
        "intercept_": np.array([0.25]),
        "coef_error_": np.array([[0.1, 0.2, 0.3]]),
        "intercept_error_": np.array([0.4]),
        "classes_": np.array(["no", "yes"]),
    }
    return SimpleNamespace(**learned | changes)


def test_the_largest_come_first_each_with_its_own_error():
    weights = Weights.of(model(), "ill")
    assert weights.names == ("(intercept)", "town=a", "town=b", "age")
    assert weights.heads == ["'ill' is yes"]
    assert [weights.cells(row) for row in range(4)] == [
        ["0.25 ± 0.4"],
        ["-2 ± 0.2"],
        ["1 ± 0.3"],
        ["0.5 ± 0.1"],
    ]
    plain = weights.to_dict()
    assert plain["intercept"] == [{"class": "yes", "weight": 0.25, "error": 0.4}]
    assert plain["coefficients"][0] == {"name": "town=a", "class": "yes", "weight": -2.0, "error": 0.2}


def test_a_column_for_each_of_several_classes():
    several = model(
        classes_=np.array([1, 2, 3]),
        coef_=np.array([[0.5, 0, 0], [0, 0, 0.1], [0, -3, 0]]),
        intercept_=np.array([1.0, 2.0, 3.0]),
        coef_error_=np.ones((3, 3)),
        intercept_error_=np.ones(3),
    )
    weights = Weights.of(several, "kind")
    assert weights.heads == ["'kind' is 1", "'kind' is 2", "'kind' is 3"]
    assert weights.names == ("(intercept)", "town=a", "age", "town=b")
    assert weights.values[1].tolist() == [0, 0, -3]
    assert len(weights.to_dict()["coefficients"]) == 9
    assert len(weights.chart().figure().axes[0].containers) == 3


def test_a_predicted_number_and_no_error_bars():
    number = model(coef_=np.array([1.0, 2.0, 3.0]), intercept_=7.0, coef_error_=None)
    del number.classes_
    weights = Weights.of(number, "wage")
    assert weights.errors is None
    assert weights.heads == ["'wage'"]
    assert weights.cells(0) == ["7"]
    assert weights.to_dict()["coefficients"][0] == {
        "name": "town=b",
        "class": None,
        "weight": 3.0,
        "error": None,
    }
    assert "no error bars" in weights.chart().note


def test_the_drawing_shows_the_intervals_and_leaves_the_intercept_out():
    axes = Weights.of(model(), "ill").chart().figure().axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["town=a", "town=b", "age"]
    reaches = [segment[:, 0].tolist() for segment in axes.containers[0][2][0].get_segments()]
    assert reaches[0] == [-2.2, -1.8]


def test_names_with_signs_of_markup_are_drawn_as_they_are():
    chart = Weights.of(model(feature_names_=["a$b$", "<b>", "{x_1}$"]), "ill").chart()
    assert "a$b$" in chart.svg()
    page = Page("A model")
    page.section("Weights").chart(chart)
    assert "<b>" not in page.html()


def test_models_without_weights_and_models_with_too_few():
    assert Weights.of(SimpleNamespace(classes_=np.array([0, 1])), "ill") is None
    with pytest.raises(ModelError):
        Weights.of(model(feature_names_=["age"]), "ill")
