"""k-means: ordinary centres where noise is small, mixed data, odd tables, and what is said beforehand."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from sklearn.cluster import KMeans as Ordinary

from privet.learning.cluster import KMeans
from privet.schema import Schema
from privet.stats.clusters.points import distances

PLANE = Schema.of({"x": (0.0, 10.0), "y": (0.0, 10.0)})


def blobs(rows=3000, width=2, seed=0):
    draw = np.random.default_rng(seed)
    middle = np.array([[2.0] * width, [5.0] * width, [8.0] * width])
    return np.clip(middle[draw.integers(0, 3, rows)] + draw.normal(0, 0.6, (rows, width)), 0, 10)


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_nearly_the_ordinary_inertia(delta):
    X = blobs()
    model = KMeans(epsilon=2.0, delta=delta, schema=PLANE, random_state=0).fit(X)
    reached = distances(X / 10, model.centres_).min(axis=1).sum()
    best = Ordinary(3, n_init=3, random_state=0).fit(X / 10).inertia_
    assert reached < 1.05 * best
    assert abs(model.inertia_ - reached) <= 2 * model.inertia_error_ + 0.1 * reached
    assert 0.5 < model.separation_ <= 1
    np.testing.assert_allclose(sum(model.sizes_), 3000, atol=300)


@pytest.mark.parametrize("width", [8, 20])
def test_many_numbers_take_steps(width):
    X = blobs(20_000, width)
    schema = Schema.of({f"x{k}": (0.0, 10.0) for k in range(width)})
    model = KMeans(epsilon=2.0, delta=1e-6, schema=schema, random_state=1).fit(X)
    best = Ordinary(3, n_init=3, random_state=0).fit(X / 10).inertia_
    assert distances(X / 10, model.centres_).min(axis=1).sum() < 2.5 * best
    assert "noisy steps" in model.explanation_


def test_mixed_data_and_missing_values():
    draw = np.random.default_rng(0)
    kind = draw.integers(0, 2, 4000)
    table = pa.table(
        {
            "x": pa.array(np.where(kind, 8.0, 2.0) + draw.normal(0, 0.5, 4000), mask=draw.random(4000) < 0.2),
            "colour": pa.array(np.where(kind, "red", "blue"), mask=draw.random(4000) < 0.2),
        }
    )
    schema = Schema.of({"x": (0.0, 10.0), "colour": ["red", "blue", "green"]})
    model = KMeans(epsilon=2.0, schema=schema, clusters=2, random_state=0).fit(table)
    found = model.predict(table)
    same = np.mean(found == kind)
    assert max(same, 1 - same) > 0.9
    assert "mostly colour = " in model.in_words()


@pytest.mark.parametrize("clusters", [1, 40])
def test_more_clusters_than_can_be_seen(clusters):
    model = KMeans(epsilon=0.1, schema=PLANE, clusters=clusters, random_state=0).fit(blobs(50))
    assert model.centres_.shape == (clusters, 2)
    assert np.isfinite(model.cluster_centers_).all()


def test_constant_columns_and_no_records():
    schema = Schema.of({"x": (0.0, 10.0), "one": ["only"]})
    table = pa.table({"x": [3.0] * 100, "one": ["only"] * 100})
    model = KMeans(epsilon=1.0, schema=schema, clusters=2).fit(table)
    assert model.centres_.shape == (2, 1)
    assert KMeans(epsilon=1.0, schema=schema).fit(table.slice(0, 0)).predict(table).shape == (100,)


def test_where_noise_rules_the_plan_and_the_guarantee_say_so():
    schema = Schema.of({f"x{k}": (0.0, 1.0) for k in range(64)})
    twin = KMeans(epsilon=0.1, schema=schema)._rehearsed()
    assert "will hardly be seen" in twin._foreseen()
    assert any("Noise rules" in caveat for caveat in twin.guarantee_.caveats)
    assert "hardly" not in KMeans(epsilon=5.0, schema=PLANE)._rehearsed()._foreseen()


def test_every_source_gives_the_same_centres():
    import ibis

    table = pa.table(dict(zip("xy", blobs(400).T, strict=True)))
    database = ibis.duckdb.connect().create_table("t", table)
    models = [
        KMeans(epsilon=1.0, schema=PLANE, random_state=5).fit(d) for d in (table, table.to_pandas(), database)
    ]
    for model in models[1:]:
        np.testing.assert_array_equal(model.centres_, models[0].centres_)


def test_pictures():
    sizes, centres = KMeans(epsilon=1.0, schema=PLANE).fit(blobs()).pictures()
    assert sizes.to_dict()["kind"] == "bars"
    assert "<svg" in centres.svg()
