"""The regression experiments: fair splits, printed formulas, every method, and points that survive."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from privet.errors import DataError, ParameterError
from privet.learning.linear import Encoder
from privet.report.plots import svg_text
from privet.schema import Schema
from reproduction.dpweka.as_published import (
    Encoded,
    PublishedFunctional,
    exact_objective,
    minimise,
    noisy_objective,
    search,
)
from reproduction.dpweka.as_published_kernels import candidate_scores
from reproduction.dpweka.census import CENSUS_SHAPES, census_like
from reproduction.dpweka.regression import METHODS, PEER, Curve, Point, errors, plot_curves
from reproduction.dpweka.regression_points import Wish
from reproduction.store import Store

MIXED = Schema.of({"w": ["a", "b", "c"], "x": (-1.0, 1.0), "v": ["p", "q"], "y": ["no", "yes"]}, target="y")


@pytest.fixture(scope="module")
def mixed():
    draw = np.random.default_rng(0)
    w = [None if place % 7 == 0 else "abc"[place % 3] for place in range(200)]
    x = draw.uniform(-1, 1, 200)
    y = np.where(x + draw.normal(0, 0.3, 200) > 0, "yes", "no")
    return pa.table({"w": w, "x": x, "v": draw.choice(["p", "q"], 200), "y": y})


def test_the_published_encoding_is_the_schemas_without_an_intercept(mixed):
    data = Encoded.of(mixed, MIXED)
    X = Encoder(schema=MIXED).transform(mixed)
    assert np.array_equal(data.dense(), X)
    weights = np.arange(1.0, 1 + X.shape[1])
    assert np.allclose(data.margins(weights), X @ weights)
    assert np.allclose(Encoded.unlabelled(mixed.drop_columns(["y"]), MIXED).margins(weights), X @ weights)


def test_fast_scores_are_the_printed_scores(mixed):
    data = Encoded.of(mixed, MIXED)
    X, y = data.dense(), data.y
    draw = np.random.default_rng(0)
    weights, sigma = draw.normal(size=data.width), 0.3

    def printed(w):
        return float((y * (X @ w) - np.logaddexp(0, X @ w)).sum())

    moves = sigma * np.vstack([np.eye(data.width), -np.eye(data.width)])
    expected = [printed(weights + move) - printed(weights) for move in moves]
    found = candidate_scores(
        data.margins(weights), y, data.cells, data.numbers, data.places, data.width, sigma
    )
    assert np.allclose(found, expected)


def test_published_functional_without_noise_is_a_least_squares_rule(mixed):
    data = Encoded.of(mixed, MIXED)
    exact = exact_objective(data.dense(), data.y)
    draw = np.random.default_rng(0)
    quiet = noisy_objective(exact, 0.0, draw)
    assert np.array_equal(quiet[0], exact[0])  # as printed: ε = 0 is no noise
    weights = minimise(quiet, 0.0)
    assert np.mean((data.margins(weights) > 0) == data.y) > 0.85
    noisy = noisy_objective(exact, 1.0, draw)[0]
    assert np.array_equal(noisy, noisy.T)
    assert not np.allclose(noisy, exact[0])


def test_published_search_learns_with_enough_steps(mixed):
    data = Encoded.of(mixed, MIXED)
    weights = search(data, 200.0, np.random.default_rng(0), sigma=0.05)
    assert np.mean((data.margins(weights) > 0) == data.y) > 0.8


@pytest.mark.parametrize(("sigma", "resize"), [(0.2, 1.0), (0.2, 0.99), (2.0, 1.0), (0.01, 1.001)])
def test_published_search_makes_the_choices_of_all_scores(mixed, sigma, resize):
    data = Encoded.of(mixed, MIXED)
    found = search(data, 60.0, np.random.default_rng(1), sigma=sigma, resize=resize)

    draw = np.random.default_rng(1)
    weights = draw.uniform(-1, 1, data.width)
    steps = int(0.125 * len(data.y) * 60.0)
    assert steps > 1024  # more than the search makes between two fresh starts of its margins
    for _ in range(steps):
        scores = candidate_scores(
            data.margins(weights), data.y, data.cells, data.numbers, data.places, data.width, sigma
        )
        noisy = scores * (60.0 / steps) / (4 * sigma) + draw.gumbel(size=2 * data.width)
        chosen = int(np.argmax(noisy))
        weights[chosen % data.width] += sigma if chosen < data.width else -sigma
        sigma *= resize
    assert np.allclose(found, weights, rtol=0, atol=1e-9)


@pytest.mark.parametrize("method", sorted({*METHODS} - {PEER}))
def test_every_method_runs(method):
    table, schema = census_like(1500, 20)
    found = errors(table, schema, method, 5.0)
    assert len(found) == 10
    assert all(0 <= error <= 0.65 for error in found)
    assert len(errors(table, schema, method, 5.0, repetitions=1, train=300)) == 5


def test_the_other_program_gets_the_same_folds_and_the_schemas_norm(monkeypatch):
    table, schema = census_like(600, 20)
    seen = []

    def program(_code, *, X, y, test, norm, epsilon):
        seen.append((X.shape, test.shape, norm, epsilon))
        values, counts = np.unique(y, return_counts=True)
        return [values[np.argmax(counts)]] * len(test)

    monkeypatch.setattr("benchmarks.peers.diffprivlib", program)
    assert errors(table, schema, PEER, 5.0) == errors(table, schema, "larger class", 5.0)
    assert set(seen) == {((480, 20), (120, 20), np.sqrt(len(schema.attributes)), 5.0)}


def test_unknown_methods_and_more_classes_are_refused():
    table, schema = census_like(100, 20)
    with pytest.raises(ParameterError, match="no method"):
        errors(table, schema, "magic")
    three = Schema.of({"x": (-1.0, 1.0), "y": ["a", "b", "c"]}, target="y")
    with pytest.raises(DataError, match="two classes"):
        PublishedFunctional(schema=three).fit(pa.table({"x": [0.0], "y": ["a"]}))
    with pytest.raises(ParameterError, match="negative"):
        PublishedFunctional(schema=schema, epsilon=-1.0).fit(table)


@pytest.mark.parametrize("name", CENSUS_SHAPES)
def test_generated_tables_have_the_shapes_that_are_named(name):
    _, width, nominal, strength = CENSUS_SHAPES[name]
    table, schema = census_like(3000, width, nominal, strength)
    X = Encoder(schema=schema).transform(table)
    assert X.shape == (3000, width)
    assert 0.4 < np.mean(np.array(table["income"].to_pylist()) == "above") < 0.6
    floor = errors(table, schema, "without privacy", repetitions=1)
    assert 0.1 < np.mean(floor) < 0.36


def test_points_survive_and_plots_show_them(tmp_path):
    wish = Wish("adult", "newton", 0.4, train=39_073, runs=12)
    first, second = wish.cells()  # ten splits and two
    store = Store("dpweka", "regression", tmp_path)
    store.put(second.key, [0.17] * 2)
    store.put(first.key, [0.16] * 10)
    kept = wish.point(store.read())
    assert kept == Point("adult", "newton", 0.4, 0.0, 39_073, (0.16,) * 10 + (0.17,) * 2)
    assert Wish("adult", "newton", 0.4).point(store.read()) is None
    point = Point("adult", "newton", 0.4, 0.0, 39_073, (0.16, 0.17))
    assert point.mean == pytest.approx(0.165)
    assert point.standard_error == pytest.approx(0.005)
    other = Point("adult", "newton", 1.0, 0.0, 39_073, (0.15,))
    drawn = svg_text(plot_curves([Curve("newton", (point, other))], references={"floor": 0.148}))
    assert "newton" in drawn
    assert "floor" in drawn
