"""Evaluation on test data: exact where it is public, noised and paid for where it is not."""

from __future__ import annotations

import json

import ibis
import numpy as np
import pyarrow as pa
import pytest
from sklearn import metrics as reference
from sklearn.naive_bayes import GaussianNB

from privet.budget import Ledger, Pure, exact
from privet.errors import BudgetExceeded, DataError, ParameterError
from privet.evaluation import Evaluation, evaluate, evaluation_cost
from privet.evaluation.figures import Measured
from privet.learning.classify import NaiveBayes
from privet.model import load_model, save_model
from privet.schema import Schema, Unit
from privet.sources import write_csv, write_parquet

ALL = (
    "records",
    "accuracy",
    "kappa",
    "mean_absolute_error",
    "root_mean_squared_error",
    "relative_absolute_error",
    "root_relative_squared_error",
    "log_loss",
)


def ledger_with(epsilon, unit=None):
    ledger = Ledger.in_memory()
    ledger.open_account("patients", Pure(exact(epsilon)), unit=unit or Unit())
    return ledger


def known(table):
    """The records that have a class, as arrays of codes and the model's inputs."""
    frame = table.to_pandas().dropna(subset=["stage"])
    return frame.drop(columns="stage"), frame["stage"].to_numpy()


def test_public_figures_are_scikit_learns(model, held_out):
    result = evaluate(model, held_out, public=True)
    X, actual = known(held_out)
    predicted, p = model.predict(X), model.predict_proba(X)
    labels = list(model.classes_)
    np.testing.assert_array_equal(
        result.confusion, reference.confusion_matrix(actual, predicted, labels=labels)
    )
    assert float(result.accuracy) == pytest.approx(reference.accuracy_score(actual, predicted))
    assert float(result.kappa) == pytest.approx(reference.cohen_kappa_score(actual, predicted))
    precision, recall, f1, _ = reference.precision_recall_fscore_support(actual, predicted, labels=labels)
    np.testing.assert_allclose([float(f) for f in result.precision], precision)
    np.testing.assert_allclose([float(f) for f in result.recall], recall)
    np.testing.assert_allclose([float(f) for f in result.f1], f1)
    # scikit-learn wants the columns in the order of the sorted labels. Fixed point: 2^-20 of the bound.
    order = np.argsort(labels)
    expected = reference.log_loss(actual, p[:, order], labels=sorted(labels))
    assert float(result.log_loss) == pytest.approx(expected, abs=1e-4)
    y = (actual[:, None] == np.array(labels)).astype(float)
    prior = np.exp(model.class_log_prior_)
    assert float(result.mean_absolute_error) == pytest.approx(np.abs(p - y).mean(), abs=1e-5)
    assert float(result.root_mean_squared_error) == pytest.approx(np.sqrt(((p - y) ** 2).mean()), abs=1e-5)
    assert float(result.relative_absolute_error) == pytest.approx(
        np.abs(p - y).sum() / np.abs(prior - y).sum(), abs=1e-5
    )
    assert float(result.root_relative_squared_error) == pytest.approx(
        np.sqrt(((p - y) ** 2).sum() / ((prior - y) ** 2).sum()), abs=1e-5
    )


def test_public_figures_promise_nothing(model, held_out):
    result = evaluate(model, held_out, public=True)
    assert not result.guarantee.holds
    assert "declared public" in result.guarantee.headline
    assert result.accuracy.error == 0
    assert result.to_dict()["guarantee"]["epsilon"] is None


def test_private_figures_are_noised_and_paid(model, held_out):
    truth = evaluate(model, held_out, public=True)
    ledger = ledger_with(1)
    one = evaluate(model, held_out, epsilon=0.5, ledger=ledger)
    two = evaluate(model, held_out, epsilon=0.5, ledger=ledger)
    assert one.guarantee.holds
    assert one.guarantee.epsilon == 0.5
    assert ledger.spent("patients") == Pure(exact(1))
    assert len([e for e in ledger.history("patients") if e.kind == "reserve"]) == 2
    # 18 geometric draws of scale 4 that are all zero: less than one in 10^18.
    assert not np.array_equal(one.noisy, two.noisy)
    assert not np.array_equal(one.noisy, truth.noisy)
    assert float(one.log_loss) != float(truth.log_loss)
    assert (one.confusion >= 0).all()
    with pytest.raises(BudgetExceeded):
        evaluate(model, held_out, epsilon=0.5, ledger=ledger)
    assert ledger.spent("patients") == Pure(exact(1))


def test_the_models_own_ledger_pays(schema, model, held_out):
    from sklearn.base import clone

    ledger = ledger_with(3)
    fitted = clone(model).set_params(ledger=ledger, random_state=None).fit(held_out)
    evaluate(fitted, held_out, epsilon=0.25)
    assert ledger.spent("patients") == Pure(exact(2.25))


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_error_bars_hold(model, held_out, delta):
    """In 200 runs, each figure's bar holds the true one in about 95 %, and is not idly wide."""
    truth = evaluate(model, held_out, public=True, log_loss_bound=5.0)
    runs = [evaluate(model, held_out, epsilon=0.3, delta=delta, random_state=seed) for seed in range(200)]
    for name in ALL:
        figures = [getattr(run, name) for run in runs]
        misses = np.array([abs(float(f) - float(getattr(truth, name))) for f in figures])
        bars = np.array([f.error for f in figures])
        assert (misses <= bars).mean() >= 0.9, name
        assert bars.mean() < 4 * misses.std() + 1e-12, name
    for place in range(3):
        inside = [
            abs(run.recall[place].value - truth.recall[place].value) <= run.recall[place].error
            for run in runs
        ]
        assert np.mean(inside) >= 0.9
    # Without bias: the mean of the runs is the truth.
    mean = np.mean([float(run.accuracy) for run in runs])
    assert mean == pytest.approx(float(truth.accuracy), abs=4 * runs[0].accuracy.error / np.sqrt(200))


@pytest.mark.parametrize(("records", "wrong", "epsilon"), [(60, 0.0, 1.0), (200, 0.02, 0.5), (200, 0.3, 1.0)])
def test_error_bars_hold_where_figures_reach_the_ends_of_their_range(records, wrong, epsilon):
    """Few records and a good model: noisy shares beyond 0 and 1 are held, and their bars still cover."""
    draw = np.random.default_rng(1)
    actual = draw.choice(4, records, p=[0.7, 0.1, 0.1, 0.1])
    seen = np.where(draw.random(records) < wrong, draw.integers(0, 4, records), actual)
    table = pa.table({"sign": seen.astype(str), "stage": actual.astype(str)})
    names = ["0", "1", "2", "3"]
    small = Schema.of({"sign": names, "stage": names}, target="stage", dataset="few")
    fitted = NaiveBayes(epsilon=50.0, schema=small, random_state=0).fit(table)
    truth = every_figure(evaluate(fitted, table, public=True))
    runs = [every_figure(evaluate(fitted, table, epsilon=epsilon, random_state=seed)) for seed in range(300)]
    for place, true in enumerate(truth):
        if not np.isfinite(true.value):  # the precision of a class that is never predicted
            continue
        known = [run[place] for run in runs if np.isfinite(run[place].value)]
        inside = [abs(each.value - true.value) <= each.error + 1e-6 for each in known]
        assert np.mean(inside) >= 0.925, place
    shares = [each.value for run in runs for each in run[len(ALL) :]]
    assert {0.0, 1.0} & set(shares), "nothing reached the end of its range"


def every_figure(found):
    return [*(getattr(found, name) for name in ALL), *found.precision, *found.recall, *found.f1]


def test_the_cost_is_known_before(schema, model, held_out):
    ledger = ledger_with(1)
    cost = evaluation_cost(schema, epsilon=0.5)
    result = evaluate(model, held_out, epsilon=0.5, ledger=ledger)
    assert cost.amount == result.guarantee.amount
    assert cost.steps == result.guarantee.steps
    assert sum(step.amount.epsilon for step in cost.steps) == exact(0.5)


def test_confusion_alone_gets_all_of_the_budget(schema, model, held_out):
    both = evaluation_cost(schema, epsilon=1.0)
    alone = evaluation_cost(schema, epsilon=1.0, measures="confusion")
    assert alone.steps[0].error < both.steps[0].error
    result = evaluate(model, held_out, epsilon=1.0, measures="confusion")
    assert result.log_loss is None
    assert "Log loss" not in result.text()


@pytest.mark.parametrize("write", [write_csv, write_parquet])
def test_a_file_an_array_and_a_frame_are_the_same(tmp_path, model, held_out, write):
    path = tmp_path / f"test.{'csv' if write is write_csv else 'parquet'}"
    write(held_out.to_batches(), path)
    frame = held_out.to_pandas()
    X, y = frame.drop(columns="stage"), frame["stage"]
    results = [
        evaluate(model, path, public=True),
        evaluate(model, held_out, public=True),
        evaluate(model, frame, public=True),
        evaluate(model, X, y, public=True),
        evaluate(model, X.to_numpy(), y.to_numpy(), public=True),
    ]
    for result in results[1:]:
        np.testing.assert_array_equal(result.confusion, results[0].confusion)
        assert result.log_loss == results[0].log_loss


def test_a_loaded_model_is_evaluated_like_the_fitted_one(tmp_path, model, held_out):
    save_model(model, tmp_path / "model.json")
    loaded = load_model(tmp_path / "model.json")
    one, two = (evaluate(m, held_out, public=True) for m in (model, loaded))
    np.testing.assert_array_equal(one.confusion, two.confusion)


def test_a_database_table_is_evaluated_too(model, held_out):
    table = ibis.duckdb.connect().create_table("patients", held_out)
    one, two = (evaluate(model, data, public=True) for data in (held_out, table))
    np.testing.assert_array_equal(one.confusion, two.confusion)
    assert one.log_loss == two.log_loss


def test_result_is_readable_and_json(model, held_out):
    result = evaluate(model, held_out, epsilon=1.0)
    text = result.text()
    for word in ("Accuracy", "Kappa", "Confusion matrix", "early", "±", "ε = 1"):
        assert word in text
    again = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert again["accuracy"] == {"value": result.accuracy.value, "error": result.accuracy.error}
    assert again["guarantee"]["holds"] is True


def test_an_empty_table_is_refused_where_it_is_public_and_gives_noise_where_it_is_private(model, held_out):
    with pytest.raises(DataError, match="nothing to score"):
        evaluate(model, held_out.slice(0, 0), public=True)
    evaluate(model, held_out.slice(0, 0), epsilon=0.01).text()


def test_figures_that_have_no_value_are_unknown(schema):
    """As where noise leaves nothing to divide by."""
    cost = evaluation_cost(schema, epsilon=1.0)
    empty = Evaluation.of(("none", "early", "late"), Measured(np.zeros((3, 3))), None, cost)
    assert np.isnan(float(empty.accuracy))
    assert "unknown" in empty.text()
    json.dumps(empty.to_dict(), allow_nan=False)


def test_bad_input(schema, model, held_out):
    with pytest.raises(ParameterError, match="needs an epsilon"):
        evaluate(model, held_out)
    for epsilon in (0, -1.0, float("nan"), "1", True):
        with pytest.raises(ParameterError):
            evaluate(model, held_out, epsilon=epsilon)
    with pytest.raises(ParameterError, match="public=True"):
        evaluate(model, held_out, epsilon=1.0, public=True)
    with pytest.raises(ParameterError, match="measures"):
        evaluate(model, held_out, epsilon=1.0, measures="accuracy")
    with pytest.raises(ParameterError, match="log_loss_bound"):
        evaluate(model, held_out, epsilon=1.0, log_loss_bound=0)
    with pytest.raises(DataError, match="no classes"):
        evaluate(model, held_out.drop_columns("stage"), epsilon=1.0)
    with pytest.raises(ParameterError, match="GaussianNB"):
        evaluate(GaussianNB(), held_out, epsilon=1.0)


def test_a_schema_read_off_the_data_voids_the_guarantee(held_out):
    frame = held_out.to_pandas().dropna()
    X, y = frame.drop(columns="stage"), frame["stage"]
    inferred = NaiveBayes(epsilon=1.0, schema="infer").fit(X, y)
    assert not evaluate(inferred, X, y, epsilon=1.0).guarantee.holds


def test_an_unknown_category_is_refused_without_naming_it(model, held_out):
    frame = held_out.to_pandas()
    frame.loc[0, "sex"] = "secretvalue"
    with pytest.raises(DataError, match="'sex'") as caught:
        evaluate(model, frame, epsilon=1.0)
    assert "secretvalue" not in str(caught.value)


def test_seeded_noise_is_not_paid_from_a_ledger(model, held_out):
    ledger = ledger_with(1)
    with pytest.raises(ParameterError, match="without a guarantee"):
        evaluate(model, held_out, epsilon=0.1, random_state=1, ledger=ledger)
    assert ledger.spent("patients") is None
    assert not evaluate(model, held_out, epsilon=0.1, random_state=1).guarantee.holds


def test_replace_neighbours_need_more_noise():
    columns = {"x": ["a"], "y": ["n", "p"]}
    one = evaluation_cost(Schema.of(columns, target="y"), epsilon=1.0)
    two = evaluation_cost(Schema.of(columns, target="y", unit=Unit("replace")), epsilon=1.0)
    three = evaluation_cost(Schema.of(columns, target="y", unit=Unit(id="who", most=3)), epsilon=1.0)
    assert one.steps[0].error < two.steps[0].error < three.steps[0].error
