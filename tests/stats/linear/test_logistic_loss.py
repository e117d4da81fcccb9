"""The logistic loss: its bounds for one unit of privacy, its derivatives, its rounding, and its minima."""

from __future__ import annotations

from decimal import Decimal, localcontext

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression as Reference

from privet.curator.minimum import _Kept, _Problem, minimum
from privet.errors import DataError
from privet.schema import Schema, Unit
from privet.sources import ArrowSource
from privet.stats import Rows
from privet.stats.linear.encoding import Encoding
from privet.stats.linear.gradient import Gradient
from privet.stats.linear.logistic_loss import LogisticLoss

WARDS = ["a", "b", "c"]
UNITS = [Unit(), Unit("replace"), Unit(id="who", most=2), Unit("replace", id="who", most=2)]


def schema_of(classes=2, unit=None):
    schema = Schema.of({"x": (-1.0, 1.0), "ward": WARDS, "y": list(range(classes))}, target="y")
    return Schema(schema.columns, target="y", unit=unit or Unit())


def loss_of(schema, bins=0):
    return LogisticLoss("y", Encoding.of(schema, bins), schema.nominal_target().size)


def table(records, seed=0, classes=2):
    draw = np.random.default_rng(seed)
    x, ward = draw.uniform(-1.2, 1.2, records), draw.integers(0, 3, records)
    y = np.digitize(x + ward / 3 + draw.logistic(0, 0.3, records), np.linspace(0, 1, classes + 1)[1:-1])
    return pa.table({"x": x, "ward": [WARDS[w] for w in ward], "y": y, "who": np.arange(records)})


def batch(rows):
    return rows.combine_chunks().to_batches()[0]


def slopes(rows, schema, weights):
    loss = loss_of(schema)
    found = [loss.derivatives(block, weights) for block in loss.examples(Rows(batch(rows), schema))]
    return sum(f[0] for f in found), sum(f[1] for f in found)


record = st.tuples(
    st.one_of(st.none(), st.floats(-3, 3)), st.one_of(st.none(), st.sampled_from(WARDS)), st.integers(0, 2)
)


@settings(max_examples=60, deadline=None)
@given(
    one=record,
    other=record,
    weights=st.lists(st.floats(-20, 20), min_size=15, max_size=15),
    classes=st.sampled_from([2, 3]),
)
def test_one_record_stays_within_the_bounds(one, other, weights, classes):
    for unit in (Unit(), Unit("replace")):
        schema = schema_of(classes, unit)
        loss = loss_of(schema)
        w = np.array(weights)[: loss.shape[0] * loss.shape[1]].reshape(loss.shape)
        found = []
        for x, ward, y in (one, other):
            rows = pa.table(
                {"x": pa.array([x], pa.float64()), "ward": pa.array([ward], pa.string()), "y": [y % classes]}
            )
            slope, curvature = slopes(rows, schema, w)
            trace, rank = loss.curvature(schema)
            assert np.trace(curvature) <= float(trace) + 1e-9
            assert np.linalg.matrix_rank(curvature, tol=1e-9, hermitian=True) <= rank
            assert np.linalg.eigvalsh(curvature).min() > -1e-9
            # Never both at once: the parts of ``mechanisms.tilt_price``.
            one_record = Schema(schema.columns, target="y")
            wrong, z = np.abs(slope).sum() / loss.slope_norms(one_record)[0], classes / (classes - 1)
            length = (Encoding.of(schema).encode_columns(Rows(batch(rows), schema)) ** 2).sum()
            q = np.abs(slope[:, 0]).sum() / (1 if classes == 2 else 2)  # the intercept's coordinate is 1
            assert wrong <= q + 1e-9
            most = 0.25 if classes == 2 else 1 - 1 / classes
            assert np.trace(curvature) <= most * length * z * (2 * q - z * q**2) + 1e-9
            found.append(slope)
        moved = found[0] - found[1] if unit.neighbours == "replace" else found[0]
        l1, squared_l2 = loss.slope_norms(schema)
        assert np.abs(moved).sum() <= l1 + 1e-9
        assert (moved**2).sum() <= squared_l2 + 1e-9


@settings(max_examples=40, deadline=None)
@given(one=record, other=record, seed=st.integers(0, 99), classes=st.sampled_from([2, 3]))
def test_a_number_in_bins_stays_within_the_same_bounds(one, other, seed, classes):
    """One record has 1 in one bin, so a block of bins weighs no more than a number or a category."""
    schema = schema_of(classes)
    loss = loss_of(schema, bins=5)
    assert loss.slope_norms(schema) == loss_of(schema).slope_norms(schema)
    weights = 10 * np.random.default_rng(seed).standard_normal(loss.shape)
    found = []
    for x, ward, y in (one, other):
        rows = pa.table(
            {"x": pa.array([x], pa.float64()), "ward": pa.array([ward], pa.string()), "y": [y % classes]}
        )
        seen = Rows(batch(rows), schema)
        [(slope, curvature)] = [loss.derivatives(block, weights) for block in loss.examples(seen)]
        assert np.trace(curvature) <= float(loss.curvature(schema)[0]) + 1e-9
        found.append(slope)
    for unit, moved in ((Unit(), found[0]), (Unit("replace"), found[0] - found[1])):
        l1, squared_l2 = loss.slope_norms(schema_of(classes, unit))
        assert np.abs(moved).sum() <= l1 + 1e-9
        assert (moved**2).sum() <= squared_l2 + 1e-9


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.describe())
@pytest.mark.parametrize("classes", [2, 3])
def test_the_bounds_of_a_unit_are_reached_and_no_more(unit, classes):
    """By all of a unit's records together: a bound for one of them, or a smaller one, is wrong."""
    schema = schema_of(classes, unit)
    loss = loss_of(schema)
    trace, rank = loss.curvature(schema)
    k = unit.most
    apart = pa.table({"x": [1.0, -1.0][:k], "ward": ["a", "b"][:k], "y": [0] * k})
    _, curvature = slopes(apart, schema, np.zeros(loss.shape))
    assert np.trace(curvature) == pytest.approx(float(trace))
    assert np.linalg.matrix_rank(curvature, tol=1e-9, hermitian=True) == rank
    # Records that are surely taken for the class that they are not of; under replace, of both classes.
    w = np.zeros(loss.shape)
    w[-1] = 50.0
    wrong = pa.table({"x": [1.0] * k, "ward": ["a"] * k, "y": [0] * k})
    moved, _ = slopes(wrong, schema, w)
    l1, squared_l2 = loss.slope_norms(schema)
    if unit.neighbours == "replace":  # what goes pulls the other way: at most as far
        moved = 2 * moved
    assert np.abs(moved).sum() == pytest.approx(l1)
    assert (moved**2).sum() == pytest.approx(squared_l2)


@pytest.mark.parametrize("classes", [2, 4])
def test_derivatives_are_those_of_the_loss(classes):
    schema, rows = schema_of(classes), table(50, classes=classes)
    loss = loss_of(schema)
    [(x, actual)] = loss.examples(Rows(batch(rows), schema))
    w = np.random.default_rng(1).normal(size=loss.shape)

    def value(weights):
        margins = x.T @ weights.T
        margins = np.hstack([np.zeros((len(margins), 1)), margins]) if classes == 2 else margins
        return (np.log(np.exp(margins).sum(axis=1)) - margins[np.arange(len(margins)), actual]).sum()

    slope, curvature = loss.derivatives((x, actual), w)
    for place in range(w.size):
        step = np.zeros(w.size)
        step[place] = 1e-5
        step = step.reshape(w.shape)
        assert abs((value(w + step) - value(w - step)) / 2e-5 - slope.ravel()[place]) < 1e-5
        change = loss.derivatives((x, actual), w + step)[0] - loss.derivatives((x, actual), w - step)[0]
        np.testing.assert_allclose(change.ravel() / 2e-5, curvature[place], atol=1e-5)


@pytest.mark.parametrize("classes", [2, 4])
def test_the_rounding_bound_covers_what_double_precision_loses(classes):
    schema, rows = schema_of(classes), table(20_000, classes=classes)
    loss = loss_of(schema)
    w = np.random.default_rng(1).normal(0, 3, loss.shape)
    slope, _ = slopes(rows, schema, w)
    exact = np.zeros(loss.shape, np.longdouble)
    for x, actual in loss.examples(Rows(batch(rows), schema)):
        margins = x.T.astype(np.longdouble) @ w.T.astype(np.longdouble)
        if classes == 2:
            margins = np.hstack([np.zeros_like(margins), margins])
        p = np.exp(margins - margins.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        p[np.arange(len(p)), actual] -= 1
        exact += p[:, -len(w) :].T @ x.T.astype(np.longdouble)
    lost = float(np.linalg.norm((exact - slope).astype(float)))
    bound = loss.rounding(20_000, loss.largest_margin(w))
    assert lost <= bound < 1e-8  # which leaves room for a tolerance


def test_the_rounding_bound_holds_however_small_the_blocks_are():
    """A source may come in batches of one record. The same record each time is the worst for plain sums."""
    schema, loss, records = schema_of(), loss_of(schema_of()), 15_000
    one = batch(pa.table({"x": [0.9], "ward": ["a"], "y": [1], "who": [1]}).cast(table(1).schema))
    single = ArrowSource(pa.Table.from_batches([one] * records))
    w = np.array([[0.1, 0.2, 0.3, -0.1, 0.4]])
    problem = _Problem(loss, _Kept(loss, single, schema), 0.0, 0 * w)
    slope, _ = problem.at(w, curvature=False)
    [(x, _)] = loss.examples(Rows(one, schema))
    with localcontext(prec=50):
        margin = sum(Decimal(float(a)) * Decimal(float(b)) for a, b in zip(w[0], x[:, 0], strict=True))
        q = 1 / (1 + (-margin).exp()) - 1
        exact = [records * q * Decimal(float(value)) for value in x[:, 0]]
        lost = sum((Decimal(float(a)) - b) ** 2 for a, b in zip(slope[0], exact, strict=True)).sqrt()
    assert lost <= problem.rounding(w) < 1e-8
    plain = sum(float(q) * x[0, 0] for _ in range(records))  # the test can tell: plain sums lose far more
    assert abs(Decimal(float(plain)) - exact[0]) > 20 * lost


def test_no_margin_is_larger_than_said():
    schema, rows = schema_of(4), table(300, classes=4)
    loss = loss_of(schema)
    w = np.random.default_rng(5).normal(0, 2, loss.shape)
    margins = [np.abs(w @ x).max() for x, _ in loss.examples(Rows(batch(rows), schema))]
    assert 0.5 * loss.largest_margin(w) < max(margins) <= loss.largest_margin(w)


@pytest.mark.parametrize("classes", [2, 3])
def test_the_minimum_is_the_references(classes):
    schema, rows = schema_of(classes), table(3000, classes=classes)
    loss = loss_of(schema)
    tilt = np.random.default_rng(2).normal(0, 5, loss.shape)
    weights = minimum(loss, ArrowSource(rows), schema, ridge=3.0, tilt=tilt, tolerance=1e-7)
    slope, _ = slopes(rows, schema, weights)
    assert np.linalg.norm(slope + 3 * weights + tilt) < 1e-7
    plain = minimum(loss, ArrowSource(rows), schema, ridge=3.0, tilt=0 * tilt, tolerance=1e-7)
    X = Encoding.of(schema).encode(Rows(batch(rows), schema))
    reference = Reference(C=1 / 3, fit_intercept=False, tol=1e-10, max_iter=5000).fit(
        X, np.asarray(rows["y"])
    )
    np.testing.assert_allclose(plain, reference.coef_, atol=1e-4)


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.describe())
@pytest.mark.parametrize("classes", [2, 3])
def test_minima_of_neighbours_are_as_near_as_proved(unit, classes):
    schema = schema_of(classes, unit)
    loss = loss_of(schema)
    bound = loss.slope_norms(schema)[1] ** 0.5
    for seed in range(8):
        rows, k = table(40, seed, classes), unit.most
        kept = rows.slice(k)
        # The unit's records are the worst that there can be: alike, and unlike all the others'.
        same = {"x": [1.0] * k, "ward": ["c"] * k, "y": [0] * k, "who": [10**6] * k}
        new = pa.table(same).cast(rows.schema)
        neighbour = pa.concat_tables([new, kept])
        old = table(k, seed + 100, classes).set_column(3, "who", pa.array([10**7] * k))
        base = pa.concat_tables([old, kept]) if unit.neighbours == "replace" else kept
        for ridge in (0.01, 1.0, 30.0):
            found = [
                minimum(loss, ArrowSource(t), schema, ridge=ridge, tilt=np.zeros(loss.shape), tolerance=1e-8)
                for t in (base, neighbour)
            ]
            assert np.linalg.norm(found[0] - found[1]) <= bound / ridge + 2e-8 / ridge


def test_more_records_than_a_person_may_have_do_not_count():
    schema = schema_of(2, Unit(id="who", most=2))
    loss = loss_of(schema)
    rows = table(60)
    many = pa.table({"x": [0.5] * 9, "ward": ["a"] * 9, "y": [1] * 9, "who": [77] * 9}).cast(rows.schema)
    found = [
        minimum(
            loss,
            ArrowSource(pa.concat_tables([rows, many.slice(0, k)])),
            schema,
            ridge=1.0,
            tilt=np.zeros((1, 5)),
            tolerance=1e-8,
        )
        for k in (2, 9)
    ]
    np.testing.assert_array_equal(*found)


def test_what_cannot_be_solved_says_so():
    schema = schema_of()
    with pytest.raises(DataError, match="stays spent"):
        minimum(
            loss_of(schema),
            ArrowSource(table(500)),
            schema,
            ridge=1.0,
            tilt=np.zeros((1, 5)),
            tolerance=1e-14,
        )


def test_encoded_again_where_there_is_no_room_to_keep(monkeypatch):
    schema, rows = schema_of(), table(700)
    how = {"ridge": 1.0, "tilt": np.zeros((1, 5)), "tolerance": 1e-7}
    kept = minimum(loss_of(schema), ArrowSource(rows), schema, **how)
    monkeypatch.setattr("privet.curator.minimum.KEPT", 100)
    monkeypatch.setattr("privet.curator.minimum.READ", 64)
    np.testing.assert_allclose(minimum(loss_of(schema), ArrowSource(rows), schema, **how), kept, atol=1e-6)


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("nominal", [True, False])
def test_a_followed_gradient_is_the_gradient(classes, nominal):
    """Along a walk of single moves: every entry within one unit a record of a fresh one, mostly equal."""
    schema, rows = schema_of(classes), table(400, classes=classes)
    if not nominal:
        schema = Schema(tuple(c for c in schema.columns if c.name != "ward"), target="y")
    encoding, seen = Encoding.of(schema), Rows(batch(rows), schema)
    weights = np.zeros((1 if classes == 2 else classes, encoding.width))
    draw = np.random.default_rng(3)
    differences = []
    for _ in range(60):
        weights = weights.copy()
        weights.flat[draw.integers(weights.size)] += draw.choice([-0.7, 0.3, 1.0])
        fresh = Gradient(weights, "y", encoding)
        followed = Gradient(weights, "y", encoding, following=True)
        one, other = (g.fold(g.start(schema), seen) for g in (fresh, followed))
        differences.append(np.abs(one - other).max())
    assert max(differences) <= 4
    assert np.mean(np.array(differences) == 0) > 0.5
