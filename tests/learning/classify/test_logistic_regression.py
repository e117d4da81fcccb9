"""Logistic regression: close to scikit-learn's without noise, useful with it, the same from every source."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.linear_model import LogisticRegression as Reference

from privet.budget import Ledger, Pure, exact
from privet.checks import CHECKS
from privet.errors import DataError, ParameterError, SchemaError
from privet.learning.classify import LogisticRegression
from privet.learning.linear import Encoder
from privet.learning.linear.newton import cautions
from privet.model import model_from_dict, model_to_dict
from privet.randomness.seed import SeededRandomness
from privet.schema import Schema, Unit

METHODS = ["newton", "objective", "output", "functional", "privgene"]
COLOURS = ["red", "green", "blue"]


def people(records=20_000, classes=2, seed=0):
    draw = np.random.default_rng(seed)
    colour = draw.integers(0, 3, records)
    age, dose = draw.uniform(0, 100, records), draw.uniform(-1, 1, records)
    score = (age - 50) / 20 + np.array([0.0, 1.5, -1.0])[colour] - dose + draw.logistic(0, 1, records)
    kind = np.digitize(score, np.quantile(score, np.arange(1, classes) / classes))
    table = pa.table({"age": age, "colour": [COLOURS[c] for c in colour], "dose": dose, "kind": kind})
    return table, Schema.of(
        {"age": (0.0, 100.0), "colour": COLOURS, "dose": (-1.0, 1.0), "kind": list(range(classes))},
        target="kind",
    )


def accuracy(model, table):
    return float(np.mean(model.predict(table.drop_columns(["kind"])) == np.asarray(table["kind"])))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("neighbours", ["add_remove", "replace"])
def test_learns_with_privacy(method, delta, neighbours):
    table, schema = people()
    schema = Schema(schema.columns, target="kind", unit=Unit(neighbours))
    how = {"epsilon": 1.0, "delta": delta, "schema": schema, "method": method, "records": 20_000}
    model = LogisticRegression(**how, random_state=0).fit(table)
    reference = Reference().fit(Encoder(schema=schema).transform(table), np.asarray(table["kind"]))
    best = reference.score(Encoder(schema=schema).transform(table), np.asarray(table["kind"]))
    assert accuracy(model, table) > best - 0.03
    assert model.method_ == method
    assert LogisticRegression(**how).fit(table.slice(0, 1000)).guarantee_.holds  # which seeded noise has not


@pytest.mark.parametrize("classes", [2, 4])
def test_without_noise_it_is_the_reference(classes):
    table, schema = people(classes=classes)
    model = LogisticRegression(epsilon=1e6, schema=schema, steps=60).fit(table)
    encoder = Encoder(schema=schema, intercept=True)
    X = encoder.transform(table)
    reference = Reference(max_iter=1000).fit(X[:, 1:], np.asarray(table["kind"]))
    probability = model.predict_proba(table.drop_columns(["kind"]))
    np.testing.assert_allclose(probability, reference.predict_proba(X[:, 1:]), atol=0.02)
    margins = model.decision_function(table.drop_columns(["kind"]))
    assert margins.shape == ((table.num_rows,) if classes == 2 else (table.num_rows, classes))
    weights = np.hstack([model.intercept_[:, None], model.coef_])
    np.testing.assert_allclose(margins, (X @ weights.T).squeeze(), atol=1e-9)
    assert model.coef_.shape == (1 if classes == 2 else classes, 5)
    assert model.feature_names_ == encoder.get_feature_names_out()[1:].tolist()


@pytest.mark.parametrize("method", METHODS)
def test_many_classes(method):
    table, schema = people(classes=4)
    model = LogisticRegression(epsilon=4.0, schema=schema, method=method, records=20_000, random_state=0).fit(
        table
    )
    assert accuracy(model, table) > 0.40  # the best is about 0.5, a guess 0.25
    assert np.allclose(model.predict_proba(table.drop_columns(["kind"])[:50]).sum(axis=1), 1)


@pytest.mark.parametrize("method", METHODS)
def test_a_file_and_a_database_give_the_same_model(method, tmp_path):
    ibis = pytest.importorskip("ibis")
    table, schema = people(3000)
    pq.write_table(table, tmp_path / "table.parquet")
    stored = ibis.duckdb.connect().create_table("people", table)
    make = lambda: LogisticRegression(schema=schema, method=method, random_state=3)  # noqa: E731
    models = [make().fit(data) for data in (table, tmp_path / "table.parquet", stored)]
    for other in models[1:]:
        np.testing.assert_array_equal(models[0].coef_, other.coef_)
        np.testing.assert_array_equal(models[0].intercept_, other.intercept_)


def test_the_plan_follows_from_what_is_declared():
    _, schema = people(10)
    few = LogisticRegression(epsilon=0.01, schema=schema, records=1000, method="newton")
    many = LogisticRegression(epsilon=1.0, schema=schema, records=10**7, method="newton")
    steps = [len([s for s in m.rehearse().steps if "gradient" in s.what]) for m in (few, many)]
    assert steps == [0, 8]
    table, _ = people(500)
    assert "too noisy" in few.fit(table).explanation_
    assert "as declared" in many.fit(table).explanation_
    assert ("about how many records there are", "declared") in many.guarantee_.public
    careless = LogisticRegression(schema=schema, estimate_records=False).fit(table)
    assert "assumed" in careless.explanation_


@pytest.mark.parametrize("method", ["newton", "functional"])
@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_error_bars_cover_the_weights_without_noise(method, epsilon):
    """Of well-filled coordinates, and of the strongest, which a search that stops early leaves too small."""
    table, schema = people(20_000)
    truth = LogisticRegression(epsilon=1e6, schema=schema, steps=60).fit(table)
    assert np.argmax(np.abs(truth.coef_)) == 0
    models = [
        LogisticRegression(epsilon=epsilon, schema=schema, method=method, random_state=seed).fit(table)
        for seed in range(20)
    ]
    covered = [np.abs(model.coef_ - truth.coef_) <= model.coef_error_ for model in models]
    assert np.mean(covered, axis=0)[0, [0, 4]].min() >= 0.85
    # They are no wider than the weights themselves where a weight is clear.
    assert np.median([model.coef_error_[0, 4] / abs(model.coef_[0, 4]) for model in models]) < 3


@pytest.fixture
def without_noise(monkeypatch):
    """Runs a fit with seeded noise as it would be if the noise were 0."""

    def fit(model, table):
        with monkeypatch.context() as patch:
            for name in ("add_discrete_laplace", "add_discrete_gaussian"):
                patch.setattr(
                    SeededRandomness, name, lambda self, values, scale: np.asarray(values, np.int64)
                )
            return model.fit(table)

    return fit


@pytest.mark.parametrize("method", ["newton", "functional", "output"])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 0.0), (1.0, 0.0), (3.0, 0.0), (1.0, 1e-6)])
def test_error_bars_are_for_the_noise(method, epsilon, delta, without_noise):
    """Strong weights and attributes that go together; the same method without noise is within the bars."""
    draw = np.random.default_rng(1)
    x = draw.uniform(-1, 1, (5_000, 5))
    x[:, 1] = 0.7 * x[:, 0] + 0.3 * x[:, 1]
    town = draw.integers(0, 4, 5_000)
    margin = x @ [3.0, -1.5, 1.0, 0.0, -2.5] + np.array([0.0, 1.0, -1.0, 0.5])[town]
    ill = draw.random(5_000) < 1 / (1 + np.exp(-margin))
    names = [f"x{place}" for place in range(5)]
    columns = dict(zip(names, x.T, strict=True)) | {"town": town.astype(str), "ill": ill.astype(int)}
    domains = dict.fromkeys(names, (-1.0, 1.0)) | {"town": ["0", "1", "2", "3"], "ill": [0, 1]}
    table, schema = pa.table(columns), Schema.of(domains, target="ill")

    def model(seed):
        return LogisticRegression(
            epsilon=epsilon, delta=delta, schema=schema, method=method, records=5_000, random_state=seed
        )

    silent = without_noise(model(0), table)
    noisy = [model(seed).fit(table) for seed in range(25)]
    inside = [np.abs(each.coef_ - silent.coef_) <= each.coef_error_ for each in noisy]
    assert np.mean(inside) >= 0.92  # 225 weights: 95 %, and two deviations less
    assert np.mean(inside, axis=0).min() >= 0.8
    assert any((each.coef_ != silent.coef_).all() for each in noisy)


def test_the_bars_of_output_are_the_quantile_of_its_noise():
    table, schema = people(500)
    model = LogisticRegression(schema=schema, method="output").fit(table)
    [step] = model.guarantee_.steps
    assert np.unique([*model.coef_error_.ravel(), *model.intercept_error_]).tolist() == [step.error]


@pytest.mark.parametrize("method", ["objective", "privgene"])
def test_methods_without_error_bars_say_none(method):
    table, schema = people(500)
    model = LogisticRegression(schema=schema, method=method).fit(table)
    assert model.coef_error_ is None
    assert model.intercept_error_ is None


def test_a_refit_keeps_nothing_of_the_fit_before(monkeypatch):
    """What an earlier fit released is not in the later one's guarantee, nor is it about its weights."""
    table, schema = people(2000)
    model = LogisticRegression(schema=schema, method="newton").fit(table)
    model.left_over_ = "an earlier release"
    model.set_params(method="objective").fit(table)
    assert model.coef_error_ is None
    assert not hasattr(model, "left_over_")
    monkeypatch.setattr("privet.curator.minimum.MOST_STEPS", 0)
    with pytest.raises(DataError):
        model.fit(table)
    assert not hasattr(model, "coef_")
    assert not hasattr(model, "guarantee_")


@pytest.mark.parametrize("method", METHODS)
def test_records_without_a_class_do_not_count(method):
    table, schema = people(20_000)
    kind = np.asarray(table["kind"]).astype(object)
    kind[::2] = None
    half = table.set_column(3, "kind", pa.array(kind.tolist(), pa.int64()))
    how = {"epsilon": 200.0, "schema": schema, "method": method, "records": 20_000, "random_state": 0}
    found, expected = (
        LogisticRegression(**how).fit(rows).coef_
        for rows in (half, table.take(pa.array(range(1, 20_000, 2))))
    )
    apart = {"output": 0.9, "privgene": 0.4}.get(method, 0.1)  # of noise on a weight, and of moves of 0.1
    np.testing.assert_allclose(found[0, [0, 4]], expected[0, [0, 4]], atol=apart)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_heeds_the_regularisation(method):
    table, schema = people(20_000)
    reference = Reference(C=1 / 3000).fit(Encoder(schema=schema).transform(table), np.asarray(table["kind"]))
    model = LogisticRegression(
        epsilon=1e4, schema=schema, method=method, records=20_000, regularisation=3000.0, random_state=0
    ).fit(table)
    # The functional mechanism solves the quadratic approximation, and a search moves in steps of 0.1.
    np.testing.assert_allclose(model.coef_, reference.coef_, atol=0.1)
    assert 0.2 < np.abs(reference.coef_).max() < 0.8  # without regularisation it is 2.4


@pytest.mark.parametrize(
    ("method", "steps"), [("objective", 3), ("output", 3), ("functional", 0), ("privgene", 0)]
)
def test_steps_that_would_be_ignored_are_refused(method, steps):
    table, schema = people(100)
    with pytest.raises(ParameterError, match="steps"):
        LogisticRegression(schema=schema, method=method, steps=steps).fit(table)
    one = LogisticRegression(schema=schema, steps=1, method="newton").fit(table)
    assert one.explanation_ == "Class sums and 1 noisy gradient, as asked for."


@pytest.mark.parametrize("method", ["auto", "newton", "objective", "output", "privgene"])
def test_bins_find_what_is_no_straight_line(method):
    draw = np.random.default_rng(0)
    age = draw.uniform(0, 100, 12_000)
    table = pa.table({"age": age, "kind": ((age > 30) & (age < 60)).astype(int)})
    schema = Schema.of({"age": (0.0, 100.0), "kind": [0, 1]}, target="kind")
    scaled, bins = (
        accuracy(
            LogisticRegression(
                epsilon=2.0, schema=schema, method=method, numbers=numbers, bins=10, random_state=0
            ).fit(table),
            table,
        )
        for numbers in ("scaled", "bins")
    )
    assert scaled < 0.75
    assert bins > 0.95


def test_bins_are_named_kept_in_the_file_and_refused_where_they_are_not_for():
    table, schema = people(3000)
    model = LogisticRegression(epsilon=3.0, schema=schema, numbers="bins", bins=4, random_state=0).fit(table)
    assert model.feature_names_[:4] == ["age=0 – 25", "age=25 – 50", "age=50 – 75", "age=75 – 100"]
    assert model.coef_.shape == (1, 4 + 3 + 4)
    read = model_from_dict(model_to_dict(model))
    odd = pa.table({"age": [None, -5.0, 500.0], "colour": ["red", None, "blue"], "dose": [0.0, None, 1.0]})
    for rows in (table, odd):
        assert np.array_equal(read.predict_proba(rows), model.predict_proba(rows))
    with pytest.raises(ParameterError, match="is for scaled numbers"):
        LogisticRegression(schema=schema, numbers="bins", method="functional").rehearse()


def test_a_class_of_a_few_records_does_no_harm():
    """Noise makes up most of its sums: they must not decide predictions."""
    table, _ = people(10_000, classes=3)
    kind = np.asarray(table["kind"]).copy()
    rare = Schema.of(
        {"age": (0.0, 100.0), "colour": COLOURS, "dose": (-1.0, 1.0), "kind": list(range(5))}, target="kind"
    )
    kind[:2], kind[2:40] = 3, 4
    table = table.set_column(3, "kind", pa.array(kind))
    for method in ("functional", "newton"):
        how = {"epsilon": 1.0, "schema": rare, "method": method}
        models = [LogisticRegression(**how, random_state=seed).fit(table) for seed in range(8)]
        scores = [accuracy(model, table) for model in models]
        assert min(scores) > 0.53, method  # 0.59 at best; a guess is right in a third


def test_auto_picks_by_what_is_public_and_says_why():
    table, schema = people(2000)

    def why(**how):
        model = LogisticRegression(**{"schema": schema, "records": 20_000} | how).fit(table)
        return model.method_, model.explanation_

    assert why()[0] == "objective"
    assert "small beside about 20000 records (as declared)" in why()[1]
    numbers = why(epsilon=0.01)
    assert numbers[0] == "objective"
    assert "most attributes are numbers" in numbers[1]
    half = Schema(tuple(column for column in schema.columns if column.name != "dose"), target="kind")
    assert why(epsilon=0.01, schema=half) == (
        "newton",
        "Class sums alone: with about 20000 records (as declared) a gradient would be too noisy at this "
        "budget for a step to help; chosen because at this budget the noise on a tilted objective would be "
        "large.",
    )
    assert why(delta=1e-6) == why()  # most attributes are numbers: a delta is not taken
    assert why(steps=3)[0] == "newton"
    assert why(records=None, estimate_records=False)[0] == "newton"
    assert why(delta=1e-6, epsilon=0.4, schema=half)[0] in ("newton", "privgene")
    choices = why(delta=1e-6, epsilon=0.4, schema=half, records=200_000)
    assert choices[0] == "privgene"
    assert "with a delta many choices cost little" in choices[1]
    unkept = why(delta=1e-6, epsilon=0.4, schema=half, records=2**40)
    assert unkept[0] == "newton"  # so many are not kept in memory
    assert "delta" in unkept[1]
    huge = why(records=2**40)
    assert huge[0] == "newton"
    assert "takes too long" in huge[1]
    many = why(records=10**8)
    assert many[0] == "newton"
    assert "cannot be found exactly enough" in many[1]


def test_the_number_of_records_can_be_estimated_privately():
    table, schema = people(20_000)
    for delta in (0.0, 1e-6):
        model = LogisticRegression(schema=schema, delta=delta).fit(table)
        assert "estimated privately" in model.explanation_
        first, *rest = model.guarantee_.steps
        assert first.what.startswith("the number of records")
        spent = [float(getattr(s.amount, "epsilon", 0) or s.amount.rho) for s in (first, *rest)]
        assert 1 / 50 <= spent[0] / sum(spent) <= 1 / 10
        if delta == 0:
            assert sum(spent) == pytest.approx(1.0)
            assert model.method_ == "objective"
    half = Schema(tuple(column for column in schema.columns if column.name != "dose"), target="kind")
    few = LogisticRegression(schema=half, epsilon=0.05, random_state=1).fit(table.slice(0, 100))
    assert few.method_ == "none"
    assert "largest class" in few.explanation_
    for settled in ({"steps": 2}, {"records": 20_000}, {"method": "objective"}, {"estimate_records": False}):
        model = LogisticRegression(schema=schema, **settled).fit(table)
        assert not any("number of records" in step.what for step in model.guarantee_.steps), settled


def test_a_fit_that_cannot_be_solved_says_so_and_the_spend_stands(monkeypatch):
    table, schema = people(500)
    ledger = Ledger.in_memory().as_analyst("test")
    schema = Schema(schema.columns, target="kind", dataset="people")
    ledger.open_account("people", Pure(exact(1)), unit=schema.unit)
    model = LogisticRegression(epsilon=0.25, schema=schema, ledger=ledger, method="objective")
    monkeypatch.setattr("privet.curator.minimum.MOST_STEPS", 1)
    monkeypatch.setattr(
        LogisticRegression, "rehearse", lambda self: None
    )  # an empty table needs more steps too
    with pytest.raises(DataError, match="What was reserved stays spent"):
        model.fit(table)
    assert ledger.spent("people") == Pure(exact(0.25))
    assert not hasattr(model, "coef_")


def test_the_optimum_methods_reach_the_references_weights():
    table, schema = people(20_000)
    X = Encoder(schema=schema, intercept=True).transform(table)
    reference = Reference(C=1.0, fit_intercept=False, tol=1e-9, max_iter=5000).fit(
        X, np.asarray(table["kind"])
    )
    model = LogisticRegression(epsilon=1e6, schema=schema, method="objective", regularisation=1.0).fit(table)
    weights = np.hstack([model.intercept_[:, None], model.coef_])
    np.testing.assert_allclose(weights, reference.coef_, atol=1e-3)
    assert model.coef_error_ is None
    noisy = LogisticRegression(epsilon=1.0, schema=schema, method="output").fit(table)
    assert noisy.coef_error_.min() > 0
    assert "which the budget needs" in noisy.explanation_
    assert any("minimum can be found" in caveat for caveat in noisy.guarantee_.caveats)


@pytest.mark.parametrize("method", ["objective", "output"])
def test_people_with_several_records_get_more_noise(method):
    table, schema = people(300)
    table = table.append_column("who", pa.array(np.arange(300) // 3))
    units = [Unit(), Unit("replace"), Unit(id="who", most=3)]
    errors = [
        LogisticRegression(schema=Schema(schema.columns, target="kind", unit=unit), method=method)
        .fit(table)
        .guarantee_.steps[0]
        .error
        for unit in units
    ]
    if method == "objective":
        # Twice and three times the slope; what the curvature costs besides differs a little.
        assert 2 <= errors[1] / errors[0] < 2.3
        assert 2.9 < errors[2] / errors[0] < 3.3
    else:  # the noise is held, and the regularisation pays
        assert errors[1] == pytest.approx(errors[0], rel=0.1)


def test_budgets_are_paid_once():
    table, schema = people(500)
    ledger = Ledger.in_memory().as_analyst("test")
    schema = Schema(schema.columns, target="kind", dataset="people")
    ledger.open_account("people", Pure(exact(1)), unit=schema.unit)
    LogisticRegression(epsilon=0.25, schema=schema, ledger=ledger, records=10**6).fit(table)
    assert ledger.spent("people") == Pure(exact(0.25))


# Odd tables


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("epsilon", [1e-3, 1.0, 1e6])
def test_odd_tables_give_finite_models(method, epsilon):
    columns = {
        "x": (0.0, 1.0),
        "copy": (0.0, 1.0),
        "same": (0.0, 5.0),
        "c": ["a"],
        "wide": list(range(40)),
        "y": [0, 1],
    }
    schema = Schema.of(columns, target="y")
    x = np.linspace(0, 1, 30)
    tables = {
        "separable, constant and duplicate columns, fewer records than coordinates": (
            x,
            (x > 0.5).astype(int),
        ),
        "one class only": (x, np.ones(30, int)),
        "out of bounds": (1e9 * (x - 0.5), (x > 0.5).astype(int)),
        "one record": (x[:1], np.zeros(1, int)),
    }
    for name, (values, y) in tables.items():
        table = pa.table(
            {
                "x": values,
                "copy": values,
                "same": np.full(len(y), 2.0),
                "c": ["a"] * len(y),
                "wide": np.arange(len(y)),
                "y": y,
            }
        )
        model = LogisticRegression(epsilon=epsilon, schema=schema, method=method, records=1000).fit(table)
        assert np.isfinite(model.coef_).all(), name
        assert np.isfinite(model.predict_proba(table.drop_columns(["y"]))).all(), name


def test_all_missing():
    table, schema = people(100)
    gaps = table.set_column(0, "age", pa.nulls(100, pa.float64()))
    gaps = gaps.set_column(1, "colour", pa.nulls(100, pa.string()))
    model = LogisticRegression(schema=schema).fit(gaps)
    assert np.isfinite(model.coef_).all()
    assert len(model.predict(table.slice(0, 0).drop_columns(["kind"]))) == 0


def test_errors_are_plain():
    table, schema = people(5000)  # with few, a first look may find too little before it meets them
    with pytest.raises(SchemaError, match="no attribute"):
        LogisticRegression(schema=Schema(schema.columns[-1:], target="kind")).fit(table)
    numeric = Schema.of({"age": (0.0, 100.0), "kind": (0.0, 1.0)}, target="kind")
    with pytest.raises(SchemaError, match="is a number"):
        LogisticRegression(schema=numeric).fit(table)
    for bounds in ((100.0, 0.0), (5.0, 5.0)):
        with pytest.raises(SchemaError):
            Schema.of({"age": bounds, "kind": [0, 1]}, target="kind")
    infinite = table.set_column(0, "age", pa.array([np.inf] * 5000))
    for method in METHODS:
        with pytest.raises(DataError, match="infinit"):
            LogisticRegression(schema=schema, method=method).fit(infinite)


def test_a_domain_of_one_class():
    table, _ = people(100)
    one = Schema.of({"age": (0.0, 100.0), "kind": [0]}, target="kind")
    model = LogisticRegression(schema=one).fit(table.set_column(3, "kind", pa.array([0] * 100)))
    assert set(model.predict(table.select(["age"]))) == {0}


def test_cautions_start_safe_and_end_bold():
    assert cautions(1) == [3.0]
    assert all(a > b for a, b in zip(cautions(5), cautions(5)[1:], strict=False))
    assert max(cautions(9)) <= 3.0


@pytest.mark.parametrize("method", METHODS[1:])  # the registry's tests check the default
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_common_checks(method, check):
    steps = {"steps": 5} if method == "privgene" else {}
    check(lambda **parameters: LogisticRegression(**{"method": method} | steps | parameters))
