"""Small tables at small budgets: a model that learned nothing says so, and does no harm."""

from __future__ import annotations

import numpy as np
import pytest

from privet.learning.classify import AdditiveModel, NaiveBayes
from privet.learning.regress import AdditiveRegressor, LinearRegression, Ridge
from privet.schema import Schema

NUMBERS = {f"x{place}": (-3.0, 3.0) for place in range(8)}


def explained(kind, seed, delta):
    draw = np.random.default_rng(seed)
    X = draw.normal(0, 1, (4000, 8)).clip(-3, 3)
    y = (X[:, 0] + X[:, 1] / 2 + draw.normal(0, 1.5, 4000) + 2).clip(-10, 10)
    schema = Schema.of({**NUMBERS, "y": (-10.0, 10.0)}, target="y")
    model = kind(epsilon=0.1, delta=delta, schema=schema, random_state=seed).fit(X[:2000], y[:2000])
    return 1 - np.mean((model.predict(X[2000:]) - y[2000:]) ** 2) / np.var(y[2000:])


@pytest.mark.parametrize("kind", [LinearRegression, Ridge, AdditiveRegressor])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_a_regression_at_a_small_budget_is_about_as_good_as_the_mean(kind, delta):
    assert np.mean([explained(kind, seed, delta) for seed in range(5)]) > -0.05


def test_where_nothing_stands_out_the_largest_class_is_predicted():
    draw = np.random.default_rng(0)
    X, y = draw.normal(0, 1, (400, 8)).clip(-3, 3), (draw.random(400) < 0.25).astype(int)
    schema = Schema.of({**NUMBERS, "y": [0, 1]}, target="y")
    model = AdditiveModel(epsilon=0.5, schema=schema, random_state=0).fit(X, y)
    assert (model.predict(X) == 0).all()
    assert "nothing stands out" in model.explanation_


@pytest.mark.parametrize("kind", [LinearRegression, AdditiveRegressor])
def test_bounds_far_wider_than_the_values_do_not_spoil_the_mean(kind):
    """What is known of the number of records divides the sum: an error of a tenth would move it far."""
    draw = np.random.default_rng(0)
    X, y = draw.normal(0, 1, (1000, 8)).clip(-3, 3), draw.exponential(20, 1000).clip(0, 1000)
    schema = Schema.of({**NUMBERS, "y": (0.0, 1000.0)}, target="y")
    models = [kind(epsilon=0.1, schema=schema, random_state=seed).fit(X, y) for seed in range(4)]
    assert all("mean" in m.explanation_ or "same for every record" in m.explanation_ for m in models)
    assert np.mean([abs(m.predict(X)[0] - y.mean()) for m in models]) < 40  # of 1000


def test_naive_bayes_draws_classes_together_where_only_noise_tells_them_apart():
    draw = np.random.default_rng(0)
    codes, y = draw.integers(0, 2, (400, 20)), (draw.random(400) < 0.2).astype(int)
    schema = Schema.of({f"c{place}": [0, 1] for place in range(20)} | {"y": [0, 1]}, target="y")
    model = NaiveBayes(epsilon=1.0, schema=schema, random_state=0, look_first=False).fit(codes, y)
    assert np.mean(model.predict(codes) == 0) > 0.9
    for table in model.tables_.values():
        np.testing.assert_allclose(np.exp(table[:-1]).sum(axis=0), 1)
