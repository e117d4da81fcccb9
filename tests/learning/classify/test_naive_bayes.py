"""Naive Bayes: the textbook's model without noise, the same model from every source, and odd tables."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.naive_bayes import CategoricalNB, GaussianNB

from privet.budget import Pure, Zcdp, exact, rho_for
from privet.errors import DataError
from privet.learning.classify import NaiveBayes
from privet.learning.classify.naive_bayes import _class_totals, _consistent, _shares
from privet.release import Release, Step
from privet.schema import Category, Number, Schema, Unit
from privet.sources import ArrowSource, write_arff, write_csv, write_parquet

ENORMOUS = 1_000_000.0


def nominal(rows=2000, columns=4, values=3, classes=3, seed=0):
    draw = np.random.default_rng(seed)
    y = draw.integers(0, classes, rows)
    X = (
        draw.integers(0, values, (rows, columns)) + (draw.random((rows, columns)) < 0.5) * y[:, None]
    ) % values
    names = {f"c{place}": list(range(values)) for place in range(columns)}
    return X, y, Schema.of(names | {"y": list(range(classes))}, target="y")


def numeric(rows=20_000, columns=3, seed=0):
    draw = np.random.default_rng(seed)
    y = draw.integers(0, 2, rows)
    X = draw.normal(0, 1, (rows, columns)) * (1 + 0.5 * y[:, None]) + 1.5 * y[:, None]
    names = {f"x{place}": (-10.0, 12.0) for place in range(columns)}
    return X, y, Schema.of(names | {"y": [0, 1]}, target="y")


# Agreement with scikit-learn where the noise vanishes


@pytest.mark.parametrize("allocation", ["balanced", "uniform"])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_categorical(allocation, delta):
    X, y, schema = nominal()
    model = NaiveBayes(
        epsilon=ENORMOUS, delta=delta, schema=schema, allocation=allocation, smoothing=0.5
    ).fit(X, y)
    reference = CategoricalNB(alpha=0.5).fit(X, y)
    for place, table in enumerate(model.tables_.values()):
        np.testing.assert_allclose(table[:-1].T, reference.feature_log_prob_[place], rtol=1e-9)
    np.testing.assert_allclose(model.class_count_, reference.class_count_, rtol=1e-9)
    np.testing.assert_allclose(np.exp(model.class_log_prior_), np.exp(reference.class_log_prior_), rtol=1e-2)
    assert (model.predict(X) == reference.predict(X)).mean() > 0.99


def test_gaussian():
    X, y, schema = numeric()
    model = NaiveBayes(epsilon=ENORMOUS, schema=schema, numeric="gaussian").fit(X, y)
    reference = GaussianNB().fit(X, y)
    for place, (mean, variance) in enumerate(model.normals_.values()):
        np.testing.assert_allclose(mean * 11 + 1, reference.theta_[:, place], atol=0.01)
        np.testing.assert_allclose(variance * 121, reference.var_[:, place], rtol=0.02)
    assert (model.predict(X) == reference.predict(X)).mean() > 0.99
    np.testing.assert_allclose(model.predict_proba(X), reference.predict_proba(X), atol=0.02)


def test_histogram_is_categorical_on_bins():
    X, y, schema = numeric(5000)
    model = NaiveBayes(epsilon=ENORMOUS, schema=schema, bins=20).fit(X, y)
    edges = np.linspace(-10, 12, 21)[1:-1]
    codes = np.searchsorted(edges, X, side="right")
    reference = CategoricalNB(alpha=0.5, min_categories=20).fit(codes, y)
    for place, table in enumerate(model.tables_.values()):
        np.testing.assert_allclose(table[:-1].T, reference.feature_log_prob_[place], rtol=1e-9)
    assert (model.predict(X) == reference.predict(codes)).mean() > 0.995


def test_declared_cuts_come_before_bins():
    schema = Schema((Number("x", 0, 10, cuts=(3, 4)), Category("y", (0, 1))), target="y")
    model = NaiveBayes(epsilon=ENORMOUS, schema=schema).fit([[1.0], [3.5], [4.0], [99.0]], [0, 0, 1, 1])
    assert model.cuts_ == {"x": [3.0, 4.0]}
    assert model.tables_["x"].shape == (4, 2)
    assert model.predict([[-5.0], [7.0]]).tolist() == [0, 1]


def test_whole_numbers_get_a_bin_each():
    schema = Schema.of({"k": (0, 4), "y": [0, 1]}, target="y")
    model = NaiveBayes(epsilon=ENORMOUS, schema=schema).fit([[0], [1], [2], [3], [4]], [0, 1, 0, 1, 0])
    assert model.tables_["k"].shape == (6, 2)
    assert model.predict([[0], [1], [2], [3], [4]]).tolist() == [0, 1, 0, 1, 0]


def test_values_outside_the_bounds_are_clamped():
    schema = Schema.of({"x": (0.0, 1.0), "y": [0, 1]}, target="y")
    for way in ("histogram", "gaussian"):
        one = NaiveBayes(epsilon=1.0, schema=schema, numeric=way, random_state=0).fit(
            [[-9.0], [99.0]], [0, 1]
        )
        other = NaiveBayes(epsilon=1.0, schema=schema, numeric=way, random_state=0).fit(
            [[0.0], [1.0]], [0, 1]
        )
        np.testing.assert_array_equal(one.predict_proba([[0.0], [1e9]]), other.predict_proba([[-1e9], [1.0]]))


# The same model from every source


def mixed(rows=400):
    draw = np.random.default_rng(1)
    hole = [pa.array(draw.random(rows) < 0.1) for _ in range(3)]
    columns = {
        "x": pa.array(np.round(draw.normal(0, 2, rows), 3)),
        "k": pa.array(draw.integers(0, 30, rows).astype(float)),
        "colour": pa.array(draw.choice(["red", "blue", "light green"], rows)),
    }
    holes = {
        name: pa.array(
            [None if gone.as_py() else v for v, gone in zip(column.to_pylist(), mask, strict=True)]
        )
        for (name, column), mask in zip(columns.items(), hole, strict=True)
    }
    return pa.table(holes | {"ill": draw.choice(["no", "yes"], rows).tolist()})


MIXED = Schema.of(
    {"x": (-3.0, 3.0), "k": (0, 29), "colour": ["red", "blue", "light green"], "ill": ["no", "yes"]},
    target="ill",
)


def sources(folder):
    import ibis

    table = mixed()
    write_csv(ArrowSource(table), folder / "t.csv")
    write_csv(ArrowSource(table), folder / "t.csv.gz")
    write_parquet(ArrowSource(table), folder / "t.parquet")
    write_arff(ArrowSource(table), folder / "t.arff", MIXED)
    connection = ibis.duckdb.connect()
    frame = table.to_pandas()
    yield "arrow", (table,)
    yield "frame", (frame,)
    yield "frame and y", (frame.drop(columns="ill"), frame["ill"])
    yield "objects", (frame.drop(columns="ill").to_numpy(), frame["ill"].to_numpy())
    for name in ("t.csv", "t.csv.gz", "t.parquet", "t.arff"):
        yield name, (folder / name,)
    yield "duckdb table", (connection.create_table("t", table),)
    yield "duckdb file", (connection.read_parquet(folder / "t.parquet"),)


@pytest.mark.parametrize("way", ["histogram", "gaussian"])
@pytest.mark.parametrize("unit", [Unit(), Unit("replace")], ids=["add_remove", "replace"])
def test_the_same_model_from_every_source(way, unit, tmp_path):
    """With one seed the noise is the same, so equal models mean equal exact statistics."""
    schema = Schema(MIXED.columns, target="ill", unit=unit)
    first = NaiveBayes(epsilon=1.0, schema=schema, numeric=way, random_state=4).fit(mixed())
    for name, data in sources(tmp_path):
        model = NaiveBayes(epsilon=1.0, schema=schema, numeric=way, random_state=4).fit(*data)
        np.testing.assert_array_equal(model.class_count_, first.class_count_, err_msg=name)
        for part in ("tables_", "normals_"):
            assert list(getattr(model, part)) == list(getattr(first, part))
            for column, table in getattr(model, part).items():
                np.testing.assert_array_equal(table, getattr(first, part)[column], err_msg=f"{name} {column}")


# Shares and class totals


def test_class_totals_are_better_than_one_table():
    X, y, schema = nominal(columns=8, values=4)
    errors, single = [], []
    for seed in range(60):
        model = NaiveBayes(epsilon=1.0, schema=schema, random_state=seed).fit(X, y)
        errors += (model.class_count_ - np.bincount(y)).tolist()
        step = model.guarantee_.steps[0]
        single.append(math.sqrt(5 * 2) / float(step.amount.epsilon))
    spread = float(np.std(errors))
    assert spread < 0.5 * np.mean(single)
    assert spread == pytest.approx(model.class_count_error_ / 1.96, rel=0.2), "its error bar is right"


def test_precision_weighting():
    def release(value, deviation):
        return Release(np.array(value), deviation, 0.0, Step("", "", Pure(exact(1)), 0.0))

    totals, variance = _class_totals([release([[10, 20]], 1.0), release([[13, 23]], 2.0)])
    np.testing.assert_allclose(totals, [10.6, 20.6])
    assert variance == pytest.approx(0.8)


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=30))
def test_shares_add_up_to_exactly_one(weights):
    shares = _shares(weights)
    assert sum(shares) == 1
    assert min(shares) > 0


def test_balanced_shares_follow_the_cube_root_of_the_cells():
    schema = Schema.of({"a": [0, 1], "b": list(range(100)), "y": [0, 1]}, target="y")
    plan = NaiveBayes(epsilon=1.0, schema=schema).rehearse().steps
    ratio = float(plan[1].amount.epsilon / plan[0].amount.epsilon)
    assert ratio == pytest.approx((101 / 3) ** (1 / 3), rel=0.01)
    uniform = NaiveBayes(epsilon=1.0, schema=schema, allocation="uniform").rehearse().steps
    assert [step.amount for step in uniform] == [Pure(exact(0.5))] * 2


def test_delta_uses_gaussian_noise_within_rho():
    X, y, schema = nominal(columns=20)
    guarantee = NaiveBayes(epsilon=1.0, delta=1e-6, schema=schema).fit(X, y).guarantee_
    assert all(isinstance(step.amount, Zcdp) and "gaussian" in step.mechanism for step in guarantee.steps)
    assert sum(step.amount.rho for step in guarantee.steps) == rho_for(exact(1.0), exact(1e-6))
    pure = NaiveBayes(epsilon=1.0, schema=schema).rehearse()
    assert guarantee.steps[0].error < pure.steps[0].error, "with many tables, δ must pay"


@given(
    arrays(np.float64, (4, 3), elements=st.floats(-100, 100)),
    arrays(np.float64, 3, elements=st.floats(1, 200)),
)
def test_consistent_tables_are_the_nearest_ones(counts, totals):
    table = _consistent(counts, totals)
    assert (table >= 0).all()
    np.testing.assert_allclose(table.sum(axis=0), totals, atol=1e-9)
    # Nearest (Karush, Kuhn, Tucker): positive cells moved by one amount, and no cell at zero by less.
    for column, moved in zip(table.T, (counts - table).T, strict=True):
        level = moved[column > 1e-9]
        assert np.ptp(level) < 1e-9
        assert (moved[column <= 1e-9] <= level.max() + 1e-9).all()


# Odd tables


def proba_is_sound(model, X):
    proba = model.predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    assert np.isfinite(model.predict_log_proba(X)).all()
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), proba)
    np.testing.assert_array_equal(model.predict(X), model.classes_[proba.argmax(axis=1)])


@pytest.mark.parametrize("way", ["histogram", "gaussian"])
@pytest.mark.parametrize("epsilon", [1e-3, 1.0, ENORMOUS])
def test_an_empty_table(way, epsilon):
    model = NaiveBayes(epsilon=epsilon, schema=MIXED, numeric=way).fit(mixed().slice(0, 0))
    proba_is_sound(model, mixed().drop_columns(["ill"]))


@pytest.mark.parametrize("way", ["histogram", "gaussian"])
@pytest.mark.parametrize("smoothing", [0.0, 0.5])
def test_tables_are_distributions(way, smoothing):
    model = NaiveBayes(epsilon=0.1, schema=MIXED, numeric=way, smoothing=smoothing).fit(mixed())
    for table in model.tables_.values():
        np.testing.assert_allclose(np.exp(table[:-1]).sum(axis=0), 1)
        assert not table[-1].any(), "a missing value says nothing"
        assert np.isfinite(table).all()
    for mean, variance in model.normals_.values():
        assert (np.abs(mean) <= 1).all()
        assert (variance > 0).all()
    np.testing.assert_allclose(np.exp(model.class_log_prior_).sum(), 1)
    proba_is_sound(model, mixed().drop_columns(["ill"]))


@pytest.mark.parametrize("way", ["histogram", "gaussian"])
def test_missing_values(way):
    schema = Schema.of({"x": (0.0, 1.0), "c": ["a", "b"], "y": [0, 1]}, target="y")
    table = pa.table(
        {"x": [None, 0.9, 0.1, None] * 50, "c": ["a", None, "b", None] * 50, "y": [0, 1, 0, 1] * 50}
    )
    model = NaiveBayes(epsilon=ENORMOUS, schema=schema, numeric=way).fit(table)
    np.testing.assert_allclose(model.class_count_, [100, 100], rtol=1e-6)
    empty = model.predict_proba(
        pa.table({"x": pa.array([None], pa.float64()), "c": pa.array([None], pa.string())})
    )
    np.testing.assert_allclose(empty, np.exp([model.class_log_prior_]))
    assert model.predict(pa.table({"x": [0.9], "c": pa.array([None], pa.string())})).tolist() == [1]


def test_records_without_a_class_are_left_out():
    schema = Schema.of({"c": ["a", "b"], "y": [0, 1]}, target="y")
    table = pa.table({"c": ["a", "b", "a", "b"], "y": [0, 1, None, None]})
    model = NaiveBayes(epsilon=ENORMOUS, schema=schema).fit(table)
    np.testing.assert_allclose(model.class_count_, [1, 1], rtol=1e-6)


def test_unknown_categories_say_nothing_in_a_prediction_and_are_refused_in_a_fit():
    schema = Schema.of({"c": ["a", "b"], "y": [0, 1]}, target="y")
    table = pa.table({"c": ["a", "b"] * 20, "y": [0, 1] * 20})
    model = NaiveBayes(epsilon=ENORMOUS, schema=schema).fit(table)
    np.testing.assert_allclose(
        model.predict_proba(pa.table({"c": ["S3NT1NEL"]})), np.exp([model.class_log_prior_])
    )
    with pytest.raises(DataError) as caught:
        NaiveBayes(schema=schema).fit(pa.table({"c": ["S3NT1NEL"], "y": [0]}))
    assert "S3NT1NEL" not in str(caught.value)


def test_other_is_a_value_like_any():
    schema = Schema((Category("c", ("a",), other="rest"), Category("y", (0, 1))), target="y")
    model = NaiveBayes(epsilon=ENORMOUS, schema=schema).fit(
        pa.table({"c": ["a", "x", "z"] * 9, "y": [0, 1, 1] * 9})
    )
    assert model.predict(pa.table({"c": ["a", "never seen"]})).tolist() == [0, 1]


def test_a_class_without_records():
    schema = Schema.of({"c": ["a", "b"], "y": ["no", "yes", "never"]}, target="y")
    model = NaiveBayes(epsilon=ENORMOUS, schema=schema).fit(
        pa.table({"c": ["a", "b"] * 40, "y": ["no", "yes"] * 40})
    )
    assert model.classes_.tolist() == ["no", "yes", "never"]
    assert model.predict(pa.table({"c": ["a", "b"]})).tolist() == ["no", "yes"]
    proba_is_sound(model, pa.table({"c": ["a", "b"]}))


def test_one_class_only():
    schema = Schema.of({"c": ["a", "b"], "y": ["no"]}, target="y")
    model = NaiveBayes(schema=schema).fit(pa.table({"c": ["a"], "y": ["no"]}))
    assert model.predict(pa.table({"c": ["a", "b", None]})).tolist() == ["no"] * 3


def test_many_classes():
    X, y, schema = nominal(rows=30_000, columns=3, values=60, classes=50)
    model = NaiveBayes(epsilon=ENORMOUS, schema=schema).fit(X, y)
    assert (model.predict(X) == CategoricalNB(alpha=0.5).fit(X, y).predict(X)).mean() > 0.99
    proba_is_sound(model, X[:100])


def test_wide_domains():
    """More values than a byte holds."""
    values = [f"v{place}" for place in range(300)]
    schema = Schema.of({"c": values, "y": [0, 1]}, target="y")
    table = pa.table({"c": values * 4, "y": [int(place >= 150) for place in range(300)] * 4})
    model = NaiveBayes(epsilon=ENORMOUS, schema=schema).fit(table)
    assert model.predict(table).tolist() == table["y"].to_pylist()


def test_a_domain_of_one_value_and_no_attribute_at_all():
    table = pa.table({"c": ["a"] * 30, "y": ["no"] * 20 + ["yes"] * 10})
    for columns in ({"c": ["a"]}, {}):
        model = NaiveBayes(
            epsilon=ENORMOUS, schema=Schema.of(columns | {"y": ["no", "yes"]}, target="y")
        ).fit(table)
        np.testing.assert_allclose(model.class_count_, [20, 10], rtol=1e-6)
        assert sum(step.amount.epsilon for step in model.guarantee_.steps) == exact(ENORMOUS)
        assert model.predict(table).tolist() == ["no"] * 30


@pytest.mark.parametrize("labels", [[False, True], ["no", "yes"], [3, 7], [0.5, 2.5]], ids=str)
def test_targets_of_every_kind(labels):
    schema = Schema.of({"x": (0.0, 1.0), "y": labels}, target="y")
    X, y = np.array([[0.1], [0.9]] * 20), np.array(labels * 20)
    model = NaiveBayes(epsilon=ENORMOUS, schema=schema).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), y)
    assert model.predict(X).dtype.kind == y.dtype.kind
    assert (model.predict(X) == y).all()


@pytest.mark.parametrize(
    "kind", [np.int8, np.uint8, np.int32, np.int64, np.float32, np.float64, bool, object]
)
def test_arrays_of_every_type(kind):
    schema = Schema.of({"c": [0, 1], "y": [0, 1]}, target="y")
    X = np.array([[0], [1]] * 20).astype(kind)
    for order in ("C", "F"):
        model = NaiveBayes(epsilon=ENORMOUS, schema=schema).fit(np.asarray(X, order=order), [0, 1] * 20)
        assert model.predict(X).tolist() == [0, 1] * 20


@pytest.mark.parametrize("epsilon", [0.01, 0.5])
def test_a_person_is_bounded(epsilon):
    """One person with a thousand records moves the model no more than one with two."""
    schema = Schema.of({"c": ["a", "b"], "y": ["no", "yes"]}, target="y", unit=Unit(id="who", most=2))

    def table(extra):
        rows = [("a", "no", f"p{place}") for place in range(50)] + [("b", "yes", "loud")] * extra
        c, y, who = zip(*rows, strict=True)
        return pa.table({"c": c, "y": y, "who": who})

    one, other = (
        NaiveBayes(epsilon=epsilon, schema=schema, random_state=1, look_first=False).fit(table(n))
        for n in (2, 1000)
    )
    np.testing.assert_array_equal(one.tables_["c"], other.tables_["c"])


def test_learns_under_noise():
    X, y, schema = nominal(rows=5000)
    model = NaiveBayes(epsilon=1.0, schema=schema).fit(X, y)
    assert model.score(X, y) > CategoricalNB().fit(X, y).score(X, y) - 0.03
