"""What models show of themselves: charts of released values, with error bars, that JSON can carry."""

from __future__ import annotations

import json

import numpy as np
import pytest

from privet import LinearRegression, LogisticRegression, NaiveBayes, OneR, RuleMiner, Schema, SelectKBest
from privet.evaluation import evaluate

DRAW = np.random.default_rng(0)
ILL = DRAW.integers(0, 2, 2000)
X = np.column_stack([ILL + (DRAW.random(2000) < 0.2), DRAW.uniform(0, 100, 2000)])
SCHEMA = Schema.of({"cough": [0, 1, 2], "age": (0, 100), "ill": [0, 1]}, target="ill")


def plain(charts):
    assert charts
    for chart in charts:
        json.dumps(chart.to_dict(), allow_nan=False)
        assert "<svg" in chart.svg()
    return charts


@pytest.mark.parametrize(
    "model",
    [
        NaiveBayes(schema=SCHEMA),
        NaiveBayes(schema=SCHEMA, numeric="gaussian"),
        LogisticRegression(schema=SCHEMA, method="newton"),
        OneR(schema=SCHEMA),
        RuleMiner(schema=SCHEMA),
        SelectKBest(schema=SCHEMA, k=2),
    ],
    ids=lambda model: type(model).__name__,
)
def test_every_model_shows_released_values_with_error_bars(model):
    for chart in plain(model.fit(X, ILL).pictures()):
        assert all(series.errors is not None for series in chart.series)


def test_shares_within_a_class_add_up_and_bins_are_named():
    model = NaiveBayes(schema=SCHEMA, bins=4).fit(X, ILL)
    counts, cough, age = model.pictures()
    assert counts.labels == ("0", "1")
    assert cough.labels == ("0", "1", "2")
    assert age.labels[0] == "0 – 25"
    assert all(abs(sum(series.values) - 1) < 1e-9 for series in cough.series)


def test_error_bars_of_shares_cover_the_truth():
    errors, off = [], []
    exact = np.array([(X[c == ILL][:, 0] == v).mean() for c in (0, 1) for v in (0, 1, 2)])
    for seed in range(60):
        chart = NaiveBayes(schema=SCHEMA, random_state=seed).fit(X, ILL).pictures()[1]
        shown = np.array([value for series in chart.series for value in series.values])
        errors += [error for series in chart.series for error in series.errors]
        off += np.abs(shown - exact).tolist()
    assert np.mean(np.array(off) <= np.array(errors)) > 0.93


def test_weights_of_a_predicted_number():
    schema = Schema.of({"cough": [0, 1, 2], "age": (0, 100)}, target="age")
    [chart] = plain(LinearRegression(schema=schema).fit(X[:, :1], X[:, 1]).pictures())
    assert chart.labels[0].startswith("cough=")


def test_an_evaluation_shows_its_confusion_matrix_with_its_error():
    model = NaiveBayes(schema=SCHEMA).fit(X, ILL)
    matrix, classes = plain(evaluate(model, X, ILL, epsilon=1.0).charts())
    assert matrix.error > 0
    assert [series.name for series in classes.series] == ["precision", "recall", "F1"]
    exact = evaluate(model, X, ILL, public=True).charts()[0]
    assert exact.error is None
