"""Diagnoses of released models: what the curves say, how far they may be off, and what they cost."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from sklearn.metrics import roc_auc_score

from privet import Ledger, LinearRegression, NaiveBayes, OneR, Ridge
from privet.budget import budget
from privet.errors import BudgetExceeded, ParameterError, SchemaError
from privet.evaluation import compare_models, diagnose, evaluate, permutation_importance
from privet.evaluation.diagnosis import comparison_cost, diagnosis_cost
from privet.evaluation.diagnosis.own_records import own_records
from privet.learning.classify import DecisionTree, RuleMiner
from privet.learning.synthesise import Synthesiser
from privet.schema import Schema
from privet.stats import Rows
from tests.evaluation.conftest import COLUMNS, patients


@pytest.fixture(scope="module")
def exact(model, held_out):
    return diagnose(model, held_out, public=True)


def test_the_curves_are_those_of_the_scores(model, held_out, exact):
    known = held_out.filter(pa.compute.is_valid(held_out["stage"]))
    truth = np.array(known["stage"].to_pylist()) == "late"
    score = model.predict_proba(known)[:, list(model.classes_).index("late")]
    assert exact.positive == "late"
    assert exact.auc.value == pytest.approx(roc_auc_score(truth, score), abs=0.003)  # bins tie some
    assert exact.auc.error == 0
    assert exact.records.value == known.num_rows
    assert exact.share.value == pytest.approx(truth.mean())
    highest = np.argsort(-score, kind="stable")[: len(score) // 10]
    assert exact.top.value == pytest.approx(truth[highest].mean() / truth.mean(), rel=0.05)
    for predicted, observed in zip(exact.calibration.at, exact.calibration.values, strict=True):
        near = np.abs(score - predicted) < 0.04
        if near.sum() > 100:
            assert observed == pytest.approx(truth[near].mean(), abs=0.1)


def test_error_bars_hold_the_exact_figures(model, held_out, exact):
    runs = [diagnose(model, held_out, epsilon=0.3, random_state=seed) for seed in range(40)]
    for name in ("records", "share", "auc", "top"):
        truth = getattr(exact, name).value
        covered = [abs(getattr(r, name).value - truth) <= getattr(r, name).error for r in runs]
        assert np.mean(covered) >= 0.85, name
    at_most = np.mean([r.auc.error for r in runs])
    assert 0 < at_most < 0.05  # and they say something
    assert all(r.in_all > r.auc.error for r in runs)


def test_one_class_may_be_chosen_and_must_exist(model, held_out):
    assert diagnose(model, held_out, positive="none", public=True).positive == "none"
    with pytest.raises(ParameterError, match="no such class"):
        diagnose(model, held_out, positive="healthy", epsilon=1.0)
    with pytest.raises(ParameterError, match="bins"):
        diagnose(model, held_out, bins=2, epsilon=1.0)


def test_noise_that_hides_everything_is_said(model):
    found = diagnose(model, patients(5), epsilon=0.01, random_state=1)
    assert "hides" in found.in_words() or found.auc.error > 0.2
    assert "Guarantee" in found.text()
    found.to_dict()


def test_the_ledger_pays_once_for_all_curves(model, held_out, schema):
    ledger = Ledger.in_memory()
    ledger.open_account("patients", budget(1.0), unit=schema.unit, schema=schema)
    found = diagnose(model, held_out, epsilon=0.75, ledger=ledger)
    assert len(found.charts()) == 3
    assert ledger.spent("patients") == budget(0.75)
    with pytest.raises(BudgetExceeded):
        compare_models(model, model, held_out, epsilon=0.5, ledger=ledger)
    assert ledger.spent("patients") == budget(0.75)


def test_what_it_costs_is_what_was_planned(model, held_out, schema):
    found = diagnose(model, held_out, epsilon=0.5)
    assert found.guarantee.steps == diagnosis_cost(schema, epsilon=0.5).steps
    paired = compare_models(model, model, held_out, epsilon=0.5)
    assert paired.guarantee.steps == comparison_cost(schema, epsilon=0.5).steps


def test_pages_and_texts_have_all_of_it(exact):
    text, page = exact.text(), exact.page().html()
    for title in ("ROC curve", "Calibration", "Lift"):
        assert title in text
        assert title in page
    assert {chart.diagonal for chart in exact.charts()} == {"by chance", "as predicted", ""}


@pytest.fixture(scope="module")
def regressions():
    generator = np.random.default_rng(3)
    x = generator.uniform(0, 10, (6000, 2))
    y = np.clip(3 * x[:, 0] + x[:, 1] + generator.normal(0, 2, 6000), 0, 50)
    schema = Schema.of({"a": (0.0, 10.0), "b": (0.0, 10.0), "y": (0.0, 50.0)}, target="y")
    good = Ridge(epsilon=5.0, schema=schema, random_state=0).fit(x[:3000], y[:3000])
    bad = LinearRegression(epsilon=0.02, schema=schema, random_state=0).fit(x[:3000], y[:3000])
    return good, bad, x[3000:], y[3000:]


def test_residuals_are_those_of_the_regression(regressions):
    good, _, x, y = regressions
    found = diagnose(good, x, y, epsilon=1.0, random_state=0)
    off = y - np.clip(good.predict(x), 0, 50)
    assert found.half_within.value == pytest.approx(np.median(np.abs(off)), abs=found.half_within.error)
    assert found.nine_tenths_within.value == pytest.approx(
        np.quantile(np.abs(off), 0.9), abs=found.nine_tenths_within.error + 0.2
    )
    [chart] = found.charts()
    assert sum(chart.series[0].values) == pytest.approx(3000, rel=0.05)
    with pytest.raises(ParameterError, match="no classes"):
        diagnose(good, x, y, positive="yes", epsilon=1.0)


def test_the_better_of_two_regressions_is_found(regressions):
    good, bad, x, y = regressions
    found = compare_models(good, bad, x, y, epsilon=2.0, names=("good", "bad"), random_state=0)
    errors = [np.mean((y - np.clip(m.predict(x), 0, 50)) ** 2) for m in (bad, good)]
    assert found.difference.value == pytest.approx(errors[0] - errors[1], abs=1.5 * found.difference.error)
    assert found.better == "good"
    again = compare_models(good, good, x, y, epsilon=2.0, random_state=0)
    assert again.better is None


def test_a_comparison_is_sharper_than_two_evaluations_of_the_same_price(model, held_out, schema):
    other = OneR(epsilon=2.0, schema=schema, random_state=0).fit(patients(4000))
    exact = compare_models(model, other, held_out, public=True)
    right = [evaluate(m, held_out, public=True).accuracy.value for m in (model, other)]
    assert exact.difference.value == pytest.approx(right[0] - right[1])
    paired = [
        compare_models(model, other, held_out, epsilon=0.2, random_state=s).difference for s in range(30)
    ]
    alone = []
    for seed in range(30):
        both = [
            evaluate(m, held_out, epsilon=0.1, measures="confusion", random_state=2 * seed + place).accuracy
            for place, m in enumerate((model, other))
        ]
        alone.append(both[0].value - both[1].value - exact.difference.value)
    away = np.array([each.value for each in paired]) - exact.difference.value
    assert np.std(away) < np.std(alone) / 2
    assert np.mean(np.abs(away) <= [each.error for each in paired]) >= 0.8


def test_models_of_other_tables_are_not_compared(model):
    wider = Schema.of(COLUMNS | {"age": (0, 120)}, target="stage", dataset="patients")
    other = NaiveBayes(epsilon=1.0, schema=wider, random_state=0).fit(patients(500))
    with pytest.raises(SchemaError, match="different entries for the column 'age'"):
        compare_models(model, other, patients(10), epsilon=1.0)


def test_importance_costs_nothing_and_finds_what_matters(model, regressions):
    found = permutation_importance(model)
    assert next(iter(found.loss)) == "age"
    assert found.loss["age"].value > 5 * abs(found.loss["sex"].value)
    public = permutation_importance(model, patients(2000, seed=7).drop_null())
    assert next(iter(public.loss)) == "age"
    good, _, x, y = regressions
    with pytest.raises(ParameterError, match=r"how often their values occur(.|\n)*released already"):
        permutation_importance(good)
    table = pa.table({"a": x[:, 0], "b": x[:, 1], "y": y})
    assert next(iter(permutation_importance(good, table).loss)) == "a"


@pytest.mark.parametrize("kind", [DecisionTree, OneR, RuleMiner])
def test_parts_with_class_counts_tell_what_a_model_rests_on(kind, schema):
    table = patients(4000, seed=5)
    fitted = kind(epsilon=4.0, schema=schema, random_state=0).fit(table)
    own, public = permutation_importance(fitted), permutation_importance(fitted, table.drop_null())
    assert next(iter(own.loss)) == next(iter(public.loss)) == "age"
    drawn = own_records(fitted, 3000, np.random.default_rng(0))
    parts, counts = fitted._counted_parts()
    [batch] = drawn.combine_chunks().to_batches()
    seen = np.bincount(parts.part_of(Rows(batch, schema)), minlength=len(counts)) / 3000
    told = np.maximum(counts, 0).sum(axis=1)
    assert seen == pytest.approx(told / told.sum(), abs=0.05)


def test_a_synthesiser_lends_its_records(regressions):
    good, _, x, y = regressions
    table = pa.table({"a": x[:, 0], "b": x[:, 1], "y": y})
    synthesiser = Synthesiser(epsilon=8.0, schema=good.schema_, random_state=0).fit(table)
    found = permutation_importance(good, synthesiser)
    assert next(iter(found.loss)) == "a"
    assert "a synthesiser that was released already" in found.text()


def test_a_model_that_learned_nothing_rests_on_nothing():
    schema = Schema.of({"age": (0.0, 120.0), "sex": ["f", "m"], "ill": ["no", "yes"]}, target="ill")
    nobody = pa.table(
        {
            "age": pa.array([], pa.float64()),
            "sex": pa.array([], pa.string()),
            "ill": pa.array([], pa.string()),
        }
    )
    model = NaiveBayes(epsilon=0.001, schema=schema, random_state=0).fit(nobody)
    assert not model.tables_
    assert {figure.value for figure in permutation_importance(model).loss.values()} == {0}
