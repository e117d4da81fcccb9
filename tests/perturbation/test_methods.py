"""What each method promises of itself: distances, distortion, covariance, distributions, local ε."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.spatial.distance import pdist
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from privet.errors import DataError, ModelError, ParameterError, SchemaError
from privet.perturbation import (
    AdditiveNoise,
    Condensation,
    Geometric,
    Projection,
    Rotation,
    dimension_for,
    reconstruct,
)
from privet.perturbation.affine import haar_rotation
from privet.perturbation.resistance import resistance
from privet.schema import Schema


def unit_schema(width):
    return Schema.of({f"x{j}": (-1.0, 1.0) for j in range(width)})


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 12), st.integers(0, 2**31))
def test_rotation_keeps_all_distances_to_rounding(width, seed):
    X = np.random.default_rng(seed).uniform(-1, 1, (40, width))
    Y = Rotation(schema=unit_schema(width), random_state=seed).fit_transform(X)
    np.testing.assert_allclose(pdist(Y), pdist(X), rtol=1e-12, atol=1e-14)


def test_rotations_are_haar_random():
    generator = np.random.default_rng(0)
    corner = np.array([haar_rotation(3, generator)[0, 0] for _ in range(4000)])
    # A coordinate of a random direction in three dimensions is uniform; without the sign rule it is not.
    assert stats.kstest(corner, stats.uniform(-1, 2).cdf).pvalue > 1e-4
    signs = [np.sign(np.linalg.det(haar_rotation(3, generator))) for _ in range(400)]
    assert 0.4 < np.mean(np.array(signs) > 0) < 0.6


def test_learners_by_distance_learn_the_same_from_rotated_data():
    generator = np.random.default_rng(1)
    X = generator.uniform(-1, 1, (400, 5))
    y = (np.sin(3 * X[:, 0]) + X[:, 1] * X[:, 2] > 0).astype(int)
    Y = Rotation(schema=unit_schema(5)).fit_transform(X)
    for model in (KNeighborsClassifier(5), SVC(gamma=1.0)):
        one = model.fit(X[:300], y[:300]).predict(X[300:])
        other = model.fit(Y[:300], y[:300]).predict(Y[300:])
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("kind", ["gaussian", "sparse"])
def test_projection_keeps_distances_within_the_stated_distortion(kind):
    records, distortion, width = 60, 0.5, 600
    X = np.random.default_rng(2).uniform(-1, 1, (records, width))
    model = Projection(
        schema=unit_schema(width), kind=kind, distortion=distortion, records=records, random_state=4
    )
    ratio = (pdist(model.fit_transform(X)) / pdist(X)) ** 2
    assert ratio.min() > 1 - distortion
    assert ratio.max() < 1 + distortion
    assert model.transform(X).shape[1] == dimension_for(records, distortion) == 197


def test_projection_refuses_what_cannot_be():
    X = np.zeros((3, 4))
    with pytest.raises(ParameterError, match="only 4 columns"):
        Projection(schema=unit_schema(4), distortion=0.3).fit(X)
    with pytest.raises(ParameterError, match="not both"):
        Projection(schema=unit_schema(4), distortion=0.3, dimension=2).fit(X)
    with pytest.raises(ParameterError):
        dimension_for(1, 0.5)
    with pytest.raises(ParameterError):
        dimension_for(100, 1.5)


@settings(max_examples=25, deadline=None)
@given(st.integers(3, 30), st.integers(1, 6), st.integers(0, 2**31))
def test_condensation_keeps_mean_and_covariance_exactly(k, width, seed):
    X = np.random.default_rng(seed).uniform(-1, 1, (max(k, 97), width))
    Y = Condensation(schema=unit_schema(width), k=k, random_state=seed).fit_transform(X)
    np.testing.assert_allclose(Y.mean(axis=0), X.mean(axis=0), atol=1e-10)
    np.testing.assert_allclose(np.cov(Y.T), np.cov(X.T), atol=1e-10)
    assert not np.isclose(X, Y, rtol=1e-10, atol=1e-12).all(axis=1).any()  # none leaves as it came


def test_condensation_makes_groups_of_k():
    from privet.perturbation.condensation import _groups

    for records, k in ((100, 10), (199, 10), (19, 10), (10, 10), (1000, 7)):
        groups = _groups(np.random.default_rng(0).normal(size=(records, 3)), k)
        assert sorted(np.concatenate(groups)) == list(range(records))
        assert all(k <= len(group) < 2 * k for group in groups)


def test_a_pair_cannot_be_condensed():
    with pytest.raises(ParameterError, match="at least 3"):
        Condensation(schema=unit_schema(1), k=2).fit(np.zeros((10, 1)))


def test_condensation_of_fewer_than_k_records_is_refused():
    with pytest.raises(DataError, match="fewer records than k = 20"):
        Condensation(schema=unit_schema(2), k=20).fit(np.zeros((19, 2)))


def test_condensation_on_a_stream_is_bounded_and_keeps_the_shape():
    generator = np.random.default_rng(3)
    X = np.clip(generator.multivariate_normal([0, 0], [[0.05, 0.04], [0.04, 0.05]], 4000), -1, 1)
    model = Condensation(schema=unit_schema(2), k=10, most_groups=64, random_state=1)
    found = []
    for row in X:
        record = {"x0": row[0], "x1": row[1]}
        model.learn_one(record)
        found.append(list(model.transform_one(record).values()))
    assert 32 < len(model._groups[""].sizes) <= 64
    assert model._groups[""].sizes.min() >= 10
    assert model._groups[""].sizes.sum() == 4000
    np.testing.assert_allclose(np.cov(np.array(found[1000:]).T), np.cov(X.T), rtol=0.25, atol=0.004)
    batches = Condensation(schema=unit_schema(2), k=10, most_groups=64)
    for part in np.split(X, 8):
        batches.partial_fit(part)
    np.testing.assert_allclose(batches._groups[""].means, model._groups[""].means)
    kept = model.current_key()
    resumed = Condensation(schema=unit_schema(2), k=10, key=kept).fit()
    np.testing.assert_array_equal(resumed._groups[""].means, model._groups[""].means)


CLASSES = Schema.of({"x0": (-1.0, 1.0), "x1": (-1.0, 1.0), "ill": ["no", "yes"]}, target="ill")


def two_classes(rows):
    generator = np.random.default_rng(5)
    ill = generator.random(rows) < 0.4
    X = np.where(ill, 0.4, -0.4)[:, None] + generator.normal(0, 0.15, (rows, 2))
    X[:, 1] *= np.where(ill, 1, -1)
    return pa.table(
        {"x0": np.clip(X[:, 0], -1, 1), "x1": np.clip(X[:, 1], -1, 1), "ill": np.where(ill, "yes", "no")}
    )


def test_condensation_by_class_keeps_each_class_as_it_was():
    table = two_classes(600)
    released = Condensation(schema=CLASSES, by="ill", k=10).fit_transform(table)
    for label in ("no", "yes"):
        rows = np.flatnonzero(np.array(table["ill"]) == label)
        one, other = (np.column_stack([t["x0"], t["x1"]])[rows] for t in (table, released))
        np.testing.assert_allclose(np.cov(one.T), np.cov(other.T), atol=1e-9)
        np.testing.assert_allclose(one.mean(axis=0), other.mean(axis=0), atol=1e-9)
    assert released["ill"].equals(table["ill"])
    with pytest.raises(DataError, match="for one value of 'ill'"):
        Condensation(schema=CLASSES, by="ill", k=10).fit(two_classes(600).slice(0, 15))
    with pytest.raises(DataError, match="no column 'ill'"):
        Condensation(schema=CLASSES, by="ill").fit(table.drop_columns(["ill"]))
    with pytest.raises(SchemaError, match="is a number"):
        Condensation(schema=CLASSES, by="x1", columns=["x0"]).fit(table)


def test_condensation_by_class_on_a_stream_is_bounded_and_restarts():
    table = two_classes(3000)
    model = Condensation(schema=CLASSES, by="ill", k=10, most_groups=16, random_state=1)
    found = []
    for record in table.to_pylist():
        model.learn_one(record)
        found.append(model.transform_one(record))
    assert set(model._groups) == {"no", "yes"}
    assert all(len(groups.sizes) <= 16 and groups.sizes.min() >= 10 for groups in model._groups.values())
    late = [each["x0"] for each in found[500:] if each["ill"] == "yes"]
    assert abs(np.mean(late) - 0.4) < 0.05  # drawn from their own class
    key = model.current_key()
    resumed = Condensation(schema=CLASSES, by="ill", k=10, key=key).fit()
    np.testing.assert_array_equal(resumed._groups["yes"].means, model._groups["yes"].means)
    batches = Condensation(schema=CLASSES, by="ill", k=10, most_groups=16).partial_fit(table)
    np.testing.assert_allclose(batches._groups["no"].means, model._groups["no"].means)
    with pytest.raises(ModelError, match="by another column"):
        Condensation(schema=CLASSES, k=10, key=key).fit()
    with pytest.raises(DataError, match="outside its declared domain") as caught:
        model.learn_one({"x0": 0.0, "x1": 0.0, "ill": "secret"})
    assert "secret" not in str(caught.value)


def test_before_k_records_a_stream_gives_nothing_away():
    model = Condensation(schema=unit_schema(1), k=50, random_state=0)
    for _ in range(49):
        model.learn_one({"x0": 0.9})
    drawn = [model.transform_one({"x0": 0.9})["x0"] for _ in range(2000)]
    assert stats.kstest(drawn, stats.uniform(-1, 2).cdf).pvalue > 1e-5


@pytest.mark.parametrize("kind", ["uniform", "gaussian", "laplace"])
def test_additive_noise_has_its_level_and_the_distribution_comes_back(kind):
    generator = np.random.default_rng(0)
    X = np.where(generator.random(20_000) < 0.3, -0.6, 0.5)[:, None] + generator.uniform(
        -0.1, 0.1, (20_000, 1)
    )
    model = AdditiveNoise(schema=unit_schema(1), kind=kind, level=0.4, random_state=2)
    Y = model.fit_transform(X)
    assert abs((Y - X).std() - 0.4) < 0.01
    assert abs(np.corrcoef((Y - X)[:, 0], X[:, 0])[0, 1]) < 0.03
    found = model.distribution("x0", Y[:, 0], bins=40)
    true, _ = np.histogram(X[:, 0], bins=np.linspace(-1, 1, 41))
    noisy, _ = np.histogram(np.clip(Y[:, 0], -1, 1), bins=np.linspace(-1, 1, 41))
    off = np.abs(np.cumsum(found.probability) - np.cumsum(true) / len(X)).mean()
    naive = np.abs(np.cumsum(noisy) / len(X) - np.cumsum(true) / len(X)).mean()
    assert off < naive / 3
    assert abs(found.mean - X.mean()) < 0.02
    assert abs(found.standard_deviation - X.std()) < 0.05


def test_reconstruction_of_nothing_is_refused():
    with pytest.raises(DataError):
        reconstruct(np.empty(0), "gaussian", 0.1)


def test_local_noise_states_its_real_epsilon():
    X = np.random.default_rng(0).uniform(-1, 1, (50, 2))
    model = AdditiveNoise(schema=unit_schema(2), kind="laplace", epsilon=4.0)
    Y = model.fit_transform(X)
    assert (model.guarantee_.epsilon, model.guarantee_.holds) == (4.0, True)
    assert "local" in model.guarantee_.text()
    # Two values of range 2 each: noise of scale 2·2/4 on each.
    assert np.isclose(model.key_.values["deviation"], np.sqrt(2))
    assert Y.shape == X.shape
    seeded = AdditiveNoise(schema=unit_schema(2), kind="laplace", epsilon=4.0, random_state=1).fit(X)
    assert not seeded.guarantee_.holds
    one = AdditiveNoise(schema=unit_schema(2), kind="laplace", epsilon=4.0, columns=["x0"]).fit(X)
    assert not one.guarantee_.holds
    assert "ε = 4 holds for x0 only" in one.guarantee_.headline
    kept = AdditiveNoise(schema=unit_schema(2), kind="laplace", epsilon=4.0, missing="keep").fit(X)
    assert not kept.guarantee_.holds
    with pytest.raises(ParameterError, match="no local epsilon"):
        AdditiveNoise(schema=unit_schema(2), kind="uniform", epsilon=1.0).fit(X)


def test_local_noise_is_laplace_of_the_stated_scale_and_not_of_half_of_it():
    X = np.zeros((10_000, 1))
    Y = AdditiveNoise(schema=unit_schema(1), kind="laplace", epsilon=2.0).fit_transform(X)[:, 0]
    assert stats.kstest(Y, stats.laplace(scale=1.0).cdf).pvalue > 1e-7
    assert stats.kstest(Y, stats.laplace(scale=0.5).cdf).pvalue < 1e-9


def test_geometric_is_rotation_translation_and_noise():
    X = np.random.default_rng(0).uniform(-1, 1, (5000, 3))
    model = Geometric(schema=unit_schema(3), noise=0.1, candidates=1, random_state=1).fit(X)
    turn, shift = model.key_.array("rotation", 3, 3), model.key_.array("translation", 3)
    rest = model.transform(X) - X @ turn.T - shift
    assert abs(rest.std() - 0.1) < 0.003
    assert np.abs(np.corrcoef(rest.T) - np.eye(3)).max() < 0.06
    assert stats.kstest(rest[:, 0] / 0.1, "norm").pvalue > 1e-4


def test_more_candidates_resist_better():
    generator = np.random.default_rng(0)
    X = generator.multivariate_normal(np.zeros(3), np.diag([0.1, 0.05, 0.02]), 800).clip(-1, 1)

    def weakest(candidates, seed):
        model = Geometric(schema=unit_schema(3), noise=0.3, candidates=candidates, random_state=seed)
        return resistance(X, model.fit_transform(X), np.random.default_rng(1))

    one, many = (np.mean([weakest(count, seed) for seed in range(6)]) for count in (1, 20))
    assert many > one
